package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.Codec;
import dev.sluice.framing.FrameTooLongException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.scheduler.Schedulers;

/** How the operator ends: with its source, by wrong bytes, by a cancel, and by those who break the rules. */
@Tag("paranoid")
class FrameFluxEndTest {
    private static final FrameFlux<Integer> NUMBERS = FrameFlux.owned(Frames.NUMBERS);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void tellsTheSourcesErrorBehindTheMessages(boolean fused) {
        Upstream upstream = new Upstream();
        Probe<Integer> probe = Probe.demanding(2);
        Flux<Integer> numbers = NUMBERS.apply(upstream);
        (fused ? numbers.publishOn(Schedulers.immediate()) : numbers).subscribe(probe);
        upstream.push(Frames.numbers(0, 5));
        upstream.push(new byte[] {0, 0}); // of a frame that never comes
        upstream.fail(new IOException("source"));
        assertThat(probe.values()).containsExactly(0, 1);
        assertThat(probe.isTerminated()).isFalse();
        probe.request(3);
        assertThat(probe.values()).isEqualTo(Frames.range(0, 5));
        assertThat(probe.error()).isInstanceOf(IOException.class).hasMessage("source");
        assertThat(upstream.isCancelled()).isFalse();
    }

    @Test
    void cancelsTheSourceWhenTheBytesAreWrong() {
        Upstream upstream = new Upstream();
        Probe<Integer> probe = Probe.demanding(2);
        NUMBERS.apply(upstream).subscribe(probe);
        ByteBuf chunk = Unpooled.buffer().writeBytes(Frames.numbers(0, 3)).writeInt(Integer.MAX_VALUE);
        upstream.push(chunk);
        assertThat(chunk.refCnt())
                .as("all messages are decoded, and the rest is of no use")
                .isZero();
        assertThat(upstream.isCancelled()).isTrue();
        assertThat(probe.isTerminated()).isFalse();
        probe.request(1);
        assertThat(probe.values()).containsExactly(0, 1, 2);
        assertThat(probe.error()).isInstanceOf(FrameTooLongException.class);
        ByteBuf late = Unpooled.buffer().writeInt(0);
        upstream.push(late);
        upstream.complete();
        assertThat(late.refCnt()).isZero();
        assertThat(probe.values()).hasSize(3);
    }

