package dev.sluice;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether decoding and reading may go on, and whose it is to say how.
 *
 * <pre>
 *  OPEN      frames are decoded       close (the drain, behind a pausing message)  -> PAUSED
 *  PAUSED    bytes stay as they are   resume (any thread)                          -> OPEN
 *                                     claim (any thread, one of them)              -> CLAIMED
 *  CLAIMED   a switch is under way    open (whoever carries it out)                -> OPEN
 * </pre>
 *
 * While the connection is being attached the gate is shut too, and can be claimed again and again: nothing has been read.
 */
final class Gate {
    private enum State {
        OPEN,
        PAUSED,
        CLAIMED
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
    /** Written by the one that has claimed. */
    private volatile State claimedFrom = State.OPEN;

    private volatile boolean attaching;

    boolean isShut() {
        return state.get() != State.OPEN || attaching;
    }

    /** The connection is being attached. */
    void attaching() {
        attaching = true;
    }

    boolean isAttaching() {
        return attaching;
    }

    /** The callback that attaches has returned. */
    void attached() {
        attaching = false;
    }

    /** A pausing message was decoded. By the drain. */
    void close() {
        state.set(State.PAUSED);
    }

    /** Whether it was paused. */
    boolean resume() {
        return state.compareAndSet(State.PAUSED, State.OPEN);
    }

    /** Takes it upon the caller to say how the stream goes on; false if that is nobody's to say now. */
    boolean claim() {
        if (state.compareAndSet(State.PAUSED, State.CLAIMED)) {
            claimedFrom = State.PAUSED;
            return true;
        }
        if (attaching && state.compareAndSet(State.OPEN, State.CLAIMED)) {
            claimedFrom = State.OPEN;
            return true;
        }
        return false;
    }

    /** Nothing comes of the claimed switch; another one may. */
    void giveBack() {
        state.set(claimedFrom);
    }

    /** The claimed switch has been carried out. */
    void open() {
        state.set(State.OPEN);
    }
}
