package dev.sluice;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What was accepted and has not been taken by the kernel, and whether that is too much: one word, so that each change and
 * the state that follows from it are one step for all threads.
 *
 * <pre>
 *  63        43   42        0
 *  messages  busy bytes
 *
 *  not busy -> busy      messages or bytes reach their bound
 *  busy -> not busy      both are down to the low watermark and to half the messages
 * </pre>
 *
 * <p>A message is counted by its size hint until it is encoded, and corrected then. A hint that changes meanwhile would
 * leave a remainder: with no message there are no bytes, whatever the hints said.
 */
final class PendingSends {
    private static final int BYTE_BITS = 42;
    private static final long BYTES = (1L << BYTE_BITS) - 1;
    private static final long BUSY = 1L << BYTE_BITS;
    private static final int MESSAGE_SHIFT = BYTE_BITS + 1;

    private final AtomicLong word = new AtomicLong();
    private final long lowBytes;
    private final long highBytes;
    private final long lowMessages;
    private final long highMessages;

    PendingSends(SendPolicy policy) {
        lowBytes = policy.lowWatermark();
        highBytes = policy.highWatermark();
        highMessages = policy.maxPending();
        lowMessages = highMessages / 2;
    }

    /** Adds a message unless there are too many, or too many bytes. */
    boolean tryAdd(long bytes) {
        long before;
        do {
            before = word.get();
            if ((before & BUSY) != 0) {
                return false;
            }
        } while (!word.compareAndSet(before, changed(before, 1, bytes)));
        return true;
    }

    /** Changes both counts, by numbers that may be negative. Says whether this ended a busy time. */
    boolean change(long messages, long bytes) {
        long before;
        long after;
        do {
            before = word.get();
            after = changed(before, messages, bytes);
        } while (!word.compareAndSet(before, after));
        return (before & BUSY) != 0 && (after & BUSY) == 0;
    }

    boolean isBusy() {
        return (word.get() & BUSY) != 0;
    }

    /** Whether it would be busy with so much more. */
    boolean isBusyWith(long messages, long bytes) {
        long now = word.get();
        return (now & BUSY) != 0 || messages(now) + messages >= highMessages || bytes(now) + bytes >= highBytes;
    }

    int messages() {
        return (int) messages(word.get());
    }

    long bytes() {
        return bytes(word.get());
    }

    private long changed(long before, long addedMessages, long addedBytes) {
        long messages = Math.max(0, messages(before) + addedMessages);
        long bytes = messages == 0 ? 0 : Math.min(BYTES, Math.max(0, bytes(before) + addedBytes));
        boolean full = messages >= highMessages || bytes >= highBytes;
        boolean low = messages <= lowMessages && bytes <= lowBytes;
        boolean busy = full || ((before & BUSY) != 0 && !low);
        return messages << MESSAGE_SHIFT | (busy ? BUSY : 0) | bytes;
    }

    private static long messages(long word) {
        return word >>> MESSAGE_SHIFT;
    }

    private static long bytes(long word) {
        return word & BYTES;
    }
}
