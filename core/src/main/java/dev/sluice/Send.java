package dev.sluice;

import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/** One message on its way out, from the subscription of its {@link SendMono} to its reply. Owns the message. */
final class Send<O> implements Subscription {
    private static final int WAITING = 0;
    private static final int TAKEN = 1;
    /** Cancelled before it was encoded: nothing of it goes out. */
    private static final int WITHDRAWN = 2;

    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<Send> STATE =
            AtomicIntegerFieldUpdater.newUpdater(Send.class, "state");

    private final CoreSubscriber<? super Void> actual;
    private final O message;
    private volatile int state;
    private volatile boolean unobserved;

    // Event loop only.
    private long end;
    private @Nullable Throwable failure;

    Send(CoreSubscriber<? super Void> actual, O message) {
        this.actual = actual;
        this.message = message;
    }

    O message() {
        return message;
    }

    /** Claims it for encoding, or for failing; false, and released, if it was withdrawn. */
    boolean take() {
        if (STATE.compareAndSet(this, WAITING, TAKEN)) {
            return true;
        }
        release();
        return false;
    }

    void release() {
        ReferenceCountUtil.safeRelease(message);
    }

    void fail(Throwable e) {
        failure = e;
    }

    /** Position in the stream of the last byte's end. */
    void endsAt(long position) {
        end = position;
    }

    long end() {
        return end;
    }

    /** Not accepted: told at once. */
    void refuse(Throwable error) {
        if (take()) {
            release();
            reply(error);
        }
    }

    /** The reply: its own failure, or how its bytes fared. */
    void reply(@Nullable Throwable error) {
        if (unobserved) {
            return;
        }
        Throwable told = failure == null ? error : failure;
        try {
            if (told == null) {
                actual.onComplete();
            } else {
                actual.onError(told);
            }
        } catch (Throwable e) {
            Operators.onErrorDropped(e, actual.currentContext());
        }
    }

    @Override
    public void request(long n) {
        // A reply needs no demand.
    }

    @Override
    public void cancel() {
        unobserved = true;
        if (state == WAITING) {
            STATE.compareAndSet(this, WAITING, WITHDRAWN);
        }
    }
}
