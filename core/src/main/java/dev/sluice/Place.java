package dev.sluice;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The place of the one receiver, and which view of the connection may take it. Both change by one compare-and-set: a
 * receiver that has taken the place is the one that the next upgrade ends, and one that comes later finds the place
 * another view's.
 */
final class Place<I> {
    /** The view of a connection that was not upgraded. */
    static final int FIRST_VIEW = 0;

    private record State<I>(int view, @Nullable Receiver<I, ?> receiver) {}

    @SuppressWarnings("rawtypes")
    private static final AtomicReferenceFieldUpdater<Place, State> STATE =
            AtomicReferenceFieldUpdater.newUpdater(Place.class, State.class, "state");

    private volatile State<I> state = new State<>(FIRST_VIEW, null);

    @Nullable Receiver<I, ?> receiver() {
        return state.receiver();
    }

    boolean isOf(int view) {
        return state.view() == view;
    }

    /** Takes the place by this view; throws why not. */
    void take(Receiver<I, ?> receiver, int view) {
        State<I> before;
        do {
            before = state;
            if (before.view() != view) {
                throw upgraded();
            }
            if (before.receiver() != null && !before.receiver().isGone()) {
                throw new IllegalStateException(
                        "there is a receiver already: cancel it before the next one subscribes");
            }
        } while (!change(before, before.view(), receiver));
    }

    /** Gives a receiver's place to another one, or to nobody; false if it has it no more. */
    boolean replace(Receiver<I, ?> receiver, @Nullable Receiver<I, ?> replacement) {
        State<I> before = state;
        return before.receiver() == receiver && change(before, before.view(), replacement);
    }

    /** The place is the next view's; returns who has had it. */
    @Nullable Receiver<I, ?> upgrade() {
        State<I> before;
        do {
            before = state;
        } while (!change(before, before.view() + 1, null));
        return before.receiver();
    }

    private boolean change(State<I> before, int view, @Nullable Receiver<I, ?> receiver) {
        return STATE.compareAndSet(this, before, new State<>(view, receiver));
    }

    static IllegalStateException upgraded() {
        return new IllegalStateException(
                "connection was upgraded: receive and send by the connection that upgrade has returned");
    }
}
