package dev.sluice.framing;

import io.netty.buffer.ByteBuf;

/**
 * Searches eight bytes at a time. The first byte of the stream is the lowest of its word; a byte is marked by its highest
 * bit.
 */
final class Words {
    /** The lowest bit of each byte. */
    static final long LOWEST_BITS = 0x0101010101010101L;
    /** The highest bit of each byte: all eight marked. */
    static final long MARKS = 0x8080808080808080L;

    private Words() {}

    /** This byte eight times. */
    static long repeat(int value) {
        return (value & 0xff) * LOWEST_BITS;
    }

    /** The next bytes; none behind them is looked at, and zeros stand for those that lack. */
    static long read(ByteBuf in, int index, int count) {
        if (count >= 8) {
            return in.getLongLE(index);
        }
        long word = 0;
        int done = 0;
        if ((count & 4) != 0) {
            word = in.getUnsignedIntLE(index);
            done = 4;
        }
        if ((count & 2) != 0) {
            word |= (long) in.getUnsignedShortLE(index + done) << (8 * done);
            done += 2;
        }
        if ((count & 1) != 0) {
            word |= (long) in.getUnsignedByte(index + done) << (8 * done);
        }
        return word;
    }

    /** Marks the bytes that are the same in both. */
    static long match(long word, long other) {
        long different = word ^ other;
        // No sum of seven bits reaches the next byte, so that every mark is right, not the first one only.
        return ~((different & ~MARKS) + ~MARKS | different) & MARKS;
    }

    /** How many bytes stand before the first marked one; 8 when none is. */
    static int before(long marks) {
        return Long.numberOfTrailingZeros(marks) >>> 3;
    }

    /** All bits of the first bytes, 0 to 8 of them. */
    static long first(int count) {
        return count >= 8 ? -1 : (1L << (8 * count)) - 1;
    }

    /** Behind how many bytes this one stands; the count when it is not there. It looks at no byte behind it but in its word. */
    static int indexOf(ByteBuf in, int index, int count, long pattern) {
        int at = 0;
        while (count - at >= 8) {
            long marks = match(in.getLongLE(index + at), pattern);
            if (marks != 0) {
                return at + before(marks);
            }
            at += 8;
        }
        long marks = match(read(in, index + at, count - at), pattern) & first(count - at);
        return marks == 0 ? count : at + before(marks);
    }
}
