package dev.sluice.framing;

import io.netty.buffer.ByteBuf;

/**
 * The state of a framing for one stream: it looks at the unread bytes and answers what they are. Used by one thread at a
 * time.
 *
 * <p>Each call of {@link #frame frame} gives exactly one answer, about the bytes from the reader index on:
 *
 * <ol>
 *   <li>{@link Answer#frame frame}: a whole frame lies here. Its payload is delivered, and the next call begins behind it.
 *   <li>{@link Answer#need need}: nothing can be said before at least that many bytes are there, counted from the reader
 *       index. The next call comes when they are, with the same first byte, or not at all when the input ends.
 *   <li>{@link Answer#skip skip}: these bytes belong to no frame (white space, empty lines). The next call begins behind.
 *   <li>{@link Answer#discard discard}: these bytes belong to an oversize frame. It is reported; the next call begins
 *       behind them, where {@link Answer#discardMore discardMore} goes on with the same frame.
 *   <li>A {@link FramingException} is thrown: the stream ends here.
 * </ol>
 *
 * <p>What a reader does with it is equivalent to
 *
 * <pre>{@code
 * while (true) {
 *     framer.frame(unread, answer);
 *     if (answer is frame)   { deliver(payload); unread.skipBytes(frameLength); }
 *     if (answer is skip)    { unread.skipBytes(n); }         // n may reach beyond what is there:
 *     if (answer is discard) { unread.skipBytes(n); }         // the reader owns the rest
 *     if (answer is need)    { wait until n bytes are there, or the input ends; }
 * }
 * framer.atEnd(unread, answer);                               // once
 * }</pre>
 *
 * <p>A framer reads by absolute index from {@code unread.readerIndex()}, which is rarely 0, up to {@code
 * unread.writerIndex()}. It moves no index, writes nothing and keeps no reference. A framer that searches remembers how
 * far it has looked, counted from the reader index, so that no byte is scanned twice. An answer that makes no progress or
 * a frame that reaches beyond the readable bytes is reported as the framer's fault, by its class name, as an {@link
 * IllegalStateException}.
 */
@FunctionalInterface
public interface Framer {
    /**
     * Looks at the unread bytes; there is at least one, and at least as many as the last {@link Answer#need need} said.
     *
     * @param unread from its reader index to its writer index: what no frame has taken yet
     * @param answer takes the answer
     * @throws FramingException if the bytes are no frame of this framing
     */
    void frame(ByteBuf unread, Answer answer);

    /**
     * The input has ended; called once, also with nothing unread. Either answers {@link Answer#frame frame}, the last
     * one, or nothing, which completes the stream, or throws; or answers {@link Answer#discard discard} where only the end
     * shows that what is unread is oversize: beyond the readable bytes, if the frame is truncated too. By default any
     * unread byte is a truncated frame.
     *
     * @param unread the bytes that no frame has taken
     * @param answer takes the answer
     * @throws FramingException if the input must not end here
     */
    default void atEnd(ByteBuf unread, Answer answer) {
        if (unread.isReadable()) {
            throw new TruncatedFrameException("input ended inside a frame: bytesAtHand=" + unread.readableBytes()
                    + ", bytesNeeded=" + answer.lastNeed());
        }
    }

    /**
     * Whether this framer is inside an oversize frame that it discards part by part. Asked when it has thrown, so that the
     * failure is located at the first byte of that frame.
     */
    default boolean isDiscarding() {
        return false;
    }

    /**
     * Writes the payload of a frame that was answered by {@link Answer#escapedFrame escapedFrame}.
     *
     * @param frame its readable bytes are the whole frame; valid during the call
     * @param target takes the payload; its bytes belong to the reader
     */
    default void unescape(ByteBuf frame, ByteBuf target) {
        throw new UnsupportedOperationException(getClass().getName() + " answers escapedFrame but does not unescape");
    }

    /** Takes the one answer of a call. Made and read by {@link FrameReader}. */
    final class Answer {
        /** What was answered. */
        enum Kind {
            NONE,
            FRAME,
            ESCAPED_FRAME,
            NEED,
            SKIP,
            DISCARD,
            DISCARD_MORE
        }

