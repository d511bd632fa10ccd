package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Cuts chunks of one stream into frames and decodes them: feed chunks in, read messages out. Synchronous; used by one
 * thread at a time.
 *
 * <pre>{@code
 * try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(LengthFieldFraming.of(4)))) {
 *     reader.feed(chunk);
 *     for (byte[] message; (message = reader.read()) != null; ) { … }   // all that is whole now
 *     reader.endOfInput();
 *     for (byte[] message; (message = reader.read()) != null; ) { … }   // throws if the input ended inside a frame
 * }
 * }</pre>
 *
 * <p>Where chunks are cut makes no difference to the messages, nor to how they end. A {@link FramingException}, and
 * whatever the decoder or the listener throws, ends the reader: it is thrown from {@link #read()} or {@link #hasFrame()}
 * behind all messages before it, and again from every later call; chunks fed from then on are released unread.
 *
 * <h2>Who owns what</h2>
 *
 * The reader owns every chunk given to {@link #feed feed}, whatever happens, and releases it when its last byte has been
 * taken, when it fails, or in {@link #close()}. It never writes to a chunk. Chunks given to {@link #feedBorrowed
 * feedBorrowed} stay the caller's; what is unread at {@link #endDrain()} is copied. Payloads are decoded where they lie;
 * only a frame that was cut by the end of a chunk is copied together. Messages belong to the caller.
 *
 * @param <I> the messages
 */
public final class FrameReader<I> implements AutoCloseable {
    /** Longer payloads are unescaped into a buffer of their own. */
    private static final int KEPT_UNESCAPED = 4 * 1024;

    private final Framer framer;
    /** The same, if it is one. */
    private final @Nullable PlainFramer plainFramer;

    private final MessageDecoder<? extends I> decoder;
    private final FrameListener listener;
    private final ByteBufAllocator allocator;
    private final Framer.Answer answer = new Framer.Answer();
    private final Unread unread;

    /** For the next payload that is unescaped, when the decoder keeps none; an array, since any buffer copies into it. */
    private @Nullable ByteBuf unescaped;

    private boolean frameReady;
    private long leftToSkip;
    /** The bytes looked at last belong to the discarded frame that begins at {@link #discardedFrameOffset}. */
    private boolean discarding;

    private long discardedFrameOffset;
    private boolean inputEnded;
    private boolean askedAtEnd;
    private boolean closed;
    private @Nullable Throwable failure;
    private long streamOffset;
    private int lastPayloadLength;
    private long messages;
    private long discardedFrames;

    private FrameReader(Codec<? extends I, ?> codec, ByteBufAllocator allocator) {
        this.framer = Objects.requireNonNull(codec.framing().newFramer(), "framer");
        this.plainFramer = framer instanceof PlainFramer plain ? plain : null;
        this.decoder = codec.decoder();
        this.listener = codec.listener();
        this.allocator = Objects.requireNonNull(allocator, "allocator");
        this.unread = new Unread(allocator);
    }

    /** A reader for one stream, with Netty's default allocator for torn frames. */
    public static <I> FrameReader<I> create(Codec<? extends I, ?> codec) {
        return create(codec, ByteBufAllocator.DEFAULT);
    }

    /** A reader for one stream, with this allocator for torn frames. */
    public static <I> FrameReader<I> create(Codec<? extends I, ?> codec, ByteBufAllocator allocator) {
        return new FrameReader<>(codec, allocator);
    }

    /**
     * Takes the next chunk. Behind the end of the input, a failure or {@link #close()} it is released unread.
     *
     * @param chunk owned by the reader from now on; its readable bytes are the next bytes of the stream; or what {@link
     *     #frameBuffer()} has returned, with more bytes in it
     */
    public void feed(ByteBuf chunk) {
        if (!chunk.isReadable() || endsHere() || unread.isFrameBuffer(chunk)) {
            chunk.release();
        } else {
            unread.add(chunk);
        }
    }

    /**
     * The buffer that a large frame is being put together in, for whoever can write the next bytes of the stream straight
     * into it: they go to its writer index, at most as many as fit, and then it is {@linkplain #feed fed}. Nothing else is
     * fed in between.
     *
     * @return retained for the caller, who feeds or releases it; {@code null} when the next bytes are to come in a chunk
     */
    public @Nullable ByteBuf frameBuffer() {
        return leftToSkip > 0 || endsHere() ? null : unread.frameBuffer(answer.lastNeed());
    }

    /**
     * Takes the next chunk for this drain: until {@link #endDrain()} it is read where it lies. Its reader index moves.
     *
     * @param chunk stays the caller's, who keeps its bytes as they are until {@link #endDrain()}, and longer if a message
     *     retained it; its readable bytes are the next bytes of the stream
     */
    public void feedBorrowed(ByteBuf chunk) {
        feedBorrowed(chunk, 0);
    }

    /**
     * {@link #feedBorrowed(ByteBuf) Takes the next chunk for this drain}, with room in front of its reader index: a frame
     * that the chunk before has cut may be put there, so that it lies in one piece without a buffer of its own.
     *
     * @param headroom bytes in front of the reader index that the reader may write
     */
    public void feedBorrowed(ByteBuf chunk, int headroom) {
        if (chunk.isReadable() && !endsHere()) {
            unread.borrow(chunk, headroom, answer.lastNeed());
        }
    }

    /** Ends the drain: a borrowed chunk is no longer looked at; what is unread of it has been copied. */
    public void endDrain() {
        unread.endBorrowing(answer.lastNeed());
    }

    /** No chunk follows. Messages that are whole can still be read, then the end is judged. */
    public void endOfInput() {
        inputEnded = true;
    }

    /**
     * Whether {@link #read()} has a message now, without decoding it.
     *
     * @throws FramingException if the next bytes are no frame, or the input ended inside one
     */
    public boolean hasFrame() {
        return frameReady || findFrame();
    }

    private boolean findFrame() {
        if (failure != null || closed) {
            throwFailure();
            return false;
        }
        if (unread.isEmpty() && !inputEnded) {
            return false;
        }
        try {
            frameReady = advance();
            return frameReady;
        } catch (Throwable e) {
            fail(e);
            throw e;
        }
    }

    /**
     * The next message, or {@code null} if no whole frame is at hand.
     *
     * @throws FramingException if the next bytes are no frame, or the input ended inside one
     */
    public @Nullable I read() {
        I message = takeFromChunk();
        if (message != null) {
            return message;
        }
        return hasFrame() ? take() : null;
    }

    /**
     * Reads messages until no whole frame is at hand, or the sink has enough, or {@code limit} of them are read.
     *
     * @param sink takes each message; what it throws is thrown from here, and does not end the reader
     * @param limit messages to read at most
     * @return whether no whole frame is at hand
     * @throws FramingException if the next bytes are no frame, or the input ended inside one
     */
    public boolean read(MessageSink<? super I> sink, long limit) {
        long left = limit;
        do {
            I message;
            while (left > 0 && (message = takeFromChunk()) != null) {
                left--;
                if (!sink.message(message, lastPayloadLength)) {
                    return false;
                }
            }
            if (!hasFrame()) {
                return true;
            }
            if (left <= 0) {
                return false;
            }
            left--;
        } while (sink.message(take(), lastPayloadLength));
        return false;
    }

    /**
     * The short way for most frames: a plain one that lies whole in the chunk. What is no such frame is left, with the answer
     * about it, to {@link #advance()}. Nothing is kept in local variables from one frame to the next: the sink may call the
     * reader, and a compiler must not take the chunk, which may be of another class next time, for fixed in a loop.
     *
     * @return {@code null} if the next frame has to go the long way
     */
    private @Nullable I takeFromChunk() {
        ByteBuf in = unread.chunkAtFrame();
        if (in == null || frameReady || leftToSkip > 0) {
            return null;
        }
        int begin = in.readerIndex();
        int end = in.writerIndex();
        int frameLength;
        int payloadLength;
        I message;
        try {
            int payloadOffset;
            if (plainFramer != null) {
                long place = plainFramer.plainFrame(in, begin, end);
                if (place == PlainFramer.NONE) {
                    return null;
                }
                frameLength = PlainFramer.frameLength(place);
                payloadOffset = PlainFramer.before(place);
                payloadLength = frameLength - payloadOffset - PlainFramer.behind(place);
                if (frameLength > end - begin) {
                    answer.needFrame(frameLength, payloadOffset);
                    return null;
                }
            } else {
                ask(in, begin, end, false);
                if (!answer.isFrameWithin(end - begin)) {
                    frameReady = isFrame(end - begin);
                    return null;
                }
                frameLength = answer.frameLength;
                payloadOffset = answer.payloadOffset;
                payloadLength = (int) answer.payloadLength;
            }
            message = decode(in, begin + payloadOffset, payloadLength);
        } catch (Throwable e) {
            in.setIndex(begin, end);
            fail(e);
            throw e;
        }
        discarding = false;
        taken(begin + frameLength, end, payloadLength, frameLength);
        return message;
    }

    /** Decodes the frame that is ready. */
    private I take() {
        frameReady = false;
        ByteBuf in = unread.first();
        int begin = in.readerIndex();
        int end = in.writerIndex();
        int next = begin + answer.frameLength;
        int payloadLength = (int) answer.payloadLength;
        I message;
        try {
            message = answer.kind == Framer.Answer.Kind.FRAME
                    ? decode(in, begin + answer.payloadOffset, payloadLength)
                    : decodeEscaped(in, next, payloadLength);
        } catch (Throwable e) {
            in.setIndex(begin, end);
            fail(e);
            throw e;
        }
        taken(next, end, payloadLength, answer.frameLength);
        return message;
    }

    /** A frame has become a message. */
    private void taken(int next, int end, int payloadLength, int frameLength) {
        lastPayloadLength = payloadLength;
        messages++;
        consumed(frameLength);
        unread.readTo(next, end);
    }

    /** Messages read so far. */
    public long messages() {
        return messages;
    }

    /** Whether reading has failed: every further call throws the same. */
    public boolean hasFailed() {
        return failure != null;
    }

    /** Payload bytes, as they were on the wire, of the message read last. */
    public int lastPayloadLength() {
        return lastPayloadLength;
    }

    /** Unread bytes that are held now, a torn frame's included. */
    public long bytesAtHand() {
        return unread.length();
    }

    /** Bytes of the stream before the next frame. */
    public long streamOffset() {
        return streamOffset;
    }

    /**
     * Where in the stream the frame begins that has come in part, an oversize one that is being skipped included; {@code -1}
     * if there is none. Has a meaning once {@link #hasFrame()} has found no whole frame.
     */
    public long tornFrameOffset() {
        if (endsHere()) {
            return -1;
        }
        if (discarding && (leftToSkip > 0 || framer.isDiscarding())) {
            return discardedFrameOffset;
        }
        return unread.length() > 0 ? streamOffset : -1;
    }

    /** Oversize frames skipped so far. */
    public long discardedFrames() {
        return discardedFrames;
    }

    /** Bytes copied so far because a chunk's end cut a frame, or because a borrowed chunk had unread bytes. */
    long copiedBytes() {
        return unread.copiedBytes();
    }

    /**
     * Takes out all bytes that no frame has taken, in order, and closes the reader: what the next protocol goes on with.
     *
     * @return the unread bytes, owned by the caller; may be empty
     */
    public ByteBuf rest() {
        ByteBuf rest = unread.takeAll();
        close();
        return rest;
    }

    /** Releases all input; nothing can be read any more. Idempotent. */
    @Override
    public void close() {
        closed = true;
        frameReady = false;
        releaseAll();
    }

    // ---- cutting

    /** Looks for the next frame; leaves it in {@link #answer} and says whether there is one. */
    private boolean advance() {
        do {
            while (leftToSkip == 0 && unread.firstLength() >= answer.lastNeed()) {
                if (answer.isNeededFrame()) {
                    discarding = false;
                    return true;
                }
                ByteBuf in = unread.first();
                int begin = in.readerIndex();
                int end = in.writerIndex();
                ask(in, begin, end, false);
                if (isFrame(end - begin)) {
                    return true;
                }
            }
        } while (leftToSkip > 0 ? skip() : unread.gather(answer.lastNeed()));
        return inputEnded && judgeEnd();
    }

    /** Does what the framer has answered; says whether it was a frame. */
    private boolean isFrame(int readable) {
        switch (answer.kind) {
            case FRAME, ESCAPED_FRAME -> {
                checkFrame(readable);
                discarding = false;
                return true;
            }
            case NEED -> checkProgress(answer.lastNeed() > readable, answer.lastNeed());
            case SKIP -> {
                checkProgress(answer.bytes > 0, answer.bytes);
                leftToSkip = answer.bytes;
                discarding = false;
            }
            case DISCARD -> {
                checkProgress(answer.bytes > 0, answer.bytes);
                leftToSkip = answer.bytes;
                discarding = true;
                discardedFrameOffset = streamOffset;
                discardedFrames++;
                listener.frameDiscarded(streamOffset, answer.payloadLength, answer.maxPayloadLength);
            }
            case DISCARD_MORE -> {
                checkProgress(answer.bytes > 0, answer.bytes);
                if (!discarding) {
                    throw fault("framer goes on with a frame that it has not begun to discard", "bytes", answer.bytes);
                }
                leftToSkip = answer.bytes;
            }
            default -> throw fault("framer gave no answer", "unreadBytes", readable);
        }
        return false;
    }

    private void ask(ByteBuf in, int begin, int end, boolean atEnd) {
        answer.clear();
        try {
            if (atEnd) {
                framer.atEnd(in, answer);
            } else {
                framer.frame(in, answer);
            }
        } catch (Throwable e) {
            in.setIndex(begin, end); // the failure names the bytes from the frame's first on
            throw e;
        }
        if (in.readerIndex() != begin || in.writerIndex() != end) {
            throw movedIndex(in, begin, end);
        }
    }

    private IllegalStateException movedIndex(ByteBuf in, int begin, int end) {
        int readerMoved = in.readerIndex() - begin;
        int writerMoved = in.writerIndex() - end;
        in.setIndex(begin, end);
        return fault(
                "framer moved an index", "readerIndexMovedBy=" + readerMoved + ", writerIndexMovedBy=" + writerMoved);
    }

    private void checkFrame(int readable) {
        int length = answer.frameLength;
        if (length <= 0) {
            throw fault("framer made no progress", "frameLength", length);
        }
        if (length > readable) {
            throw fault("framer's frame reaches beyond the unread bytes", "frameLength", length, readable);
        }
        if (answer.kind == Framer.Answer.Kind.FRAME) {
            long payloadEnd = answer.payloadOffset + answer.payloadLength;
            if (answer.payloadOffset < 0 || answer.payloadLength < 0 || payloadEnd > length) {
                throw fault("framer's payload is not inside its frame", "payloadEnd", payloadEnd, length);
            }
        } else if (answer.payloadLength < 0) {
            throw fault("framer's payload length is below zero", "payloadLength", answer.payloadLength);
        }
    }

    private void checkProgress(boolean progress, long bytes) {
        if (!progress) {
            throw fault("framer made no progress", "answer=" + answer.kind + ", bytes", bytes);
        }
    }

    private void consumed(long bytes) {
        streamOffset += bytes;
        answer.frameBegins();
    }

    /** Drops bytes that belong to no frame that is delivered; false if more of them have to come. */
    private boolean skip() {
        long skipped = unread.skip(leftToSkip);
        if (skipped > 0) {
            consumed(skipped);
        }
        leftToSkip -= skipped;
        return leftToSkip == 0;
    }

    // ---- the end

    /** Asks the framer, once, what the end makes of the unread bytes; whether they are a last frame. */
    private boolean judgeEnd() {
        if (leftToSkip > 0 && discarding) {
            TruncatedFrameException e = new TruncatedFrameException(
                    "input ended inside a frame that was discarded: bytesNeeded=" + leftToSkip);
            e.locate(discardedFrameOffset, Unpooled.EMPTY_BUFFER);
            throw e;
        }
        leftToSkip = 0;
        if (askedAtEnd) {
            releaseAll();
            return false;
        }
        askedAtEnd = true;
        ByteBuf in = unread.first();
        int readable = in.readableBytes();
        ask(in, in.readerIndex(), in.writerIndex(), true);
        return switch (answer.kind) {
            case NONE -> {
                releaseAll();
                yield false;
            }
            case FRAME, ESCAPED_FRAME -> {
                checkFrame(readable);
                checkIsLast(readable, answer.frameLength);
                yield true;
            }
            case DISCARD -> {
                checkIsLast(readable, answer.bytes);
                isFrame(readable);
                skip();
                yield judgeEnd();
            }
            default -> throw fault("framer answered neither a frame nor nothing at the end", "bytes", answer.bytes);
        };
    }

    private void checkIsLast(int readable, long frameLength) {
        if (frameLength < readable) {
            throw fault("framer's last frame leaves bytes behind it", "frameLength", frameLength, readable);
        }
    }

    private boolean endsHere() {
        return inputEnded || closed || failure != null;
    }

    private void fail(Throwable e) {
        if (e instanceof FramingException framingException) {
            if (discarding && framer.isDiscarding()) {
                framingException.locate(discardedFrameOffset, Unpooled.EMPTY_BUFFER);
            } else {
                framingException.locate(streamOffset, unread.first());
            }
        }
        failure = e;
        frameReady = false;
        releaseAll();
    }

    private void throwFailure() {
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
        if (failure != null) { // a checked exception that a decoder threw past the compiler
            throw new IllegalStateException("reader has failed", failure);
        }
    }

    // ---- decoding

    private I decode(ByteBuf in, int payloadIndex, int payloadLength) {
        in.setIndex(payloadIndex, payloadIndex + payloadLength);
        return notNull(decoder.decode(in));
    }

    private I decodeEscaped(ByteBuf in, int next, int payloadLength) {
        ByteBuf payload = bufferToUnescape(payloadLength);
        try {
            in.writerIndex(next);
            framer.unescape(in, payload);
            if (payload.readableBytes() != payloadLength) {
                throw fault(
                        "framer unescaped another length than it said",
                        "payloadLength",
                        payload.readableBytes(),
                        payloadLength);
            }
            return notNull(decoder.decode(payload));
        } finally {
            giveBack(payload);
        }
    }

    private ByteBuf bufferToUnescape(int payloadLength) {
        if (payloadLength > KEPT_UNESCAPED || decoder.keepsPayload()) {
            return allocator.buffer(payloadLength);
        }
        ByteBuf kept = unescaped;
        unescaped = null;
        return kept == null ? Unpooled.buffer(KEPT_UNESCAPED, KEPT_UNESCAPED) : kept.clear();
    }

    private void giveBack(ByteBuf payload) {
        if (payload.capacity() == KEPT_UNESCAPED && payload.refCnt() == 1 && unescaped == null && !closed) {
            unescaped = payload;
        } else {
            payload.release();
        }
    }

    private void releaseAll() {
        unread.release();
        if (unescaped != null) {
            unescaped.release();
            unescaped = null;
        }
    }

    private I notNull(@Nullable I message) {
        if (message == null) {
            throw new IllegalStateException("decoder returned null: decoder="
                    + decoder.getClass().getName() + ", streamOffset=" + streamOffset);
        }
        return message;
    }

    private IllegalStateException fault(String what, String name, long value, long limit) {
        return fault(what, name + "=" + value + ", limit=" + limit);
    }

    private IllegalStateException fault(String what, String name, long value) {
        return fault(what, name + "=" + value);
    }

    private IllegalStateException fault(String what, String facts) {
        return new IllegalStateException(
                what + ": framer=" + framer.getClass().getName() + ", " + facts + ", streamOffset=" + streamOffset);
    }
}
