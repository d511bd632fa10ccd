package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Puts messages into frames and frames into few contiguous buffers: write messages in, poll buffers out. Synchronous; used
 * by one thread at a time.
 *
 * <p>It has two sides. A {@link MessageEncoder} sees the one of the message that is being written: {@link #buffer()},
 * {@link #append append} and {@link #unframed()}. Whoever sends sees the other:
 *
 * <pre>{@code
 * try (FrameWriter writer = FrameWriter.create(framing, allocator)) {
 *     for (Order order : orders) { writer.write(order, encoder); }
 *     for (ByteBuf buffer; (buffer = writer.poll()) != null; ) { channel.write(buffer); }
 * }
 * }</pre>
 *
 * <p>A message is written whole or not at all: if its encoder throws, or the framing refuses the payload, the bytes and
 * the messages before it stay as they were. The writer owns what it has encoded until it is polled; {@link #close()}
 * releases the rest. Appended payloads are owned from the call on.
 */
public final class FrameWriter implements AutoCloseable {
    // A message that is being written, where its framing only needs a header in front:
    //
    //   ready: …, [slice of target up to the append], [appended payload]     parts of it that are fixed already
    //   target: … | header | payload so far
    //             ^ messageBegin (index)
    //
    // Where the framing has to see the whole payload it is collected in scratch, and encode() appends the frame.

    // A buffer is as large as those before it were filled: a lone message must not cost what many together need.
    private static final int SMALLEST_BUFFER = 512;
    private static final int LARGEST_BUFFER = 16 * 1024;
    /** A buffer grows so much where it was too small, and shrinks where less than this part of it was needed. */
    private static final int BUFFER_STEP = 4;
    /** So often in a row, since one small batch says little. */
    private static final int TOO_LARGE_TIMES = 8;

    /** Up to this length a copy costs less than a buffer of its own. */
    private static final int COPIED_APPEND = 1024;
    /** Beyond this a size hint is not believed; the buffer then grows as it is written. */
    private static final int BELIEVED_HINT = 1024 * 1024;

    private final Framing framing;
    private final ByteBufAllocator allocator;
    private final ArrayDeque<ByteBuf> ready = new ArrayDeque<>();
    /** Encoded bytes of {@code ready} and {@code target}, those polled included. */
    private long writtenBytes;

    private @Nullable ByteBuf target;
    private @Nullable ByteBuf scratch;
    /** Of the next target. */
    private int bufferCapacity = SMALLEST_BUFFER;
    /** How often in a row a target of this capacity was too large. */
    private int tooLarge;

    // Of the message that is being written.
    private boolean writing;
    private boolean collecting;
    private boolean unframed;
    /** Room for {@code hint} bytes is there, or no longer to be made. */
    private boolean hintTaken;

    private int hint;
    private int messageBegin;
    private int headerRoom;
    private int readBefore;
    private int partsBefore;
    private int payloadBegin;
    /** Payload bytes in {@code ready}. */
    private long partsLength;

    private FrameWriter(Framing framing, ByteBufAllocator allocator) {
        this.framing = Objects.requireNonNull(framing, "framing");
        this.allocator = Objects.requireNonNull(allocator, "allocator");
    }

    /** A writer for one stream. */
    public static FrameWriter create(Framing framing, ByteBufAllocator allocator) {
        return new FrameWriter(framing, allocator);
    }

    // ---- the side of the message

    /**
     * Takes the payload, at its writer index. Earlier messages may lie before it: write relative to the writer index
     * that it has now. Ask again after {@link #append append} and {@link #unframed()}.
     */
    public ByteBuf buffer() {
        checkWriting();
        if (collecting) {
            return scratch();
        }
        if (!hintTaken) { // not earlier: a message that only appends needs no room
            hintTaken = true;
            target().writerIndex(messageBegin);
            reserve(headerRoom + hint);
        }
        return target();
    }

    /**
     * Appends a payload, without a copy if it is large and the framing does not need to see it.
     *
     * @param payload its readable bytes; owned by the writer from now on, whatever happens. To append a message that
     *     whoever sends will release, pass {@code message.retainedSlice()}.
     */
    public void append(ByteBuf payload) {
        if (!writing) {
            payload.release();
        }
        checkWriting();
        if (collecting || payload.readableBytes() <= COPIED_APPEND) {
            try {
                buffer().writeBytes(payload, payload.readerIndex(), payload.readableBytes());
            } finally {
                payload.release();
            }
            return;
        }
        hintTaken = true;
        ByteBuf before = target();
        partsLength += before.writerIndex() - payloadBegin + payload.readableBytes();
        if (before.isReadable()) {
            ready.add(before.readRetainedSlice(before.readableBytes()));
        }
        ready.add(payload);
        payloadBegin = before.writerIndex();
    }

    /**
     * What this message writes is its whole frame already: the framing adds nothing and checks nothing. For messages that
     * stand outside the framing, such as PostgreSQL's start-up packet. To be called before anything is written.
     *
     * @throws IllegalStateException if the message has written already
     */
    public void unframed() {
        checkWriting();
        if (payloadLength() > 0) {
            throw new IllegalStateException("unframed() comes before the first byte of a message: bytesWritten="
                    + payloadLength() + ", limit=0");
        }
        unframed = true;
        collecting = false;
        hintTaken = false;
        target().writerIndex(messageBegin);
        headerRoom = 0;
        payloadBegin = messageBegin;
    }

    // ---- the side of whoever sends

    /**
     * Encodes one message and appends its frame.
     *
     * @param message not released here
     * @throws IllegalArgumentException if the framing cannot carry the payload
     */
    public <O> void write(O message, MessageEncoder<? super O> encoder) {
        if (writing) {
            throw new IllegalStateException("an encoder may not write other messages");
        }
        begin(encoder.sizeHint(message));
        boolean done = false;
        try {
            encoder.encode(message, this);
            finish();
            done = true;
        } finally {
            if (!done) {
                rollBack();
            }
            dropLargeScratch();
            writing = false;
        }
    }

    /** Encoded bytes that have not been polled. */
    public long pendingBytes() {
        long bytes = target == null ? 0 : target.readableBytes();
        for (ByteBuf buffer : ready) {
            bytes += buffer.readableBytes();
        }
        return bytes;
    }

    /** All bytes encoded so far, polled or not: where the message written last ends in the stream. */
    public long writtenBytes() {
        return writtenBytes;
    }

    /** The next buffer of encoded bytes, owned by the caller; {@code null} when there is none. */
    public @Nullable ByteBuf poll() {
        if (writing) {
            throw new IllegalStateException("an encoder may not take what was written before");
        }
        if (target != null) {
            learn(target.writerIndex());
            retireTarget(); // it must not grow, and so move, once a part of it is being sent
        }
        return ready.poll();
    }

    /** Releases all that was not polled. Idempotent. */
    @Override
    public void close() {
        if (writing) {
            throw new IllegalStateException("an encoder may not close the writer");
        }
        ready.forEach(ByteBuf::release);
        ready.clear();
        if (target != null) {
            target.release();
            target = null;
        }
        if (scratch != null) {
            scratch.release();
            scratch = null;
        }
    }

    // ---- one message

    private void begin(int sizeHint) {
        int room = framing.headerLength(Math.max(sizeHint, 0));
        collecting = room < 0;
        headerRoom = Math.max(room, 0);
        hint = Math.min(Math.max(sizeHint, 0), BELIEVED_HINT);
        hintTaken = false;
        unframed = false;
        partsLength = 0;
        reserve(headerRoom);
        if (collecting) {
            scratch().clear();
        }
        writing = true;
    }

    /** Begins the message, or begins it anew, where {@code capacity} bytes have room. */
    private void reserve(int capacity) {
        if (target != null && target.writableBytes() < capacity) {
            grow();
            retireTarget();
        }
        partsBefore = ready.size();
        if (target == null) {
            target = allocator.buffer(Math.max(bufferCapacity, capacity));
        }
        readBefore = target.readerIndex();
        messageBegin = target.writerIndex();
        payloadBegin = messageBegin + headerRoom;
        target.writerIndex(payloadBegin);
    }

    private void grow() {
        bufferCapacity = Math.min(bufferCapacity * BUFFER_STEP, LARGEST_BUFFER);
        tooLarge = 0;
    }

    /** The last target of a batch has been filled so far. */
    private void learn(int filled) {
        if (filled > bufferCapacity) {
            grow();
        } else if (filled > bufferCapacity / BUFFER_STEP) {
            tooLarge = 0;
        } else if (++tooLarge == TOO_LARGE_TIMES) {
            bufferCapacity = Math.max(bufferCapacity / BUFFER_STEP, SMALLEST_BUFFER);
            tooLarge = 0;
        }
    }

    private void retireTarget() {
        if (target == null) {
            return;
        }
        if (target.isReadable()) {
            ready.add(target);
        } else {
            target.release();
        }
        target = null;
    }

    private void finish() {
        long payloadLength = payloadLength();
        long frameLength = payloadLength;
        if (collecting) {
            reserve(scratch().readableBytes());
            framing.encode(scratch(), target());
            frameLength = (long) target().writerIndex() - messageBegin;
        } else if (!unframed) {
            frameLength = putHeader(payloadLength);
        }
        writtenBytes += frameLength;
    }

    private void dropLargeScratch() {
        if (scratch != null && scratch.capacity() > LARGEST_BUFFER) {
            scratch.release();
            scratch = null;
        }
    }

    /** Writes the header in front of the payload, which moves if the room left by the size hint does not fit. */
    private long putHeader(long payloadLength) {
        int length = framing.headerLength(payloadLength);
        if (length < 0) {
            throw new IllegalStateException("framing has headers for some lengths only: framing="
                    + framing.getClass().getName() + ", payloadLength=" + payloadLength + ", headerLength=" + length);
        }
        if (length == headerRoom) {
            framing.setHeader(payloadLength, target(), messageBegin);
        } else if (ready.size() == partsBefore) {
            int from = messageBegin + headerRoom;
            int to = messageBegin + length;
            target().ensureWritable(Math.max(0, to - from));
            target().setBytes(to, target(), from, (int) payloadLength);
            target().writerIndex(to + (int) payloadLength);
            framing.setHeader(payloadLength, target(), messageBegin);
        } else {
            rebuild(length, payloadLength);
        }
        return length + payloadLength;
    }

    /** The room for the header lies in a part that is fixed already: the frame is copied into a buffer of its own. */
    private void rebuild(int headerLength, long payloadLength) {
        ByteBuf frame = allocator.buffer(Math.toIntExact(headerLength + payloadLength));
        boolean done = false;
        try {
            framing.setHeader(payloadLength, frame.writerIndex(headerLength), 0);
            ArrayDeque<ByteBuf> parts = new ArrayDeque<>();
            while (ready.size() > partsBefore) {
                parts.addFirst(ready.removeLast());
            }
            if (messageBegin + headerRoom > readBefore) {
                parts.element().skipBytes(messageBegin + headerRoom - readBefore);
            }
            for (ByteBuf part : parts) {
                frame.writeBytes(part);
                part.release();
            }
            frame.writeBytes(target(), payloadBegin, target().writerIndex() - payloadBegin);
            done = true;
        } finally {
            if (!done) {
                frame.release();
            }
        }
        target().setIndex(readBefore, messageBegin);
        if (target().isReadable()) {
            ready.add(target().readRetainedSlice(target().readableBytes()));
        }
        ready.add(frame);
    }

    private long payloadLength() {
        return collecting ? scratch().readableBytes() : partsLength + target().writerIndex() - payloadBegin;
    }

    private void rollBack() {
        while (ready.size() > partsBefore) {
            ready.removeLast().release();
        }
        if (target != null) { // unless no memory was left for it
            target.setIndex(readBefore, messageBegin);
        }
    }

    private ByteBuf target() {
        return Objects.requireNonNull(target, "target");
    }

    private ByteBuf scratch() {
        if (scratch == null) {
            scratch = allocator.buffer(Math.max(SMALLEST_BUFFER, hint));
        }
        return scratch;
    }

    private void checkWriting() {
        if (!writing) {
            throw new IllegalStateException("only an encoder may do this, while it encodes");
        }
    }
}
