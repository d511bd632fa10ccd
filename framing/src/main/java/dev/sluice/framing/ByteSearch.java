package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Finds the bytes of a stream that have one of a few values, eight bytes at a time; the state for one stream. What was
 * seen of a word behind the byte that was asked for is kept: no byte is looked at twice, however short frames are.
 */
final class ByteSearch {
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /**
     * Bytes that are copied at once out of a buffer that has no array: with a call for so many, instead of one or more
     * for each word, they are searched faster than where they lie.
     */
    private static final int COPY = 4 * 1024;

    private static final int SMALLEST_COPY = 256;
    /** Bytes that are fewer than a copy pays for, and as many as are worth reading by words. */
    private static final int SMALLEST_IN_PLACE = 16;

    private static final int LARGEST_IN_PLACE = 128;
    /** So many bytes are looked at word by word, since most hits are near. */
    private static final int NEAR = 64;
    /** Bytes of the four words that are looked at together. */
    private static final int BLOCK = 4 * Long.BYTES;

    private final long first;
    /** The same as {@code first} if that is the only one. */
    private final long second;
    /** More than two, which are rare: a word is compared with them one after the other. */
    private final long[] others;

    /** Bytes behind the reader index that have been looked at; below zero if the reader index has moved beyond. */
    private int looked;
    /** Of the last eight of them: the highest bit of each that is a hit. */
    private long marks;

    /** Bytes of a buffer without an array: the next ones behind the reader index, up to {@code copyEnd}. */
    private byte[] copy = {};

    private int copyLength;
    private int copyEnd;

    /** Searches for these values, of which there is at least one. */
    ByteSearch(byte... values) {
        first = Words.repeat(values[0]);
        second = Words.repeat(values[values.length == 1 ? 0 : 1]);
        others = new long[Math.max(0, values.length - 2)];
        Arrays.setAll(others, i -> Words.repeat(values[i + 2]));
    }

    /**
     * Where the first hit is that is not before {@code from}.
     *
     * @param unread begins with the byte behind those {@link #take taken}
     * @param from counted from the reader index, as are {@code end} and the answer; never less than in the call before,
     *     unless that answered less
     * @param end at most the readable bytes
     * @return {@code end} if there is no hit before it
     */
    int find(ByteBuf unread, int from, int end) {
        while (true) {
            int wordBegin = looked - Long.BYTES;
            if (from < looked && marks != 0) {
                long left = from <= wordBegin ? marks : marks & -1L << (Byte.SIZE * (from - wordBegin));
                if (left != 0) {
                    return Math.min(wordBegin + Long.numberOfTrailingZeros(left) / Byte.SIZE, end);
                }
            }
            int unknown = Math.max(from, looked);
            if (unknown >= end) {
                return end;
            }
            look(unread, unknown);
        }
    }

    /** The reader index moves by so many bytes. */
    void take(int bytes) {
        looked = Math.max(looked - bytes, 0);
        copyEnd = Math.max(copyEnd - bytes, 0);
    }

    /** Looks at the bytes that are there, at least at one, up to the first word that has a hit. */
    private void look(ByteBuf unread, int from) {
        if (unread.hasArray()) {
            look(unread.array(), unread.arrayOffset() + unread.readerIndex(), from, unread.readableBytes());
            return;
        }
        int readable = unread.readableBytes();
        int count = readable - from;
        if (copyEnd <= from && count >= SMALLEST_IN_PLACE && count <= LARGEST_IN_PLACE) {
            lookInPlace(unread, from, readable);
            return;
        }
        if (copyEnd <= from) {
            copyLength = Math.min(COPY, count);
            copyEnd = from + copyLength;
            if (copy.length < copyLength) {
                copy = new byte[Math.max(SMALLEST_COPY, Integer.highestOneBit(copyLength - 1) << 1)];
            }
            unread.getBytes(unread.readerIndex() + from, copy, 0, copyLength);
        }
        look(copy, copyLength - copyEnd, from, copyEnd);
    }

    private void lookInPlace(ByteBuf unread, int from, int end) {
        int begin = unread.readerIndex();
        int at = from;
        marks = 0;
        for (; marks == 0 && at + Long.BYTES <= end; at += Long.BYTES) {
            marks = marksOf(unread.getLongLE(begin + at));
        }
        if (marks == 0 && at < end) {
            long word = 0;
            int missing = Long.BYTES - (end - at);
            for (; at < end; at++) {
                word = word >>> Byte.SIZE | (long) unread.getByte(begin + at) << (Long.SIZE - Byte.SIZE);
            }
            marks = marksOf(word) & -1L << (Byte.SIZE * missing);
        }
        looked = at;
    }

    private void look(byte[] array, int origin, int from, int end) {
        marks = 0;
        int at = lookAtWords(array, origin, from, Math.min(from + NEAR, end));
        if (marks == 0 && at + Long.BYTES <= end) {
            at = lookAtWords(array, origin, passBlocks(array, origin, at, end), end);
        }
        if (marks == 0 && at < end) { // fewer than a word has: as if they were the end of one
            long word = 0;
            int missing = Long.BYTES - (end - at);
            for (; at < end; at++) {
                word = word >>> Byte.SIZE | (long) array[origin + at] << (Long.SIZE - Byte.SIZE);
            }
            marks = marksOf(word) & -1L << (Byte.SIZE * missing);
        }
        looked = at;
    }

    /** Behind the first word that has a hit, which is marked then, or where less than a word is left. */
    private int lookAtWords(byte[] array, int origin, int from, int end) {
        long one = first;
        long two = second;
        int at = from;
        while (at + Long.BYTES <= end) {
            long word = (long) WORD.get(array, origin + at);
            at += Long.BYTES;
            long borrows = borrows(word, one);
            if (two != one) {
                borrows |= borrows(word, two);
            }
            if (((borrows & Words.MARKS) != 0 || others.length != 0) && (marks = marksOf(word)) != 0) {
                break;
            }
        }
        return at;
    }

    /** Before the first block that may have a hit, or where less than a block is left. */
    private int passBlocks(byte[] array, int origin, int from, int end) {
        long one = first;
        long two = second;
        int at = from;
        if (others.length == 0) {
            while (at + BLOCK <= end && !mayHit(array, origin + at, one, two)) {
                at += BLOCK;
            }
        }
        return at;
    }

    /** Whether one of the words of a block may have a hit; looked at together, since rarely one has. */
    private static boolean mayHit(byte[] array, int index, long one, long two) {
        long word0 = (long) WORD.get(array, index);
        long word1 = (long) WORD.get(array, index + 8);
        long word2 = (long) WORD.get(array, index + 16);
        long word3 = (long) WORD.get(array, index + 24);
        long borrows = borrows(word0, one) | borrows(word1, one) | borrows(word2, one) | borrows(word3, one);
        if (two != one) {
            borrows |= borrows(word0, two) | borrows(word1, two) | borrows(word2, two) | borrows(word3, two);
        }
        return (borrows & Words.MARKS) != 0;
    }

    /** The highest bits of the bytes of a word that are hits. */
    private long marksOf(long word) {
        long all = Words.match(word, first) | Words.match(word, second);
        for (long other : others) {
            all |= Words.match(word, other);
        }
        return all;
    }

    /**
     * Has highest bits if, and only if, a byte of the word has this value: quicker than {@link Words#match}, but a byte above
     * such a one may look like one too, since one that was zero borrows from it.
     */
    private static long borrows(long word, long pattern) {
        long zeros = word ^ pattern;
        return zeros - Words.LOWEST_BITS & ~zeros;
    }
}
