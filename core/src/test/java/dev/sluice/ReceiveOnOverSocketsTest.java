package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The hop to real workers, over real sockets. */
class ReceiveOnOverSocketsTest {

    private static Stream<Arguments> schedulers() {
        List<Supplier<Scheduler>> schedulers = List.of(
                Schedulers::immediate,
                () -> Schedulers.newSingle("hop"),
                () -> Schedulers.newParallel("hop", 2),
                () -> Schedulers.newBoundedElastic(2, 100, "hop"));
        return schedulers.stream()
                .flatMap(scheduler -> Stream.of(Transport.values())
                        .map(transport -> Arguments.of(transport, CountingScheduler.of(scheduler.get()))));
    }

    @ParameterizedTest
    @MethodSource("schedulers")
    void givesAllInOrderAndDisposesItsWorker(Transport transport, CountingScheduler scheduler) {
        int messages = 50_000;
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.demanding(1);
            link.connection.receiveOn(scheduler).subscribe(probe.whenNext(number -> probe.request(1)));
            CompletableFuture<Void> sent = send(link.peer, messages);
            probe.awaitCompletion();
            sent.join();
            assertThat(probe.values()).isEqualTo(Frames.range(0, messages));
            Await.until("disposed worker", () -> scheduler.disposed() == 1);
            assertThat(scheduler.tasks()).isLessThan(messages);
        } finally {
            scheduler.dispose();
        }
    }

    @ParameterizedTest
    @MethodSource("schedulers")
    void takesRequestsFromOtherThreads(Transport transport, CountingScheduler scheduler) {
        int messages = 20_000;
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.demanding(0);
            link.connection.receiveOn(scheduler, 100).subscribe(probe);
            CompletableFuture<Void> sent = send(link.peer, messages);
            CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < messages / 2; i++) {
                    probe.request(1);
                }
            });
            for (int i = 0; i < messages / 20; i++) {
                probe.request(10);
            }
            other.join();
            probe.awaitCompletion(); // although no demand is left to tell it
            sent.join();
            assertThat(probe.values()).isEqualTo(Frames.range(0, messages));
        } finally {
            scheduler.dispose();
        }
    }

    /** One by one from another thread, each only when the one before has come: a lost wake-up would end it. */
    @ParameterizedTest
    @EnumSource
    void neverStalls(Transport transport) {
        Scheduler scheduler = Schedulers.newSingle("hop");
        ConnectionOptions options = ConnectionOptions.DEFAULT.prefetch(new Prefetch(2, 100));
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS, options)) {
            Probe<Integer> probe = Probe.demanding(0);
            link.connection.receiveOn(scheduler, 3).subscribe(probe);
            CompletableFuture<Void> sent = send(link.peer, 5_000);
            for (int i = 1; i <= 5_000; i++) {
                probe.request(1);
                probe.awaitCount(i);
            }
            probe.awaitCompletion();
            sent.join();
        } finally {
            scheduler.dispose();
        }
    }

    @ParameterizedTest
    @EnumSource
    void givesEveryMessageBeforeAFailure(Transport transport) {
        Scheduler scheduler = Schedulers.newSingle("hop");
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.unbounded();
            link.connection.receiveOn(scheduler).subscribe(probe);
            link.peer.send(Frames.numbers(0, 5_000)).send(new byte[] {0}).fin();
            assertThat(probe.awaitError()).isInstanceOf(dev.sluice.framing.TruncatedFrameException.class);
            assertThat(probe.values()).isEqualTo(Frames.range(0, 5_000));
        } finally {
            scheduler.dispose();
        }
    }

    /** A consumer that stands still holds its 4 MiB, the prefetch, one read and what the kernels hold; not the stream. */
    @ParameterizedTest
    @EnumSource
    void boundsWhatASlowConsumerHolds(Transport transport) {
        int payload = 16 * 1024 - Frames.HEADER;
        int messages = 4_000;
        Scheduler scheduler = Schedulers.newSingle("hop");
        try (Link<ByteBuf, ByteBuf> link = Link.openNarrow(transport, Frames.SLICES, ConnectionOptions.DEFAULT)) {
            CompletableFuture<Void> stands = new CompletableFuture<>();
            Probe<Integer> probe = Probe.unbounded();
            link.connection.receiveOn(scheduler).map(Frames::take).subscribe(probe.whenNext(number -> {
                if (number == 0) {
                    Await.blocking(stands);
                }
            }));
            CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < messages; i += 40) {
                    link.peer.send(Frames.numbers(i, i + 40, payload));
                }
                link.peer.fin();
            });
            Await.until("full", () -> link.connection.stats().pauses() > 0);
            assertThat(sent).isNotDone();
            ConnectionStats stats = link.connection.stats();
            assertThat(stats.heldMessagesMax()).isLessThanOrEqualTo((4 * 1024 + 256) / 16 + 2);
            stands.complete(null);
            probe.awaitCompletion();
            sent.join();
            assertThat(probe.values()).isEqualTo(Frames.range(0, messages));
            assertThat(link.connection.stats().heldMessagesMax()).isLessThanOrEqualTo((4 * 1024 + 256) / 16 + 2);
            assertThat(link.connection.stats().bytesAtHand()).isZero();
        } finally {
            scheduler.dispose();
        }
    }

    /** Law 9: the published workload, in turns of 256 KiB. */
    @Test
    void schedulesOneTaskADrain() {
        int frames = 100_000;
        int payload = 2_501 - Frames.HEADER;
        CountingScheduler scheduler = CountingScheduler.byHand();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            int[] next = {0};
            wire.connection.receiveOn(scheduler).subscribe(number -> {
                assertThat(number == next[0]).isTrue();
                next[0]++;
            });
            byte[] rest = {};
            for (int sent = 0; sent < frames || rest.length > 0; ) {
                int more = Math.min(frames - sent, 104);
                byte[] bytes = concat(rest, Frames.numbers(sent, sent + more, payload));
                sent += more;
                int length = Math.min(bytes.length, 256 * 1024);
                wire.feed(java.util.Arrays.copyOf(bytes, length));
                rest = java.util.Arrays.copyOfRange(bytes, length, bytes.length);
                scheduler.runAll();
            }
            assertThat(next[0]).isEqualTo(frames);
            assertThat(scheduler.tasks()).isLessThanOrEqualTo(1_910).isLessThanOrEqualTo((int)
                    wire.stats().drains());
            assertThat(wire.stats().wakeUps()).isLessThanOrEqualTo(965);
        }
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = java.util.Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private static CompletableFuture<Void> send(Peer peer, int messages) {
        return CompletableFuture.runAsync(() -> {
            for (int i = 0; i < messages; i += 500) {
                peer.send(Frames.numbers(i, i + 500));
            }
            peer.fin();
        });
    }
}
