package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.scheduler.VirtualTimeScheduler;

/**
 * Law 5: receivers that end in every way that operators have, one behind the other on one stream: together they are given
 * every message, once and in order.
 */
class HandOverTest {
    /** Hand-overs in all. */
    private static final int ROUNDS = 100_000;

    private static final int ROUNDS_OF_A_CONNECTION = 1_000;

    /** How a receiver ends by itself; others are cancelled before. */
    private enum Ending {
        NEXT {
            @Override
            Flux<?> of(FrameConnection<Integer, ?> connection, Sequence given, int n, Scheduler scheduler) {
                return connection.receive().doOnNext(given::add).next().flux();
            }
        },
        TAKE {
            @Override
            Flux<?> of(FrameConnection<Integer, ?> connection, Sequence given, int n, Scheduler scheduler) {
                return connection.receive().doOnNext(given::add).take(n);
            }
        },
        TAKE_UNTIL {
            @Override
            Flux<?> of(FrameConnection<Integer, ?> connection, Sequence given, int n, Scheduler scheduler) {
                return connection.receive().doOnNext(given::add).takeUntil(number -> number % n == 0);
            }
        },
        BATCHES {
            @Override
            Flux<?> of(FrameConnection<Integer, ?> connection, Sequence given, int n, Scheduler scheduler) {
                return connection
                        .receiveBatches(n)
                        .doOnNext(batch -> batch.forEach(given::add))
                        .take(2);
            }
        },
        ERROR {
            @Override
            Flux<?> of(FrameConnection<Integer, ?> connection, Sequence given, int n, Scheduler scheduler) {
                return connection
                        .receive()
                        .doOnNext(given::add)
                        .map(number -> number / (number % n == 0 ? 0 : 1))
                        .onErrorComplete(ArithmeticException.class);
            }
        },
        ERROR_OF_AN_INNER {
            @Override
            Flux<?> of(FrameConnection<Integer, ?> connection, Sequence given, int n, Scheduler scheduler) {
                return connection
                        .receive()
                        .doOnNext(given::add)
                        .concatMap(
                                number -> number % n == 0 ? Flux.error(new ArithmeticException()) : Flux.just(number))
                        .onErrorComplete(ArithmeticException.class);
            }
        },
        POLLING {
            @Override
            Flux<?> of(FrameConnection<Integer, ?> connection, Sequence given, int n, Scheduler scheduler) {
                return connection
                        .receive()
                        .flatMapIterable(List::of)
                        .doOnNext(given::add)
                        .take(n);
            }
        },
        POLLING_ELSEWHERE {
            @Override
            Flux<?> of(FrameConnection<Integer, ?> connection, Sequence given, int n, Scheduler scheduler) {
                return connection
                        .receive()
                        .publishOn(scheduler)
                        .doOnNext(given::add)
                        .take(n);
            }
        },
        HOP {
            @Override
            Flux<?> of(FrameConnection<Integer, ?> connection, Sequence given, int n, Scheduler scheduler) {
                return connection.receiveOn(scheduler, n).doOnNext(given::add).take(n);
            }
        },
        SWITCH_MAP {
            @Override
            Flux<?> of(FrameConnection<Integer, ?> connection, Sequence given, int n, Scheduler scheduler) {
                Sinks.Many<Integer> again = Sinks.many().unicast().onBackpressureBuffer();
                again.tryEmitNext(0);
                return again.asFlux()
                        .switchMap(i -> connection.receive().doOnNext(given::add))
                        .doOnNext(number -> {
                            if (number % n == 0) {
                                again.tryEmitNext(0);
                            }
                        })
                        .take(2L * n);
            }

            /** Where its source and its inner flux emit on two threads, it may complete before it cancels. */
            @Override
            Scheduler subscribedOn(FrameConnection<?, ?> connection) {
                return Schedulers.fromExecutor(connection.channel().eventLoop());
            }
        };

        abstract Flux<?> of(FrameConnection<Integer, ?> connection, Sequence given, int n, Scheduler scheduler);

        Scheduler subscribedOn(FrameConnection<?, ?> connection) {
            return Schedulers.boundedElastic();
        }
    }

