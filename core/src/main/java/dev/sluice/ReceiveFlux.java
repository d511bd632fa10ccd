package dev.sluice;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;

/** The messages of a connection, by one view of it: each subscription is a {@link Receiver}, if there is no other. */
class ReceiveFlux<I, T> extends Flux<T> implements Scannable {
    private final Drain<I> drain;
    private final int view;
    private final Function<CoreSubscriber<? super T>, Receiver<I, T>> receivers;

    private ReceiveFlux(Drain<I> drain, int view, Function<CoreSubscriber<? super T>, Receiver<I, T>> receivers) {
        this.drain = drain;
        this.view = view;
        this.receivers = receivers;
    }

    static <I> Flux<I> messages(Drain<I> drain, int view) {
        return onAssembly(new FuseableFlux<I>(drain, view, actual -> new MessageReceiver<>(drain, actual)));
    }

    static <I> Flux<I> messagesOn(Drain<I> drain, int view, Scheduler scheduler, int maxInFlight) {
        return onAssembly(
                new ReceiveFlux<I, I>(drain, view, actual -> new HopReceiver<>(drain, actual, scheduler, maxInFlight)));
    }

    static <I> Flux<FrameBatch<I>> batches(Drain<I> drain, int view, int batchSize) {
        return onAssembly(new ReceiveFlux<I, FrameBatch<I>>(
                drain, view, actual -> new BatchReceiver<>(drain, actual, batchSize)));
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        drain.subscribe(receivers.apply(actual), actual, view);
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
        FuseableFlux(Drain<I> drain, int view, Function<CoreSubscriber<? super I>, Receiver<I, I>> receivers) {
            super(drain, view, receivers);
        }
    }
}
