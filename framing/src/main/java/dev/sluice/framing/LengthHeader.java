package dev.sluice.framing;

import io.netty.buffer.ByteBuf;

/** What framings have in common whose header tells the payload's length: how it is judged, written, and refused. */
final class LengthHeader {
    private LengthHeader() {}

    /**
     * Answers what a frame is whose header is here.
     *
     * @param readable bytes of the frame and behind it that are here
     */
    static void answer(
            int headerLength,
            long payloadLength,
            int initialBytesToStrip,
            int maxPayloadLength,
            Oversize oversize,
            int readable,
            Framer.Answer answer) {
        if (payloadLength > maxPayloadLength) {
            tooLong(headerLength, payloadLength, maxPayloadLength, oversize, answer);
            return;
        }
        long frameLength = headerLength + payloadLength;
        if (initialBytesToStrip > frameLength) {
            throw new CorruptFrameException("fewer bytes than are stripped: frameLength=" + frameLength
                    + ", initialBytesToStrip=" + initialBytesToStrip);
        }
        if (readable < frameLength) {
            answer.needFrame(frameLength, initialBytesToStrip);
        } else {
            answer.frame((int) frameLength, initialBytesToStrip, (int) frameLength - initialBytesToStrip);
        }
    }

    /** Fails, or answers that the frame is to be discarded whole. */
    private static void tooLong(
            long headerLength, long payloadLength, int maxPayloadLength, Oversize oversize, Framer.Answer answer) {
        if (oversize == Oversize.FAIL) {
            throw new FrameTooLongException(payloadLength, maxPayloadLength);
        }
        answer.discard(saturatedSum(headerLength, payloadLength), payloadLength, maxPayloadLength);
    }

    /** The place of a frame that {@link #answer} would deliver, now or when all of it is here; else none. */
    static long plainFrame(int headerLength, long payloadLength, int initialBytesToStrip, int maxPayloadLength) {
        long frameLength = headerLength + payloadLength;
        boolean delivered = (payloadLength
                        | maxPayloadLength - payloadLength
                        | frameLength - initialBytesToStrip
                        | Integer.MAX_VALUE - frameLength)
                >= 0;
        return delivered ? PlainFramer.place((int) frameLength, initialBytesToStrip, 0) : PlainFramer.NONE;
    }

    /** Of two numbers that are not negative; the largest one where there is no such sum. */
    static long saturatedSum(long a, long b) {
        long sum = a + b;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    static IllegalArgumentException decodesOnly(int initialBytesToStrip, int headerLength) {
        return new IllegalArgumentException("framing strips more than the header and only decodes: initialBytesToStrip="
                + initialBytesToStrip + ", limit=" + headerLength);
    }

    static IllegalArgumentException shorterThanItsHeader(int messageLength, int limit) {
        return new IllegalArgumentException("message shorter than the header that it must bring: messageLength="
                + messageLength + ", limit=" + limit);
    }

    /**
     * Writes the first bytes of a header.
     *
     * @param prefix zeros if empty
     */
    static void putPrefix(byte[] prefix, int count, ByteBuf target, int index) {
        if (prefix.length == 0) {
            target.setZero(index, count);
        } else {
            target.setBytes(index, prefix, 0, count);
        }
    }

    static void checkPrefix(byte[] headerPrefix, int lengthFieldOffset) {
        Limits.check(
                headerPrefix.length == 0 || headerPrefix.length == lengthFieldOffset,
                "headerPrefix is not what stands before the field",
                "headerPrefix.length",
                headerPrefix.length,
                lengthFieldOffset);
    }
}
