package dev.sluice.framing;

import io.netty.buffer.ByteBuf;

/**
 * A framer that learns the length of a frame from its first bytes. Of frames whose header lies whole in a chunk a reader
 * asks only for their {@link #frameSize size}; about all others it asks as it asks any framer.
 */
interface SizedFramer extends Framer {
    /** No frame, or not its whole header, or not one to deliver. */
    long NONE = 0;

    /**
     * The size of the frame that begins here, if these bytes tell it, it is plain, and it is to be delivered. It may reach
     * beyond them.
     *
     * @param begin index of the frame's first byte
     * @param end index behind the last byte that is there
     * @return a {@link #size}, or {@link #NONE}
     */
    long frameSize(ByteBuf unread, int begin, int end);

    /**
     * Two numbers in one: a frame's length, at most {@link Integer#MAX_VALUE}, and how many bytes of it stand before its
     * payload.
     */
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
