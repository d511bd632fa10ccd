package dev.sluice;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import org.jspecify.annotations.Nullable;

/**
 * The one buffer that all connections of an event loop read into, one read turn at a time, as long as their decoders keep
 * nothing of it. So it stays in the caches, and an idle connection has no buffer at all.
 *
 * <pre>
 * ├──────────── headroom ───────────┼──────────────── one read ───────────────┤
 *         │ beginning of a frame    │ its end, and more frames     │ torn frame
 *         │ that the read before    │                              │ copied out at
 *         │ has cut                 │                              │ the turn's end
 * </pre>
 */
final class ReadBuffer {
    /** Bytes in front of each read. */
    static final int HEADROOM = 64 * 1024;
    /** Longest read in bytes. */
    static final int SIZE = 256 * 1024;

    private static final FastThreadLocal<ReadBuffer> OF_LOOP = new FastThreadLocal<>() {
        @Override
        protected ReadBuffer initialValue() {
            return new ReadBuffer();
        }

        @Override
        protected void onRemoval(ReadBuffer buffer) {
            buffer.free();
        }
    };

    /** It lives as long as its loop, which is no leak. */
    private static final UnpooledByteBufAllocator UNTRACKED = new UnpooledByteBufAllocator(true, true);

    private @Nullable ByteBuf buffer;
    /** A view of the buffer for shorter reads: transports read up to the capacity of what they are given. */
    private @Nullable ByteBuf shortened;

    private boolean freed;

    ReadBuffer() {}

    /** The buffer of the event loop that calls. */
    static ReadBuffer ofLoop() {
        return OF_LOOP.get();
    }

    /**
     * Lends the buffer for one read turn: its indices stand behind the headroom. If somebody has retained it since the last
     * one, that one is theirs now and another takes its place.
     *
     * @param bytes to read at most
     * @return retained for the caller, who releases it when the turn is over; {@code null} when the loop has ended
     */
    @Nullable ByteBuf lend(int bytes) {
        if (freed) {
            return null;
        }
        ByteBuf whole = buffer;
        if (whole == null || whole.refCnt() != 1) {
            whole = replace();
        }
        ByteBuf lent = bytes >= SIZE ? whole : shortened(whole, HEADROOM + bytes);
        return lent.setIndex(HEADROOM, HEADROOM).retain();
    }

    private ByteBuf replace() {
        release();
        ByteBuf whole = UNTRACKED.directBuffer(HEADROOM + SIZE);
        buffer = whole;
        return whole;
    }

    private ByteBuf shortened(ByteBuf whole, int capacity) {
        ByteBuf view = shortened;
        if (view == null || view.capacity() != capacity) {
            view = whole.slice(0, capacity);
            shortened = view;
        }
        return view;
    }

    /** The loop has ended. */
    void free() {
        freed = true;
        release();
    }

    private void release() {
        shortened = null;
        if (buffer != null) {
            buffer.release();
            buffer = null;
        }
    }
}
