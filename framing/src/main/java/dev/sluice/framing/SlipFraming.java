package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import java.util.Objects;

/**
 * SLIP: frames that end at a byte which is escaped inside them. RFC 1055, "A Nonstandard for Transmission of IP Datagrams
 * over Serial Lines".
 *
 * <pre>
 * END c0   ESC db   db dc is c0   db dd is db
 *
 *  payload, each c0 as db dc, each db as db dd   END
 * ├────────────────────────────────────────────┼─────┤
 *
 * 61 c0 62 db        payload
 * 61 dbdc 62 dbdd c0 on the wire
 * </pre>
 *
 * <p>Decoding: empty frames are skipped, so that an END in front of a frame, which many senders write to flush line noise,
 * does no harm. ESC before any other byte is a {@link CorruptFrameException}. A payload of more than {@code
 * maxPayloadLength} unescaped bytes is a {@link FrameTooLongException} at its first byte beyond, or skipped with {@link
 * Oversize#DISCARD}, which still checks its escapes. An end of input behind at least one byte of a frame is a {@link
 * TruncatedFrameException}.
 *
 * <p>Encoding writes the escaped payload and END. An empty payload is refused, since decoding would skip it.
 *
 * <p>Take it for serial lines and the devices behind them: a receiver that joins in the middle is right again from the next
 * END on. A payload of many {@code c0} and {@code db} may double its length; {@link CobsFraming} bounds that.
 */
public final class SlipFraming implements Framing {
    static final int END = 0xc0;
    static final int ESC = 0xdb;
    /** Behind ESC: stands for END. */
    static final int ESCAPED_END = 0xdc;
    /** Behind ESC: stands for ESC. */
    static final int ESCAPED_ESC = 0xdd;

    private final int maxPayloadLength;
    private final Oversize oversize;

    private SlipFraming(Builder builder) {
        maxPayloadLength = builder.maxPayloadLength;
        oversize = builder.oversize;
    }

    /** SLIP with the defaults of {@link #builder()}. */
    public static SlipFraming create() {
        return builder().build();
    }

    /** A builder with the defaults that its methods name. */
    public static Builder builder() {
        return new Builder();
    }

    /** Longest payload in bytes, counted without escapes. */
    public int maxPayloadLength() {
        return maxPayloadLength;
    }

    @Override
    public Framer newFramer() {
        return new SlipFramer(maxPayloadLength, oversize);
    }

    @Override
    public void encode(ByteBuf payload, ByteBuf target) {
        int length = payload.readableBytes();
        if (length == 0) {
            throw new IllegalArgumentException("payload empty: payloadLength=0, limit=1");
        }
        Limits.checkPayloadLength(length, maxPayloadLength);
        int begin = payload.readerIndex();
        long frameLength = length + countEscapes(payload, begin, length) + 1L;
        Limits.checkFrameLength(frameLength);
        target.ensureWritable((int) frameLength);
        for (int at = 0; at < length; at += 8) {
            int count = Math.min(8, length - at);
            writeEscaped(Words.read(payload, begin + at, count), count, target);
        }
        target.writeByte(END);
    }

    private static int countEscapes(ByteBuf payload, int begin, int length) {
        int escapes = 0;
        for (int at = 0; at < length; at += 8) {
            int count = Math.min(8, length - at);
            escapes += Long.bitCount(SlipFramer.marks(Words.read(payload, begin + at, count), count));
        }
        return escapes;
    }

    private static void writeEscaped(long word, int count, ByteBuf target) {
        if (count == 8 && SlipFramer.marks(word, count) == 0) {
            target.writeLongLE(word);
            return;
        }
        for (int i = 0; i < count; i++) {
            int value = (int) (word >>> (8 * i)) & 0xff;
            if (value == END) {
                target.writeByte(ESC).writeByte(ESCAPED_END);
            } else if (value == ESC) {
                target.writeByte(ESC).writeByte(ESCAPED_ESC);
            } else {
                target.writeByte(value);
            }
        }
    }

    @Override
    public String toString() {
        return "SlipFraming{maxPayloadLength=" + maxPayloadLength + ", oversize=" + oversize + "}";
    }

    /** Settings of a {@link SlipFraming}; checked by {@link #build()}. */
    public static final class Builder {
        private int maxPayloadLength = Limits.DEFAULT_MAX_PAYLOAD_LENGTH;
        private Oversize oversize = Oversize.FAIL;

        private Builder() {}

        /** Longest payload in bytes, counted without escapes; 1 MiB by default. With 0 no payload passes. */
        public Builder maxPayloadLength(int maxPayloadLength) {
            this.maxPayloadLength = maxPayloadLength;
            return this;
        }

        /** What becomes of longer payloads when decoding; {@link Oversize#FAIL} by default. */
        public Builder oversize(Oversize oversize) {
            this.oversize = Objects.requireNonNull(oversize, "oversize");
            return this;
        }

        /**
         * The framing.
         *
         * @throws IllegalArgumentException if a setting is out of range
         */
        public SlipFraming build() {
            Limits.checkMaxPayloadLength(maxPayloadLength);
            return new SlipFraming(this);
        }
    }
}
