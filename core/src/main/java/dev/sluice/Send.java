package dev.sluice;

import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * One message on its way out that somebody waits for, from its acceptance to its reply. Owns the message until it is
 * encoded. Without a message it is only a place in the order.
 */
abstract class Send<O> {
    private final @Nullable O message;

    // Written before it is queued.
    /** Waits for the connection to be no longer busy; otherwise it counts as pending. */
    private boolean waits;
    /** The bytes that it counts for until it is encoded. */
    private int hint;

    private long acceptedNanos;

    // Event loop only.
    private long end;
    private @Nullable Throwable failure;
    private boolean replied;

    Send(@Nullable O message) {
        this.message = message;
    }

    final @Nullable O message() {
        return message;
    }

    final void accepted(boolean waiting, int sizeHint) {
        waits = waiting;
        hint = sizeHint;
    }

    final void acceptedAt(long nanos) {
        acceptedNanos = nanos;
    }

    final boolean waits() {
        return waits;
    }

    final int hint() {
        return hint;
    }

    final long acceptedNanos() {
        return acceptedNanos;
    }

    /** It has its room and is about to be queued; false if it was withdrawn before. */
    boolean queue() {
        return true;
    }

    /** Claims it for encoding, or for failing; false if it was withdrawn. */
    boolean take() {
        return true;
    }

    /** Whether it will not be taken any more. */
    boolean isWithdrawn() {
        return false;
    }

    final void release() {
        if (message != null) {
            ReferenceCountUtil.safeRelease(message);
        }
    }

    final void fail(Throwable e) {
        failure = e;
    }

    /** Position in the stream of the last byte's end. */
    final void endsAt(long position) {
        end = position;
    }

    final long end() {
        return end;
    }

    final boolean isReplied() {
        return replied;
    }

    /** The one reply: its own failure, or how its bytes fared. */
    final void reply(@Nullable Throwable error) {
        if (!replied) {
            replied = true;
            tell(failure == null ? error : failure);
        }
    }

    /** Tells whoever waits; throws nothing. */
    abstract void tell(@Nullable Throwable error);
}
