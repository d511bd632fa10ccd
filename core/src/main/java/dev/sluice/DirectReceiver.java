package dev.sluice;

import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * A receiver that is signalled by the thread that drains; what is not demanded waits in the drain's ring.
 *
 * <pre>
 *              any thread                              | the thread that drains
 *  request     adds to remote, wakes a stalled drain   | adds to demand
 *  cancel      sets cancelled (the place is free then) | sees it before the next signal; lets go of actual
 * </pre>
 */
abstract class DirectReceiver<I, T> extends Receiver<I, T> {
    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<DirectReceiver> REMOTE =
            AtomicLongFieldUpdater.newUpdater(DirectReceiver.class, "remote");

    /** Requested and not given. Only the thread that drains uses it, so it is plain. */
    private long demand;
    /** Requested by other threads and not in {@link #demand} yet. */
    private volatile long remote;

    DirectReceiver(Drain<I> drain, CoreSubscriber<? super T> actual) {
        super(drain, actual);
    }

    @Override
    final boolean resume() {
        if (remote != 0) {
            demand = Operators.addCap(demand, REMOTE.getAndSet(this, 0));
        }
        giveHeld();
        return goesOn();
    }

    /** Gives what the ring holds as far as it is demanded. */
    abstract void giveHeld();

    /** Whether messages should be decoded for this receiver. */
    final boolean goesOn() {
        return !isOver() && (demand != 0 || drain.ring.hasRoom());
    }

    /** Whether there is demand; for who knows that it has just been asked whether it is over. */
    final boolean demands() {
        return demand != 0;
    }

    /** Whether a signal may be given now. */
    final boolean wants() {
        return demand != 0 && !isOver();
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
            subscriberThrew(e);
        }
    }

    @Override
    final long freeBytes() {
        return demand == Long.MAX_VALUE ? demand : drain.ring.freeBytes();
    }

    @Override
    final boolean isStalled() {
        return demand == 0;
    }

    @Override
    final boolean hasRemoteDemand() {
        return remote != 0;
    }

    @Override
    final void demand(long n) {
        if (drain.isDrainedByThisThread()) {
            demand = Operators.addCap(demand, n);
            drain.requestedByThisThread();
        } else {
            Operators.addCap(REMOTE, this, n);
            drain.wakeIfStalled();
        }
    }

    @Override
    final long demanded() {
        return Operators.addCap(demand, remote);
    }
}
