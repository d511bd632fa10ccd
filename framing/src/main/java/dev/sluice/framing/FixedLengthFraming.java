package dev.sluice.framing;

import io.netty.buffer.ByteBuf;

/**
 * Frames that all have one length, without header or delimiter: records, samples, sectors.
 *
 * <pre>
 *  frameLength   frameLength   frameLength
 * ├────────────┼─────────────┼─────────────┤
 * │  payload   │   payload   │   payload   │
 * └────────────┴─────────────┴─────────────┘
 *
 * 616263646566     of(3)     delivers 616263, 646566
 * </pre>
 *
 * <p>Decoding: an end of input inside a frame is a {@link TruncatedFrameException}; short frames are never delivered.
 * Encoding takes payloads of exactly this length.
 *
 * <p>Take it where the protocol says so. Nothing in the stream shows where a frame begins: a reader that is one byte off
 * stays so without notice.
 */
public final class FixedLengthFraming implements Framing {
    private final int frameLength;

    private FixedLengthFraming(int frameLength) {
        this.frameLength = frameLength;
    }

    /**
     * Frames of this length.
     *
     * @param frameLength in bytes, at least 1
     * @throws IllegalArgumentException if it is less
     */
    public static FixedLengthFraming of(int frameLength) {
        Limits.check(frameLength >= 1, "frame too short", "frameLength", frameLength, 1);
        return new FixedLengthFraming(frameLength);
    }

    /** Bytes of every frame. */
    public int frameLength() {
        return frameLength;
    }

    @Override
    public Framer newFramer() {
        return new FixedLengthFramer();
    }

    /** No state. */
    private final class FixedLengthFramer implements PlainFramer {
        @Override
        public void frame(ByteBuf unread, Answer answer) {
            if (unread.readableBytes() < frameLength) {
                answer.needFrame(frameLength, 0);
            } else {
                answer.frame(frameLength, 0, frameLength);
            }
        }

        @Override
        public long plainFrame(ByteBuf unread, int begin, int end) {
            return PlainFramer.place(frameLength, 0, 0);
        }
    }

    @Override
    public void encode(ByteBuf payload, ByteBuf target) {
        checkLength(payload.readableBytes());
        target.ensureWritable(frameLength);
        target.writeBytes(payload, payload.readerIndex(), frameLength);
    }

    /** No header: 0. */
    @Override
    public int headerLength(long payloadLength) {
        return 0;
    }

    @Override
    public void setHeader(long payloadLength, ByteBuf target, int index) {
        checkLength(payloadLength);
    }

    private void checkLength(long payloadLength) {
        if (payloadLength != frameLength) {
            throw new IllegalArgumentException("payload is not of the one length that frames have: payloadLength="
                    + payloadLength + ", frameLength=" + frameLength);
        }
    }

    @Override
    public String toString() {
        return "FixedLengthFraming{frameLength=" + frameLength + "}";
    }
}
