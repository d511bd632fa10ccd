package dev.sluice.framing;

import io.netty.buffer.ByteBuf;

/**
 * A framer whose frames are plain: the payload lies in the frame as it is. Of most frames a reader asks only for their
 * {@link #plainFrame place}, a number, and gives them as soon as it has it; about all others it asks as it asks any framer.
 */
interface PlainFramer extends Framer {
    /** It takes an {@link Framer.Answer Answer} to say what lies here. */
    long NONE = 0;

    /** Behind the payload, at most; what is more is not worth a number of its own. */
    int MAX_BEHIND = (1 << 8) - 1;

    int MAX_BEFORE = (1 << 24) - 1;

    /**
     * The frame that begins here, if it is to be delivered, and these bytes tell how long it is: then the next call is about
     * the frame behind it. It may reach beyond them if nothing stands behind its payload: then {@link #frame} is asked about
     * it when more is there.
     *
     * @param unread begins at {@code begin}, and ends at {@code end}
     * @param begin index of the frame's first byte
     * @param end index behind the last byte that is there
     * @return a {@link #place}, or {@link #NONE}: then {@link #frame} is asked about the same bytes, and has not lost what
     *     was found out about them
     */
    long plainFrame(ByteBuf unread, int begin, int end);

    /**
     * Three numbers in one.
     *
     * @param frameLength bytes of the whole frame, from 1 to {@link Integer#MAX_VALUE}
     * @param before bytes of it that stand before its payload
     * @param behind bytes of it that stand behind its payload
     * @return {@link #NONE} if one of them is too large for that
     */
    static long place(int frameLength, int before, int behind) {
        return before > MAX_BEFORE || behind > MAX_BEHIND
                ? NONE
                : (long) frameLength << 32 | (long) behind << 24 | before;
    }

    static int frameLength(long place) {
        return (int) (place >> 32);
    }

    static int before(long place) {
        return (int) place & MAX_BEFORE;
    }

    static int behind(long place) {
        return (int) place >>> 24;
    }
}
