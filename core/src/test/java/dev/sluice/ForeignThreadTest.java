package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.scheduler.Schedulers;

/** Requests, cancels and subscriptions from threads that are not the connection's event loop. */
class ForeignThreadTest {

    @ParameterizedTest
    @MethodSource("transportsAndWays")
    void givesWhatAnotherThreadRequestsOneByOne(Transport transport, Way way) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            AtomicInteger messages = new AtomicInteger();
            AtomicInteger signals = new AtomicInteger();
            Probe<List<Integer>> probe = Probe.demanding(0);
            way.signals(link.connection).subscribe(probe.whenNext(signal -> {
                messages.addAndGet(signal.size());
                signals.incrementAndGet();
            }));
            link.peer.send(Frames.numbers(0, 3_000));
            int n = 0;
            while (messages.get() < 3_000) {
                int next = ++n;
                probe.request(1);
                Await.until("signal " + next, () -> signals.get() == next);
            }
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 3_000));
        }
    }

    @ParameterizedTest
    @EnumSource
    void signalsOnTheEventLoopAlone(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.demanding(0);
            boolean[] elsewhere = {false};
            Runnable check =
                    () -> elsewhere[0] |= !link.connection.channel().eventLoop().inEventLoop();
            link.connection
                    .receive()
                    .subscribe(probe.whenNext(number -> check.run()).whenTerminated(error -> check.run()));
            link.peer.send(Frames.numbers(0, 100)).fin();
            Await.until("read", () -> link.connection.stats().messagesIn() >= 64);
            probe.request(Long.MAX_VALUE);
            probe.awaitCompletion();
            assertThat(elsewhere[0]).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void takesOneTaskHoweverManyRequestsCome(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.demanding(0);
            link.connection.receive().subscribe(probe);
            link.peer.send(Frames.numbers(0, 64));
            Await.until("held", () -> link.connection.stats().heldMessages() == 64);
            SingleThreadEventExecutor loop =
                    (SingleThreadEventExecutor) link.connection.channel().eventLoop();
            link.whileBlocked(() -> {
                int before = loop.pendingTasks();
                for (int i = 0; i < 64; i++) {
                    probe.request(1);
                }
                assertThat(loop.pendingTasks() - before).isEqualTo(1);
            });
            assertThat(probe.awaitCount(64).values()).isEqualTo(Frames.range(0, 64));
        }
    }

    @ParameterizedTest
    @EnumSource
    void takesNoTaskForRequestsWhenNothingIsThere(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.demanding(0);
            link.connection.receive().subscribe(probe);
            link.onLoop(() -> {});
            SingleThreadEventExecutor loop =
                    (SingleThreadEventExecutor) link.connection.channel().eventLoop();
            link.whileBlocked(() -> {
                int before = loop.pendingTasks();
                for (int i = 0; i < 64; i++) {
                    probe.request(1);
                }
                assertThat(loop.pendingTasks() - before).isZero();
            });
            link.peer.send(Frames.numbers(0, 64));
            assertThat(probe.awaitCount(64).values()).isEqualTo(Frames.range(0, 64));
        }
    }

    @ParameterizedTest
    @EnumSource
    void cancelFreesThePlaceBeforeTheLoopComesRound(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> first = Probe.unbounded();
            Probe<Integer> second = Probe.unbounded();
            Probe<Integer> third = Probe.unbounded();
            link.whileBlocked(() -> {
                link.connection.receive().subscribe(first);
                first.cancel();
                link.connection.receive().subscribe(second);
                second.cancel();
                link.connection.receive().subscribe(third);
            });
            link.peer.send(Frames.numbers(0, 10)).fin();
            assertThat(third.awaitCompletion().values()).isEqualTo(Frames.range(0, 10));
            assertThat(first.isTerminated()).isFalse();
            assertThat(second.isTerminated()).isFalse();
            assertThat(first.values()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void failsBadRequestOfAnotherThreadAndGoesOnWithTheNextReceiver(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> bad = Probe.demanding(0);
            link.connection.receive().subscribe(bad);
            link.peer.send(Frames.numbers(0, 10));
            bad.requestRaw(0);
            assertThat(bad.awaitError()).isInstanceOf(IllegalArgumentException.class);
            Probe<Integer> next = Probe.unbounded();
            link.connection.receive().subscribe(next);
            assertThat(next.awaitCount(10).values()).isEqualTo(Frames.range(0, 10));
        }
    }

    @ParameterizedTest
    @EnumSource
    void hopsToAnotherThreadByPublishOn(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            link.peer.send(Frames.numbers(0, 20_000)).fin();
            List<Integer> all = link.connection
                    .receive()
                    .publishOn(Schedulers.parallel())
                    .collectList()
                    .block(Await.LIMIT);
            assertThat(all).isEqualTo(Frames.range(0, 20_000));
        }
    }

    @ParameterizedTest
    @EnumSource
    void handsBatchesToAnotherThread(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            link.peer.send(Frames.numbers(0, 20_000)).fin();
            List<Integer> all = link.connection
                    .receiveBatches()
                    .publishOn(Schedulers.parallel(), 4)
                    .concatMapIterable(batch -> batch)
                    .collectList()
                    .block(Await.LIMIT);
            assertThat(all).isEqualTo(Frames.range(0, 20_000));
        }
    }

    /** Each cancel happens before the next subscribe, on whatever threads. */
    @ParameterizedTest
    @EnumSource
    void switchesReceiversAcrossThreadsOnALiveStream(Transport transport) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            int total = 20_000;
            Future<?> feeding = threads.submit(() -> {
                for (int i = 0; i < total; i += 100) {
                    link.peer.send(Frames.numbers(i, i + 100));
                }
                link.peer.fin();
            });
            for (int next = 0; next < total; next += 5) {
                int first = next;
                threads.submit(() -> assertThat(link.connection
                                        .receive()
                                        .take(5)
                                        .collectList()
                                        .block(Await.LIMIT))
                                .isEqualTo(Frames.range(first, first + 5)))
                        .get(Await.LIMIT.toSeconds(), TimeUnit.SECONDS);
            }
            feeding.get(Await.LIMIT.toSeconds(), TimeUnit.SECONDS);
            Probe<Integer> last = Probe.unbounded();
            link.connection.receive().subscribe(last);
            assertThat(last.awaitCompletion().values()).isEmpty();
        } finally {
            threads.shutdownNow();
        }
    }

    private static List<Arguments> transportsAndWays() {
        return List.of(Transport.values()).stream()
                .flatMap(transport -> List.of(Way.values()).stream().map(way -> Arguments.of(transport, way)))
                .toList();
    }
}
