package dev.sluice;

import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * Messages that were decoded and not given yet, oldest first, with the bounds of a {@link Prefetch}. Used only by the
 * thread that drains the connection; see {@link Inbound}.
 *
 * <p>The bounds tell when to stop, they are no capacity: what has been decoded always fits.
 */
final class MessageRing<I> {
    private static final int FIRST_CAPACITY = 16;

    private @Nullable Object[] messages = new Object[FIRST_CAPACITY];
    private int[] lengths = new int[FIRST_CAPACITY];
    /** Index of the oldest; capacities are powers of two. */
    private int head;

    private int size;
    private int largestSize;
    private long bytes;

    private Prefetch bounds;
    /** From full until low tide. */
    private boolean full;

    MessageRing(Prefetch prefetch) {
        bounds = prefetch;
    }

    Prefetch bounds() {
        return bounds;
    }

    void bounds(Prefetch prefetch) {
        bounds = prefetch;
        full = (size > 0 && isAtBound()) || (full && !isLowTide());
    }

    /**
     * Adds a message.
     *
     * @param length payload bytes
     */
    void offer(I message, int length) {
        if (size == messages.length) {
            grow();
        }
        int tail = (head + size) & (messages.length - 1);
        messages[tail] = message;
        lengths[tail] = length;
        size++;
        bytes += length;
        largestSize = Math.max(largestSize, size);
        full |= isAtBound();
    }

    /** Takes the oldest; the ring is not empty. */
    @SuppressWarnings("unchecked") // only offer() fills it
    I poll() {
        I message = (I) messages[head];
        messages[head] = null;
        bytes -= lengths[head];
        head = (head + 1) & (messages.length - 1);
        size--;
        full &= !isLowTide();
        return message;
    }

    /** Payload bytes of the oldest; the ring is not empty. */
    int oldestLength() {
        return lengths[head];
    }

    /** Makes the {@code count} oldest the youngest. */
    void rotate(int count) {
        for (int i = 0; i < count; i++) {
            int length = oldestLength();
            offer(poll(), length);
        }
    }

    /** Releases all; says how many there were. */
    int releaseAll() {
        int released = size;
        while (size > 0) {
            ReferenceCountUtil.safeRelease(poll());
        }
        return released;
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    int largestSize() {
        return largestSize;
    }

    /** Payload bytes that fit before it is full. */
    long freeBytes() {
        return Math.max(0, bounds.bytes() - bytes);
    }

    /** Whether a message may be decoded that nobody has demanded. */
    boolean hasRoom() {
        return !full && bounds.messages() > 0;
    }

    /** Whether neither messages may be decoded ahead nor bytes be read. */
    boolean isFull() {
        return full;
    }

    private boolean isAtBound() {
        return size >= bounds.messages() || bytes >= bounds.bytes();
    }

    private boolean isLowTide() {
        return size <= bounds.messages() / 2 && bytes <= bounds.bytes() / 2;
    }

    private void grow() {
        int capacity = messages.length;
        @Nullable Object[] moreMessages = new Object[2 * capacity];
        int[] moreLengths = new int[2 * capacity];
        int first = capacity - head;
        System.arraycopy(messages, head, moreMessages, 0, first);
        System.arraycopy(messages, 0, moreMessages, first, head);
        System.arraycopy(lengths, head, moreLengths, 0, first);
        System.arraycopy(lengths, 0, moreLengths, first, head);
        messages = moreMessages;
        lengths = moreLengths;
        head = 0;
    }
}
