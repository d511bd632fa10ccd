package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Fuseable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.ByteBufFlux;
import reactor.test.StepVerifier;

/** Frames out of any publisher of buffers. */
class FrameFluxTest {
    private static final FrameFlux<Integer> NUMBERS = FrameFlux.owned(Frames.NUMBERS);

    private static Flux<ByteBuf> chunks(int from, int to, int length) {
        byte[] frames = Frames.numbers(from, to);
        return Flux.range(0, (frames.length + length - 1) / length)
                .map(i -> Unpooled.copiedBuffer(
                        java.util.Arrays.copyOfRange(frames, i * length, Math.min(frames.length, (i + 1) * length))));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 9, 100, 10_000})
    void transformsFluxOfBuffers(int length) {
        Flux<Integer> numbers = chunks(0, 500, length).transform(NUMBERS);
        assertThat(numbers.collectList().block()).isEqualTo(Frames.range(0, 500));
        assertThat(numbers.collectList().block()).as("a second time").isEqualTo(Frames.range(0, 500));
    }

    @Test
    void transformsInBatches() {
        Flux<FrameBatch<Integer>> batches = chunks(0, 200, 800).transform(NUMBERS::batches);
        assertThat(batches.map(FrameBatch::size).collectList().block()).containsExactly(64, 36, 64, 36);
        assertThat(NUMBERS.batches(chunks(0, 50, 400), 20)
                        .map(FrameBatch::size)
                        .collectList()
                        .block())
                .containsExactly(20, 20, 10);
        assertThatThrownBy(() -> NUMBERS.batches(Flux.empty(), 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("batch holds no message: maxMessages=0, limit=1");
    }

    @Test
    @Tag("paranoid")
    void transformsBuffersOfReactorNettyThatAreReleasedBehindOnNext() {
        List<ByteBuf> given = new ArrayList<>();
        Flux<ByteBuf> source = chunks(0, 300, 11).doOnNext(given::add);
        Flux<Integer> numbers =
                ByteBufFlux.fromInbound(source).doOnNext(buffer -> {}).transform(FrameFlux.borrowed(Frames.NUMBERS));
        Flux<Integer> lent = Flux.defer(() -> chunks(0, 300, 11)
                .transform(lender -> new Lending(lender))
                .transform(FrameFlux.borrowed(Frames.NUMBERS)));
        assertThat(lent.collectList().block()).isEqualTo(Frames.range(0, 300));
        assertThat(numbers.collectList().block()).isEqualTo(Frames.range(0, 300));
        assertThat(given).allMatch(buffer -> buffer.refCnt() == 1);
        given.forEach(ByteBuf::release);
    }

    /** Releases each buffer once {@code onNext} has returned. */
    private static final class Lending extends reactor.core.publisher.FluxOperator<ByteBuf, ByteBuf> {
        Lending(org.reactivestreams.Publisher<? extends ByteBuf> source) {
            super(Flux.from(source));
        }

        @Override
        public void subscribe(reactor.core.CoreSubscriber<? super ByteBuf> actual) {
            source.subscribe(new reactor.core.CoreSubscriber<ByteBuf>() {
                @Override
                public void onSubscribe(org.reactivestreams.Subscription s) {
                    actual.onSubscribe(s);
                }

                @Override
                public void onNext(ByteBuf buffer) {
                    actual.onNext(buffer);
                    buffer.release();
                }

                @Override
                public void onError(Throwable error) {
                    actual.onError(error);
                }

                @Override
                public void onComplete() {
                    actual.onComplete();
                }
            });
        }
    }

    @Test
    @Tag("paranoid")
    void holdsBorrowedBytesOfTornFramesAndGivesThemBack() {
        Upstream upstream = new Upstream();
        Probe<ByteBuf> probe = Probe.unbounded();
        upstream.thenPush(Unpooled.EMPTY_BUFFER);
        FrameFlux.borrowed(Frames.SLICES).apply(upstream).subscribe(probe);
        byte[] frames = Frames.numbers(0, 2);
        ByteBuf first = Unpooled.copiedBuffer(frames, 0, 13);
        ByteBuf second = Unpooled.copiedBuffer(frames, 13, 3);
        upstream.push(first);
        assertThat(first.refCnt())
                .as("kept: a message, and perhaps the torn frame")
                .isGreaterThan(1);
        first.release();
        upstream.push(second);
        second.release();
        upstream.complete();
        assertThat(probe.values()).extracting(Frames::take).containsExactly(0, 1);
        assertThat(first.refCnt()).isZero();
        assertThat(second.refCnt()).isZero();
        assertThat(probe.isCompleted()).isTrue();
    }

    @Test
    void requestsOneBufferAtATime() {
        Upstream upstream = new Upstream();
        Probe<Integer> probe = Probe.demanding(0);
        NUMBERS.apply(upstream).subscribe(probe);
        upstream.push(Frames.numbers(0, 20));
        for (int i = 0; i < 10; i++) {
            probe.request(1);
            assertThat(upstream.wanted()).isEqualTo(1);
        }
        probe.request(Long.MAX_VALUE);
        assertThat(upstream.wanted()).isEqualTo(1);
        for (int i = 0; i < 10; i++) {
            upstream.push(Frames.numbers(20 + 100 * i, 120 + 100 * i));
            assertThat(upstream.wanted()).isEqualTo(1);
        }
        assertThat(probe.values()).isEqualTo(Frames.range(0, 1_020));
        assertThat(upstream.highestRequest()).isEqualTo(1);
    }

    @Test
    void requestsTheNextBufferAtLowTideOnly() {
        Upstream upstream = new Upstream();
        Probe<Integer> probe = Probe.demanding(0);
        NUMBERS.prefetch(new Prefetch(10, 1_000)).apply(upstream).subscribe(probe);
        assertThat(upstream.wanted()).isEqualTo(1);
        upstream.push(Frames.numbers(0, 9));
        assertThat(upstream.wanted()).isEqualTo(1);
        upstream.push(Frames.numbers(9, 10));
        assertThat(upstream.wanted()).isZero();
        probe.request(4);
        assertThat(upstream.wanted()).isZero();
        probe.request(1);
        assertThat(upstream.wanted()).isEqualTo(1);
        upstream.push(Frames.numbers(10, 30)); // 25 for 10 places
        assertThat(upstream.wanted()).isZero();
        probe.request(14); // 10 held and 1 at hand
        assertThat(upstream.wanted()).isZero();
        probe.request(5);
        assertThat(upstream.wanted()).isEqualTo(1);
        assertThat(probe.values()).isEqualTo(Frames.range(0, 24));
    }

    @Test
    void requestsOnDemandWhileNoWholeFrameIsAtHand() {
        Upstream upstream = new Upstream();
        Probe<Integer> probe = Probe.demanding(0);
        NUMBERS.prefetch(Prefetch.onDemand()).apply(upstream).subscribe(probe);
        assertThat(upstream.wanted()).isEqualTo(1);
        upstream.push(new byte[] {0, 0, 0});
        assertThat(upstream.wanted()).isEqualTo(1);
        upstream.push(new byte[] {4, 0, 0, 0, 1});
        assertThat(upstream.wanted()).isZero();
        probe.request(1);
        assertThat(upstream.wanted()).isEqualTo(1);
        assertThat(probe.values()).containsExactly(1);
        upstream.complete();
        assertThat(probe.isCompleted()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"0, 64", "10, 74", "2000, 1088"})
    void fusesAndDecodesThePrefetchBeyondWhatIsDemanded(long requested, int decoded) {
        Upstream upstream = new Upstream();
        Poller<Integer> poller = Poller.create();
        NUMBERS.apply(upstream).subscribe(poller);
        assertThat(poller.granted()).isEqualTo(Fuseable.ASYNC);
        if (requested > 0) {
            poller.request(requested);
        }
        upstream.push(Frames.numbers(0, 3_000));
        assertThat(poller.queue().size()).isEqualTo(decoded);
        assertThat(poller.signals()).isEqualTo(1);
        assertThat(upstream.wanted()).isZero();
        assertThat(poller.pollAll()).isEqualTo(Frames.range(0, 3_000));
        assertThat(upstream.wanted()).isEqualTo(1);
        upstream.complete();
        assertThat(poller.isTerminated()).isTrue();
    }

    @Test
    void fusesAsConnectionsDo() {
        StepVerifier.create(NUMBERS.apply(chunks(0, 100, 30)))
                .expectFusion(Fuseable.ASYNC)
                .expectNextSequence(Frames.range(0, 100))
                .verifyComplete();
        StepVerifier.create(NUMBERS.apply(chunks(0, 100, 30)))
                .expectFusion(Fuseable.SYNC, Fuseable.NONE)
                .expectNextSequence(Frames.range(0, 100))
                .verifyComplete();
        StepVerifier.create(NUMBERS.apply(chunks(0, 100, 30)))
                .expectFusion(Fuseable.ANY | Fuseable.THREAD_BARRIER, Fuseable.ASYNC)
                .expectNextSequence(Frames.range(0, 100))
                .verifyComplete();
    }

    @ParameterizedTest
    @EnumSource
    void givesTheSameToEachOperatorThatPolls(Consuming consuming) {
        for (int length : new int[] {5, 64, 3_000}) {
            Probe<Integer> probe = Probe.demanding(1);
            consuming
                    .apply(NUMBERS.apply(chunks(0, 1_000, length)), Schedulers.immediate())
                    .subscribe(probe.whenNext(number -> probe.request(1)));
            assertThat(probe.values()).isEqualTo(Frames.range(0, 1_000));
            assertThat(probe.isCompleted()).isTrue();
        }
    }

    @Test
    void stopsAtTheMessageWhereItIsCancelled() {
        Upstream upstream = new Upstream();
        assertThat(Mono.from(NUMBERS.apply(upstream.thenPush(Upstream.buffer(Frames.numbers(0, 10)))))
                        .block())
                .isZero();
        assertThat(upstream.isCancelled()).isTrue();
    }

    @Test
    void cutsSourcesThatPushWithinTheRequest() {
        assertThat(NUMBERS.apply(Flux.just(Upstream.buffer(Frames.numbers(0, 3))))
                        .collectList()
                        .block())
                .isEqualTo(Frames.range(0, 3));
        assertThat(NUMBERS.apply(Mono.just(Upstream.buffer(Frames.numbers(0, 3))))
                        .collectList()
                        .block())
                .isEqualTo(Frames.range(0, 3));
        assertThat(NUMBERS.apply(Flux.fromIterable(List.of(
                                Upstream.buffer(Frames.numbers(0, 3)),
                                Upstream.buffer(new byte[0]),
                                Upstream.buffer(Frames.numbers(3, 5)))))
                        .collectList()
                        .block())
                .isEqualTo(Frames.range(0, 5));
        assertThat(NUMBERS.apply(Flux.range(0, 100_000).map(i -> Upstream.buffer(Frames.numbers(i, i + 1))))
                        .count()
                        .block())
                .isEqualTo(100_000);
        assertThat(NUMBERS.apply(Flux.<ByteBuf, Integer>generate(() -> 0, (i, sink) -> {
                            if (i == 1_000) {
                                sink.complete();
                            } else {
                                sink.next(Upstream.buffer(Frames.numbers(i, i + 1)));
                            }
                            return i + 1;
                        }))
                        .collectList()
                        .block())
                .isEqualTo(Frames.range(0, 1_000));
    }

    @Test
    void passesOnEmptySourcesAndSourcesThatFailAtOnce() {
        StepVerifier.create(NUMBERS.apply(Flux.empty())).verifyComplete();
        StepVerifier.create(NUMBERS.batches(Flux.empty())).verifyComplete();
        StepVerifier.create(NUMBERS.apply(Flux.error(new IOException("source"))))
                .verifyErrorMessage("source");
        StepVerifier.create(NUMBERS.apply(Flux.never())).thenCancel().verify();
        StepVerifier.create(NUMBERS.apply(Flux.empty()), 0).verifyComplete();
    }

    @Test
    void showsTheSubscribersContextToTheSource() {
        Upstream upstream = new Upstream();
        NUMBERS.apply(upstream)
                .contextWrite(context -> context.put("key", "value"))
                .subscribe();
        assertThat(upstream.context().<String>get("key")).isEqualTo("value");
        assertThat(upstream.subscriptions()).isEqualTo(1);

        Flux<ByteBuf> source = Flux.deferContextual(context -> Flux.just(
                Upstream.buffer(Frames.numbers(context.<Integer>get("from"), context.<Integer>get("from") + 2))));
        assertThat(source.transform(NUMBERS)
                        .contextWrite(context -> context.put("from", 7))
                        .collectList()
                        .block())
                .containsExactly(7, 8);
    }
}
