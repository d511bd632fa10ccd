package dev.sluice;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;

/** The messages of a connection: each subscription is a {@link Receiver}, if there is no other. */
final class ReceiveFlux<I, T> extends Flux<T> implements Scannable {
    private final Inbound<I> inbound;
    private final Function<CoreSubscriber<? super T>, Receiver<I, T>> receivers;

    private ReceiveFlux(Inbound<I> inbound, Function<CoreSubscriber<? super T>, Receiver<I, T>> receivers) {
        this.inbound = inbound;
        this.receivers = receivers;
    }

    static <I> Flux<I> messages(Inbound<I> inbound) {
        return onAssembly(new ReceiveFlux<I, I>(inbound, actual -> new MessageReceiver<>(inbound, actual)));
    }

    static <I> Flux<FrameBatch<I>> batches(Inbound<I> inbound, int batchSize) {
        return onAssembly(new ReceiveFlux<I, FrameBatch<I>>(
                inbound, actual -> new BatchReceiver<>(inbound, actual, batchSize)));
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        inbound.subscribe(receivers.apply(actual), actual);
    }

    @Override
    @SuppressWarnings("rawtypes") // as Scannable declares it
    public @Nullable Object scanUnsafe(Attr key) {
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }
}
