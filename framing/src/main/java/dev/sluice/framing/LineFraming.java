package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import java.util.Objects;

/**
 * Lines, each a frame without its line end.
 *
 * <pre>
 *                    lenient()      strict()
 * 61 62 0a           "ab"           corrupt        LF alone
 * 61 62 0d 0a        "ab"           "ab"           CR LF
 * 61 0d 62 0d 0a     "a\rb"         corrupt        CR alone
 * 61 0d 0d 0a        "a\r"          corrupt
 * 0d 0a              ""             ""             ndjson(): skipped
 * </pre>
 *
 * <p>Lenient, the default: a line ends at LF, and one CR directly before it is taken off, as most programs read text.
 * Strict: a line ends at CR LF, and a CR or LF anywhere else is a {@link CorruptFrameException}, as RFC 5321 and RFC 9112
 * demand of those who take part in mail and HTTP: two peers that do not agree where a line ends can be made to see
 * different messages. A strict line is checked even while it is discarded.
 *
 * <p>A line longer than {@code maxPayloadLength}, its end not counted, is a {@link FrameTooLongException} at the first
 * byte that shows it, or skipped with {@link Oversize#DISCARD}. Where one byte is both, it is corrupt.
 *
 * <p>When the input ends behind a line's end, the stream completes. Bytes left behind the last one are a {@link
 * TruncatedFrameException}, or the last line with {@link OpenLast#EMIT}, which keeps a CR at its very end; a strict line
 * that ends in CR is corrupt then.
 *
 * <p>Encoding writes LF, or CR LF when strict or {@linkplain Builder#crLf asked for}. A line is refused when decoding would
 * not give it back: it holds LF; strict, it holds CR; lenient and without CR LF, it ends with CR; or it is empty and such
 * are skipped.
 *
 * <p>Take it for text protocols, logs and newline-delimited JSON ({@link #ndjson()}); with {@link Codec#text(Framing)
 * Codec.text} messages are strings. For other ends of a frame see {@link DelimiterFraming}.
 */
public final class LineFraming implements Framing {
    private static final byte CR = '\r';
    private static final byte LF = '\n';
    private static final int CR_LF = '\r' << 8 | '\n';

    private final boolean strict;
    private final boolean crLf;
    private final boolean skipEmpty;
    private final int maxPayloadLength;
    private final Oversize oversize;
    private final OpenLast openLast;

    private LineFraming(Builder builder) {
        strict = builder.strict;
        crLf = builder.crLf || builder.strict;
        skipEmpty = builder.skipEmpty;
        maxPayloadLength = builder.maxPayloadLength;
        oversize = builder.oversize;
        openLast = builder.openLast;
    }

    /** Lines that end at LF or CR LF, written with LF. */
    public static LineFraming lenient() {
        return builder().build();
    }

    /** Lines that end at CR LF and hold neither of the two. */
    public static LineFraming strict() {
        return builder().strict(true).build();
    }

    /**
     * Newline-delimited JSON, also called JSON Lines: a JSON text a line, empty lines skipped. The payloads are whatever
     * stands between the line ends: that they are JSON is for the decoder to see.
     */
    public static LineFraming ndjson() {
        return builder().skipEmpty(true).build();
    }

    /** A builder with the defaults that its methods name. */
    public static Builder builder() {
        return new Builder();
    }

    /** Longest payload in bytes; line ends do not count. */
    public int maxPayloadLength() {
        return maxPayloadLength;
    }

    @Override
    public Framer newFramer() {
        return strict ? new StrictFramer(this) : new LenientFramer(this);
    }

    @Override
    public void encode(ByteBuf payload, ByteBuf target) {
        int length = payload.readableBytes();
        checkPayload(payload, length);
        target.ensureWritable(length + 2);
        target.writeBytes(payload, payload.readerIndex(), length);
        if (crLf) {
            target.writeShort(CR_LF);
        } else {
            target.writeByte(LF);
        }
    }

