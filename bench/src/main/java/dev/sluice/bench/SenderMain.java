package dev.sluice.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import reactor.netty.resources.LoopResources;

/** The sending JVM: one connection, on which it warms up, sends as fast as it can, then one message at a time. */
public final class SenderMain {
    private static final int LONE_MESSAGES = 2_000;
    private static final long REST_NANOS = 200_000;

    private SenderMain() {}

    /** Prints one line of {@code name=number} words. */
    public static void main(String[] args) throws Exception {
        Arguments arguments =
                new Arguments(args, Set.of("--kind", "--port", "--payload", "--threads", "--seconds", "--warm-up"));
        SendKind kind = Named.of(SendKind.class, arguments.text("--kind", ""));
        byte[] payload = new byte[arguments.number("--payload", 0, 1)];
        int threads = arguments.number("--threads", 1, 1);
        LoopResources loops = LoopResources.create("send", 1, true);
        SendWay way = SendWay.connect(kind, loops, arguments.number("--port", 0, 1), payload);
        sendFor(way, threads, arguments.number("--warm-up", 2, 1));

        long cpu = ProcessCpu.nanos();
        long writes = writeCalls();
        long begin = System.nanoTime();
        long messages = sendFor(way, threads, arguments.number("--seconds", 2, 1));
        long nanos = System.nanoTime() - begin;
        writes = writeCalls() - writes;
        cpu = ProcessCpu.nanos() - cpu;

        long[] alone = new long[LONE_MESSAGES];
        for (int i = 0; i < 2 * alone.length; i++) {
            LockSupport.parkNanos(REST_NANOS); // so that the event loop sleeps too
            alone[i % alone.length] = way.sendAlone();
        }
        Latency lone = Latency.of(alone);
        System.out.printf(
                "sent messages=%d nanos=%d cpuNanos=%d writes=%d loneMedian=%d loneP99=%d%n",
                messages, nanos, cpu, writes, lone.median(), lone.p99());
        way.close();
        System.exit(0);
    }

    private static long sendFor(SendWay way, int threads, int seconds) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        LongAdder sent = new LongAdder();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> sent.add(way.sendUntil(deadline)), "sender-" + i);
            all.add(thread);
            thread.start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        return sent.sum();
    }

    /** Calls that have given bytes to TCP sockets so far; 0 unless this process runs with {@code countwrites}. */
    private static long writeCalls() throws IOException {
        String counted = System.getenv("COUNT_WRITES");
        return counted == null
                ? 0
                : ByteBuffer.wrap(Files.readAllBytes(Path.of(counted)))
                        .order(ByteOrder.nativeOrder())
                        .getLong();
    }
}
