package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import java.util.Objects;

/**
 * Frames whose header tells their length in digits that people can read: netstrings, octet counting, lengths in hex.
 *
 * <pre>
 *  1 or more    1 byte      value of the digits     0 or more
 * ├─────────┼────────────┼───────────────────────┼───────────┤
 * │ digits  │ terminator │        payload        │  trailer  │
 * └─────────┴────────────┴───────────────────────┴───────────┘
 * </pre>
 *
 * <pre>
 * 12:hello, world,      terminator ':', trailer ','               delivers "hello, world"
 * 12 hello, world       of(' ')                                   delivers "hello, world"
 * c␊hello, world␊       base 16, terminator '\n', trailer '\n'    delivers "hello, world"
 * </pre>
 *
 * <p>Decoding: no digit before the terminator, another byte than a digit or the terminator, a leading zero before other
 * digits, and a trailer that differs are a {@link CorruptFrameException} at that byte; hex digits may be of either case. A
 * length beyond {@code maxPayloadLength} is a {@link FrameTooLongException} at the digit that exceeds it, or skipped with
 * {@link Oversize#DISCARD}, its further digits and trailer still checked, unless the digits exceed even 63 bits: then all
 * that follows is skipped.
 *
 * <p>Encoding writes no leading zeros, and hex digits in lower case.
 *
 * <p>Take it for protocols that have it. {@link Framings} has two by name: <a
 * href="https://cr.yp.to/proto/netstrings.txt">netstrings</a>, and the octet counting of syslog over TCP, RFC 6587,
 * section 3.4.1. A new protocol is read faster with a binary length, as of {@link LengthFieldFraming}.
 */
public final class AsciiLengthFraming implements Framing {
    private static final int DECIMAL = 10;
    private static final int HEX = 16;

    private final int base;
    private final byte terminator;
    private final byte[] trailer;
    private final int maxPayloadLength;
    private final Oversize oversize;

    private AsciiLengthFraming(Builder builder) {
        base = builder.base;
        terminator = (byte) builder.terminator;
        trailer = builder.trailer;
        maxPayloadLength = builder.maxPayloadLength;
        oversize = builder.oversize;
    }

    /**
     * Decimal digits, this terminator, and a payload of at most 1 MiB without a trailer.
     *
     * @param terminator one byte, as {@code ' '}; no digit
     */
    public static AsciiLengthFraming of(int terminator) {
        return builder().terminator(terminator).build();
    }

    /** A builder with the defaults that its methods name. */
    public static Builder builder() {
        return new Builder();
    }

    /** Longest payload in bytes; digits, terminator and trailer do not count. */
    public int maxPayloadLength() {
        return maxPayloadLength;
    }

    // ---- decoding

    @Override
    public Framer newFramer() {
        return new AsciiFramer();
    }

    private final class AsciiFramer implements Framer {
        // DIGITS ──terminator──► PAYLOAD ──last byte of the trailer──► DIGITS            (frame)
        //   │ digit beyond the limit                                                     (discard)
        //   ▼
        // DISCARDED_DIGITS ──terminator──► DISCARDED_TRAILER ──its last byte──► DIGITS   (discardMore)
        //
        // Until a frame is answered all its bytes stay unread, so positions count from its first. What is discarded is
        // answered piece by piece, and does not: there digits and trailer are counted from where the call begins.

        private Part part = Part.DIGITS;
        /** Digits looked at, and what they say so far. */
        private int digits;

        private long length;
        /** Bytes of the trailer that have been found right. */
        private int trailerSeen;

        @Override
        public void frame(ByteBuf unread, Answer answer) {
            switch (part) {
                case DIGITS -> readDigits(unread, answer);
                case PAYLOAD -> readPayload(unread, answer);
                case DISCARDED_DIGITS -> discardDigits(unread, answer);
                case DISCARDED_TRAILER -> discardTrailer(unread, answer);
            }
        }

        @Override
        public void atEnd(ByteBuf unread, Answer answer) {
            if (isDiscarding()) {
                throw new TruncatedFrameException("input ended inside a frame that was discarded: bytesAtHand="
                        + unread.readableBytes() + ", bytesNeeded=" + answer.lastNeed());
            }
            Framer.super.atEnd(unread, answer);
        }

