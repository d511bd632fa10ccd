package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import java.util.Objects;

/**
 * COBS: frames without a zero byte, that end at one. Cheshire and Baker, "Consistent Overhead Byte Stuffing", IEEE/ACM
 * Transactions on Networking 7(2), 1999.
 *
 * <pre>
 *  code  code − 1 bytes, none zero   code  …            00
 * ├────┼───────────────────────────┼────┼─────────────┼────┤
 *        a group                                        the frame's end
 *
 * Each group stands for its bytes and a zero behind them; without the zero when it is full (code ff, 254 bytes), or the
 * last one.
 *
 * 61 62 00 63 64           payload
 * 03 61 62  03 63 64  00   on the wire
 * 01  00                   the empty payload
 * </pre>
 *
 * <p>Decoding: zeros between frames are skipped. A code byte that points beyond its frame is a {@link
 * CorruptFrameException}. A payload of more than {@code maxPayloadLength} decoded bytes is a {@link FrameTooLongException}
 * as soon as its first byte beyond is known, or skipped with {@link Oversize#DISCARD}, which still checks its groups. An end
 * of input inside a frame is a {@link TruncatedFrameException}.
 *
 * <p>Encoding writes the stuffed payload and {@code 00}; behind a full group that ends the payload no {@code 01}, which
 * some encoders write and decoding accepts.
 *
 * <p>Take it for serial lines, USB and radio: a receiver that joins in the middle is right again from the next zero on, and
 * no payload grows by more than one byte in 254, and two.
 */
public final class CobsFraming implements Framing {
    static final long ZEROS = 0;
    /** The code of a group without a zero behind it, and one more than the bytes that it has. */
    static final int FULL = 0xff;

    private final int maxPayloadLength;
    private final Oversize oversize;

    private CobsFraming(Builder builder) {
        maxPayloadLength = builder.maxPayloadLength;
        oversize = builder.oversize;
    }

    /** COBS with the defaults of {@link #builder()}. */
    public static CobsFraming create() {
        return builder().build();
    }

    /** A builder with the defaults that its methods name. */
    public static Builder builder() {
        return new Builder();
    }

    /** Longest payload in bytes, counted as decoded. */
    public int maxPayloadLength() {
        return maxPayloadLength;
    }

    @Override
    public Framer newFramer() {
        return new CobsFramer(maxPayloadLength, oversize);
    }

    @Override
    public void encode(ByteBuf payload, ByteBuf target) {
        int length = payload.readableBytes();
        Limits.checkPayloadLength(length, maxPayloadLength);
        long longest = length + length / (FULL - 1) + 2L;
        Limits.checkFrameLength(longest);
        target.ensureWritable((int) longest);
        int at = payload.readerIndex();
        int end = at + length;
        boolean behindZero = true; // as if one stood before the payload: so the empty one has a group too
        while (behindZero || at < end) {
            int most = Math.min(FULL - 1, end - at);
            int group = Words.indexOf(payload, at, most, ZEROS);
            target.writeByte(group + 1).writeBytes(payload, at, group);
            behindZero = group < most;
            at += behindZero ? group + 1 : group;
        }
        target.writeByte(0);
    }

    @Override
    public String toString() {
        return "CobsFraming{maxPayloadLength=" + maxPayloadLength + ", oversize=" + oversize + "}";
    }

    /** Settings of a {@link CobsFraming}; checked by {@link #build()}. */
    public static final class Builder {
        private int maxPayloadLength = Limits.DEFAULT_MAX_PAYLOAD_LENGTH;
        private Oversize oversize = Oversize.FAIL;

        private Builder() {}

        /** Longest payload in bytes, counted as decoded; 1 MiB by default. With 0 only empty payloads pass. */
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
        public CobsFraming build() {
            Limits.checkMaxPayloadLength(maxPayloadLength);
            return new CobsFraming(this);
        }
    }
}
