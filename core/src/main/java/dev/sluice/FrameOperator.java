package dev.sluice;

import dev.sluice.framing.Codec;
import io.netty.buffer.ByteBuf;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;

/** A stream of buffers as a stream of messages: each subscription is a {@link SourceDrain} with one {@link Receiver}. */
class FrameOperator<I, T> extends Flux<T> implements Scannable {
    private final Flux<? extends ByteBuf> source;
    private final Codec<I, ?> codec;
    private final boolean borrowed;
    private final Prefetch prefetch;
    private final BiFunction<Drain<I>, CoreSubscriber<? super T>, Receiver<I, T>> receivers;

    private FrameOperator(
            Publisher<? extends ByteBuf> source,
            Codec<I, ?> codec,
            boolean borrowed,
            Prefetch prefetch,
            BiFunction<Drain<I>, CoreSubscriber<? super T>, Receiver<I, T>> receivers) {
        this.source = Flux.from(source);
        this.codec = codec;
        this.borrowed = borrowed;
        this.prefetch = prefetch;
        this.receivers = receivers;
    }

    static <I> Flux<I> messages(
            Publisher<? extends ByteBuf> source, Codec<I, ?> codec, boolean borrowed, Prefetch prefetch) {
        return onAssembly(new FuseableOperator<I>(source, codec, borrowed, prefetch));
    }

    static <I> Flux<FrameBatch<I>> batches(
            Publisher<? extends ByteBuf> source,
            Codec<I, ?> codec,
            boolean borrowed,
            Prefetch prefetch,
            int batchSize) {
        return onAssembly(new FrameOperator<I, FrameBatch<I>>(
                source, codec, borrowed, prefetch, (drain, actual) -> new BatchReceiver<>(drain, actual, batchSize)));
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        SourceDrain<I> drain = new SourceDrain<>(codec, borrowed, prefetch, actual.currentContext());
        drain.receiver(receivers.apply(drain, actual), actual);
        source.subscribe(drain);
    }

    @Override
    @SuppressWarnings("rawtypes") // as Scannable declares it
    public @Nullable Object scanUnsafe(Attr key) {
        if (key == Attr.PARENT) {
            return source;
        }
        if (key == Attr.PREFETCH) {
            return prefetch.messages();
        }
        return key == Attr.RUN_STYLE ? Attr.RunStyle.SYNC : null;
    }

    /** Its subscriptions can be polled; what implements {@code Fuseable} must always bring such a one. */
    private static final class FuseableOperator<I> extends FrameOperator<I, I> implements Fuseable {
        FuseableOperator(Publisher<? extends ByteBuf> source, Codec<I, ?> codec, boolean borrowed, Prefetch prefetch) {
            super(source, codec, borrowed, prefetch, MessageReceiver::new);
        }
    }
}
