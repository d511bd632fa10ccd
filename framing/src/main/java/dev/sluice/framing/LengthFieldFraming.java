package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Frames whose header tells their length.
 *
 * <pre>
 *  lengthFieldOffset   lengthFieldLength     field value + lengthAdjustment
 * ├─────────────────┼─────────────────────┼────────────────────────────────┤
 * │  headerPrefix   │    length field     │            payload             │
 * ├─────────────────┴─────────────────────┴────────────────────────────────┤
 * │ initialBytesToStrip │◄──────────────── delivered ─────────────────────►│
 * </pre>
 *
 * <pre>
 * 0000000c 68656c6c6f2c20776f726c64          of(4)                                    delivers "hello, world"
 * 0010 68656c6c6f2c20776f726c64 (2 + 2 + 12) lengthFieldLength 2, lengthAdjustment −4 … the field counts itself and 2 more
 * cafe 000c 68656c6c6f2c20776f726c64         lengthFieldOffset 2, lengthFieldLength 2, headerPrefix cafe
 * </pre>
 *
 * <p>The field is unsigned at every width. Decoding: a payload length below 0 is a {@link CorruptFrameException}; one
 * beyond {@code maxPayloadLength} is a {@link FrameTooLongException}, or skipped with {@link Oversize#DISCARD}; both are
 * judged as soon as the header is there. {@code initialBytesToStrip} chooses what is delivered, never what is consumed or
 * counted; beyond the whole frame it is corrupt.
 *
 * <p>Encoding: header bytes that decoding strips are written, those before the field from {@code headerPrefix}. Header
 * bytes that decoding delivers are expected at the beginning of the message, and a delivered length field must be right,
 * unless it is {@link Builder#fillLengthField filled in}. Where decoding strips more than the header, encoding refuses every payload.
 *
 * <p>Take it for binary protocols that say how long a message is before it comes, which is most of them: with it large
 * frames are read without being searched; {@link Framings} has some of them by name. The parameters are those of Netty's {@code LengthFieldBasedFrameDecoder}, except
 * that by default the header is stripped.
 */
public final class LengthFieldFraming implements Framing {
    private final int lengthFieldOffset;
    private final int lengthFieldLength;
    private final int lengthAdjustment;
    private final boolean littleEndian;
    private final int initialBytesToStrip;
    private final int maxPayloadLength;
    private final Oversize oversize;
    private final boolean fillLengthField;
    /** Of {@code lengthFieldOffset} bytes, or empty for zeros. */
    private final byte[] headerPrefix;
    /** Offset and field: what must be there before the length is known. */
    private final int headerLength;

    private LengthFieldFraming(Builder builder) {
        lengthFieldOffset = builder.lengthFieldOffset;
        lengthFieldLength = builder.lengthFieldLength;
        lengthAdjustment = builder.lengthAdjustment;
        littleEndian = builder.byteOrder == ByteOrder.LITTLE_ENDIAN;
        headerLength = lengthFieldOffset + lengthFieldLength;
        initialBytesToStrip = builder.initialBytesToStrip < 0 ? headerLength : builder.initialBytesToStrip;
        maxPayloadLength = builder.maxPayloadLength;
        oversize = builder.oversize;
        fillLengthField = builder.fillLengthField;
        headerPrefix = builder.headerPrefix;
    }

    /**
     * A header that is nothing but an unsigned big-endian length of the payload, stripped.
     *
     * @param lengthFieldLength bytes of the field, 1 to 8
     */
    public static LengthFieldFraming of(int lengthFieldLength) {
        return builder().lengthFieldLength(lengthFieldLength).build();
    }

    /** A builder with the defaults that its methods name. */
    public static Builder builder() {
        return new Builder();
    }

    /** Longest payload in bytes; header bytes do not count, even where they are delivered. */
    public int maxPayloadLength() {
        return maxPayloadLength;
    }

    @Override
    public Framer newFramer() {
        return new LengthFieldFramer();
    }

    /** No state: a header is looked at when whole, and its length fits into the answer. */
    private final class LengthFieldFramer implements PlainFramer {
        @Override
        public void frame(ByteBuf unread, Answer answer) {
            int readable = unread.readableBytes();
            if (readable < headerLength) {
                answer.need(headerLength);
                return;
            }
            long field = getField(unread, unread.readerIndex() + lengthFieldOffset);
            long payloadLength = field + lengthAdjustment;
            if (field < 0 || (payloadLength < 0 && lengthAdjustment > 0)) {
                payloadLength = Long.MAX_VALUE; // 8 bytes beyond the signed range, before or after the adjustment
            }
            if (payloadLength < 0) {
                throw new CorruptFrameException("payload length below zero: payloadLength=" + payloadLength
                        + ", lengthField=" + field + ", lengthAdjustment=" + lengthAdjustment);
            }
            LengthHeader.answer(
                    headerLength, payloadLength, initialBytesToStrip, maxPayloadLength, oversize, readable, answer);
        }

        @Override
        public long plainFrame(ByteBuf unread, int begin, int end) {
            if (end - begin < headerLength) {
                return NONE;
            }
            long field = getField(unread, begin + lengthFieldOffset);
            return field < 0
                    ? NONE
                    : LengthHeader.plainFrame(
                            headerLength, field + lengthAdjustment, initialBytesToStrip, maxPayloadLength);
        }
    }

    @Override
    public void encode(ByteBuf payload, ByteBuf target) {
        int delivered = payload.readableBytes();
        int deliveredHeader = headerLength - initialBytesToStrip;
        if (deliveredHeader < 0) {
            throw LengthHeader.decodesOnly(initialBytesToStrip, headerLength);
        }
        if (delivered < deliveredHeader) {
            throw LengthHeader.shorterThanItsHeader(delivered, deliveredHeader);
        }
        long field = fieldOf(delivered - deliveredHeader);
        if (!fillLengthField) {
            checkDeliveredField(payload, field);
        }
        target.ensureWritable(initialBytesToStrip + delivered);
        int begin = target.writerIndex();
        putStrippedHeader(field, target, begin);
        target.writerIndex(begin + initialBytesToStrip);
        target.writeBytes(payload, payload.readerIndex(), delivered);
        if (fillLengthField) {
            putDeliveredField(field, target, begin);
        }
    }

    @Override
    public int headerLength(long payloadLength) {
        return initialBytesToStrip == headerLength ? headerLength : -1;
    }

    @Override
    public void setHeader(long payloadLength, ByteBuf target, int index) {
        putStrippedHeader(fieldOf(payloadLength), target, index);
    }

    /** The field's value for a payload of this length, if there is one. */
    private long fieldOf(long payloadLength) {
        Limits.checkPayloadLength(payloadLength, maxPayloadLength);
        long field = payloadLength - lengthAdjustment;
        if (field < 0) {
            throw new IllegalArgumentException("length field below zero: lengthField=" + field + ", payloadLength="
                    + payloadLength + ", lengthAdjustment=" + lengthAdjustment);
        }
        long largest = lengthFieldLength == 8 ? Long.MAX_VALUE : (1L << (8 * lengthFieldLength)) - 1;
        if (field > largest) {
            throw new IllegalArgumentException("length does not fit into its field: lengthField=" + field + ", limit="
                    + largest + ", lengthFieldLength=" + lengthFieldLength);
        }
        return field;
    }

    /** The field's byte number {@code i} in stream order. */
    private byte fieldByte(long field, int i) {
        int shift = 8 * (littleEndian ? i : lengthFieldLength - 1 - i);
        return (byte) (field >>> shift);
    }

    private void checkDeliveredField(ByteBuf message, long field) {
        for (int at = Math.max(initialBytesToStrip, lengthFieldOffset); at < headerLength; at++) {
            byte right = fieldByte(field, at - lengthFieldOffset);
            byte given = message.getByte(message.readerIndex() + at - initialBytesToStrip);
            if (given != right) {
                throw new IllegalArgumentException("length field of the message is wrong: headerByte=" + at + ", value="
                        + (given & 0xff) + ", expected=" + (right & 0xff) + ", lengthField=" + field);
            }
        }
    }

    private void putStrippedHeader(long field, ByteBuf target, int index) {
        LengthHeader.putPrefix(headerPrefix, Math.min(lengthFieldOffset, initialBytesToStrip), target, index);
        int at = index + lengthFieldOffset;
        if (lengthFieldLength == 4 && initialBytesToStrip == headerLength) {
            if (littleEndian) {
                target.setIntLE(at, (int) field);
            } else {
                target.setInt(at, (int) field);
            }
            return;
        }
        for (int i = 0; i < initialBytesToStrip - lengthFieldOffset; i++) {
            target.setByte(at + i, fieldByte(field, i));
        }
    }

    private void putDeliveredField(long field, ByteBuf target, int frameBegin) {
        for (int at = Math.max(initialBytesToStrip, lengthFieldOffset); at < headerLength; at++) {
            target.setByte(frameBegin + at, fieldByte(field, at - lengthFieldOffset));
        }
    }

    /** Unsigned; negative only for 8 bytes beyond the signed range. */
    private long getField(ByteBuf in, int index) {
        return switch (lengthFieldLength) {
            case 1 -> in.getUnsignedByte(index);
            case 2 -> littleEndian ? in.getUnsignedShortLE(index) : in.getUnsignedShort(index);
            case 3 -> littleEndian ? in.getUnsignedMediumLE(index) : in.getUnsignedMedium(index);
            case 4 -> littleEndian ? in.getUnsignedIntLE(index) : in.getUnsignedInt(index);
            case 8 -> littleEndian ? in.getLongLE(index) : in.getLong(index);
            default -> getOddField(in, index);
        };
    }

    private long getOddField(ByteBuf in, int index) {
        long value = 0;
        for (int i = 0; i < lengthFieldLength; i++) {
            int at = littleEndian ? lengthFieldLength - 1 - i : i;
            value = value << 8 | in.getUnsignedByte(index + at);
        }
        return value;
    }

    @Override
    public String toString() {
        return "LengthFieldFraming{lengthFieldOffset=" + lengthFieldOffset + ", lengthFieldLength=" + lengthFieldLength
                + ", lengthAdjustment=" + lengthAdjustment + ", byteOrder="
                + (littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN) + ", initialBytesToStrip="
                + initialBytesToStrip + ", maxPayloadLength=" + maxPayloadLength + ", oversize=" + oversize
                + ", fillLengthField="
                + fillLengthField + "}";
    }

    /** Settings of a {@link LengthFieldFraming}; checked by {@link #build()}. Lengths are in bytes. */
    public static final class Builder {
        private int lengthFieldOffset;
        private int lengthFieldLength = 4;
        private int lengthAdjustment;
        private ByteOrder byteOrder = ByteOrder.BIG_ENDIAN;
        private int initialBytesToStrip = -1;
        private boolean stripSet;
        private int maxPayloadLength = Limits.DEFAULT_MAX_PAYLOAD_LENGTH;
        private Oversize oversize = Oversize.FAIL;
        private boolean fillLengthField;
        private byte[] headerPrefix = {};

        private Builder() {}

        /** Header bytes before the field; 0 by default. */
        public Builder lengthFieldOffset(int lengthFieldOffset) {
            this.lengthFieldOffset = lengthFieldOffset;
            return this;
        }

        /** Bytes of the field, 1 to 8; 4 by default. */
        public Builder lengthFieldLength(int lengthFieldLength) {
            this.lengthFieldLength = lengthFieldLength;
            return this;
        }

        /**
         * What must be added to the field's value to get the bytes behind the field; 0 by default. −4 for a 4-byte field
         * that counts itself.
         */
        public Builder lengthAdjustment(int lengthAdjustment) {
            this.lengthAdjustment = lengthAdjustment;
            return this;
        }

        /** Of the field; big-endian by default. */
        public Builder byteOrder(ByteOrder byteOrder) {
            this.byteOrder = Objects.requireNonNull(byteOrder, "byteOrder");
            return this;
        }

        /** Bytes at the beginning of a frame that are not delivered; by default the header, up to and with the field. */
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
         * Whether encoding writes the right length into a field that decoding delivers, whatever the message has there;
         * {@code false} by default: then a message whose own field is wrong is refused. With {@code true} a message
         * brings any bytes in this place, such as zeros, and decoding gives it back with its length there; what has been
         * decoded is encoded unchanged. Without effect on a field that is stripped.
         */
        public Builder fillLengthField(boolean fillLengthField) {
            this.fillLengthField = fillLengthField;
            return this;
        }

        /**
         * What encoding writes before the field where decoding strips it; zeros by default. Not looked at when decoding.
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
        public LengthFieldFraming build() {
            Limits.check(
                    lengthFieldOffset >= 0, "lengthFieldOffset below zero", "lengthFieldOffset", lengthFieldOffset, 0);
            Limits.check(lengthFieldLength >= 1, "length field too short", "lengthFieldLength", lengthFieldLength, 1);
            Limits.check(lengthFieldLength <= 8, "length field too long", "lengthFieldLength", lengthFieldLength, 8);
            int longestOffset = Integer.MAX_VALUE - lengthFieldLength;
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
            Limits.checkMaxPayloadLength(maxPayloadLength);
            LengthHeader.checkPrefix(headerPrefix, lengthFieldOffset);
            return new LengthFieldFraming(this);
        }
    }
}
