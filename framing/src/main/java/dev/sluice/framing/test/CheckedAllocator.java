package dev.sluice.framing.test;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Remembers every buffer that it makes. Used by one thread, for one run. */
final class CheckedAllocator extends AbstractByteBufAllocator {
    private static final byte GARBAGE = (byte) 0xa5;

    private final List<ByteBuf> made = new ArrayList<>();

    /**
     * @param direct whether buffers lie outside the heap and have no array
     */
    CheckedAllocator(boolean direct) {
        super(direct);
    }

    /** Buffers that have not been released. */
    long alive() {
        return made.stream().filter(buffer -> buffer.refCnt() > 0).count();
    }

    /** Releases what is alive. */
    void drop() {
        made.stream().filter(buffer -> buffer.refCnt() > 0).forEach(buffer -> buffer.release(buffer.refCnt()));
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return remember(new UnpooledHeapByteBuf(this, initialCapacity, maxCapacity) {
            @Override
            protected void freeArray(byte[] array) {
                Arrays.fill(array, GARBAGE); // whoever kept the array reads something else from now on
                super.freeArray(array);
            }
        });
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        return remember(new UnpooledDirectByteBuf(this, initialCapacity, maxCapacity));
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }

    private ByteBuf remember(ByteBuf buffer) {
        made.add(buffer);
        return buffer;
    }
}
