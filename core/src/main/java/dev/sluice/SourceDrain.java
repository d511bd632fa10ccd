package dev.sluice;

import dev.sluice.framing.Codec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Operators;
import reactor.util.concurrent.Queues;
import reactor.util.context.Context;

/**
 * A {@link Drain} over a publisher of buffers, on no thread of its own: whoever brings a buffer or a request drains, one at
 * a time. Buffers are requested one by one, and each is a read turn. They are handed to the drain by a queue, since the
 * source's thread may come while another drains; a source that pushes more than was requested only makes it longer.
 */
final class SourceDrain<I> extends Drain<I> implements CoreSubscriber<ByteBuf>, Scannable {
    private final boolean borrowed;
    private final Context context;
    private final Queue<ByteBuf> arrived = Queues.<ByteBuf>unbounded(8).get();

    private @Nullable Receiver<I, ?> receiver;
    private @Nullable CoreSubscriber<?> actual;
    private @Nullable Subscription upstream;
    /** Only the drain requests, and only then a buffer comes. */
    private boolean requested;

    private boolean endTaken;
    private @Nullable Throwable error;
    /** Publishes {@link #error}. */
    private volatile boolean ended;

    SourceDrain(Codec<I, ?> codec, boolean borrowed, Prefetch prefetch, Context context) {
        super(codec, ByteBufAllocator.DEFAULT, prefetch, new Counters());
        neverPauses();
        this.borrowed = borrowed;
        this.context = context;
    }

    /** Who receives; before the source is subscribed to. */
    void receiver(Receiver<I, ?> receiver, CoreSubscriber<?> actual) {
        this.receiver = receiver;
        this.actual = actual;
    }

    // ---- the source

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    public void onSubscribe(Subscription s) {
        if (Operators.validate(upstream, s)) {
            upstream = s;
            Receiver<I, ?> first = Objects.requireNonNull(receiver, "receiver");
            CoreSubscriber<?> subscriber = Objects.requireNonNull(actual, "actual");
            receiver = null;
            actual = null;
            subscribe(first, subscriber, Place.FIRST_VIEW);
        }
    }

    @Override
    public void onNext(ByteBuf buffer) {
        arrived.offer(borrowed ? buffer.retain() : buffer);
        drain();
    }

    @Override
    public void onError(Throwable e) {
        if (ended) {
            Operators.onErrorDropped(e, context);
            return;
        }
        error = e;
        ended = true;
        drain();
    }

    @Override
    public void onComplete() {
        ended = true;
        drain();
    }

    // ---- the drain

    @Override
    void wake() {
        drain();
    }

    @Override
    boolean takeArrival() {
        ByteBuf buffer = arrived.poll();
        if (buffer != null) {
            requested = false;
            takeTurn(buffer);
            return true;
        }
        if (!ended || endTaken) {
            return false;
        }
        if (arrived.isEmpty()) { // otherwise what arrived before the end has come into view only now
            endTaken = true;
            if (isInputOpen()) {
                takeEnd(error);
            } else if (error != null) {
                Operators.onErrorDropped(error, context);
            }
        }
        return true;
    }

    @Override
    void askForBytes() {
        if (!requested && !ended && isInputOpen()) {
            requested = true;
            upstream().request(1);
        }
    }

    @Override
    void flush() {}

    @Override
    CloseReason closeReason() {
        return CloseReason.DISPOSED;
    }

    @Override
    void disposeSource() {
        upstream().cancel();
        abort(CloseReason.DISPOSED);
    }

    @Override
    void sourceIsWrong() {
        upstream().cancel();
    }

    @Override
    void afterRound(boolean hasReceiver) {}

    @Override
    CancelPolicy cancelPolicy() {
        return CancelPolicy.CLOSE;
    }

    @Override
    boolean fusesAcrossThreads() {
        return true;
    }

    @Override
    Scannable.Attr.RunStyle runStyle() {
        return Scannable.Attr.RunStyle.SYNC;
    }

    @Override
    Object scanParent() {
        return this;
    }

    private Subscription upstream() {
        return Objects.requireNonNull(upstream, "upstream");
    }

    @Override
    @SuppressWarnings("rawtypes") // as Scannable declares it
    public @Nullable Object scanUnsafe(Attr key) {
        if (key == Attr.PARENT) {
            return upstream;
        }
        return key == Attr.RUN_STYLE ? Attr.RunStyle.SYNC : null;
    }
}
