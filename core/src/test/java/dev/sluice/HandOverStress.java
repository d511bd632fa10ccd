package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** Law 5 under races: over all receivers together every number comes once and in order. */
class HandOverStress {
    private static final int ROUNDS = 100_000;

    /**
     * Allowed in each round: the receiver gets nothing, or any numbers up to its demand, and stops at any place; the next
     * one goes on exactly there. Signals come on the event loop alone, so one plain counter sees them all.
     */
    @Nested
    class CancelAgainstDelivery {
        @ParameterizedTest
        @EnumSource
        void losesDuplicatesAndReordersNothing(Transport transport) {
            long seed = 42;
            Random random = new Random(seed);
            AtomicBoolean stop = new AtomicBoolean();
            try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
                Sequence sequence = new Sequence();
                CompletableFuture<Integer> sent = CompletableFuture.supplyAsync(() -> sendUntil(link.peer, stop));
                for (int round = 0; round < ROUNDS; round++) {
                    Receiving receiving = new Receiving(sequence, 1 + random.nextInt(200));
                    subscribe(link.connection, receiving, random.nextInt(3));
                    spin(random.nextInt(300));
                    receiving.subscription.cancel();
                }
                stop.set(true);
                Receiving last = new Receiving(sequence, Long.MAX_VALUE);
                subscribe(link.connection, last, 0);
                int total = sent.join();
                Await.until("end", () -> last.completed);
                assertThat(sequence.failure).as("seed %d", seed).isNull();
                assertThat(sequence.next).as("seed %d", seed).isEqualTo(total).isPositive();
            }
        }
    }

    /** Allowed: given and counted before the dispose, or dropped; then the one error. Nothing comes behind it. */
    @Nested
    class DisposeAgainstDelivery {
        @ParameterizedTest
        @EnumSource
        void endsOnceAndReleasesTheRest(Transport transport) {
            Random random = new Random(43);
            for (int round = 0; round < 200; round++) {
                try (Link<ByteBuf, ByteBuf> link = Link.open(transport, Frames.SLICES)) {
                    Probe<ByteBuf> probe = Probe.demanding(random.nextInt(2) == 0 ? 50 : Long.MAX_VALUE);
                    link.connection.receive().subscribe(probe.whenNext(ByteBuf::release));
                    link.peer.send(Frames.numbers(0, 2_000));
                    spin(random.nextInt(20_000));
                    link.connection.dispose();
                    assertThat(probe.awaitError()).isInstanceOf(ConnectionClosedException.class);
                    assertThat(probe.values().size()).isLessThanOrEqualTo(2_000);
                }
            }
        }
    }

    /** Allowed: the request is seen by the running drain, or wakes it; never neither. */
    @Nested
    class RequestAgainstStall {
        @ParameterizedTest
        @EnumSource
        void neverStalls(Transport transport) {
            Random random = new Random(44);
            ConnectionOptions options = ConnectionOptions.DEFAULT.prefetch(new Prefetch(2, 100));
            try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS, options)) {
                Probe<Integer> probe = Probe.demanding(0);
                link.connection.receive().subscribe(probe);
                CompletableFuture<Void> feeding = CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < 20_000; i += 50) {
                        link.peer.send(Frames.numbers(i, i + 50));
                    }
                });
                int requested = 0;
                while (requested < 20_000) {
                    int n = Math.min(1 + random.nextInt(4), 20_000 - requested);
                    for (int i = 0; i < n; i++) {
                        probe.request(1);
                        spin(random.nextInt(50));
                    }
                    requested += n;
                    probe.awaitCount(requested);
                }
                feeding.join();
                assertThat(probe.values()).isEqualTo(Frames.range(0, 20_000));
            }
        }
    }

    private static int sendUntil(Peer peer, AtomicBoolean stop) {
        int next = 0;
        while (!stop.get()) {
            peer.send(Frames.numbers(next, next + 500));
            next += 500;
        }
        peer.fin();
        return next;
    }

    private static void subscribe(FrameConnection<Integer, Integer> connection, Receiving receiving, int way) {
        switch (way) {
            case 0 -> connection.receive().subscribe(receiving.numbers());
            case 1 -> connection.receiveBatches().subscribe(receiving.batches());
            default -> connection.receiveBatches(3).subscribe(receiving.batches());
        }
    }

    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }

    /** Event loop only, but for the last look at it. */
    private static final class Sequence {
        private volatile int next;
        private volatile String failure;

        void next(int number) {
            if (number != next && failure == null) {
                failure = "number=" + number + ", expected=" + next;
            }
            next = number + 1;
        }
    }

    /** A receiver whose values go to the one sequence. */
    private static final class Receiving {
        private final Sequence sequence;
        private final long demand;
        private Subscription subscription;
        private volatile boolean completed;

        Receiving(Sequence sequence, long demand) {
            this.sequence = sequence;
            this.demand = demand;
        }

        CoreSubscriber<Integer> numbers() {
            return new Base<>() {
                @Override
                public void onNext(Integer number) {
                    sequence.next(number);
                }
            };
        }

        CoreSubscriber<FrameBatch<Integer>> batches() {
            return new Base<>() {
                @Override
                public void onNext(FrameBatch<Integer> batch) {
                    batch.forEach(sequence::next);
                }
            };
        }

        private abstract class Base<T> implements CoreSubscriber<T> {
            @Override
            public void onSubscribe(Subscription s) {
                subscription = s;
                s.request(demand);
            }

            @Override
            public void onError(Throwable error) {
                sequence.failure = error.toString();
                completed = true;
            }

            @Override
            public void onComplete() {
                completed = true;
            }
        }
    }
}
