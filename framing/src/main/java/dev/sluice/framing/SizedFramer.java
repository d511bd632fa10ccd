package dev.sluice.framing;

import io.netty.buffer.ByteBuf;

/**
 * A framer that learns the length of a frame from its first bytes. Of frames that lie whole in a chunk a reader asks only
 * for their {@link #wholeFrame size}; about all others it asks as it asks any framer.
 */
interface SizedFramer extends Framer {
    /** No frame, or not a whole one, or not one to deliver. */
    long NONE = 0;

    /**
     * The size of the frame that begins here, if it lies whole within these bytes, is plain, and is to be delivered.
     *
     * @param begin index of the frame's first byte
     * @param end index behind the last byte that is there
     * @return a {@link #size}, or {@link #NONE}
     */
    long wholeFrame(ByteBuf unread, int begin, int end);

    /** Two numbers in one: a frame's length, and how many bytes of it stand before its payload. */
    static long size(long frameLength, int payloadOffset) {
        return frameLength << 32 | payloadOffset;
    }

    static int frameLength(long size) {
        return (int) (size >> 32);
    }

    static int payloadOffset(long size) {
        return (int) size;
    }
}
