package dev.sluice;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * A message of {@link SendMono}, from the subscription to its reply.
 *
 * <pre>
 *  NEW       accepted -> QUEUED, or TAKEN at once; refused -> TAKEN; cancelled -> WITHDRAWN
 *  QUEUED    encoded or failed -> TAKEN; cancelled -> WITHDRAWN
 *  TAKEN     a cancel only silences the reply
 *  WITHDRAWN nothing of it goes out
 * </pre>
 *
 * <p>Whoever makes it WITHDRAWN releases the message and, if it was QUEUED, gives its room back at once; its place in the
 * queue is passed over later.
 */
final class MonoSend<O> extends Send<O> implements Subscription {
    private static final Logger LOG = Loggers.getLogger(FrameConnection.class);

    private static final int NEW = 0;
    private static final int QUEUED = 1;
    private static final int TAKEN = 2;
    private static final int WITHDRAWN = 3;

    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<MonoSend> STATE =
            AtomicIntegerFieldUpdater.newUpdater(MonoSend.class, "state");

    private final CoreSubscriber<? super Void> actual;
    private final Outbound<O> outbound;
    private volatile int state;
    private volatile boolean unobserved;

    MonoSend(CoreSubscriber<? super Void> actual, O message, Outbound<O> outbound) {
        super(message);
        this.actual = actual;
        this.outbound = outbound;
    }

    @Override
    boolean queue() {
        return STATE.compareAndSet(this, NEW, QUEUED);
    }

    @Override
    boolean take() {
        int now = state;
        return now < TAKEN && (STATE.compareAndSet(this, now, TAKEN) || STATE.compareAndSet(this, QUEUED, TAKEN));
    }

    @Override
    boolean isWithdrawn() {
        return state == WITHDRAWN;
    }

    /** Not accepted: told at once. */
    void refuse(Throwable error) {
        if (take()) {
            release();
            reply(error);
        }
    }

    @Override
    void tell(@Nullable Throwable error) {
        if (unobserved) {
            return;
        }
        try {
            if (error == null) {
                actual.onComplete();
            } else {
                actual.onError(error);
            }
        } catch (Throwable e) {
            dropped(e);
        }
    }

    private void dropped(Throwable e) {
        try {
            Operators.onErrorDropped(e, actual.currentContext());
        } catch (Throwable hooked) {
            LOG.warn("reply of a send threw: error={}", e.toString(), e);
        }
    }

    @Override
    public void request(long n) {
        // A reply needs no demand.
    }

    @Override
    public void cancel() {
        unobserved = true;
        if (STATE.compareAndSet(this, NEW, WITHDRAWN)) {
            release();
        } else if (STATE.compareAndSet(this, QUEUED, WITHDRAWN)) {
            release();
            outbound.withdrawn(this);
        }
    }
}