        Kind kind = Kind.NONE;
        /** Of a frame. */
        int frameLength;

        int payloadOffset;
        /** Of a frame, or of the oversize frame that is discarded. */
        long payloadLength;

        long maxPayloadLength;
        /** To skip or to discard. */
        long bytes;

        private long needed = 1;
        /** If the frame at hand is a plain one once what it needs is there: the bytes before its payload; else below zero. */
        private int offsetWhenWhole = -1;

        Answer() {}

        /** Before each call. */
        void clear() {
            kind = Kind.NONE;
        }

        /** Whether a plain frame was answered that lies whole within so many bytes, its payload inside it. */
        boolean isFrameWithin(int readableBytes) {
            return kind == Kind.FRAME
                    && (frameLength - 1
                                    | readableBytes - frameLength
                                    | payloadOffset
                                    | payloadLength
                                    | frameLength - payloadOffset - payloadLength)
                            >= 0;
        }

        /** Bytes that the frame at hand needs at least, counted from its first. */
        long lastNeed() {
            return needed;
        }

        /** The bytes behind the reader index are others now. */
        void frameBegins() {
            needed = 1;
            offsetWhenWhole = -1;
        }

        /** The beginning of a plain frame of this length is here: when all of it is, it need not be looked at again. */
        void needFrame(long frameLength, int payloadOffset) {
            need(frameLength);
            offsetWhenWhole = payloadOffset;
        }

        /** What is needed is there now: answers with the frame that this makes, if that was known. */
        boolean isNeededFrame() {
            if (offsetWhenWhole < 0) {
                return false;
            }
            frame((int) needed, offsetWhenWhole, (int) needed - offsetWhenWhole);
            return true;
        }

        /**
         * A whole frame lies at the reader index.
         *
         * @param frameLength bytes of the whole frame, at least 1
         * @param payloadOffset bytes of the frame before its payload
         * @param payloadLength bytes of the payload
         */
        public void frame(int frameLength, int payloadOffset, int payloadLength) {
            kind = Kind.FRAME;
            this.frameLength = frameLength;
            this.payloadOffset = payloadOffset;
            this.payloadLength = payloadLength;
        }

        /**
         * A whole frame lies at the reader index whose payload does not lie there as it is: {@link Framer#unescape
         * unescape} will write it.
         *
         * @param frameLength bytes of the whole frame, at least 1
         * @param payloadLength bytes that {@code unescape} will write
         */
        public void escapedFrame(int frameLength, int payloadLength) {
            kind = Kind.ESCAPED_FRAME;
            this.frameLength = frameLength;
            this.payloadOffset = 0;
            this.payloadLength = payloadLength;
        }

        /**
         * At least this many bytes must be there before anything can be said.
         *
         * @param bytes counted from the reader index, more than are readable now
         */
        public void need(long bytes) {
            kind = Kind.NEED;
            needed = bytes;
            offsetWhenWhole = -1;
        }

        /**
         * These bytes belong to no frame.
         *
         * @param bytes at least 1; may be more than are readable
         */
        public void skip(long bytes) {
            kind = Kind.SKIP;
            this.bytes = bytes;
        }

        /**
         * An oversize frame begins here. It is reported once to the {@link FrameListener}.
         *
         * @param bytes of it to skip, at least 1; may be more than are readable
         * @param payloadLength its payload bytes as far as known; {@link Long#MAX_VALUE} for anything beyond
         * @param maxPayloadLength the limit in bytes
         */
        public void discard(long bytes, long payloadLength, long maxPayloadLength) {
            kind = Kind.DISCARD;
            this.bytes = bytes;
            this.payloadLength = payloadLength;
            this.maxPayloadLength = maxPayloadLength;
        }

        /**
         * The oversize frame that was reported goes on.
         *
         * @param bytes of it to skip, at least 1; may be more than are readable
         */
        public void discardMore(long bytes) {
            kind = Kind.DISCARD_MORE;
            this.bytes = bytes;
        }
    }
}
