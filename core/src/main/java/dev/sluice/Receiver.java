package dev.sluice;

import dev.sluice.framing.MessageSink;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.Scannable;
import reactor.core.publisher.Operators;

/**
 * One subscription to the messages of a {@link Drain}, and the seam between the drain and the ways to take its messages. It
 * is one generation: once cancelled it takes nothing more, and the messages that it was not given stay in the drain's ring
 * for the next.
 *
 * @param <I> the messages
 * @param <T> what the subscriber takes: messages, or batches of them
 */
abstract class Receiver<I, T> implements MessageSink<I>, Subscription, Scannable {
    final Drain<I> drain;
    /** Replaced by one that does nothing once nothing more may be said. */
    CoreSubscriber<? super T> actual;

    private volatile boolean started;
    private volatile boolean cancelled;
    private volatile boolean done;
    private volatile long badRequest = 1;

    Receiver(Drain<I> drain, CoreSubscriber<? super T> actual) {
        this.drain = drain;
        this.actual = actual;
    }

    // ---- the seam; only the thread that drains calls it

    /**
     * Before a run: takes over new demand, and gives what the ring holds as far as it is demanded.
     *
     * @return whether messages are to be decoded
     */
    abstract boolean resume();

    /**
     * A message was decoded, after {@link #resume()} or this has asked for it: gives it, or holds it.
     *
     * @return whether the next one is to be decoded
     */
    @Override
    public abstract boolean message(I message, int payloadLength);

    /**
     * The drain, or the resumed run, brings no more: signals what is left and demanded.
     *
     * @return whether more messages are to be decoded
     */
    abstract boolean drainEnd();

    /** Whether no bytes are wanted, because more than half of what may be held is. */
    boolean isFull() {
        return drain.ring.isFull();
    }

    /** Messages that it holds itself, outside the drain's ring. */
    int held() {
        return 0;
    }

    /** Gives those back to the drain's ring; nothing is taken from it any more. */
    void handBack() {}

    /** Whether it holds none itself; if it does, it wakes the drain when the last is taken. */
    boolean isDrained() {
        return true;
    }

    /** Payload bytes that it would take now, or hold. */
    abstract long freeBytes();

    /** Whether a request of another thread has to wake the drain. */
    boolean isStalled() {
        return false;
    }

    /** Whether a request came that the drain has not taken over. */
    boolean hasRemoteDemand() {
        return false;
    }

    /** Fails a subscriber that has requested less than one (Reactive Streams, rule 3.9). */
    final void rejectBadRequest() {
        if (badRequest < 1 && !isGone()) {
            handBack();
            terminate(
                    new IllegalArgumentException("request is not positive (rule 3.9): n=" + badRequest + ", limit=1"));
            closeIfPolicySays();
        }
    }

    /** The last signal; the place is free then. */
    final void terminate(@Nullable Throwable error) {
        if (!isGone()) {
            done = true;
            signalTerminal(error);
        }
    }

    void signalTerminal(@Nullable Throwable error) {
        endOf(actual, error);
        letGo();
    }

    static void endOf(CoreSubscriber<?> subscriber, @Nullable Throwable error) {
        try {
            if (error == null) {
                subscriber.onComplete();
            } else {
                subscriber.onError(error);
            }
        } catch (Throwable e) {
            Exceptions.throwIfJvmFatal(e);
            Operators.onErrorDropped(e, subscriber.currentContext());
        }
    }

    /** Lets go of the subscriber (rule 3.13). */
    final void letGo() {
        actual = Operators.emptySubscriber();
    }

    /** A subscriber must not throw (rule 2.13). One that does is gone; the connection and the other messages are not. */
    final void subscriberThrew(Throwable e) {
        cancel();
        Exceptions.throwIfJvmFatal(e);
        Operators.onErrorDropped(e, actual.currentContext());
    }

    // ---- any thread

    void start() {
        actual.onSubscribe(this);
        started();
    }

    final void started() {
        started = true;
        drain.wake();
    }

    /** Whether {@code onSubscribe} has returned, so that the drain may signal it. */
    final boolean isStarted() {
        return started;
    }

    /** Whether another receiver may take its place. */
    final boolean isGone() {
        return cancelled || done;
    }

    final boolean isCancelled() {
        return cancelled;
    }

    /** Whether nothing more is given, also inside a run. */
    final boolean isOver() {
        return cancelled || drain.isAborted();
    }

    @Override
    public void request(long n) {
        if (n < 1) {
            badRequest = n;
            drain.wake();
        } else {
            demand(n);
        }
    }

    /** So many more are demanded; at least one. */
    abstract void demand(long n);

    /** Demanded and not given. */
    abstract long demanded();

    @Override
    public void cancel() {
        if (!cancelled) {
            cancelled = true;
            if (!done && !closeIfPolicySays()) {
                drain.wake();
            }
        }
    }

    private boolean closeIfPolicySays() {
        boolean closes = drain.cancelPolicy() == CancelPolicy.CLOSE;
        if (closes) {
            drain.disposeSource();
        }
        return closes;
    }

    @Override
    @SuppressWarnings("rawtypes") // as Scannable declares it
    public @Nullable Object scanUnsafe(Attr key) {
        if (key == Attr.PARENT) {
            return drain.scanParent();
        }
        if (key == Attr.ACTUAL) {
            return actual;
        }
        if (key == Attr.CANCELLED) {
            return cancelled;
        }
        if (key == Attr.TERMINATED) {
            return done;
        }
        if (key == Attr.REQUESTED_FROM_DOWNSTREAM) {
            return demanded();
        }
        if (key == Attr.BUFFERED) {
            return drain.counters.heldMessages;
        }
        if (key == Attr.PREFETCH) {
            return drain.ring.bounds().messages();
        }
        if (key == Attr.RUN_STYLE) {
            return drain.runStyle();
        }
        return null;
    }
}