    private void checkPayload(ByteBuf payload, int length) {
        Limits.checkPayloadLength(length, maxPayloadLength);
        if (length == 0 && skipEmpty) {
            throw new IllegalArgumentException("empty line, of those that decoding skips: payloadLength=0, limit=1");
        }
        int lineFeed = payload.bytesBefore(LF);
        if (lineFeed >= 0) {
            throw new IllegalArgumentException(
                    "line holds a line feed: index=" + lineFeed + ", payloadLength=" + length);
        }
        int carriageReturn = strict ? payload.bytesBefore(CR) : -1;
        if (carriageReturn >= 0) {
            throw new IllegalArgumentException(
                    "strict line holds a carriage return: index=" + carriageReturn + ", payloadLength=" + length);
        }
        if (!crLf && length > 0 && payload.getByte(payload.writerIndex() - 1) == CR) {
            throw new IllegalArgumentException(
                    "line ends with a carriage return, which would be part of its end: index=" + (length - 1)
                            + ", payloadLength=" + length);
        }
    }

    @Override
    public String toString() {
        return "LineFraming{strict=" + strict + ", crLf=" + crLf + ", skipEmpty=" + skipEmpty + ", maxPayloadLength="
                + maxPayloadLength + ", oversize=" + oversize + ", openLast=" + openLast + "}";
    }

    private abstract static class LineFramer extends SearchingFramer implements PlainFramer {
        private final ByteSearch search;
        private final boolean skipEmpty;

        LineFramer(LineFraming framing, ByteSearch search) {
            super(framing.maxPayloadLength, framing.oversize, framing.openLast);
            this.search = search;
            skipEmpty = framing.skipEmpty;
        }

        final int find(ByteBuf unread, int end) {
            return search.find(unread, 0, end);
        }

        final void lineEnds(Answer answer, int frameLength, int payloadLength) {
            search.take(frameLength);
            if (payloadLength == 0 && skipEmpty && !isDiscarding()) {
                answer.skip(frameLength);
            } else {
                ends(answer, frameLength, payloadLength);
            }
        }

        /** As {@link #lineEnds}, of a line within the limit. */
        final long plainLine(int frameLength, int payloadLength) {
            if (payloadLength == 0 && skipEmpty) {
                return NONE;
            }
            search.take(frameLength);
            return PlainFramer.place(frameLength, 0, frameLength - payloadLength);
        }

        final void lineIsTooLong(Answer answer, int seen, boolean ended) {
            search.take(seen);
            isTooLong(answer, seen, ended);
        }

        /** @param seen bytes that are certainly not of the line's end */
        final void lineGoesOn(Answer answer, int seen, int readable) {
            if (isDiscarding() && seen > 0) {
                search.take(seen);
                answer.discardMore(seen);
            } else {
                answer.need(readable + 1L);
            }
        }
    }

    private static final class LenientFramer extends LineFramer {
        LenientFramer(LineFraming framing) {
            super(framing, new ByteSearch(LF));
        }

        @Override
        public void frame(ByteBuf unread, Answer answer) {
            int begin = unread.readerIndex();
            int readable = unread.readableBytes();
            int limit = limit();
            int end = searchEnd(readable, limit);
            int found = find(unread, end);
            if (found < end) {
                int payloadLength = payloadLength(unread, begin, found);
                if (payloadLength <= limit) {
                    lineEnds(answer, found + 1, payloadLength);
                } else {
                    lineIsTooLong(answer, found + 1, true);
                }
            } else if (end > limit && (end > limit + 1 || unread.getByte(begin + limit) != CR)) {
                lineIsTooLong(answer, end, false);
            } else {
                lineGoesOn(answer, readable, readable);
            }
        }

        @Override
        public long plainFrame(ByteBuf unread, int begin, int end) {
            if (isDiscarding()) {
                return NONE;
            }
            int limit = limit();
            int searchEnd = searchEnd(end - begin, limit);
            int found = find(unread, searchEnd);
            if (found == searchEnd) {
                return NONE;
            }
            int payloadLength = payloadLength(unread, begin, found);
            return payloadLength > limit ? NONE : plainLine(found + 1, payloadLength);
        }

        /** Behind a payload of the limit, CR and LF. */
        private static int searchEnd(int readable, int limit) {
            return (int) Math.min(readable, limit + 2L);
        }

