package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import java.util.Objects;

/**
 * Frames whose header tells their length as a varint: seven bits a byte, the lowest first, the high bit set in all bytes
 * but the last.
 *
 * <pre>
 *  lengthFieldOffset   1 to maxLengthBytes            value of the varint
 * ├─────────────────┼─────────────────────┼────────────────────────────────┤
 * │  headerPrefix   │       varint        │            payload             │
 * ├─────────────────┴─────────────────────┴────────────────────────────────┤
 * │ initialBytesToStrip │◄──────────────── delivered ─────────────────────►│
 * </pre>
 *
 * <pre>
 * 0c 68656c6c6f2c20776f726c64      of()                                     delivers "hello, world"
 * ac02 (300 bytes)                 of()                                     delivers them: 0x2c + (2 &lt;&lt; 7) = 300
 * 30 02 d000                       lengthFieldOffset 1, maxLengthBytes 4,
 *                                  initialBytesToStrip 0                    delivers 3002d000, an MQTT packet
 * </pre>
 *
 * <p>The varint is unsigned and has at most 32 bits in at most {@code maxLengthBytes} bytes. Decoding: a continuation bit
 * in the last byte allowed, or bits beyond the 32nd, are a {@link CorruptFrameException}; an encoding that is longer than
 * needed is taken. Nothing is judged before the varint's last byte; then a payload length beyond {@code maxPayloadLength}
 * is a {@link FrameTooLongException}, or skipped with {@link Oversize#DISCARD}. {@code initialBytesToStrip} chooses what is
 * delivered, never what is consumed or counted; beyond the whole frame it is corrupt.
 *
 * <p>Encoding: a varint that decoding strips is written in its shortest form, and the bytes before it from {@code
 * headerPrefix}. Header bytes that decoding delivers are expected at the beginning of the message; a delivered varint must
 * be right, in whatever form, unless it is {@link Builder#fillLengthField filled in}. Where decoding strips a number of
 * bytes that ends inside the varint, the message brings the rest of it.
 *
 * <p>Take it for protobuf's delimited messages (the varint32 of {@code writeDelimitedTo}), MQTT, and others that save
 * bytes on small messages; {@link Framings} has these by name. The encoding is that of the <a
 * href="https://protobuf.dev/programming-guides/encoding/#varints">Protocol Buffers documentation</a>, and, with at most 4
 * bytes, of MQTT 5.0, section 1.5.5.
 */
public final class VarintFraming implements Framing {
    private static final int MOST_BYTES = 5;
    private static final long LARGEST = 0xffff_ffffL;
    private static final int STRIP_HEADER = -1;

    private final int lengthFieldOffset;
    private final int maxLengthBytes;
    /** The header, whatever its length, if {@link #STRIP_HEADER}. */
    private final int initialBytesToStrip;

    private final int maxPayloadLength;
    private final Oversize oversize;
    private final boolean fillLengthField;
    /** Of {@code lengthFieldOffset} bytes, or empty for zeros. */
    private final byte[] headerPrefix;

    private VarintFraming(Builder builder) {
        lengthFieldOffset = builder.lengthFieldOffset;
        maxLengthBytes = builder.maxLengthBytes;
        initialBytesToStrip = builder.initialBytesToStrip;
        maxPayloadLength = builder.maxPayloadLength;
        oversize = builder.oversize;
        fillLengthField = builder.fillLengthField;
        headerPrefix = builder.headerPrefix;
    }

    /** A header that is nothing but a varint of at most 5 bytes, stripped; payloads of at most 1 MiB. */
    public static VarintFraming of() {
        return builder().build();
    }

    /** A builder with the defaults that its methods name. */
    public static Builder builder() {
        return new Builder();
    }

    /** Longest payload in bytes; header bytes do not count, even where they are delivered. */
    public int maxPayloadLength() {
        return maxPayloadLength;
    }

    // ---- decoding

    @Override
    public Framer newFramer() {
        return new VarintFramer();
    }

    private final class VarintFramer implements PlainFramer {
        /** Bytes of the varint that have been looked at, none of them its last; and what they say. */
        private int looked;

        private long value;

