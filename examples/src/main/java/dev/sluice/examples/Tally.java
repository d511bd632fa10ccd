package dev.sluice.examples;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * What one receiver has got: how many messages, a checksum over their order, how long that took, and how much time of a
 * processor. Made, filled and asked on the receiver's event loop.
 */
final class Tally {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final long begin = System.nanoTime();
    private final long cpuBegin = THREADS.getCurrentThreadCpuTime();
    private final long userBegin = THREADS.getCurrentThreadUserTime();
    private long messages;
    private long checksum;

    void add(Trade trade) {
        messages++;
        checksum = checksum * 31 + trade.sequence();
    }

    /** Messages per second since the tally was made, which is when the receiver began. */
    double rate() {
        return messages * 1e9 / (System.nanoTime() - begin);
    }

    long messages() {
        return messages;
    }

    /** What the event loop has taken of a processor, the kernel's work for it included. */
    long cpuNanos() {
        return THREADS.getCurrentThreadCpuTime() - cpuBegin;
    }

    /** What of that was outside the kernel; coarse, so only sums of many tell something. */
    long userNanos() {
        return THREADS.getCurrentThreadUserTime() - userBegin;
    }

    void check(Tally expected) {
        if (messages != expected.messages || checksum != expected.checksum) {
            throw new IllegalStateException("received something else than was sent: messages=" + messages
                    + ", expected=" + expected.messages + ", checksum=" + checksum + ", expected=" + expected.checksum);
        }
    }
}
