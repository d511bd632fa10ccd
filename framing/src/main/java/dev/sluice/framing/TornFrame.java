package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one frame that did not lie whole in one chunk, copied together; owned by a {@link FrameReader}.
 *
 * <p>Normally one buffer that grows by at most four times what is there. While less than a quarter of a large frame of
 * known length has come, its bytes lie in pieces that are never copied as they become more; then one buffer of exactly the
 * frame's length takes the pieces and all that follows. So a frame costs at most 1.25 copies of itself, a peer that
 * announces much and sends little reserves nothing, and nothing is kept of a large frame once it is gone.
 */
final class TornFrame {
    /** Frames up to this length are not worth pieces. */
    private static final int LARGE = 64 * 1024;

    private static final int SMALLEST = 64;
    /** A larger buffer is not kept for the next torn frame; up to here it is an array. */
    private static final int KEPT = 4 * 1024;

    private final ByteBufAllocator allocator;
    /** What is not in pieces. */
    private ByteBuf bytes = Unpooled.EMPTY_BUFFER;
    /** The frame's first bytes; {@code bytes} follow. Empty unless the frame is large. */
    private final ArrayDeque<ByteBuf> pieces = new ArrayDeque<>(0);

    private long piecesLength;
    private long copiedBytes;

    TornFrame(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    long length() {
        return piecesLength + bytes.readableBytes();
    }

    /** Bytes that can be taken before any have to be moved. */
    int room() {
        return bytes.writableBytes();
    }

    /** Bytes copied so far, those moved when a buffer grew counted again. */
    long copiedBytes() {
        return copiedBytes;
    }

    /**
     * Appends the next bytes of {@code from}.
     *
     * @param needed bytes that the frame needs as far as is known, those here included; fewer than are there after this
     *     when its end is being searched for: then there is room at once for all of {@code from}
     */
    void take(ByteBuf from, int count, long needed) {
        if (bytes.writableBytes() < count || piecesLength > 0) {
            makeRoom(count, length() + from.readableBytes(), needed);
        }
        append(bytes, from, count);
        copiedBytes += count;
    }

    private static void append(ByteBuf to, ByteBuf from, int count) {
        if (to.hasArray()) { // otherwise pooled buffers make a view of the other for each copy
            int end = to.writerIndex();
            from.readBytes(to.array(), to.arrayOffset() + end, count);
            to.writerIndex(end + count);
        } else {
            to.writeBytes(from, count);
        }
    }

    /**
     * @param there bytes of the stream that are here, or in the chunk that is being taken from
     */
    private void makeRoom(int count, long there, long needed) {
        long after = length() + count;
        if (needed > LARGE && 4 * after < needed) {
            if (bytes.writableBytes() < count) {
                newPiece(count);
            }
            return;
        }
        if (piecesLength == 0 && bytes.writableBytes() >= count) {
            return;
        }
        long room = after <= needed ? Math.min(needed, 4 * after) : there;
        long wanted = Math.max(Math.max(SMALLEST, after), Math.max(room, 2 * length()));
        int capacity = (int) Math.min(wanted, Integer.MAX_VALUE - 8);
        if (after > capacity) {
            throw new FrameTooLongException(after, capacity);
        }
        moveTo(capacity <= KEPT ? allocator.heapBuffer(capacity) : allocator.buffer(capacity));
    }

    private void newPiece(int count) {
        long there = length();
        if (bytes.isReadable()) {
            piecesLength += bytes.readableBytes();
            pieces.add(bytes);
        } else {
            bytes.release();
        }
        bytes = Unpooled.EMPTY_BUFFER;
        bytes = allocator.buffer((int) Math.max(count, Math.min(there, LARGE)));
    }

    private void moveTo(ByteBuf target) {
        copiedBytes += length();
        for (ByteBuf piece = pieces.poll(); piece != null; piece = pieces.poll()) {
            append(target, piece, piece.readableBytes());
            piece.release();
        }
        piecesLength = 0;
        append(target, bytes, bytes.readableBytes());
        bytes.release();
        bytes = target;
    }

    /** All of it in one buffer, from its reader index on; stays owned here. */
    ByteBuf whole() {
        if (piecesLength > 0) {
            moveTo(allocator.buffer(Math.toIntExact(length())));
        }
        return bytes;
    }

    /**
     * The buffer, retained, if it is of the frame's exact length and takes all that is still to come: large frames only.
     *
     * @param needed bytes of the whole frame
     */
    @Nullable ByteBuf exactBuffer(long needed) {
        boolean fits = needed > LARGE && piecesLength == 0 && bytes.capacity() == needed && bytes.readerIndex() == 0;
        return fits && bytes.isWritable() ? bytes.retain() : null;
    }

    @SuppressWarnings("ReferenceEquality") // this very buffer, not one of the same bytes
    boolean isBuffer(ByteBuf other) {
        return bytes == other;
    }

    /** Drops all bytes. A small buffer that nobody else holds is kept for the next torn frame. */
    void clear() {
        dropPieces();
        if (bytes.capacity() > KEPT || bytes.refCnt() > 1 || bytes.isReadOnly()) {
            bytes.release();
            bytes = Unpooled.EMPTY_BUFFER;
        } else {
            bytes.clear();
        }
    }

    void release() {
        dropPieces();
        bytes.release();
        bytes = Unpooled.EMPTY_BUFFER;
    }

    private void dropPieces() {
        for (ByteBuf piece = pieces.poll(); piece != null; piece = pieces.poll()) {
            piece.release();
        }
        piecesLength = 0;
    }
}