        @Override
        public boolean isDiscarding() {
            return part == Part.DISCARDED_DIGITS || part == Part.DISCARDED_TRAILER;
        }

        private void readDigits(ByteBuf unread, Answer answer) {
            int begin = unread.readerIndex();
            int readable = unread.readableBytes();
            int at = digits;
            long value = length;
            while (at < readable) {
                byte next = unread.getByte(begin + at);
                if (next == terminator && at > 0) {
                    digits = at;
                    length = value;
                    part = Part.PAYLOAD;
                    readPayload(unread, answer);
                    return;
                }
                int digit = digit(next);
                if (at == 1 && value == 0) {
                    throw new CorruptFrameException("length has a leading zero: nextDigit=" + digit + ", base=" + base);
                }
                value = value * base + digit;
                at++;
                if (value > maxPayloadLength) {
                    tooLong(at, value, answer);
                    return;
                }
            }
            digits = at;
            length = value;
            answer.need(at + 1L);
        }

        /** The digits may go on, so what is discarded at first is no more than they. */
        private void tooLong(int digitsSoFar, long lengthSoFar, Answer answer) {
            if (oversize == Oversize.FAIL) {
                throw new FrameTooLongException(lengthSoFar, maxPayloadLength);
            }
            part = Part.DISCARDED_DIGITS;
            length = lengthSoFar;
            answer.discard(digitsSoFar, lengthSoFar, maxPayloadLength);
        }

        private void readPayload(ByteBuf unread, Answer answer) {
            int headerLength = digits + 1;
            long trailerAt = headerLength + length;
            if (seesTrailer(unread, trailerAt, answer)) {
                answer.frame((int) trailerAt + trailer.length, headerLength, (int) length);
                frameEnds();
            }
        }

        private void discardDigits(ByteBuf unread, Answer answer) {
            int begin = unread.readerIndex();
            int readable = unread.readableBytes();
            for (int at = 0; at < readable; at++) {
                byte next = unread.getByte(begin + at);
                if (next == terminator) {
                    answer.discardMore(LengthHeader.saturatedSum(at + 1L, length));
                    part = Part.DISCARDED_TRAILER;
                    if (trailer.length == 0) {
                        frameEnds();
                    }
                    return;
                }
                int digit = digit(next);
                if (length > (Long.MAX_VALUE - digit) / base) {
                    answer.discardMore(Long.MAX_VALUE);
                    return;
                }
                length = length * base + digit;
            }
            answer.discardMore(readable);
        }

        private void discardTrailer(ByteBuf unread, Answer answer) {
            if (seesTrailer(unread, 0, answer)) {
                answer.discardMore(trailer.length);
                frameEnds();
            }
        }

        /** Whether all is there up to the trailer's end; otherwise answers what is needed to judge its next byte. */
        private boolean seesTrailer(ByteBuf unread, long at, Answer answer) {
            long readable = unread.readableBytes();
            while (trailerSeen < trailer.length && readable > at + trailerSeen) {
                byte next = unread.getByte(unread.readerIndex() + (int) at + trailerSeen);
                if (next != trailer[trailerSeen]) {
                    throw new CorruptFrameException("trailer is wrong: trailerByte=" + trailerSeen + ", value="
                            + hex(next) + ", expected=" + hex(trailer[trailerSeen]));
                }
                trailerSeen++;
            }
            if (trailerSeen < trailer.length) {
                answer.need(at + trailerSeen + 1);
                return false;
            }
            if (readable < at) { // without a trailer
                answer.need(at);
                return false;
            }
            return true;
        }

        private void frameEnds() {
            part = Part.DIGITS;
            digits = 0;
            length = 0;
            trailerSeen = 0;
        }
    }

    /** Where in a frame the framer is. */
    private enum Part {
        DIGITS,
        /** And the trailer. */
        PAYLOAD,
        DISCARDED_DIGITS,
        DISCARDED_TRAILER
    }

    private int digit(byte value) {
        int digit = digit(value, base);
        if (digit < 0) {
            throw new CorruptFrameException("length has neither a digit nor its terminator: value=" + hex(value)
                    + ", base=" + base + ", terminator=" + hex(terminator));
        }
        return digit;
    }

