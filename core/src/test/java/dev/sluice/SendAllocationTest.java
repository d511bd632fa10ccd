package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A message that nobody waits for costs no object. What a batch costs is shared by its messages, and so is the queue's next
 * array, of one reference a message: the bound lies between that and the smallest object, of 16 bytes.
 */
class SendAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final Integer MESSAGE = 7;
    private static final int FRAME = Frames.HEADER + Integer.BYTES;
    private static final int BATCH = 4_000;
    private static final int WARM_UPS = 5;
    private static final int BATCHES = 250;
    private static final long LIMIT = 8L * BATCH * BATCHES;

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void allocatesNothingForMessageOfAnotherThread(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            long[] callers = new long[1];
            Runnable batch = () -> link.whileBlocked(() -> {
                long before = allocated(Thread.currentThread());
                sendBatch(link);
                callers[0] += allocated(Thread.currentThread()) - before;
            });
            long ofLoop = allocatedByLoop(link, batch, () -> callers[0] = 0);
            assertThat(callers[0]).as("allocated by the caller").isLessThan(LIMIT);
            assertThat(ofLoop).as("allocated by the event loop").isLessThan(LIMIT);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void allocatesNothingForMessageOfTheEventLoop(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            long ofLoop = allocatedByLoop(link, () -> link.onLoop(() -> sendBatch(link)), () -> {});
            assertThat(ofLoop).as("allocated by the event loop").isLessThan(LIMIT);
        }
    }

    private static void sendBatch(Link<Integer, Integer> link) {
        for (int i = 0; i < BATCH; i++) {
            if (link.connection.trySend(MESSAGE) != SendResult.ACCEPTED) {
                throw new AssertionError("not accepted: message=" + i);
            }
        }
    }

    /** What the event loop allocates for all batches but the first ones. */
    private static long allocatedByLoop(Link<Integer, Integer> link, Runnable batch, Runnable warmedUp) {
        Thread[] loop = new Thread[1];
        link.onLoop(() -> loop[0] = Thread.currentThread());
        long before = 0;
        for (int i = 0; i < WARM_UPS + BATCHES; i++) {
            if (i == WARM_UPS) {
                warmedUp.run();
                before = allocated(loop[0]);
            }
            batch.run();
            link.peer.receive(BATCH * FRAME);
            Await.until("all is taken", () -> link.connection.stats().pendingMessages() == 0);
        }
        return allocated(loop[0]) - before;
    }

    private static long allocated(Thread thread) {
        return THREADS.getThreadAllocatedBytes(thread.getId());
    }
}
