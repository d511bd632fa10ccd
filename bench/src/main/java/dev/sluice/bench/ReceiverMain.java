package dev.sluice.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** The receiving JVM: takes its connections one after another, and prints a {@link Sample} for each. */
public final class ReceiverMain {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private ReceiverMain() {}

    /** Takes the options of {@link ReceiverSettings}; exits with 1 if a connection fails. */
    public static void main(String[] args) throws Exception {
        ReceiverSettings settings = ReceiverSettings.of(args);
        int exit = 0;
        try (Receiver receiver = Receiver.of(settings)) {
            long loop = receiver.loopThread().getId();
            for (int connection = 0; connection < settings.connections(); connection++) {
                System.out.println(measure(receiver, loop, settings.count()).line());
            }
        } catch (IllegalStateException e) {
            e.printStackTrace();
            exit = 1;
        }
        System.exit(exit);
    }

    private static Sample measure(Receiver receiver, long loop, long expected) throws Exception {
        long allocated = THREADS.getThreadAllocatedBytes(loop);
        long loopCpu = THREADS.getThreadCpuTime(loop);
        long cpu = ProcessCpu.nanos();
        long begin = System.nanoTime();
        Receiver.Received received = receiver.receive();
        cpu = ProcessCpu.nanos() - cpu;
        loopCpu = THREADS.getThreadCpuTime(loop) - loopCpu;
        allocated = THREADS.getThreadAllocatedBytes(loop) - allocated;
        if (received.messages() != expected) {
            throw new IllegalStateException(
                    "wrong number of messages: messages=" + received.messages() + ", expected=" + expected);
        }
        return new Sample(
                received.messages(),
                received.endNanos() - begin,
                cpu,
                loopCpu,
                allocated,
                received.sum(),
                received.counters());
    }
}