        @Override
        public void frame(ByteBuf unread, Answer answer) {
            int there = unread.readableBytes() - lengthFieldOffset;
            int begin = unread.readerIndex() + lengthFieldOffset;
            int at = looked;
            long length = value;
            byte group;
            do {
                if (at >= there) {
                    looked = at;
                    value = length;
                    answer.need(lengthFieldOffset + at + 1L);
                    return;
                }
                group = unread.getByte(begin + at);
                length |= (group & 0x7fL) << (7 * at);
                at++;
            } while (group < 0 && at < maxLengthBytes);
            if (group < 0) {
                throw new CorruptFrameException(
                        "varint goes on behind its last byte: value=" + length + ", maxLengthBytes=" + maxLengthBytes);
            }
            if (length > LARGEST) {
                throw new CorruptFrameException("varint has more than 32 bits: value=" + length + ", limit=" + LARGEST);
            }
            looked = 0;
            value = 0;
            int headerLength = lengthFieldOffset + at;
            LengthHeader.answer(
                    headerLength,
                    length,
                    strippedOf(headerLength),
                    maxPayloadLength,
                    oversize,
                    unread.readableBytes(),
                    answer);
        }

        @Override
        public long plainFrame(ByteBuf unread, int begin, int end) {
            int there = end - begin - lengthFieldOffset;
            if (looked > 0) {
                return NONE;
            }
            long length = 0;
            for (int at = 0; at < there && at < maxLengthBytes; at++) {
                byte group = unread.getByte(begin + lengthFieldOffset + at);
                length |= (group & 0x7fL) << (7 * at);
                if (group >= 0) {
                    int headerLength = lengthFieldOffset + at + 1;
                    return LengthHeader.plainFrame(headerLength, length, strippedOf(headerLength), maxPayloadLength);
                }
            }
            return NONE;
        }

        private int strippedOf(int headerLength) {
            return initialBytesToStrip == STRIP_HEADER ? headerLength : initialBytesToStrip;
        }
    }

    // ---- encoding

    @Override
    public void encode(ByteBuf payload, ByteBuf target) {
        if (initialBytesToStrip == STRIP_HEADER) {
            int length = payload.readableBytes();
            int headerLength = headerLength(length);
            checkLength(length);
            target.ensureWritable(headerLength + length);
            putHeader(length, target, target.writerIndex());
            target.writerIndex(target.writerIndex() + headerLength);
            target.writeBytes(payload, payload.readerIndex(), length);
        } else {
            encodeWithDeliveredHeader(payload, target);
        }
    }

    /**
     * The message brings what of the header is delivered. Of the varint that is all of it (strip ≤ offset), the bytes
     * behind the first {@code strippedGroups}, or, if there are no more, nothing.
     */
    private void encodeWithDeliveredHeader(ByteBuf message, ByteBuf target) {
        int length = message.readableBytes();
        int strippedGroups = Math.max(0, initialBytesToStrip - lengthFieldOffset);
        if (strippedGroups > maxLengthBytes) {
            throw LengthHeader.decodesOnly(initialBytesToStrip, lengthFieldOffset + maxLengthBytes);
        }
        if (strippedGroups > 0 && groups(length) == strippedGroups) {
            checkLength(length);
            putFrame(length, strippedGroups, false, message, target);
            return;
        }
        int before = Math.max(0, lengthFieldOffset - initialBytesToStrip);
        int ownGroups = ownGroups(message, before, maxLengthBytes - strippedGroups);
        int payloadLength = length - before - ownGroups;
        checkLength(payloadLength);
        long own = varint(message, message.readerIndex() + before, ownGroups);
        int right = payloadLength >>> (7 * strippedGroups);
        if (own == right) {
            putFrame(payloadLength, strippedGroups, true, message, target);
        } else if (fillLengthField) {
            putFilledFrame(before, ownGroups, message, target);
        } else {
            throw new IllegalArgumentException("varint of the message is wrong: value=" + own + ", expected=" + right
                    + ", payloadLength=" + payloadLength);
        }
    }

