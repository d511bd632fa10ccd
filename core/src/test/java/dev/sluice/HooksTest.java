package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.context.ContextRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Schedulers;

/** What Reactor's global hooks put around streams: all must go on as without. */
class HooksTest {
    private static final String KEY = "sluice-test";

    /** Hooks that change every stream. */
    enum Hook {
        OPERATOR_DEBUG {
            @Override
            void enable() {
                Hooks.onOperatorDebug();
            }
        },
        LIFT_EACH_OPERATOR {
            @Override
            void enable() {
                Hooks.onEachOperator(KEY, Operators.lift((scannable, actual) -> new PassingOn<>(actual)));
            }
        },
        LIFT_LAST_OPERATOR {
            @Override
            void enable() {
                Hooks.onLastOperator(KEY, Operators.lift((scannable, actual) -> new PassingOn<>(actual)));
            }
        },
        AUTOMATIC_CONTEXT_PROPAGATION {
            @Override
            void enable() {
                Hooks.enableAutomaticContextPropagation();
            }
        };

        abstract void enable();
    }

    /** Knows nothing of fusion. */
    private record PassingOn<T>(CoreSubscriber<? super T> actual) implements CoreSubscriber<T> {
        @Override
        public void onSubscribe(Subscription s) {
            actual.onSubscribe(s);
        }

        @Override
        public void onNext(T value) {
            actual.onNext(value);
        }

        @Override
        public void onError(Throwable error) {
            actual.onError(error);
        }

        @Override
        public void onComplete() {
            actual.onComplete();
        }

        @Override
        public reactor.util.context.Context currentContext() {
            return actual.currentContext();
        }
    }

    @AfterEach
    void removeHooks() {
        Hooks.resetOnOperatorDebug();
        Hooks.resetOnEachOperator(KEY);
        Hooks.resetOnLastOperator(KEY);
        Hooks.disableAutomaticContextPropagation();
    }

    @ParameterizedTest
    @EnumSource
    void breakNothing(Hook hook) {
        hook.enable();
        for (Consuming consuming : Consuming.values()) {
            assertGivesAll(wire -> consuming.apply(wire.connection.receive(), Schedulers.immediate()));
        }
        assertGivesAll(wire -> wire.connection.receive());
        assertGivesAll(wire -> wire.connection.receiveBatches().flatMapIterable(batch -> batch));
        assertGivesAll(wire -> wire.connection.receiveOn(Schedulers.immediate()).map(number -> number));
        assertGivesAll(wire -> wire.connection.receiveOn(Schedulers.immediate()).publishOn(Schedulers.immediate()));
    }

    private static void assertGivesAll(java.util.function.Function<Wire<Integer, Integer>, Flux<Integer>> way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.demanding(1);
            way.apply(wire).subscribe(probe.whenNext(number -> probe.request(1)));
            wire.feed(Frames.numbers(0, 300));
            wire.end();
            assertThat(probe.values()).isEqualTo(Frames.range(0, 300));
            assertThat(probe.isCompleted()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void breakNothingOfTheOperator(Hook hook) {
        hook.enable();
        FrameFlux<Integer> numbers = FrameFlux.owned(Frames.NUMBERS);
        for (Consuming consuming : Consuming.values()) {
            Flux<io.netty.buffer.ByteBuf> chunks =
                    Flux.range(0, 100).map(i -> Upstream.buffer(Frames.numbers(3 * i, 3 * i + 3)));
            assertThat(consuming
                            .apply(chunks.transform(numbers), Schedulers.immediate())
                            .collectList()
                            .block())
                    .isEqualTo(Frames.range(0, 300));
            assertThat(chunks.transform(numbers::batches)
                            .flatMapIterable(batch -> batch)
                            .collectList()
                            .block())
                    .isEqualTo(Frames.range(0, 300));
        }
    }

    @Test
    void seeEachStreamWhenItIsMade() {
        List<String> seen = new ArrayList<>();
        Hooks.onEachOperator(KEY, publisher -> {
            seen.add(publisher.getClass().getSimpleName());
            return publisher;
        });
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.connection.receive();
            wire.connection.receiveBatches();
            wire.connection.receiveOn(Schedulers.immediate());
        }
        FrameFlux.owned(Frames.NUMBERS).apply(Flux.empty());
        FrameFlux.owned(Frames.NUMBERS).batches(Flux.empty());
        assertThat(seen.stream().filter(name -> !name.equals("FluxEmpty") && !name.startsWith("Mono")))
                .hasSize(5);
    }

    @Test
    void restoreThreadLocalsAroundMessages() {
        ThreadLocal<String> local = new ThreadLocal<>();
        ContextRegistry.getInstance().registerThreadLocalAccessor(KEY, local);
        Hooks.enableAutomaticContextPropagation();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            List<String> seen = new ArrayList<>();
            wire.connection
                    .receive()
                    .doOnNext(number -> seen.add(local.get()))
                    .contextWrite(context -> context.put(KEY, "value"))
                    .subscribe();
            wire.feed(Frames.numbers(0, 2));
            assertThat(seen).containsExactly("value", "value");
            assertThat(local.get()).isNull();
        } finally {
            ContextRegistry.getInstance().removeThreadLocalAccessor(KEY);
        }
    }

    @Test
    void giveWhatASubscriberDroppedToItsOwnContext() {
        List<String> dropped = new ArrayList<>();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.<Integer>unbounded().whenNext(number -> {
                throw new IllegalStateException("mine");
            });
            wire.connection
                    .receive()
                    .contextWrite(context ->
                            context.put("reactor.onErrorDropped.local", (java.util.function.Consumer<Throwable>)
                                    error -> dropped.add(error.getMessage())))
                    .subscribe(probe);
            wire.feed(Frames.numbers(0, 3));
            assertThat(dropped).containsExactly("mine");
        }
    }
}
