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
    /**
     * What is not in pieces, from {@code begin} to {@code end}; its own indices are set when it is handed out. It may be of
     * any class, and is called as little as can be: small frames come by the million.
     */
    private ByteBuf bytes = Unpooled.EMPTY_BUFFER;

    private int begin;
    private int end;
    private int capacity;
    /** Where the bytes lie, if that is an array. */
    private byte @Nullable [] array;

    private int arrayOffset;
    /** The frame's first bytes; {@code bytes} follow. Empty unless the frame is large. */
    private final ArrayDeque<ByteBuf> pieces = new ArrayDeque<>(0);

    private long piecesLength;
    private long copiedBytes;

    TornFrame(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    long length() {
        return piecesLength + (end - begin);
    }

    /** Bytes that can be taken before any have to be moved. */
    int room() {
        return capacity - end;
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
        if (room() < count || piecesLength > 0) {
            makeRoom(count, length() + from.readableBytes(), needed);
        }
        append(from, count);
    }

    private void append(ByteBuf from, int count) {
        if (array != null) { // otherwise pooled buffers make a view of the other for each copy
            from.readBytes(array, arrayOffset + end, count);
        } else {
            bytes.setBytes(end, from, count);
        }
        end += count;
        copiedBytes += count;
    }

    /**
     * @param there bytes of the stream that are here, or in the chunk that is being taken from
     */
    private void makeRoom(int count, long there, long needed) {
        long after = length() + count;
        if (needed > LARGE && 4 * after < needed) {
            if (room() < count) {
                newPiece(count);
            }
            return;
        }
        if (piecesLength == 0 && room() >= count) {
            return;
        }
        long room = after <= needed ? Math.min(needed, 4 * after) : there;
        long wanted = Math.max(Math.max(SMALLEST, after), Math.max(room, 2 * length()));
        int target = (int) Math.min(wanted, Integer.MAX_VALUE - 8);
        if (after > target) {
            throw new FrameTooLongException(after, target);
        }
        moveTo(target <= KEPT ? allocator.heapBuffer(target, target) : allocator.buffer(target, target));
    }

    private void newPiece(int count) {
        int capacity = (int) Math.max(count, Math.min(length(), LARGE));
        addToPieces();
        use(allocator.buffer(capacity, capacity));
    }

    private void addToPieces() {
        piecesLength += end - begin;
        pieces.add(bytes.setIndex(begin, end));
        use(Unpooled.EMPTY_BUFFER);
    }

    private void moveTo(ByteBuf target) {
        addToPieces();
        use(target);
        for (ByteBuf piece = pieces.poll(); piece != null; piece = pieces.poll()) {
            append(piece, piece.readableBytes());
            piece.release();
        }
        piecesLength = 0;
    }

    private void use(ByteBuf buffer) {
        bytes = buffer;
        begin = 0;
        end = 0;
        capacity = buffer.capacity();
        array = buffer.hasArray() ? buffer.array() : null;
        arrayOffset = array == null ? 0 : buffer.arrayOffset();
    }

    /** All of it in one buffer, from its reader index on; stays owned here. */
    ByteBuf whole() {
        if (piecesLength > 0) {
            int capacity = Math.toIntExact(length());
            moveTo(allocator.buffer(capacity, capacity));
        }
        return bytes.setIndex(begin, end);
    }

    /**
     * The buffer, retained, if it is of the frame's exact length and takes all that is still to come: large frames only.
     *
     * @param needed bytes of the whole frame
     */
    @Nullable ByteBuf exactBuffer(long needed) {
        boolean fits = needed > LARGE && piecesLength == 0 && capacity == needed && begin == 0 && end < capacity;
        return fits ? bytes.setIndex(begin, end).retain() : null;
    }

    /** Whether this is the buffer: then more may have been written into it. */
    @SuppressWarnings("ReferenceEquality") // this very buffer, not one of the same bytes
    boolean isBuffer(ByteBuf other) {
        if (bytes != other) {
            return false;
        }
        end = bytes.writerIndex();
        return true;
    }

    /** Drops the bytes of {@link #whole()} up to this index. */
    void readTo(int index) {
        begin = index;
    }

    /** Whether bytes before these have been read. */
    boolean isReadInPart() {
        return begin > 0;
    }

    /** Whether its buffer may be kept. */
    boolean isSmall() {
        return capacity <= KEPT;
    }

    /** Makes room of that which has been read, unless somebody holds it. */
    void moveToFront() {
        if (bytes.refCnt() > 1) {
            return;
        }
        int length = end - begin;
        if (array != null) {
            System.arraycopy(array, arrayOffset + begin, array, arrayOffset, length);
        } else {
            bytes.setIndex(begin, end).discardReadBytes();
        }
        begin = 0;
        end = length;
        copiedBytes += length;
    }

    /** Drops all bytes. A small buffer that nobody else holds is kept for the next torn frame. */
    void clear() {
        dropPieces();
        if (capacity > KEPT || bytes.refCnt() > 1) {
            drop();
        } else {
            begin = 0;
            end = 0;
        }
    }

    void release() {
        dropPieces();
        drop();
    }

    private void drop() {
        bytes.release();
        use(Unpooled.EMPTY_BUFFER);
    }

    private void dropPieces() {
        for (ByteBuf piece = pieces.poll(); piece != null; piece = pieces.poll()) {
            piece.release();
        }
        piecesLength = 0;
    }
}
