package dev.sluice;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;

/** The messages of a connection: each subscription is a {@link Receiver}, if there is no other. */
final class ReceiveFlux<I, T> extends Flux<T> implements Scannable {
    private final Drain<I> drain;
    private final Function<CoreSubscriber<? super T>, Receiver<I, T>> receivers;

    private ReceiveFlux(Drain<I> drain, Function<CoreSubscriber<? super T>, Receiver<I, T>> receivers) {
        this.drain = drain;
        this.receivers = receivers;
    }

    static <I> Flux<I> messages(Drain<I> drain) {
        return onAssembly(new ReceiveFlux<I, I>(drain, actual -> new MessageReceiver<>(drain, actual)));
    }

    static <I> Flux<FrameBatch<I>> batches(Drain<I> drain, int batchSize) {
        return onAssembly(new ReceiveFlux<I, FrameBatch<I>>(
                drain, actual -> new BatchReceiver<>(drain, actual, batchSize)));
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        drain.subscribe(receivers.apply(actual), actual);
    }

    @Override
    @SuppressWarnings("rawtypes") // as Scannable declares it
    public @Nullable Object scanUnsafe(Attr key) {
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }
}
