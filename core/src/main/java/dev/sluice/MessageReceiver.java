package dev.sluice;

import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable;

/**
 * Gives messages one by one: straight from the decoder while there is demand, so that the ring is passed by. A subscriber
 * that fuses gets a {@link FusedReceiver} in its place.
 */
final class MessageReceiver<I> extends DirectReceiver<I, I> implements Fuseable.QueueSubscription<I> {
    private @Nullable FusedReceiver<I> fused;

    MessageReceiver(Drain<I> drain, CoreSubscriber<? super I> actual) {
        super(drain, actual);
    }

    @Override
    void giveHeld() {
        MessageRing<I> ring = drain.ring;
        while (wants() && !ring.isEmpty()) {
            give(ring.poll());
        }
    }

    @Override
    public boolean message(I message, int payloadLength) {
        if (demands()) { // the ring is empty then: giveHeld has seen to it
            give(message);
        } else {
            drain.ring.offer(message, payloadLength);
            giveHeld();
        }
        return goesOn();
    }

    @Override
    boolean drainEnd() {
        return goesOn();
    }

    // ---- fusion: negotiated inside onSubscribe, before the drain signals anything

    @Override
    public int requestFusion(int mode) {
        boolean acrossThreads = (mode & Fuseable.THREAD_BARRIER) != 0;
        if ((mode & Fuseable.ASYNC) == 0 || (acrossThreads && !drain.fusesAcrossThreads())) {
            return Fuseable.NONE;
        }
        FusedReceiver<I> replacement = new FusedReceiver<>(drain, actual);
        if (!drain.replace(this, replacement)) {
            return Fuseable.NONE; // cancelled already
        }
        fused = replacement;
        return Fuseable.ASYNC;
    }

    @Override
    void start() {
        actual.onSubscribe(this);
        if (fused == null) {
            started();
        } else {
            letGo();
            fused.started();
        }
    }

    @Override
    public void request(long n) {
        if (fused == null) {
            super.request(n);
        } else {
            fused.request(n);
        }
    }

    @Override
    public void cancel() {
        if (fused == null) {
            super.cancel();
        } else {
            fused.cancel();
        }
    }

    @Override
    public @Nullable I poll() {
        return fused == null ? null : fused.poll();
    }

    @Override
    public boolean isEmpty() {
        return fused == null || fused.isEmpty();
    }

    @Override
    public int size() {
        return fused == null ? 0 : fused.held();
    }

    /** No operator polls again after it: the same as a cancel, which keeps the messages for the next receiver. */
    @Override
    public void clear() {
        cancel();
    }

    @Override
    @SuppressWarnings("rawtypes") // as Scannable declares it
    public @Nullable Object scanUnsafe(Attr key) {
        return fused == null ? super.scanUnsafe(key) : fused.scanUnsafe(key);
    }
}