        private static int payloadLength(ByteBuf unread, int begin, int lineFeed) {
            boolean carriageReturn = lineFeed > 0 && unread.getByte(begin + lineFeed - 1) == CR;
            return carriageReturn ? lineFeed - 1 : lineFeed;
        }
    }

    private static final class StrictFramer extends LineFramer {
        StrictFramer(LineFraming framing) {
            super(framing, new ByteSearch(CR, LF));
        }

        @Override
        public void frame(ByteBuf unread, Answer answer) {
            int begin = unread.readerIndex();
            int readable = unread.readableBytes();
            int limit = limit();
            int end = searchEnd(readable, limit);
            int found = find(unread, end);
            if (found == end) {
                if (end > limit) {
                    lineIsTooLong(answer, end, false);
                } else {
                    lineGoesOn(answer, readable, readable);
                }
            } else if (unread.getByte(begin + found) == LF) {
                throw new CorruptFrameException("line feed without carriage return before it: index=" + found);
            } else if (found + 1 == readable) {
                lineGoesOn(answer, found, readable); // CR stays until the byte behind it is here
            } else if (unread.getByte(begin + found + 1) == LF) {
                lineEnds(answer, found + 2, found);
            } else {
                throw loneCarriageReturn(found);
            }
        }

        @Override
        public long plainFrame(ByteBuf unread, int begin, int end) {
            if (isDiscarding()) {
                return NONE;
            }
            int readable = end - begin;
            int searchEnd = searchEnd(readable, limit());
            int found = find(unread, searchEnd);
            boolean ends = found < searchEnd
                    && found + 1 < readable
                    && unread.getByte(begin + found) == CR
                    && unread.getByte(begin + found + 1) == LF;
            return ends ? plainLine(found + 2, found) : NONE;
        }

        /** Behind a payload of the limit and CR. */
        private static int searchEnd(int readable, int limit) {
            return readable > limit ? limit + 1 : readable;
        }

        @Override
        void checkLast(ByteBuf last) {
            if (last.getByte(last.writerIndex() - 1) == CR) {
                throw loneCarriageReturn(last.readableBytes() - 1);
            }
        }

        private static CorruptFrameException loneCarriageReturn(int index) {
            return new CorruptFrameException("carriage return without line feed behind it: index=" + index);
        }
    }

    /** Settings of a {@link LineFraming}; checked by {@link #build()}. Lengths are in bytes. */
    public static final class Builder {
        private boolean strict;
        private boolean crLf;
        private boolean skipEmpty;
        private int maxPayloadLength = Limits.DEFAULT_MAX_PAYLOAD_LENGTH;
        private Oversize oversize = Oversize.FAIL;
        private OpenLast openLast = OpenLast.FAIL;

        private Builder() {}

        /** Whether only CR LF ends a line, and a CR or LF elsewhere is corrupt; false by default. */
        public Builder strict(boolean strict) {
            this.strict = strict;
            return this;
        }

        /** Whether encoding ends lines with CR LF even if not strict; false by default: with LF. */
        public Builder crLf(boolean crLf) {
            this.crLf = crLf;
            return this;
        }

        /** Whether empty lines, those without a byte before their end, are skipped; false by default: delivered. */
        public Builder skipEmpty(boolean skipEmpty) {
            this.skipEmpty = skipEmpty;
            return this;
        }

        /** Longest payload in bytes, line ends never counted; 1 MiB by default. With 0 only empty payloads pass. */
        public Builder maxPayloadLength(int maxPayloadLength) {
            this.maxPayloadLength = maxPayloadLength;
            return this;
        }

        /** What becomes of longer payloads when decoding; {@link Oversize#FAIL} by default. */
        public Builder oversize(Oversize oversize) {
            this.oversize = Objects.requireNonNull(oversize, "oversize");
            return this;
        }

        /** What becomes of bytes behind the last line end when the input ends; {@link OpenLast#FAIL} by default. */
        public Builder openLast(OpenLast openLast) {
            this.openLast = Objects.requireNonNull(openLast, "openLast");
            return this;
        }

        /**
         * The framing.
         *
         * @throws IllegalArgumentException if a setting is out of range
         */
        public LineFraming build() {
            Limits.checkMaxPayloadLength(maxPayloadLength);
            return new LineFraming(this);
        }
    }
}
