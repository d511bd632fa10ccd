package dev.sluice.framing;

import io.netty.buffer.ByteBuf;

/** What framings have in common whose header tells the payload's length: how it is judged, written, and refused. */
final class LengthHeader {
    static final int DEFAULT_MAX_PAYLOAD_LENGTH = 1024 * 1024;

    private LengthHeader() {}

    /** Fails, or answers that the frame is to be discarded whole. */
    static void tooLong(
            long headerLength, long payloadLength, int maxPayloadLength, Oversize oversize, Framer.Answer answer) {
        if (oversize == Oversize.FAIL) {
            throw new FrameTooLongException(payloadLength, maxPayloadLength);
        }
        answer.discard(saturatedSum(headerLength, payloadLength), payloadLength, maxPayloadLength);
    }

    /** Of two numbers that are not negative; the largest one where there is no such sum. */
    static long saturatedSum(long a, long b) {
        long sum = a + b;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    static CorruptFrameException fewerBytesThanAreStripped(long frameLength, int initialBytesToStrip) {
        return new CorruptFrameException("fewer bytes than are stripped: frameLength=" + frameLength
                + ", initialBytesToStrip=" + initialBytesToStrip);
    }

    static IllegalArgumentException decodesOnly(int initialBytesToStrip, int headerLength) {
        return new IllegalArgumentException("framing strips more than the header and only decodes: initialBytesToStrip="
                + initialBytesToStrip + ", limit=" + headerLength);
    }

    static IllegalArgumentException shorterThanItsHeader(int messageLength, int limit) {
        return new IllegalArgumentException("message shorter than the header that it must bring: messageLength="
                + messageLength + ", limit=" + limit);
    }

    /** Refuses to encode a payload over the limit. */
    static void checkPayloadLength(long payloadLength, int maxPayloadLength) {
        if (payloadLength > maxPayloadLength) {
            throw new IllegalArgumentException(
                    "payload too long: payloadLength=" + payloadLength + ", maxPayloadLength=" + maxPayloadLength);
        }
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

    // ---- settings

    static void checkSetting(boolean right, String wrong, String name, int value, int limit) {
        if (!right) {
            throw new IllegalArgumentException(wrong + ": " + name + "=" + value + ", limit=" + limit);
        }
    }

    static void checkPrefix(byte[] headerPrefix, int lengthFieldOffset) {
        checkSetting(
                headerPrefix.length == 0 || headerPrefix.length == lengthFieldOffset,
                "headerPrefix is not what stands before the field",
                "headerPrefix.length",
                headerPrefix.length,
                lengthFieldOffset);
    }

    static void checkMaxPayloadLength(int maxPayloadLength) {
        checkSetting(maxPayloadLength >= 0, "maxPayloadLength below zero", "maxPayloadLength", maxPayloadLength, 0);
    }
}
