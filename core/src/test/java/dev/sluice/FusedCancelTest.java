package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Fuseable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** What a subscriber that polls has not polled when it cancels is the next receiver's, however that takes it. */
class FusedCancelTest {

    /** How the next receiver takes the rest. */
    enum Next {
        PER_MESSAGE {
            @Override
            void take(FrameConnection<ByteBuf, ByteBuf> connection, Consumer<ByteBuf> action) {
                connection.receive().subscribe(action);
            }
        },
        IN_BATCHES {
            @Override
            void take(FrameConnection<ByteBuf, ByteBuf> connection, Consumer<ByteBuf> action) {
                connection.receiveBatches(5).subscribe(batch -> batch.forEach(action));
            }
        },
        FUSED {
            @Override
            void take(FrameConnection<ByteBuf, ByteBuf> connection, Consumer<ByteBuf> action) {
                Poller<ByteBuf> poller = Poller.eager(action);
                connection.receive().subscribe(poller);
                poller.request(Long.MAX_VALUE);
            }
        },
        FUSED_WITHOUT_DEMAND {
            @Override
            void take(FrameConnection<ByteBuf, ByteBuf> connection, Consumer<ByteBuf> action) {
                connection.receive().subscribe(Poller.eager(action));
            }
        },
        HOP {
            @Override
            void take(FrameConnection<ByteBuf, ByteBuf> connection, Consumer<ByteBuf> action) {
                connection.receiveOn(Schedulers.immediate()).subscribe(action);
            }
        };

        abstract void take(FrameConnection<ByteBuf, ByteBuf> connection, Consumer<ByteBuf> action);
    }

