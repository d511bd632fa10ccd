package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Laws 1, 2, 4 and 6 for each operator that polls: nothing but speed tells it from one that does not. */
class FusedConsumersTest {
    private static final Scheduler HERE = Schedulers.immediate();

    @ParameterizedTest
    @EnumSource
    void isSignalledLessOftenThanThereAreMessages(Consuming consuming) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.unbounded();
            consuming.apply(wire.connection.receive(), HERE).subscribe(probe);
            wire.feed(Frames.numbers(0, 1_000));
            assertThat(probe.values()).isEqualTo(Frames.range(0, 1_000));
            assertThat(wire.stats().signals()).isLessThan(1_000).isPositive();
        }
    }

    /** The same stream, chunks and requests, with the operator fused and not. */
    @ParameterizedTest
    @EnumSource
    void givesTheSameForEachDemandAndChunking(Consuming consuming) {
        long seed = 20261201;
        for (int round = 0; round < 60; round++) {
            long plan = seed + round;
            Prefetch prefetch = new Prefetch(1 + round, 1 + 13 * round);
            Run fused = run(prefetch, plan, false, source -> consuming.apply(source, HERE));
            Run unfused = run(prefetch, plan, false, source -> consuming.apply(source.hide(), HERE));
            assertThat(fused.equals(unfused))
                    .as("%s and %s, plan %d", fused, unfused, plan)
                    .isTrue();
            assertThat(fused.values.equals(Frames.range(0, 400)))
                    .as("%s, plan %d", fused, plan)
                    .isTrue();

            Run failed = run(prefetch, plan, true, source -> consuming.apply(source, HERE));
            int least = 400 - consuming.dropsAtError();
            assertThat(failed.values.size() >= least && failed.values.equals(Frames.range(0, failed.values.size())))
                    .as("%s, plan %d", failed, plan)
                    .isTrue();
            assertThat(failed.error).isEqualTo("java.io.IOException: reset");
        }
    }

    private record Run(List<Integer> values, boolean completed, String error) {
        @Override
        public String toString() {
            return "Run{count=" + values.size() + ", completed=" + completed + ", error=" + error + "}";
        }
    }

    private static Run run(
            Prefetch prefetch,
            long plan,
            boolean fails,
            java.util.function.Function<Flux<Integer>, Flux<Integer>> way) {
        Random random = new Random(plan);
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(prefetch)) {
            Probe<Integer> probe = Probe.demanding(random.nextInt(3));
            boolean asksForMoreEachTime = random.nextInt(3) == 0;
            way.apply(wire.connection.receive()).subscribe(probe.whenNext(value -> {
                if (asksForMoreEachTime) {
                    probe.request(1);
                }
            }));
            byte[] frames = Frames.numbers(0, 400);
            for (int at = 0; at < frames.length; ) {
                int end = Math.min(frames.length, at + random.nextInt(500));
                wire.feed(Arrays.copyOfRange(frames, at, end));
                at = end;
                if (random.nextInt(3) == 0) {
                    probe.request(1 + random.nextInt(40));
                }
            }
            if (fails) {
                wire.fail(new IOException("reset"));
            } else {
                wire.end();
            }
            while (!probe.isTerminated()) {
                int before = probe.count();
                probe.request(1 + random.nextInt(40));
                assertThat(probe.count() > before || probe.isTerminated())
                        .as("no stall behind %d", before)
                        .isTrue();
            }
            return new Run(probe.values(), probe.isCompleted(), String.valueOf(probe.error()));
        }
    }

    /** Some of them drop what is queued when an error comes: so it must not come before the last message. */
    @ParameterizedTest
    @EnumSource
    void getsEveryMessageBeforeTheError(Consuming consuming) {
        for (int messages : new int[] {0, 1, 7, 8, 9, 31, 32, 33, 255, 256, 257, 2_000}) {
            try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
                Probe<Integer> probe = Probe.demanding(messages / 2);
                consuming.apply(wire.connection.receive(), HERE).subscribe(probe);
                wire.feed(Frames.numbers(0, messages));
                wire.fail(new IOException("reset"));
                assertThat(probe.values()).isEqualTo(Frames.range(0, messages / 2));
                probe.request(Long.MAX_VALUE);
                int least = messages - consuming.dropsAtError();
                assertThat(probe.values())
                        .isEqualTo(Frames.range(0, probe.count()))
                        .hasSizeGreaterThanOrEqualTo(least);
                assertThat(probe.error()).isInstanceOf(IOException.class).hasMessage("reset");
            }
        }
    }

    /** The setting costs what fusion brings, and nothing else. */
    @ParameterizedTest
    @EnumSource
    void givesTheSameWhereItMayNotFuseAcrossThreads(Consuming consuming) {
        ConnectionOptions refusing = ConnectionOptions.DEFAULT.fuseAcrossThreads(false);
        try (Wire<Integer, Integer> wire = Wire.of(Frames.NUMBERS, refusing)) {
            Probe<Integer> probe = Probe.demanding(1);
            consuming.apply(wire.connection.receive(), HERE).subscribe(probe.whenNext(number -> probe.request(1)));
            wire.feed(Frames.numbers(0, 1_000));
            wire.end();
            assertThat(probe.values()).isEqualTo(Frames.range(0, 1_000));
            assertThat(probe.isCompleted()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void leavesTheRestToTheNextReceiver(Consuming consuming) {
        for (int messages : new int[] {1, 3, 20, 100}) {
            try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
                Probe<Integer> before = Probe.demanding(messages);
                consuming.apply(wire.connection.receive(), HERE).subscribe(before);
                wire.feed(Frames.numbers(0, messages));
                assertThat(before.values()).isEqualTo(Frames.range(0, messages));
                before.cancel();
                wire.feed(Frames.numbers(messages, messages + 50));
                wire.end();
                assertThat(wire.connection.receive().collectList().block())
                        .isEqualTo(Frames.range(messages, messages + 50));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void givesAllInOrderOverSockets(Transport transport, Consuming consuming) {
        int messages = 20_000;
        Scheduler scheduler = Schedulers.newSingle("consumer");
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.demanding(1);
            consuming.apply(link.connection.receive(), scheduler).subscribe(probe.whenNext(value -> {
                if (value % 100 == 0) {
                    probe.request(100);
                }
            }));
            CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < messages; i += 1_000) {
                    link.peer.send(Frames.numbers(i, i + 1_000));
                }
                link.peer.fin();
            });
            probe.awaitCompletion();
            sent.join();
            assertThat(probe.values()).isEqualTo(Frames.range(0, messages));
        } finally {
            scheduler.dispose();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void getsEveryMessageBeforeAFailureOverSockets(Transport transport, Consuming consuming) {
        Scheduler scheduler = Schedulers.newSingle("consumer");
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.demanding(0);
            consuming.apply(link.connection.receive(), scheduler).subscribe(probe);
            link.peer.send(Frames.numbers(0, 3_000)).send(new byte[] {0}).fin();
            probe.request(1_000);
            probe.awaitCount(1_000);
            probe.request(Long.MAX_VALUE);
            assertThat(probe.awaitError()).isInstanceOf(dev.sluice.framing.TruncatedFrameException.class);
            if (consuming.dropsAtError() == Integer.MAX_VALUE) {
                // It clears its queue while another thread takes from it: any of those in it may be missing.
                assertThat(probe.values()).isSorted().doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(1_000);
            } else {
                assertThat(probe.values())
                        .isEqualTo(Frames.range(0, probe.count()))
                        .hasSizeGreaterThanOrEqualTo(3_000 - consuming.dropsAtError());
            }
        } finally {
            scheduler.dispose();
        }
    }

    private static List<Arguments> everywhere() {
        return Arrays.stream(Consuming.values())
                .flatMap(consuming ->
                        Arrays.stream(Transport.values()).map(transport -> Arguments.of(transport, consuming)))
                .toList();
    }

    /** Reactor Netty's sending polls too: an echo is fused from end to end. */
    @ParameterizedTest
    @EnumSource
    void echoesThroughReactorNettysOwnSending(Transport transport) {
        int messages = 20_000;
        try (Link<io.netty.buffer.ByteBuf, io.netty.buffer.ByteBuf> link = Link.open(transport, Frames.SLICES)) {
            CompletableFuture<Void> echoed = reactor.netty.Connection.from(link.connection.channel())
                    .outbound()
                    .sendObject(link.connection
                            .receive()
                            .doOnDiscard(io.netty.util.ReferenceCounted.class, io.netty.util.ReferenceCounted::release))
                    .then()
                    .toFuture();
            CompletableFuture<byte[]> received = CompletableFuture.supplyAsync(() -> link.peer.receive(4 * messages));
            for (int i = 0; i < messages; i += 1_000) {
                link.peer.send(Frames.numbers(i, i + 1_000));
            }
            link.peer.fin();
            byte[] payloads = received.join();
            assertThat(java.nio.ByteBuffer.wrap(payloads).asIntBuffer())
                    .isEqualTo(java.nio.IntBuffer.wrap(
                            Frames.range(0, messages).stream().mapToInt(i -> i).toArray()));
            echoed.join();
            assertThat(link.connection.stats().signals()).isLessThan(messages);
        }
    }
}