    @Test
    void losesNothingInAHundredThousandHandOvers() {
        long seed = 20261201;
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round += ROUNDS_OF_A_CONNECTION) {
            Sequence given = new Sequence();
            Prefetch prefetch = random.nextInt(10) == 0
                    ? Prefetch.onDemand()
                    : new Prefetch(1 + random.nextInt(70), 1 + random.nextInt(300));
            try (Wire<Integer, Integer> wire = Wire.ofNumbers(prefetch)) {
                byte[] frames = Frames.numbers(0, 8_000);
                int at = 0;
                for (int i = 0; i < ROUNDS_OF_A_CONNECTION; i++) {
                    Ending ending = Ending.values()[random.nextInt(Ending.values().length)];
                    Disposable receiver = ending.of(
                                    wire.connection, given, 1 + random.nextInt(8), Schedulers.immediate())
                            .subscribe();
                    int end = Math.min(frames.length, at + random.nextInt(128));
                    wire.feed(Arrays.copyOfRange(frames, at, end));
                    at = end;
                    receiver.dispose();
                }
                wire.feed(Arrays.copyOfRange(frames, at, frames.length));
                wire.end();
                wire.connection.receive().doOnNext(given::add).blockLast(Await.LIMIT);
                given.check(8_000, round, seed);
            }
        }
    }

    /** A message that comes just when the time is over may be in an operator's hands; not here. */
    @Test
    void losesNothingWhenReceiversTimeOut() {
        VirtualTimeScheduler clock = VirtualTimeScheduler.create();
        Sequence given = new Sequence();
        Random random = new Random(5);
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            int fed = 0;
            for (int round = 0; round < 1_000; round++) {
                Probe<Integer> probe = Probe.demanding(random.nextInt(5));
                wire.connection
                        .receive()
                        .doOnNext(given::add)
                        .timeout(Duration.ofSeconds(1), clock)
                        .subscribe(probe);
                int next = fed + random.nextInt(6);
                wire.feed(Frames.numbers(fed, next));
                fed = next;
                clock.advanceTimeBy(Duration.ofSeconds(2));
                assertThat(probe.isTerminated()).isTrue();
            }
            wire.end();
            wire.connection.receive().doOnNext(given::add).blockLast(Await.LIMIT);
            given.check(fed, 0, 5);
        } finally {
            clock.dispose();
        }
    }

    /** Each receiver is subscribed on another thread than the one before, and ends where its operators say. */
    @ParameterizedTest
    @EnumSource
    void losesNothingOnALiveStreamFromAnyThread(Transport transport) {
        long seed = 20261202;
        Random random = new Random(seed);
        AtomicBoolean stop = new AtomicBoolean();
        Sequence given = new Sequence();
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            CompletableFuture<Integer> sending = CompletableFuture.supplyAsync(() -> sendUntil(link.peer, stop));
            for (int round = 0; round < 3_000; round++) {
                Ending ending = Ending.values()[random.nextInt(Ending.values().length)];
                Flux<?> receiver = ending.of(link.connection, given, 1 + random.nextInt(50), Schedulers.parallel());
                CompletableFuture<?> ended = new CompletableFuture<>();
                ending.subscribedOn(link.connection)
                        .schedule(() -> receiver.subscribe(
                                ignored -> {}, ended::completeExceptionally, () -> ended.complete(null)));
                Await.completion(Mono.fromFuture(ended));
            }
            stop.set(true);
            link.connection.receive().doOnNext(given::add).blockLast(Await.LIMIT);
            given.check(sending.join(), 3_000, seed);
        }
    }

    private static int sendUntil(Peer peer, AtomicBoolean stop) {
        int next = 0;
        while (!stop.get()) {
            int end = next + 1 + ThreadLocalRandom.current().nextInt(500);
            peer.send(Frames.numbers(next, end));
            next = end;
        }
        peer.fin();
        return next;
    }

    /** One receiver at a time adds to it. */
    private static final class Sequence {
        private volatile int next;
        private final AtomicReference<String> failure = new AtomicReference<>();

        void add(int number) {
            if (number != next) {
                failure.compareAndSet(null, "number=" + number + ", expected=" + next);
            }
            next = number + 1;
        }

        void check(int count, int round, long seed) {
            assertThat(failure.get()).as("round=%d, seed=%d", round, seed).isNull();
            assertThat(next).as("round=%d, seed=%d", round, seed).isEqualTo(count);
        }
    }
}
