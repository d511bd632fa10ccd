package dev.sluice.testing;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;

/**
 * Counts what is reserved: all capacity that is alive, its highest value, and the largest buffer. The bytes that are read
 * out of its buffers are counted too. Heap buffers only; used by one thread.
 */
public final class TrackingAllocator extends AbstractByteBufAllocator {
    private long reserved;
    private long highest;
    private int largest;
    private long allocations;
    private long visits;

    /** Capacity that is alive. */
    public long reserved() {
        return reserved;
    }

    /** The most capacity that was alive at any time. */
    public long highest() {
        return highest;
    }

    /** The largest capacity that a single buffer had. */
    public int largest() {
        return largest;
    }

    /** Arrays made so far. */
    public long allocations() {
        return allocations;
    }

    /** Bytes read so far by {@code get…}, also in bulk into an array. */
    public long visits() {
        return visits;
    }

    /** Forgets the highest and largest values so far. */
    public void restart() {
        highest = reserved;
        largest = 0;
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return new Tracked(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        return new Tracked(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }

    private final class Tracked extends UnpooledHeapByteBuf {
        Tracked(int initialCapacity, int maxCapacity) {
            super(TrackingAllocator.this, initialCapacity, maxCapacity);
        }

        @Override
        protected byte[] allocateArray(int initialCapacity) {
            allocations++;
            reserved += initialCapacity;
            highest = Math.max(highest, reserved);
            largest = Math.max(largest, initialCapacity);
            return super.allocateArray(initialCapacity);
        }

        @Override
        protected void freeArray(byte[] array) {
            reserved -= array.length;
            super.freeArray(array);
        }

        /** Bytes that are read past the buffer cannot be counted. */
        @Override
        public boolean hasArray() {
            return false;
        }

        @Override
        public ByteBuf getBytes(int index, byte[] dst, int dstIndex, int length) {
            visits += length;
            return super.getBytes(index, dst, dstIndex, length);
        }

        @Override
        protected byte _getByte(int index) {
            visits += 1;
            return super._getByte(index);
        }

        @Override
        protected short _getShort(int index) {
            visits += 2;
            return super._getShort(index);
        }

        @Override
        protected short _getShortLE(int index) {
            visits += 2;
            return super._getShortLE(index);
        }

        @Override
        protected int _getUnsignedMedium(int index) {
            visits += 3;
            return super._getUnsignedMedium(index);
        }

        @Override
        protected int _getUnsignedMediumLE(int index) {
            visits += 3;
            return super._getUnsignedMediumLE(index);
        }

        @Override
        protected int _getInt(int index) {
            visits += 4;
            return super._getInt(index);
        }

        @Override
        protected int _getIntLE(int index) {
            visits += 4;
            return super._getIntLE(index);
        }

        @Override
        protected long _getLong(int index) {
            visits += 8;
            return super._getLong(index);
        }

        @Override
        protected long _getLongLE(int index) {
            visits += 8;
            return super._getLongLE(index);
        }
    }
}