    /** Bytes that the message has of the varint, which is to end in it. */
    private int ownGroups(ByteBuf message, int before, int most) {
        for (int count = 1; count <= most; count++) {
            if (message.readableBytes() < before + (long) count) {
                throw LengthHeader.shorterThanItsHeader(message.readableBytes(), before + count);
            }
            if (message.getByte(message.readerIndex() + before + count - 1) >= 0) {
                return count;
            }
        }
        throw new IllegalArgumentException("varint of the message does not end within its header: messageLength="
                + message.readableBytes() + ", initialBytesToStrip=" + initialBytesToStrip + ", maxLengthBytes="
                + maxLengthBytes);
    }

    private static long varint(ByteBuf in, int index, int groups) {
        long value = 0;
        for (int i = groups - 1; i >= 0; i--) {
            value = (value << 7) | (in.getByte(index + i) & 0x7f);
        }
        return value;
    }

    /** The message behind the stripped part of its header; {@code goesOn} if the varint goes on in the message. */
    private void putFrame(int payloadLength, int strippedGroups, boolean goesOn, ByteBuf message, ByteBuf target) {
        int length = message.readableBytes();
        target.ensureWritable(initialBytesToStrip + length);
        int begin = target.writerIndex();
        LengthHeader.putPrefix(headerPrefix, Math.min(lengthFieldOffset, initialBytesToStrip), target, begin);
        putGroups(payloadLength, strippedGroups, goesOn, target, begin + lengthFieldOffset);
        target.writerIndex(begin + initialBytesToStrip);
        target.writeBytes(message, message.readerIndex(), length);
    }

    /** With the right varint in the place of the message's own. */
    private void putFilledFrame(int before, int ownGroups, ByteBuf message, ByteBuf target) {
        int payloadLength = message.readableBytes() - before - ownGroups;
        int groups = groups(payloadLength);
        target.ensureWritable(initialBytesToStrip + before + groups + payloadLength);
        int begin = target.writerIndex();
        LengthHeader.putPrefix(headerPrefix, initialBytesToStrip, target, begin);
        target.writerIndex(begin + initialBytesToStrip);
        target.writeBytes(message, message.readerIndex(), before);
        putGroups(payloadLength, groups, false, target, target.writerIndex());
        target.writerIndex(target.writerIndex() + groups);
        target.writeBytes(message, message.readerIndex() + before + ownGroups, payloadLength);
    }

    @Override
    public int headerLength(long payloadLength) {
        return initialBytesToStrip == STRIP_HEADER
                ? lengthFieldOffset + Math.min(maxLengthBytes, groups(payloadLength))
                : -1;
    }

    @Override
    public void setHeader(long payloadLength, ByteBuf target, int index) {
        checkLength(payloadLength);
        putHeader(payloadLength, target, index);
    }

    private void putHeader(long payloadLength, ByteBuf target, int index) {
        LengthHeader.putPrefix(headerPrefix, lengthFieldOffset, target, index);
        putGroups(payloadLength, groups(payloadLength), false, target, index + lengthFieldOffset);
    }

    /** The first groups of a varint; {@code goesOn} if more of them follow. */
    private static void putGroups(long value, int count, boolean goesOn, ByteBuf target, int index) {
        for (int i = 0; i < count; i++) {
            int group = (int) (value >>> (7 * i)) & 0x7f;
            target.setByte(index + i, i < count - 1 || goesOn ? group | 0x80 : group);
        }
    }

    /** Bytes of the shortest varint. */
    private static int groups(long value) {
        return (Long.SIZE + 6 - Long.numberOfLeadingZeros(value | 1)) / 7;
    }

    private void checkLength(long payloadLength) {
        Limits.checkPayloadLength(payloadLength, maxPayloadLength);
        long largest = Math.min(LARGEST, (1L << (7 * maxLengthBytes)) - 1);
        if (payloadLength > largest) {
            throw new IllegalArgumentException("length does not fit into its varint: payloadLength=" + payloadLength
                    + ", limit=" + largest + ", maxLengthBytes=" + maxLengthBytes);
        }
    }

