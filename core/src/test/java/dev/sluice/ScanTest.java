package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable;
import reactor.core.Scannable;
import reactor.core.Scannable.Attr;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** What is seen from outside of a stream of messages and of a subscription to it. */
class ScanTest {

    /** Ways to subscribe to a connection. */
    enum Kind {
        PER_MESSAGE {
            @Override
            Flux<?> flux(FrameConnection<Integer, Integer> connection) {
                return connection.receive();
            }
        },
        IN_BATCHES {
            @Override
            Flux<?> flux(FrameConnection<Integer, Integer> connection) {
                return connection.receiveBatches(10);
            }
        },
        FUSED {
            @Override
            Flux<?> flux(FrameConnection<Integer, Integer> connection) {
                return connection.receive();
            }
        },
        HOP {
            @Override
            Flux<?> flux(FrameConnection<Integer, Integer> connection) {
                return connection.receiveOn(Schedulers.immediate());
            }
        };

        abstract Flux<?> flux(FrameConnection<Integer, Integer> connection);
    }

    private static final class Holder implements CoreSubscriber<Object> {
        private final boolean fuses;
        private Subscription subscription;

        Holder(boolean fuses) {
            this.fuses = fuses;
        }

        @Override
        public void onSubscribe(Subscription s) {
            subscription = s;
            if (fuses) {
                ((Fuseable.QueueSubscription<?>) s).requestFusion(Fuseable.ASYNC);
            }
        }

        @Override
        public void onNext(Object value) {}

        @Override
        public void onError(Throwable error) {}

        @Override
        public void onComplete() {}

        <T> T scan(Attr<T> key) {
            return Scannable.from(subscription).scan(key);
        }

        private CoreSubscriber<?> actual() {
            return (CoreSubscriber<?>) Scannable.from(subscription).scanUnsafe(Attr.ACTUAL);
        }
    }

    @ParameterizedTest
    @EnumSource
    void showsTheStreamsOfAConnection(Kind kind) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(new Prefetch(17, 1_000))) {
            Scannable flux = Scannable.from(kind.flux(wire.connection));
            assertThat(flux.isScanAvailable()).isTrue();
            assertThat(flux.scan(Attr.PREFETCH)).isEqualTo(17);
            assertThat(flux.scan(Attr.RUN_STYLE)).isEqualTo(Attr.RunStyle.ASYNC);
            assertThat(flux.scan(Attr.PARENT)).isNull();
        }
    }

    @ParameterizedTest
    @EnumSource
    void showsTheSubscriptionsToAConnection(Kind kind) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(new Prefetch(17, 1_000))) {
            Holder holder = new Holder(kind == Kind.FUSED);
            kind.flux(wire.connection).subscribe(holder);
            assertThat(holder.actual()).isSameAs(holder);
            assertThat(holder.scan(Attr.PARENT)).isNull();
            assertThat(holder.scan(Attr.RUN_STYLE)).isEqualTo(Attr.RunStyle.ASYNC);
            assertThat(holder.scan(Attr.PREFETCH)).isEqualTo(17);
            assertThat(holder.scan(Attr.REQUESTED_FROM_DOWNSTREAM)).isZero();
            holder.subscription.request(2);
            assertThat(holder.scan(Attr.REQUESTED_FROM_DOWNSTREAM)).isEqualTo(2);
            assertThat(holder.scan(Attr.BUFFERED)).isZero();
            assertThat(holder.scan(Attr.CANCELLED)).isFalse();
            assertThat(holder.scan(Attr.TERMINATED)).isFalse();
            wire.feed(Frames.numbers(0, 100));
            boolean takes = kind != Kind.FUSED; // nobody polls here
            assertThat(holder.scan(Attr.REQUESTED_FROM_DOWNSTREAM)).isEqualTo(takes ? 0 : 2);
            assertThat(holder.scan(Attr.BUFFERED)).isEqualTo(takes ? 17 : 19);
            holder.subscription.request(Long.MAX_VALUE);
            assertThat(holder.scan(Attr.REQUESTED_FROM_DOWNSTREAM)).isEqualTo(Long.MAX_VALUE);
            holder.subscription.cancel();
            assertThat(holder.scan(Attr.CANCELLED)).isTrue();
            assertThat(holder.actual()).isNotSameAs(holder);
        }
    }

    @ParameterizedTest
    @EnumSource
    void showsTheEnd(Kind kind) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Holder holder = new Holder(kind == Kind.FUSED);
            kind.flux(wire.connection).subscribe(holder);
            wire.end();
            assertThat(holder.scan(Attr.TERMINATED)).isTrue();
            assertThat(holder.scan(Attr.CANCELLED)).isFalse();
            assertThat(holder.actual()).isNotSameAs(holder);
        }
    }

    @Test
    void showsTheOperatorAndWhatIsUpstream() {
        Upstream upstream = new Upstream();
        FrameFlux<Integer> numbers = FrameFlux.owned(Frames.NUMBERS).prefetch(new Prefetch(17, 1_000));
        Flux<io.netty.buffer.ByteBuf> source = Flux.from(upstream);
        for (Flux<?> flux : java.util.List.of(numbers.apply(source), numbers.batches(source))) {
            Scannable operator = Scannable.from(flux);
            assertThat(operator.scan(Attr.PARENT)).isSameAs(source);
            assertThat(operator.scan(Attr.PREFETCH)).isEqualTo(17);
            assertThat(operator.scan(Attr.RUN_STYLE)).isEqualTo(Attr.RunStyle.SYNC);

            Holder holder = new Holder(false);
            flux.subscribe(holder);
            assertThat(holder.actual()).isSameAs(holder);
            Scannable drain = holder.scan(Attr.PARENT);
            assertThat(drain.scan(Attr.RUN_STYLE)).isEqualTo(Attr.RunStyle.SYNC);
            assertThat(drain.scanUnsafe(Attr.PARENT)).isNotNull();
            assertThat(holder.scan(Attr.RUN_STYLE)).isEqualTo(Attr.RunStyle.SYNC);
            holder.subscription.request(1);
            upstream.push(Frames.numbers(0, 10));
            assertThat(holder.scan(Attr.BUFFERED)).isBetween(0, 9);
            assertThat(holder.scan(Attr.TERMINATED)).isFalse();
            holder.subscription.cancel();
            assertThat(holder.scan(Attr.CANCELLED)).isTrue();
        }
    }

    @Test
    void namesItsStepsThroughAChain() {
        Flux<Integer> chain = FrameFlux.owned(Frames.NUMBERS)
                .apply(Flux.<io.netty.buffer.ByteBuf>empty().name("bytes"))
                .map(number -> number);
        assertThat(Scannable.from(chain).steps()).hasSizeGreaterThanOrEqualTo(3);
        assertThat(Scannable.from(chain).parents().count()).isGreaterThanOrEqualTo(2);
    }
}
