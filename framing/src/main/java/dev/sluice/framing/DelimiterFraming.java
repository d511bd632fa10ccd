package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Frames that end at a delimiter, or at one of several.
 *
 * <pre>
 * ├────────── frame ───────────┤
 * ┌───────────────┬────────────┬───────────────┬────────────┐
 * │    payload    │ delimiter  │    payload    │ delimiter  │
 * └───────────────┴────────────┴───────────────┴────────────┘
 * ├── delivered ──┤ stripDelimiter true, the default
 * ├───────── delivered ────────┤ stripDelimiter false
 * </pre>
 *
 * <pre>
 * 61 62 00 00 63 00                of("\0")            delivers "ab", "", "c"
 * 61 0d 0a 62 0a 0d 0a             of("\n", "\r\n")    delivers "a", "b", ""
 * 78 0d 0a 2e 0a 79 0d 0a 2e 0d 0a of("\r\n.\r\n")     delivers "x\r\n.\ny"
 * </pre>
 *
 * <p>A frame ends where the first delimiter to be completed ends; if two end at the same byte the longer one is taken off.
 * A delimiter lies within one frame: it never reaches back over the end of the frame before. The bytes are searched once,
 * in time that depends on their number alone, whatever they are and wherever chunks are cut.
 *
 * <p>{@code maxPayloadLength} never counts the delimiter. A payload beyond it is a {@link FrameTooLongException} as soon as
 * the bytes seen can no longer be one within the limit, or skipped with {@link Oversize#DISCARD}; a delimiter that has
 * begun is waited for. When the input ends behind a delimiter, the stream completes. Bytes left behind the last one are a
 * {@link TruncatedFrameException}, or the last frame with {@link OpenLast#EMIT}.
 *
 * <p>Encoding writes the payload and the first of the delimiters; where decoding delivers the delimiter, the message must
 * already end with one, any of them. A payload is refused when decoding would not give it back: it holds a delimiter, its
 * end would be taken for the beginning of one, or it is too long.
 *
 * <p>Take it for protocols whose messages end with a certain byte or text that they never hold: NUL, ETX, a line with a
 * dot. For plain lines there is {@link LineFraming}.
 */
public final class DelimiterFraming implements Framing {
    private final Delimiters delimiters;
    private final boolean stripDelimiter;
    private final int maxPayloadLength;
    private final Oversize oversize;
    private final OpenLast openLast;

    private DelimiterFraming(Builder builder) {
        delimiters = new Delimiters(builder.delimiters);
        stripDelimiter = builder.stripDelimiter;
        maxPayloadLength = builder.maxPayloadLength;
        oversize = builder.oversize;
        openLast = builder.openLast;
    }

    /**
     * Frames that end at one of these delimiters, which is stripped.
     *
     * @param delimiters at least one; encoding writes the first
     * @throws IllegalArgumentException as {@link Builder#build()}
     */
    public static DelimiterFraming of(byte[]... delimiters) {
        return builder().delimiters(delimiters).build();
    }

    /** The same, of delimiters in UTF-8. */
    public static DelimiterFraming of(String... delimiters) {
        return builder().delimiters(delimiters).build();
    }

    /** A builder with the defaults that its methods name. */
    public static Builder builder() {
        return new Builder();
    }

    /** Longest payload in bytes; the delimiter does not count, even where it is delivered. */
    public int maxPayloadLength() {
        return maxPayloadLength;
    }

    @Override
    public Framer newFramer() {
        return new DelimiterFramer(this);
    }

    @Override
    public void encode(ByteBuf payload, ByteBuf target) {
        int length = payload.readableBytes();
        if (!stripDelimiter) {
            checkDelimited(payload, length);
            target.writeBytes(payload, payload.readerIndex(), length);
            return;
        }
        checkLength(length);
        byte[] delimiter = delimiters.first();
        if (delimiters.mayBeginIn(payload)) {
            checkUndelimited(payload, length, delimiter);
        }
        target.ensureWritable(length + delimiter.length);
        target.writeBytes(payload, payload.readerIndex(), length);
        target.writeBytes(delimiter);
    }

    private void checkLength(int payloadLength) {
        Limits.checkPayloadLength(payloadLength, maxPayloadLength);
    }

    private void checkDelimited(ByteBuf message, int length) {
        Scan scan = new Scan(delimiters);
        if (!scan.runTo(message, length, Integer.MAX_VALUE)) {
            throw new IllegalArgumentException("message does not end with a delimiter: messageLength=" + length);
        }
        if (scan.scanned() < length) {
            throw new IllegalArgumentException(
                    "message goes on behind a delimiter: delimiterEnd=" + scan.scanned() + ", messageLength=" + length);
        }
        checkLength(scan.payloadLength());
    }

    private void checkUndelimited(ByteBuf payload, int length, byte[] delimiter) {
        Scan scan = new Scan(delimiters);
        boolean early = scan.runTo(payload, length, Integer.MAX_VALUE);
        for (int i = 0; i < delimiter.length && !early; i++) {
            early = scan.step(delimiter[i]) && i < delimiter.length - 1;
        }
        if (early || scan.payloadLength() < length) {
            throw new IllegalArgumentException(
                    "payload holds a delimiter, or the beginning of one at its end: payloadLength=" + length
                            + ", decodedLength=" + scan.payloadLength());
        }
    }

    @Override
    public String toString() {
        return "DelimiterFraming{delimiters=" + delimiters + ", stripDelimiter=" + stripDelimiter
                + ", maxPayloadLength=" + maxPayloadLength + ", oversize=" + oversize + ", openLast=" + openLast + "}";
    }

    /** How far one frame has been searched. */
    private static final class Scan {
        private final Delimiters delimiters;
        private final ByteSearch search;
        private int scanned;
        private int state = Delimiters.START;

        Scan(Delimiters delimiters) {
            this.delimiters = delimiters;
            this.search = delimiters.newSearch();
        }

        int scanned() {
            return scanned;
        }

        /** Bytes before the delimiter that ends here, or before the one that may have begun. */
        int payloadLength() {
            return scanned - delimiters.begun(state);
        }

        /** Goes on until a delimiter is complete, the payload is beyond the limit, or the end; whether it is complete. */
        boolean runTo(ByteBuf unread, int end, int limit) {
            int begin = unread.readerIndex();
            while (scanned < end && payloadLength() <= limit) {
                if (state == Delimiters.START) {
                    int searchEnd = end > limit ? limit + 1 : end;
                    scanned = search.find(unread, scanned, searchEnd);
                    if (scanned == searchEnd) {
                        return false;
                    }
                }
                if (step(unread.getByte(begin + scanned))) {
                    return true;
                }
            }
            return false;
        }

        /** Takes the next byte; whether a delimiter is complete. */
        boolean step(byte value) {
            state = delimiters.next(state, value);
            scanned++;
            return delimiters.isComplete(state);
        }

        /** Whether the frame's delimiter is complete. */
        boolean hasEnded() {
            return delimiters.isComplete(state);
        }

        /** The bytes scanned are gone; a delimiter that has begun goes on. */
        void take() {
            search.take(scanned);
            scanned = 0;
        }

        /** A frame has ended and the next begins. */
        void restart() {
            take();
            state = Delimiters.START;
        }
    }

    private static final class DelimiterFramer extends SearchingFramer implements PlainFramer {
        private final Scan scan;
        private final boolean stripDelimiter;

        DelimiterFramer(DelimiterFraming framing) {
            super(framing.maxPayloadLength, framing.oversize, framing.openLast);
            scan = new Scan(framing.delimiters);
            stripDelimiter = framing.stripDelimiter;
        }

        @Override
        public void frame(ByteBuf unread, Answer answer) {
            int readable = unread.readableBytes();
            boolean ended = scan.hasEnded() || scan.runTo(unread, readable, limit());
            int seen = scan.scanned();
            int payloadLength = scan.payloadLength();
            if (ended) {
                scan.restart();
            }
            if (payloadLength > limit()) { // even if it ended: by a shorter delimiter than the one that had begun
                scan.take();
                isTooLong(answer, seen, ended);
            } else if (ended) {
                ends(answer, seen, stripDelimiter ? payloadLength : seen);
            } else if (isDiscarding()) {
                scan.take();
                answer.discardMore(readable);
            } else {
                answer.need(readable + 1L);
            }
        }

        @Override
        public long plainFrame(ByteBuf unread, int begin, int end) {
            if (isDiscarding() || !scan.runTo(unread, end - begin, limit())) {
                return NONE;
            }
            int frameLength = scan.scanned();
            int payloadLength = scan.payloadLength();
            long place = PlainFramer.place(frameLength, 0, stripDelimiter ? frameLength - payloadLength : 0);
            if (payloadLength > limit() || place == NONE) {
                return NONE;
            }
            scan.restart();
            return place;
        }
    }

    /** Settings of a {@link DelimiterFraming}; checked by {@link #build()}. Lengths are in bytes. */
    public static final class Builder {
        private List<byte[]> delimiters = List.of();
        private boolean stripDelimiter = true;
        private int maxPayloadLength = Limits.DEFAULT_MAX_PAYLOAD_LENGTH;
        private Oversize oversize = Oversize.FAIL;
        private OpenLast openLast = OpenLast.FAIL;

        private Builder() {}

        /**
         * What ends a frame; there is no default.
         *
         * @param delimiters at least one; encoding writes the first. Copied; they take the place of those set before.
         */
        public Builder delimiters(byte[]... delimiters) {
            this.delimiters = Arrays.stream(delimiters).map(byte[]::clone).toList();
            return this;
        }

        /** The same, of delimiters in UTF-8. */
        public Builder delimiters(String... delimiters) {
            this.delimiters = Arrays.stream(delimiters)
                    .map(delimiter -> delimiter.getBytes(StandardCharsets.UTF_8))
                    .toList();
            return this;
        }

        /** Whether the delimiter is taken off what is delivered; true by default. */
        public Builder stripDelimiter(boolean stripDelimiter) {
            this.stripDelimiter = stripDelimiter;
            return this;
        }

        /** Longest payload in bytes, delimiters never counted; 1 MiB by default. With 0 only empty payloads pass. */
        public Builder maxPayloadLength(int maxPayloadLength) {
            this.maxPayloadLength = maxPayloadLength;
            return this;
        }

        /** What becomes of longer payloads when decoding; {@link Oversize#FAIL} by default. */
        public Builder oversize(Oversize oversize) {
            this.oversize = Objects.requireNonNull(oversize, "oversize");
            return this;
        }

        /** What becomes of bytes behind the last delimiter when the input ends; {@link OpenLast#FAIL} by default. */
        public Builder openLast(OpenLast openLast) {
            this.openLast = Objects.requireNonNull(openLast, "openLast");
            return this;
        }

        /**
         * The framing.
         *
         * @throws IllegalArgumentException if a setting is out of range, or if there is no delimiter, an empty one, one
         *     twice, or one inside another anywhere but at its very end: that other one could never be found, or what is
         *     found would depend on what has arrived already
         */
        public DelimiterFraming build() {
            Limits.checkMaxPayloadLength(maxPayloadLength);
            return new DelimiterFraming(this);
        }
    }
}