    @ParameterizedTest
    @EnumSource
    void handsOverExactlyTheRestWhereverItIsCancelled(Next next) {
        for (int polled : new int[] {0, 1, 2, 31, 32, 33, 63, 64, 65, 99, 100}) {
            for (boolean byClear : new boolean[] {false, true}) {
                try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
                    List<Integer> taken = new ArrayList<>();
                    Poller<ByteBuf> before = Poller.create();
                    wire.connection.receive().subscribe(before);
                    before.request(20);
                    wire.feed(Frames.numbers(0, 100));
                    before.pollSome(polled).forEach(message -> taken.add(Frames.take(message)));
                    if (byClear) {
                        before.queue().clear();
                    } else {
                        before.cancel();
                    }
                    assertThat(before.poll()).isNull();
                    assertThat(before.queue().isEmpty()).isTrue();

                    next.take(wire.connection, message -> taken.add(Frames.take(message)));
                    wire.feed(Frames.numbers(100, 130));
                    assertThat(taken).as("polled %d", polled).isEqualTo(Frames.range(0, 130));
                    assertThat(before.isTerminated()).isFalse();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("paranoid")
    void takesOverWhileTheOldOneIsSignalled(Next next) {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            List<Integer> taken = new ArrayList<>();
            Poller<ByteBuf> before = Poller.<ByteBuf>create().whenSignalled(poller -> {
                taken.add(Frames.take(poller.poll()));
                poller.cancel();
                next.take(wire.connection, message -> taken.add(Frames.take(message)));
            });
            wire.connection.receive().subscribe(before);
            wire.feed(Frames.numbers(0, 200));
            assertThat(taken).isEqualTo(Frames.range(0, 200));
            assertThat(before.signals()).isEqualTo(1);
        }
    }

    @Test
    void leavesAllMessagesWhenCancelledInOnSubscribe() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 5));
            wire.connection.receive().subscribe(new reactor.core.publisher.BaseSubscriber<>() {
                @Override
                protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
                    Fuseable.QueueSubscription<?> queue = (Fuseable.QueueSubscription<?>) subscription;
                    assertThat(queue.requestFusion(Fuseable.ASYNC)).isEqualTo(Fuseable.ASYNC);
                    assertThat(queue.poll()).isNull();
                    subscription.request(3);
                    subscription.cancel();
                }
            });
            assertThat(wire.connection.receive().take(5).collectList().block()).isEqualTo(Frames.range(0, 5));
        }
    }

    @Test
    void doesNotFuseOnceCancelled() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.connection.receive().subscribe(new reactor.core.publisher.BaseSubscriber<>() {
                @Override
                protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
                    subscription.cancel();
                    assertThat(((Fuseable.QueueSubscription<?>) subscription).requestFusion(Fuseable.ASYNC))
                            .isEqualTo(Fuseable.NONE);
                }
            });
            wire.feed(Frames.numbers(0, 5));
            assertThat(wire.connection.receive().take(5).collectList().block()).isEqualTo(Frames.range(0, 5));
        }
    }

    /** They are in the ring of the connection when the subscriber comes, and go through its own. */
    @Test
    void givesWhatEarlierReceiversLeftFirst() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(new Prefetch(10, 1_000))) {
            wire.feed(Frames.numbers(0, 50));
            assertThat(wire.connection.receive().take(3).collectList().block()).isEqualTo(Frames.range(0, 3));
            Poller<Integer> first = Poller.create();
            wire.connection.receive().subscribe(first);
            first.request(20);
            assertThat(first.pollSome(2)).isEqualTo(Frames.range(3, 5));
            first.cancel();
            assertThat(wire.stats().heldMessages()).isEqualTo(28); // what it had demanded, and the prefetch
            wire.connection.prefetch(new Prefetch(2, 1_000));
            Poller<Integer> second = Poller.create();
            wire.connection.receive().subscribe(second);
            wire.feed(Frames.numbers(50, 55));
            assertThat(second.pollAll()).isEqualTo(Frames.range(5, 55));
        }
    }

    /** The queue is no longer the subscriber's from that very moment on. */
    @ParameterizedTest
    @EnumSource
    void pollsNothingBehindACancelThatTheEventLoopHasNotSeen(Transport transport) {
        try (Link<ByteBuf, ByteBuf> link = Link.open(transport, Frames.SLICES)) {
            Poller<ByteBuf> poller = Poller.create();
            link.connection.receive().subscribe(poller);
            link.peer.send(Frames.numbers(0, 10));
            Await.until("messages", () -> poller.queue().size() == 10);
            Frames.take(poller.poll());
            CountDownLatch release = new CountDownLatch(1);
            link.connection.channel().eventLoop().execute(() -> await(release));
            poller.cancel();
            assertThat(poller.poll()).isNull();
            assertThat(poller.queue().isEmpty()).isTrue();
            release.countDown();
            Probe<Integer> next = Probe.unbounded();
            link.connection.receive().map(Frames::take).subscribe(next);
            assertThat(next.awaitCount(9).values()).isEqualTo(Frames.range(1, 10));
        }
    }

    @Test
    void doesNothingWhenCancelledOrClearedLate() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Poller<Integer> before = Poller.create();
            wire.connection.receive().subscribe(before);
            before.cancel();
            Poller<Integer> after = Poller.create();
            wire.connection.receive().subscribe(after);
            before.cancel();
            before.queue().clear();
            before.request(1);
            before.request(-1);
            wire.feed(Frames.numbers(0, 10));
            assertThat(before.poll()).isNull();
            assertThat(before.signals()).isZero();
            assertThat(before.isTerminated()).isFalse();
            assertThat(after.pollAll()).isEqualTo(Frames.range(0, 10));
            wire.end();
            assertThat(after.isTerminated()).isTrue();
            after.queue().clear(); // as some operators do behind the end
        }
    }

    @Test
    void closesTheConnectionIfThePolicySaysSo() {
        for (boolean byClear : new boolean[] {false, true}) {
            ConnectionOptions closing = ConnectionOptions.DEFAULT.cancelPolicy(CancelPolicy.CLOSE);
            try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES, closing)) {
                Poller<ByteBuf> poller = Poller.create();
                wire.connection.receive().subscribe(poller);
                poller.request(10);
                wire.feed(Frames.numbers(0, 100));
                if (byClear) {
                    poller.queue().clear();
                } else {
                    poller.cancel();
                }
                wire.settle();
                assertThat(wire.channel.isOpen()).isFalse();
            }
        }
    }

    /**
     * The only worker is busy, so that {@code publishOn} neither polls nor clears: what the connection holds for it must
     * not hang on that.
     */
    @ParameterizedTest
    @EnumSource
    @Tag("paranoid")
    void needsNoClearFromAnOperatorWhoseWorkerIsBusy(Next next) {
        Scheduler single = Schedulers.newSingle("busy");
        CountDownLatch release = new CountDownLatch(1);
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            single.schedule(() -> await(release));
            Probe<ByteBuf> before = Probe.demanding(40);
            wire.connection
                    .receive()
                    .publishOn(single)
                    .doOnDiscard(ByteBuf.class, ByteBuf::release)
                    .subscribe(before);
            wire.feed(Frames.numbers(0, 300));
            before.cancel();

            List<Integer> taken = new ArrayList<>();
            next.take(wire.connection, message -> taken.add(Frames.take(message)));
            wire.feed(Frames.numbers(300, 310));
            assertThat(taken).isEqualTo(Frames.range(0, 310));
            assertThat(before.values()).isEmpty();
        } finally {
            release.countDown();
            single.dispose();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(Await.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("worker was not released");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void releasesWhatABusyWorkerHasNotPolledWhenTheConnectionIsDisposed() {
        Scheduler single = Schedulers.newSingle("busy");
        CountDownLatch release = new CountDownLatch(1);
        try {
            Probe<ByteBuf> probe = Probe.<ByteBuf>demanding(40).whenNext(ByteBuf::release);
            try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
                single.schedule(() -> await(release));
                wire.connection.receive().publishOn(single).subscribe(probe);
                wire.feed(Frames.numbers(0, 300));
            }
            release.countDown();
            assertThat(probe.awaitError()).isInstanceOf(ConnectionClosedException.class);
            assertThat(probe.values()).isEmpty();
        } finally {
            single.dispose();
        }
    }

    /** Receivers of all kinds, with all demands, in any order, on a stream whose frames are torn anywhere. */
    @Test
    void losesNothingInManyRandomHandOvers() {
        long seed = 20261202;
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            Prefetch prefetch = new Prefetch(1 + random.nextInt(70), 1 + random.nextInt(300));
            try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES, ConnectionOptions.DEFAULT.prefetch(prefetch))) {
                List<Integer> taken = new ArrayList<>();
                byte[] frames = Frames.numbers(0, 600);
                Runnable cancel = () -> {};
                for (int at = 0; at < frames.length; ) {
                    if (random.nextInt(3) == 0) {
                        cancel.run();
                        cancel = receiver(wire.connection, random, taken);
                    }
                    int end = Math.min(frames.length, at + random.nextInt(400));
                    wire.feed(java.util.Arrays.copyOfRange(frames, at, end));
                    at = end;
                }
                cancel.run();
                wire.end();
                wire.connection.receive().subscribe(message -> taken.add(Frames.take(message)));
                assertThat(taken).as("round %d of seed %d", round, seed).isEqualTo(Frames.range(0, 600));
            }
        }
    }

    private static Runnable receiver(FrameConnection<ByteBuf, ByteBuf> connection, Random random, List<Integer> taken) {
        int demand = random.nextInt(20);
        int cancelAt = 1 + random.nextInt(40);
        boolean requests = random.nextBoolean();
        switch (random.nextInt(4)) {
            case 0 -> {
                Poller<ByteBuf> poller = Poller.create();
                connection
                        .receive()
                        .subscribe(poller.whenSignalled(p -> p.pollSome(1 + random.nextInt(30))
                                .forEach(message -> taken.add(Frames.take(message)))));
                if (demand > 0) {
                    poller.request(demand);
                }
                return random.nextBoolean() ? poller::cancel : poller.queue()::clear;
            }
            case 1 -> {
                Probe<FrameBatch<ByteBuf>> probe = Probe.demanding(demand);
                connection
                        .receiveBatches(1 + random.nextInt(10))
                        .subscribe(probe.whenNext(batch -> batch.forEach(message -> taken.add(Frames.take(message)))));
                return probe::cancel;
            }
            default -> {
                Probe<ByteBuf> probe = Probe.demanding(demand);
                probe.whenNext(message -> {
                    taken.add(Frames.take(message));
                    if (probe.count() == cancelAt) {
                        probe.cancel();
                    } else if (requests) {
                        probe.request(1);
                    }
                });
                if (random.nextBoolean()) {
                    connection
                            .receiveOn(Schedulers.immediate(), 1 + random.nextInt(50))
                            .subscribe(probe);
                } else {
                    connection.receive().subscribe(probe);
                }
                return probe::cancel;
            }
        }
    }
}
