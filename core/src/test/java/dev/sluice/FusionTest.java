package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Fuseable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.test.subscriber.TestSubscriber;

/** What a subscriber that polls agrees with a connection on, and how it is told. */
@Tag("paranoid")
class FusionTest {
    private static final int BARRIER = Fuseable.ANY | Fuseable.THREAD_BARRIER;

    @Test
    void fusesAsynchronously() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 10));
            StepVerifier.create(wire.connection.receive())
                    .expectFusion(Fuseable.ASYNC)
                    .expectNextSequence(Frames.range(0, 10))
                    .then(wire::end)
                    .expectComplete()
                    .verify(Duration.ofSeconds(10));
        }
    }

    @Test
    void fusesAsynchronouslyWithWhoAcceptsAnything() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 10));
            wire.end();
            StepVerifier.create(wire.connection.receive())
                    .expectFusion(Fuseable.ANY, Fuseable.ASYNC)
                    .expectNextSequence(Frames.range(0, 10))
                    .expectComplete()
                    .verify(Duration.ofSeconds(10));
        }
    }

    @Test
    void doesNotFuseSynchronously() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 10));
            wire.end();
            StepVerifier.create(wire.connection.receive())
                    .expectFusion(Fuseable.SYNC, Fuseable.NONE)
                    .expectNextSequence(Frames.range(0, 10))
                    .expectComplete()
                    .verify(Duration.ofSeconds(10));
        }
    }

    @Test
    void fusesAcrossThreadsUnlessTheSettingRefuses() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            assertThat(grant(wire, BARRIER)).isEqualTo(Fuseable.ASYNC);
            assertThat(grant(wire, Fuseable.SYNC | Fuseable.THREAD_BARRIER)).isEqualTo(Fuseable.NONE);
            assertThat(grant(wire, Fuseable.NONE)).isEqualTo(Fuseable.NONE);
        }
        ConnectionOptions refusing = ConnectionOptions.DEFAULT.fuseAcrossThreads(false);
        try (Wire<Integer, Integer> wire = Wire.of(Frames.NUMBERS, refusing)) {
            assertThat(grant(wire, BARRIER)).isEqualTo(Fuseable.NONE);
            assertThat(grant(wire, Fuseable.ASYNC | Fuseable.THREAD_BARRIER)).isEqualTo(Fuseable.NONE);
            assertThat(grant(wire, Fuseable.ASYNC)).isEqualTo(Fuseable.ASYNC);
        }
    }

    private static int grant(Wire<Integer, Integer> wire, int mode) {
        Poller<Integer> poller = Poller.asking(mode);
        wire.connection.receive().subscribe(poller);
        poller.cancel();
        return poller.granted();
    }

    @Test
    void givesPerMessageBehindAMapThatMayNotChangeThreads() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 10));
            wire.end();
            StepVerifier.create(wire.connection.receive().map(number -> number))
                    .expectFusion(BARRIER, Fuseable.NONE)
                    .expectNextSequence(Frames.range(0, 10))
                    .expectComplete()
                    .verify(Duration.ofSeconds(10));
        }
    }

    @Test
    void servesTestSubscriberThatRequiresFusion() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            TestSubscriber<Integer> subscriber =
                    TestSubscriber.builder().requireFusion(Fuseable.ASYNC).build();
            wire.connection.receive().subscribe(subscriber);
            wire.feed(Frames.numbers(0, 5));
            wire.feed(Frames.numbers(5, 200));
            wire.end();
            assertThat(subscriber.getReceivedOnNext()).isEqualTo(Frames.range(0, 200));
            assertThat(subscriber.getProtocolErrors()).isEmpty();
            assertThat(subscriber.isTerminatedComplete()).isTrue();
        }
    }

    /** Such a subscriber only passes a request on, and waits for the next signal. */
    @Test
    void signalsAgainWhenMoreIsRequested() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            TestSubscriber<Integer> subscriber = TestSubscriber.builder()
                    .requireFusion(Fuseable.ASYNC)
                    .initialRequest(0)
                    .build();
            wire.connection.receive().subscribe(subscriber);
            wire.feed(Frames.numbers(0, 10));
            wire.end();
            assertThat(subscriber.isTerminated())
                    .isEqualTo(subscriber.getReceivedOnNext().size() == 10);
            subscriber.request(3);
            subscriber.request(7);
            assertThat(subscriber.getReceivedOnNext()).isEqualTo(Frames.range(0, 10));
            assertThat(subscriber.isTerminatedComplete()).isTrue();
            assertThat(subscriber.getProtocolErrors()).isEmpty();
        }
    }

    @Test
    void signalsOnceADrainHoweverManyReadsItHas() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            List<Integer> taken = new ArrayList<>();
            Poller<Integer> poller = Poller.eager(taken::add);
            wire.connection.receive().subscribe(poller);
            poller.request(Long.MAX_VALUE);
            for (int i = 0; i < 10; i++) {
                int from = 90 * i;
                wire.feed(
                        Frames.numbers(from, from + 30),
                        Frames.numbers(from + 30, from + 31),
                        Frames.numbers(from + 31, from + 90));
                assertThat(poller.signals()).isEqualTo(i + 1);
            }
            assertThat(taken).isEqualTo(Frames.range(0, 900));
            assertThat(wire.stats().drains()).isEqualTo(10);
            assertThat(wire.stats().signals()).isEqualTo(10);
            assertThat(wire.stats().wakeUps()).isEqualTo(10);
        }
    }

    @Test
    void countsAsWakeUpsOnlySignalsBehindAnEmptyQueue() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Poller<Integer> poller = Poller.create();
            wire.connection.receive().subscribe(poller);
            poller.request(Long.MAX_VALUE);
            wire.feed(Frames.numbers(0, 2));
            wire.feed(Frames.numbers(2, 4));
            assertThat(poller.signals()).isEqualTo(2);
            assertThat(wire.stats().wakeUps()).isEqualTo(1);

            assertThat(poller.pollSome(4)).isEqualTo(Frames.range(0, 4)); // not seen empty
            wire.feed(Frames.numbers(4, 6));
            assertThat(wire.stats().wakeUps()).isEqualTo(1);

            assertThat(poller.pollAll()).isEqualTo(Frames.range(4, 6));
            wire.feed(Frames.numbers(6, 8));
            assertThat(wire.stats().wakeUps()).isEqualTo(2);

            assertThat(poller.pollSome(2)).isEqualTo(Frames.range(6, 8));
            assertThat(poller.queue().isEmpty()).isTrue(); // seen by this too
            wire.feed(Frames.numbers(8, 9));
            assertThat(wire.stats().wakeUps()).isEqualTo(3);
            assertThat(wire.stats().signals()).isEqualTo(5).isEqualTo(poller.signals());
        }
    }

    @Test
    void doesNotSignalForATornFrame() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Poller<Integer> poller = Poller.create();
            wire.connection.receive().subscribe(poller);
            poller.request(10);
            wire.feed(new byte[] {0, 0, 0});
            wire.feed(new byte[] {4, 0, 0});
            assertThat(poller.signals()).isZero();
            wire.feed(new byte[] {0, 1});
            assertThat(poller.signals()).isEqualTo(1);
            assertThat(poller.pollAll()).containsExactly(1);
        }
    }

    @Test
    void givesMoreThanWasRequestedToWhoPollsMore() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(new Prefetch(10, 1000))) {
            Poller<Integer> poller = Poller.create();
            wire.connection.receive().subscribe(poller);
            wire.feed(Frames.numbers(0, 100));
            assertThat(poller.pollAll()).isEqualTo(Frames.range(0, 100));
            poller.request(5);
            wire.feed(Frames.numbers(100, 110));
            assertThat(poller.pollAll()).isEqualTo(Frames.range(100, 110));
        }
    }

    @ParameterizedTest
    @MethodSource("ends")
    void tellsTheEndOnceTheQueueIsEmpty(End end) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Poller<Integer> poller = Poller.create();
            wire.connection.receive().subscribe(poller);
            poller.request(5);
            wire.feed(Frames.numbers(0, 5));
            end.on(wire);
            assertThat(poller.isTerminated()).isFalse();
            assertThat(poller.pollSome(5)).isEqualTo(Frames.range(0, 5));
            assertThat(poller.queue().isEmpty()).isTrue();
            assertThat(poller.isTerminated()).isTrue();
            end.check(poller.error());
        }
    }

    @ParameterizedTest
    @MethodSource("ends")
    void tellsTheEndAtOnceWithoutDemandWhenNothingIsLeft(End end) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Poller<Integer> poller = Poller.create();
            wire.connection.receive().subscribe(poller);
            end.on(wire);
            assertThat(poller.isTerminated()).isTrue();
            assertThat(poller.signals()).isZero();
            end.check(poller.error());
        }
    }

    @ParameterizedTest
    @MethodSource("ends")
    void tellsLateReceiverTheMessagesAndThenTheEnd(End end) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 50));
            end.on(wire);
            Poller<Integer> poller = Poller.create();
            wire.connection.receive().subscribe(poller);
            assertThat(poller.isTerminated()).isFalse();
            assertThat(poller.pollAll()).isEqualTo(Frames.range(0, 50));
            assertThat(poller.isTerminated()).isTrue();
            end.check(poller.error());
        }
    }

    private static List<End> ends() {
        return List.of(End.values());
    }

    enum End {
        COMPLETE {
            @Override
            void on(Wire<Integer, Integer> wire) {
                wire.end();
            }

            @Override
            void check(Throwable error) {
                assertThat(error).isNull();
            }
        },
        TRUNCATED {
            @Override
            void on(Wire<Integer, Integer> wire) {
                wire.feed(new byte[] {0, 0});
                wire.end();
            }

            @Override
            void check(Throwable error) {
                assertThat(error).isInstanceOf(dev.sluice.framing.TruncatedFrameException.class);
            }
        },
        TOO_LONG {
            @Override
            void on(Wire<Integer, Integer> wire) {
                wire.feed(Frames.hex("7fffffff"));
            }

            @Override
            void check(Throwable error) {
                assertThat(error).isInstanceOf(dev.sluice.framing.FrameTooLongException.class);
            }
        },
        DECODER_THROWS {
            @Override
            void on(Wire<Integer, Integer> wire) {
                wire.feed(Frames.hex("00000001 00"));
            }

            @Override
            void check(Throwable error) {
                assertThat(error).isInstanceOf(IndexOutOfBoundsException.class);
            }
        },
        RESET {
            @Override
            void on(Wire<Integer, Integer> wire) {
                wire.fail(new IOException("reset"));
            }

            @Override
            void check(Throwable error) {
                assertThat(error).isInstanceOf(IOException.class).hasMessage("reset");
            }
        };

        abstract void on(Wire<Integer, Integer> wire);

        abstract void check(Throwable error);
    }

    @Test
    void failsFusedSubscriberThatRequestsLessThanOneAndKeepsTheMessages() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Poller<Integer> poller = Poller.create();
            wire.connection.receive().subscribe(poller);
            wire.feed(Frames.numbers(0, 10));
            assertThat(poller.pollSome(3)).isEqualTo(Frames.range(0, 3));
            poller.request(0);
            assertThat(poller.isTerminated()).isTrue();
            assertThat(poller.error())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("request is not positive (rule 3.9): n=0, limit=1");
            assertThat(poller.poll()).isNull();
            wire.end();
            assertThat(wire.connection.receive().collectList().block()).isEqualTo(Frames.range(3, 10));
        }
    }

    @Test
    void treatsFusedSubscriberThatThrowsAsOneThatCancels() {
        List<Throwable> dropped = new ArrayList<>();
        reactor.core.publisher.Hooks.onErrorDropped(dropped::add);
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Poller<Integer> poller = Poller.<Integer>create().whenSignalled(p -> {
                throw new IllegalStateException("mine");
            });
            wire.connection.receive().subscribe(poller);
            wire.feed(Frames.numbers(0, 10));
            assertThat(dropped).singleElement().satisfies(e -> assertThat(e).hasMessage("mine"));
            assertThat(poller.poll()).isNull();
            assertThat(wire.connection.receive().take(10).collectList().block()).isEqualTo(Frames.range(0, 10));
            assertThat(wire.channel.isOpen()).isTrue();
        } finally {
            reactor.core.publisher.Hooks.resetOnErrorDropped();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 63, 64, 65, 300})
    void releasesWhatNobodyPolledWhenTheConnectionIsDisposed(int messages) {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            Poller<ByteBuf> poller = Poller.create();
            wire.connection.receive().subscribe(poller);
            poller.request(100);
            wire.feed(Frames.numbers(0, messages));
            Frames.take(poller.poll());
            wire.connection.dispose();
            wire.settle();
            assertThat(poller.poll()).isNull();
            assertThat(poller.isTerminated()).isTrue();
            assertThat(poller.error()).isInstanceOf(ConnectionClosedException.class);
        }
    }

    @Test
    void refusesSecondReceiverBesideAFusedOne() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Poller<Integer> first = Poller.create();
            wire.connection.receive().subscribe(first);
            Mono<List<Integer>> second = Flux.from(wire.connection.receive())
                    .publishOn(reactor.core.scheduler.Schedulers.immediate())
                    .collectList();
            assertThat(Await.error(second)).isInstanceOf(IllegalStateException.class);
            wire.feed(Frames.numbers(0, 3));
            assertThat(first.pollAll()).isEqualTo(Frames.range(0, 3));
        }
    }
}
