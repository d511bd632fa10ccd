package dev.sluice;

import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.Scannable;
import reactor.core.publisher.Operators;

/**
 * One subscription to the messages of a connection, and the seam between the drain and the ways to take its messages. It
 * is one generation: once cancelled it takes nothing more, and the messages that it was not given stay in the connection's
 * ring for the next.
 *
 * <pre>
 *              any thread                              | the thread that drains
 *  request     adds to remote, wakes a stalled drain   | adds to demand
 *  cancel      sets cancelled (the place is free then) | sees it before the next message; lets go of actual
 * </pre>
 *
 * @param <I> the messages
 * @param <T> what the subscriber takes: messages, or batches of them
 */
abstract class Receiver<I, T> implements Subscription, Scannable {
    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<Receiver> REMOTE =
            AtomicLongFieldUpdater.newUpdater(Receiver.class, "remote");

    final Drain<I> drain;
    /** Only the thread that drains calls it, and replaces it by one that does nothing once nothing more may be said. */
    private CoreSubscriber<? super T> actual;

    /** Requested and not given. Only the thread that drains uses it, so it is plain. */
    private long demand;
    /** Requested by other threads and not in {@link #demand} yet. */
    private volatile long remote;

    private volatile boolean started;
    private volatile boolean cancelled;
    private volatile boolean done;
    private volatile long badRequest = 1;

    Receiver(Drain<I> drain, CoreSubscriber<? super T> actual) {
        this.drain = drain;
        this.actual = actual;
    }

    // ---- the seam; only the thread that drains calls it

    /** Before a run: gives what the ring holds as far as it is demanded. */
    abstract Flow resume();

    /**
     * A message was decoded: gives it, or adds it to the ring.
     *
     * @param length payload bytes
     */
    abstract Flow message(I message, int length);

    /** The drain, or the resumed run, brings no more: signals what is left and demanded. */
    abstract Flow drainEnd();

    /** Whether messages should be decoded for this receiver. */
    final Flow flow() {
        return wants() || (!isOver() && drain.ring.hasRoom()) ? Flow.CONTINUE : Flow.PAUSE;
    }

    /** Whether a signal may be given now. */
    final boolean wants() {
        return demand != 0 && !isOver();
    }

    /** Whether nothing more is given, also inside a run. */
    private boolean isOver() {
        return cancelled || drain.isAborted();
    }

    /** Gives one signal that is demanded. */
    final void give(T signal) {
        if (demand != Long.MAX_VALUE) {
            demand--;
        }
        drain.signalled();
        try {
            actual.onNext(signal);
        } catch (Throwable e) {
            dropped(e);
        }
    }

    /** Takes over what other threads have requested; false if there was nothing. */
    final boolean takeRemoteDemand() {
        if (remote == 0) {
            return false;
        }
        demand = Operators.addCap(demand, REMOTE.getAndSet(this, 0));
        return true;
    }

    final boolean isStalled() {
        return demand == 0;
    }

    final boolean hasRemoteDemand() {
        return remote != 0;
    }

    /** Fails a subscriber that has requested less than one (Reactive Streams, rule 3.9). */
    final void rejectBadRequest() {
        if (badRequest < 1 && !cancelled) {
            terminate(new IllegalArgumentException("request is not positive (rule 3.9): n=" + badRequest + ", limit=1"));
        }
    }

    /** The last signal; the place is free then. */
    final void terminate(@Nullable Throwable error) {
        if (cancelled || done) {
            return;
        }
        done = true;
        try {
            if (error == null) {
                actual.onComplete();
            } else {
                actual.onError(error);
            }
        } catch (Throwable e) {
            dropped(e);
        }
        detach();
    }

    /** Lets go of the subscriber (rule 3.13). */
    final void detach() {
        actual = Operators.emptySubscriber();
    }

    /** A subscriber must not throw (rule 2.13). One that does is gone; the connection and the other messages are not. */
    private void dropped(Throwable e) {
        cancel();
        Exceptions.throwIfJvmFatal(e);
        Operators.onErrorDropped(e, actual.currentContext());
    }

    // ---- any thread

    final void start() {
        actual.onSubscribe(this);
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

    @Override
    public final void request(long n) {
        if (n < 1) {
            badRequest = n;
            drain.wake();
        } else if (drain.isDrainedByThisThread()) {
            demand = Operators.addCap(demand, n);
            drain.requestedByThisThread();
        } else {
            Operators.addCap(REMOTE, this, n);
            drain.wakeIfStalled();
        }
    }

    @Override
    public final void cancel() {
        if (cancelled) {
            return;
        }
        cancelled = true;
        if (!done && drain.cancelPolicy() == CancelPolicy.CLOSE) {
            drain.disposeSource();
        } else {
            drain.wake();
        }
    }

    @Override
    @SuppressWarnings("rawtypes") // as Scannable declares it
    public @Nullable Object scanUnsafe(Attr key) {
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
            return Operators.addCap(demand, remote);
        }
        if (key == Attr.RUN_STYLE) {
            return Attr.RunStyle.ASYNC;
        }
        return null;
    }
}