    @Override
    public String toString() {
        return "VarintFraming{lengthFieldOffset=" + lengthFieldOffset + ", maxLengthBytes=" + maxLengthBytes
                + ", initialBytesToStrip=" + (initialBytesToStrip == STRIP_HEADER ? "header" : initialBytesToStrip)
                + ", maxPayloadLength=" + maxPayloadLength + ", oversize=" + oversize + ", fillLengthField="
                + fillLengthField + "}";
    }

    /** Settings of a {@link VarintFraming}; checked by {@link #build()}. Lengths are in bytes. */
    public static final class Builder {
        private int lengthFieldOffset;
        private int maxLengthBytes = MOST_BYTES;
        private int initialBytesToStrip = STRIP_HEADER;
        private boolean stripSet;
        private int maxPayloadLength = Limits.DEFAULT_MAX_PAYLOAD_LENGTH;
        private Oversize oversize = Oversize.FAIL;
        private boolean fillLengthField;
        private byte[] headerPrefix = {};

        private Builder() {}

        /** Header bytes before the varint; 0 by default. */
        public Builder lengthFieldOffset(int lengthFieldOffset) {
            this.lengthFieldOffset = lengthFieldOffset;
            return this;
        }

        /** Bytes of the varint at most, 1 to 5; 5 by default, of which 32 bits count. MQTT allows 4. */
        public Builder maxLengthBytes(int maxLengthBytes) {
            this.maxLengthBytes = maxLengthBytes;
            return this;
        }

        /**
         * Bytes at the beginning of a frame that are not delivered; by default the header, up to and with the varint,
         * whatever its length.
         */
        public Builder initialBytesToStrip(int initialBytesToStrip) {
            this.initialBytesToStrip = initialBytesToStrip;
            stripSet = true;
            return this;
        }

        /** Longest payload in bytes, header bytes never counted; 1 MiB by default. With 0 only empty payloads pass. */
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
         * Whether encoding puts the right length in the place of a delivered varint that is wrong; {@code false} by
         * default: then such a message is refused. With {@code true} a message brings any varint in this place, such as
         * a single zero byte, and decoding gives it back with the shortest varint for its length there; a right one
         * stays as it is, so that whatever has been decoded is encoded unchanged. Refused by {@link #build()} where
         * {@code initialBytesToStrip} ends behind the varint's first byte.
         */
        public Builder fillLengthField(boolean fillLengthField) {
            this.fillLengthField = fillLengthField;
            return this;
        }

        /**
         * What encoding writes before the varint, where decoding strips it; zeros by default.
         *
         * @param headerPrefix {@code lengthFieldOffset} bytes; copied
         */
        public Builder headerPrefix(byte... headerPrefix) {
            this.headerPrefix = headerPrefix.clone();
            return this;
        }

        /**
         * The framing.
         *
         * @throws IllegalArgumentException if a setting is out of range
         */
        public VarintFraming build() {
            Limits.check(
                    lengthFieldOffset >= 0, "lengthFieldOffset below zero", "lengthFieldOffset", lengthFieldOffset, 0);
            Limits.check(maxLengthBytes >= 1, "varint too short", "maxLengthBytes", maxLengthBytes, 1);
            Limits.check(maxLengthBytes <= MOST_BYTES, "varint too long", "maxLengthBytes", maxLengthBytes, MOST_BYTES);
            int longestOffset = Integer.MAX_VALUE - maxLengthBytes;
            Limits.check(
                    lengthFieldOffset <= longestOffset,
                    "header too long",
                    "lengthFieldOffset",
                    lengthFieldOffset,
                    longestOffset);
            Limits.check(
                    !stripSet || initialBytesToStrip >= 0,
                    "initialBytesToStrip below zero",
                    "initialBytesToStrip",
                    initialBytesToStrip,
                    0);
            Limits.check(
                    !fillLengthField || initialBytesToStrip <= lengthFieldOffset,
                    "fillLengthField needs a varint that is delivered whole",
                    "initialBytesToStrip",
                    initialBytesToStrip,
                    lengthFieldOffset);
            Limits.checkMaxPayloadLength(maxPayloadLength);
            LengthHeader.checkPrefix(headerPrefix, lengthFieldOffset);
            return new VarintFraming(this);
        }
    }
}
