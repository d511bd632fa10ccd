package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a stream that no frame has taken, and the only place that owns, retains and releases input.
 *
 * <pre>
 *  in stream order:   torn                          chunk                     waiting
 *                     the beginning of one frame,   cut where it lies,        chunks not
 *                     copied together               owned or borrowed         looked at yet
 * </pre>
 *
 * <p>A frame is whole in torn or in chunk, never across. The torn frame may take more from chunk than it needs; it gives
 * that back by moving chunk's reader index. If it has taken all of a small chunk, that is let go of instead: torn then
 * begins with the next frame.
 */
final class Unread {
    /** How many bytes of the next chunk a torn frame of unknown length takes at least. */
    private static final int FIRST_STEP = 64;

    private final ByteBufAllocator allocator;
    private final TornFrame torn;
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(0);

    private @Nullable ByteBuf chunk;
    private boolean borrowed;
    /** The unread bytes begin in torn. */
    private boolean inTorn;
    /** Bytes at the end of torn that lie in chunk too, right before its reader index. */
    private int takenFromChunk;
    /** Where in the chunk a torn frame was put; −1 if none was. */
    private int movedTo = -1;
    /** The torn frame has been put in front of a chunk already, which did not complete it. */
    private boolean staysTorn;
    /** Bytes that the torn frame takes next while its length is unknown. */
    private int searchStep = FIRST_STEP;

    private long copiedChunkBytes;

    Unread(ByteBufAllocator allocator) {
        this.allocator = allocator;
        this.torn = new TornFrame(allocator);
    }

    /** Takes over a chunk that has readable bytes. */
    void add(ByteBuf owned) {
        if (chunk == null) {
            chunk = owned;
            borrowed = false;
        } else {
            waiting.add(owned);
        }
    }

    /**
     * Takes a chunk that has readable bytes, until {@link #endBorrowing}.
     *
     * @param headroom bytes in front of its reader index that may be written
     * @param needed bytes that the frame at hand needs as far as is known
     */
    void borrow(ByteBuf lent, int headroom, long needed) {
        if (chunk == null) {
            movedTo = -1;
            if (inTorn && torn.length() <= headroom) {
                putInFront(lent, needed);
            }
            chunk = lent;
            borrowed = true;
        } else {
            waiting.add(copyOf(lent));
        }
    }

    /**
     * Puts the torn frame in front of the bytes that follow it. Not when they do not complete it, and only once if nobody
     * knows: a frame that comes in many chunks stays where it is, and is not copied to and fro.
     */
    private void putInFront(ByteBuf lent, long needed) {
        int length = (int) torn.length();
        if (staysTorn || needed > length + (long) lent.readableBytes()) {
            return;
        }
        int begin = lent.readerIndex() - length;
        lent.setBytes(begin, torn.whole(), torn.whole().readerIndex(), length);
        lent.readerIndex(begin);
        copiedChunkBytes += length;
        movedTo = begin;
        torn.clear();
        inTorn = false;
        takenFromChunk = 0;
    }

    /**
     * Copies what is left of a borrowed chunk.
     *
     * @param needed bytes that the frame at hand needs as far as is known
     */
    void endBorrowing(long needed) {
        ByteBuf lent = chunk;
        if (!borrowed || lent == null) {
            return;
        }
        int readable = lent.readableBytes();
        if (!inTorn && needed > readable) {
            tear(lent, readable, needed);
        } else {
            chunk = copyOf(lent);
            borrowed = false;
            takenFromChunk = 0;
        }
    }

    /** The end of this chunk cuts the frame that begins in it. */
    private void tear(ByteBuf from, int readable, long needed) {
        inTorn = true;
        staysTorn = borrowed && from.readerIndex() == movedTo;
        searchStep = firstStep(readable);
        torn.take(from, readable, needed > readable + 1L ? needed : readable + (long) searchStep);
        nextChunk();
    }

    /** The buffer of the frame that is being put together, retained, if the next bytes may be written into it. */
    @Nullable ByteBuf frameBuffer(long needed) {
        return inTorn && chunk == null ? torn.exactBuffer(needed) : null;
    }

    /** Whether this is that buffer: then what was written into it is counted in. */
    boolean isFrameBuffer(ByteBuf bytes) {
        return inTorn && torn.isBuffer(bytes);
    }

    boolean isEmpty() {
        return chunk == null && !inTorn;
    }

    /** All bytes. */
    long length() {
        long bytes = torn.length();
        if (chunk != null) {
            bytes += chunk.readableBytes();
        }
        for (ByteBuf next : waiting) {
            bytes += next.readableBytes();
        }
        return bytes;
    }

    /** Bytes copied so far because a chunk's end cut a frame, or because a borrowed chunk had unread bytes. */
    long copiedBytes() {
        return torn.copiedBytes() + copiedChunkBytes;
    }

    /** The chunk, if the next frame begins in it. */
    @Nullable ByteBuf chunkAtFrame() {
        return inTorn ? null : chunk;
    }

