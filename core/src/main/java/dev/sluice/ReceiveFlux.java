package dev.sluice;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;

/** The messages of a connection: each subscription is a {@link Receiver}, if there is no other. */
class ReceiveFlux<I, T> extends Flux<T> implements Scannable {
    private final Drain<I> drain;
    private final Function<CoreSubscriber<? super T>, Receiver<I, T>> receivers;

    private ReceiveFlux(Drain<I> drain, Function<CoreSubscriber<? super T>, Receiver<I, T>> receivers) {
        this.drain = drain;
        this.receivers = receivers;
    }

    static <I> Flux<I> messages(Drain<I> drain) {
        return onAssembly(new FuseableFlux<I>(drain, actual -> new MessageReceiver<>(drain, actual)));
    }

    static <I> Flux<I> messagesOn(Drain<I> drain, Scheduler scheduler, int maxInFlight) {
        return onAssembly(
                new ReceiveFlux<I, I>(drain, actual -> new HopReceiver<>(drain, actual, scheduler, maxInFlight)));
    }

    static <I> Flux<FrameBatch<I>> batches(Drain<I> drain, int batchSize) {
        return onAssembly(
                new ReceiveFlux<I, FrameBatch<I>>(drain, actual -> new BatchReceiver<>(drain, actual, batchSize)));
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        drain.subscribe(receivers.apply(actual), actual);
    }

    @Override
    @SuppressWarnings("rawtypes") // as Scannable declares it
    public @Nullable Object scanUnsafe(Attr key) {
        if (key == Attr.PREFETCH) {
            return drain.ring.bounds().messages();
        }
        return key == Attr.RUN_STYLE ? drain.runStyle() : null;
    }

    /** Its subscriptions can be polled; what implements {@code Fuseable} must always bring such a one. */
    private static final class FuseableFlux<I> extends ReceiveFlux<I, I> implements Fuseable {
        FuseableFlux(Drain<I> drain, Function<CoreSubscriber<? super I>, Receiver<I, I>> receivers) {
            super(drain, receivers);
        }
    }
}