    /** The digit's value; −1 if it is none. */
    private static int digit(int value, int base) {
        if (value >= '0' && value <= '9') {
            return value - '0';
        }
        int letter = value | 0x20; // lower case
        return base == HEX && letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
    }

    private static String hex(int value) {
        return "0x%02x".formatted(value & 0xff);
    }

    // ---- encoding

    @Override
    public void encode(ByteBuf payload, ByteBuf target) {
        int length = payload.readableBytes();
        Limits.checkPayloadLength(length, maxPayloadLength);
        int headerLength = digitsOf(length) + 1;
        target.ensureWritable(headerLength + length + trailer.length);
        putHeader(length, headerLength, target, target.writerIndex());
        target.writerIndex(target.writerIndex() + headerLength);
        target.writeBytes(payload, payload.readerIndex(), length);
        target.writeBytes(trailer);
    }

    @Override
    public int headerLength(long payloadLength) {
        return trailer.length == 0 ? digitsOf(payloadLength) + 1 : -1;
    }

    @Override
    public void setHeader(long payloadLength, ByteBuf target, int index) {
        Limits.checkPayloadLength(payloadLength, maxPayloadLength);
        putHeader(payloadLength, digitsOf(payloadLength) + 1, target, index);
    }

    private void putHeader(long payloadLength, int headerLength, ByteBuf target, int index) {
        int at = index + headerLength - 1;
        target.setByte(at, terminator);
        long left = payloadLength;
        do {
            at--;
            target.setByte(at, Character.forDigit((int) (left % base), base));
            left /= base;
        } while (left > 0);
    }

    private int digitsOf(long length) {
        int digits = 1;
        for (long left = length / base; left > 0; left /= base) {
            digits++;
        }
        return digits;
    }

    @Override
    public String toString() {
        StringBuilder trailerHex = new StringBuilder();
        for (byte next : trailer) {
            trailerHex.append(hex(next).substring(2));
        }
        return "AsciiLengthFraming{base=" + base + ", terminator=" + hex(terminator) + ", trailer="
                + (trailerHex.isEmpty() ? "none" : "0x" + trailerHex) + ", maxPayloadLength=" + maxPayloadLength
                + ", oversize=" + oversize + "}";
    }

    /** Settings of an {@link AsciiLengthFraming}; checked by {@link #build()}. Lengths are in bytes. */
    public static final class Builder {
        private int base = DECIMAL;
        private int terminator;
        private boolean terminatorSet;
        private byte[] trailer = {};
        private int maxPayloadLength = Limits.DEFAULT_MAX_PAYLOAD_LENGTH;
        private Oversize oversize = Oversize.FAIL;

        private Builder() {}

        /** Of the digits, 10 or 16; 10 by default. */
        public Builder base(int base) {
            this.base = base;
            return this;
        }

        /**
         * The byte behind the digits; there is no default.
         *
         * @param terminator 0 to 255, as {@code ':'}; no digit of the base
         */
        public Builder terminator(int terminator) {
            this.terminator = terminator;
            terminatorSet = true;
            return this;
        }

        /**
         * What stands behind the payload; nothing by default.
         *
         * @param trailer as {@code (byte) ','}; copied
         */
        public Builder trailer(byte... trailer) {
            this.trailer = trailer.clone();
            return this;
        }

        /**
         * Longest payload in bytes, digits, terminator and trailer never counted; 1 MiB by default. With 0 only empty
         * payloads pass.
         */
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
         * @throws IllegalArgumentException if a setting is out of range, or no terminator was set
         */
        public AsciiLengthFraming build() {
            if (base != DECIMAL && base != HEX) {
                throw new IllegalArgumentException("base is neither 10 nor 16: base=" + base);
            }
            if (!terminatorSet) {
                throw new IllegalArgumentException("terminator is missing: terminator=none, base=" + base);
            }
            Limits.check(terminator >= 0, "terminator below zero", "terminator", terminator, 0);
            Limits.check(terminator <= 0xff, "terminator is no byte", "terminator", terminator, 0xff);
            if (digit(terminator, base) >= 0) {
                throw new IllegalArgumentException(
                        "terminator is a digit: terminator=" + hex(terminator) + ", base=" + base);
            }
            Limits.checkMaxPayloadLength(maxPayloadLength);
            return new AsciiLengthFraming(this);
        }
    }
}
