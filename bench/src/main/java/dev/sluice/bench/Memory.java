package dev.sluice.bench;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.lang.management.ManagementFactory;

/**
 * Bytes in use.
 *
 * @param heap after a collection
 * @param direct what Netty's default allocator has taken for buffers outside the heap
 */
record Memory(long heap, long direct) {
    static Memory now() {
        System.gc();
        return new Memory(
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                        .metric()
                        .usedDirectMemory());
    }
}