    @Test
    void cancelsTheSourceWhenTheDecoderThrows() {
        Codec<Integer, Integer> picky = Codec.of(
                Frames.FRAMING,
                payload -> {
                    int number = payload.readInt();
                    if (number == 3) {
                        throw new IllegalStateException("no three");
                    }
                    return number;
                },
                (number, out) -> out.buffer().writeInt(number));
        Upstream upstream = new Upstream();
        Probe<Integer> probe = Probe.unbounded();
        FrameFlux.owned(picky).apply(upstream).subscribe(probe);
        upstream.push(Frames.numbers(0, 10));
        assertThat(probe.values()).containsExactly(0, 1, 2);
        assertThat(probe.error()).isInstanceOf(IllegalStateException.class).hasMessage("no three");
        assertThat(upstream.isCancelled()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void releasesAllWhenCancelled(Taking taking) {
        Upstream upstream = new Upstream();
        Runnable cancel = taking.subscribe(FrameFlux.owned(Frames.SLICES), upstream);
        ByteBuf chunk = Unpooled.copiedBuffer(Frames.numbers(0, 200));
        upstream.push(chunk);
        upstream.push(new byte[] {0, 0, 0, 4, 0}); // not asked for, and torn
        assertThat(chunk.refCnt()).isPositive();
        cancel.run();
        assertThat(upstream.isCancelled()).isTrue();
        assertThat(chunk.refCnt()).isZero();
        ByteBuf late = Unpooled.copiedBuffer(Frames.numbers(0, 2));
        upstream.push(late);
        assertThat(late.refCnt()).isZero();
        upstream.complete();
    }

    enum Taking {
        PER_MESSAGE {
            @Override
            Runnable subscribe(FrameFlux<ByteBuf> flux, Upstream upstream) {
                Probe<ByteBuf> probe = Probe.<ByteBuf>demanding(3).whenNext(ByteBuf::release);
                flux.apply(upstream).subscribe(probe);
                return probe::cancel;
            }
        },
        IN_BATCHES {
            @Override
            Runnable subscribe(FrameFlux<ByteBuf> flux, Upstream upstream) {
                Probe<FrameBatch<ByteBuf>> probe =
                        Probe.<FrameBatch<ByteBuf>>demanding(1).whenNext(FrameBatch::release);
                flux.batches(upstream).subscribe(probe);
                return probe::cancel;
            }
        },
        FUSED {
            @Override
            Runnable subscribe(FrameFlux<ByteBuf> flux, Upstream upstream) {
                Poller<ByteBuf> poller =
                        Poller.<ByteBuf>create().whenSignalled(p -> p.poll().release());
                flux.apply(upstream).subscribe(poller);
                poller.request(3);
                return poller::cancel;
            }
        },
        FUSED_AND_CLEARED {
            @Override
            Runnable subscribe(FrameFlux<ByteBuf> flux, Upstream upstream) {
                Poller<ByteBuf> poller = Poller.create();
                flux.apply(upstream).subscribe(poller);
                return poller.queue()::clear;
            }
        };

        abstract Runnable subscribe(FrameFlux<ByteBuf> flux, Upstream upstream);
    }

    @Test
    void cancelsTheSourceInOnSubscribe() {
        Upstream upstream = new Upstream();
        Probe<Integer> probe = Probe.unbounded();
        NUMBERS.apply(upstream).subscribe(probe.whenSubscribed(Probe::cancel));
        assertThat(upstream.isCancelled()).isTrue();
        assertThat(upstream.wanted()).isZero();
        upstream.push(Frames.numbers(0, 3));
        upstream.complete();
        assertThat(probe.values()).isEmpty();
        assertThat(probe.isTerminated()).isFalse();
    }

    /** More than was asked for, a second subscription, signals behind the end: none is lost or doubled. */
    @Test
    void bearsSourcesThatBreakTheRules() {
        List<Throwable> dropped = new ArrayList<>();
        Hooks.onErrorDropped(dropped::add);
        try {
            Upstream upstream = new Upstream();
            Probe<Integer> probe = Probe.demanding(5);
            NUMBERS.apply(upstream).subscribe(probe);
            for (int i = 0; i < 50; i++) {
                upstream.push(Frames.numbers(10 * i, 10 * i + 10));
            }
            boolean[] cancelled = {false};
            upstream.subscriber().onSubscribe(new org.reactivestreams.Subscription() {
                @Override
                public void request(long n) {
                    throw new AssertionError("requested");
                }

                @Override
                public void cancel() {
                    cancelled[0] = true;
                }
            });
            assertThat(cancelled[0]).isTrue();
            upstream.complete();
            upstream.complete();
            upstream.push(Frames.numbers(0, 1));
            upstream.fail(new IOException("late"));
            probe.request(Long.MAX_VALUE);
            assertThat(probe.values()).isEqualTo(Frames.range(0, 500));
            assertThat(probe.isCompleted()).isTrue();
            assertThat(dropped).singleElement().satisfies(e -> assertThat(e).hasMessage("late"));
        } finally {
            Hooks.resetOnErrorDropped();
        }
    }

    @Test
    void failsSubscriberThatRequestsLessThanOneAndCancelsTheSource() {
        Upstream upstream = new Upstream();
        Probe<ByteBuf> probe = Probe.demanding(0);
        FrameFlux.owned(Frames.SLICES).apply(upstream).subscribe(probe);
        upstream.push(Frames.numbers(0, 5));
        probe.requestRaw(0);
        assertThat(probe.error())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("request is not positive (rule 3.9): n=0, limit=1");
        assertThat(upstream.isCancelled()).isTrue();
        assertThat(probe.values()).isEmpty();
    }

    @Test
    void cancelsTheSourceOfASubscriberThatThrows() {
        List<Throwable> dropped = new ArrayList<>();
        Hooks.onErrorDropped(dropped::add);
        try {
            Upstream upstream = new Upstream();
            Probe<ByteBuf> probe = Probe.unbounded();
            FrameFlux.owned(Frames.SLICES).apply(upstream).subscribe(probe.whenNext(message -> {
                message.release();
                throw new IllegalStateException("mine");
            }));
            upstream.push(Frames.numbers(0, 5));
            assertThat(upstream.isCancelled()).isTrue();
            assertThat(probe.values()).hasSize(1);
            assertThat(dropped).singleElement().satisfies(e -> assertThat(e).hasMessage("mine"));
        } finally {
            Hooks.resetOnErrorDropped();
        }
    }
}