    /** Bytes of {@link #first()}, which may still have to be put together. */
    long firstLength() {
        if (inTorn) {
            return torn.length();
        }
        return chunk == null ? 0 : chunk.readableBytes();
    }

    /** The buffer where the next frame begins, at its reader index: empty when nothing is unread. */
    ByteBuf first() {
        if (inTorn) {
            return torn.whole();
        }
        return chunk == null ? Unpooled.EMPTY_BUFFER : chunk;
    }

    /**
     * Brings more bytes to {@link #first()}: to the torn frame, or by making the chunk's last bytes one.
     *
     * @param needed bytes that the frame needs as far as is known
     * @return false when there are no more for now
     */
    boolean gather(long needed) {
        ByteBuf from = chunk;
        if (from == null) {
            return false;
        }
        int readable = from.readableBytes();
        if (readable == 0) {
            nextChunk();
            return chunk != null;
        }
        if (!inTorn) {
            tear(from, readable, needed);
            return chunk != null;
        }
        if (torn.isReadInPart()) {
            torn.moveToFront();
            searchStep = firstStep(torn.length());
        }
        long lacking = needed - torn.length();
        if (lacking > 1) {
            bring(from, (int) Math.min(readable, lacking), needed);
        } else {
            search(from, readable, needed);
        }
        return true;
    }

    /**
     * The framer only knows that it needs more: brings growing steps, so that at most as much again is brought for nothing.
     * The first one is about as long as what is there, for which there is room; where all that is there has to be moved
     * for want of room, small steps begin anew.
     */
    private void search(ByteBuf from, int readable, long needed) {
        int room = torn.room();
        searchStep = room == 0 ? FIRST_STEP : Math.min(searchStep, room);
        bring(from, Math.min(readable, searchStep), needed);
        searchStep = 2 * Math.min(searchStep, 1 << 29);
    }

    /** So many bytes for a frame of which so many are there. */
    private static int firstStep(long there) {
        return (int) Math.min(there, 1 << 29) + FIRST_STEP;
    }

    private void bring(ByteBuf from, int count, long needed) {
        torn.take(from, count, needed);
        takenFromChunk += count;
    }

    private void nextChunk() {
        ByteBuf done = chunk;
        chunk = waiting.poll();
        takenFromChunk = 0;
        if (done != null && !borrowed) {
            done.release();
        }
        borrowed = false;
    }

    /**
     * {@link #first()} has been read up to here: lets go of what is used up, and gives back what the torn frame took too
     * much.
     *
     * @param index of the first byte that has not been read
     * @param end index behind the last one
     */
    void readTo(int index, int end) {
        if (inTorn) {
            torn.readTo(index);
            if (end - index <= takenFromChunk) {
                tornIsRead(end - index);
            }
        } else if (chunk != null) {
            chunk.setIndex(index, end);
            if (index == end) {
                nextChunk();
            }
        }
    }

    /** @param excess bytes that are left in torn, all of them taken from the chunk */
    private void tornIsRead(int excess) {
        boolean usedUp = chunk != null && !chunk.isReadable();
        if (usedUp && excess > 0 && torn.isSmall()) {
            staysTorn = false;
            nextChunk();
            return;
        }
        if (chunk != null && excess > 0) {
            chunk.readerIndex(chunk.readerIndex() - excess);
        }
        torn.clear();
        inTorn = false;
        takenFromChunk = 0;
        if (usedUp && excess == 0) {
            nextChunk();
        }
    }

    /** Drops at most so many bytes; says how many there were. */
    long skip(long bytes) {
        long left = bytes;
        while (left > 0) {
            ByteBuf in = first();
            int begin = in.readerIndex();
            int end = in.writerIndex();
            int count = (int) Math.min(left, end - begin);
            if (count == 0) {
                break;
            }
            left -= count;
            readTo(begin + count, end);
        }
        return bytes - left;
    }

    /** Takes out all bytes, in order, as one buffer that the caller owns. */
    ByteBuf takeAll() {
        ByteBuf all;
        if (!inTorn && waiting.isEmpty() && chunk != null && !borrowed) {
            all = chunk;
            chunk = null;
        } else {
            long length = length();
            all = length == 0 ? Unpooled.EMPTY_BUFFER : allocator.buffer(Math.toIntExact(length));
            if (inTorn) {
                all.writeBytes(torn.whole());
            }
            if (chunk != null) {
                all.writeBytes(chunk);
            }
            for (ByteBuf next : waiting) {
                all.writeBytes(next);
            }
        }
        release();
        return all;
    }

    /** Releases everything. */
    void release() {
        torn.release();
        inTorn = false;
        if (chunk != null && !borrowed) {
            chunk.release();
        }
        chunk = null;
        takenFromChunk = 0;
        waiting.forEach(ByteBuf::release);
        waiting.clear();
    }

    private ByteBuf copyOf(ByteBuf lent) {
        int length = lent.readableBytes();
        copiedChunkBytes += length;
        return allocator.buffer(length).writeBytes(lent);
    }
}
