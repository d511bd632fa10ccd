package dev.sluice.bench;

import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import reactor.netty.resources.LoopResources;

/**
 * What the neighbours of a flooded connection feel, all on one event loop: many connections on each of which a message comes
 * now and then, and how long after its sending it was given. First by themselves; then beside a connection whose receiver has
 * no demand and whose peer sends all it can; then beside one that is flooded and takes all, too. By turns with connections
 * that Netty reads alone, so that what is the machine's can be told from what is Sluice's.
 */
public final class LoopFairness implements AutoCloseable {
    private final Neighbour.Kind kind;
    private final int payload;
    private final ServerSocketChannel server =
            ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    private final LoopResources loop = LoopResources.create("fairness", 1, true);
    private final List<Neighbour> all = new ArrayList<>();

    private LoopFairness(Neighbour.Kind kind, int payload) throws IOException {
        this.kind = kind;
        this.payload = payload;
    }

    /** Options: {@code --quiet 100 --payload 64 --seconds 5 --rounds 1}, the seconds for each phase. */
    public static void main(String[] args) throws Exception {
        Arguments arguments = new Arguments(args, Set.of("--quiet", "--payload", "--seconds", "--rounds"));
        int quiet = arguments.number("--quiet", 100, 1);
        int payload = arguments.number("--payload", 64, Long.BYTES);
        int seconds = arguments.number("--seconds", 5, 1);
        int rounds = arguments.number("--rounds", 1, 1);
        // The first buffer of a JVM makes Netty register events with the flight recorder: once a tenth of a second, on
        // whatever event loop needs it.
        ByteBufAllocator.DEFAULT.directBuffer(256 * 1024).release();
        for (int round = 0; round < rounds; round++) {
            for (Neighbour.Kind kind : Neighbour.Kind.values()) {
                try (LoopFairness bench = new LoopFairness(kind, payload)) {
                    bench.run(quiet, seconds);
                }
            }
        }
        System.exit(0);
    }

    private void run(int count, int seconds) throws Exception {
        List<Quiet> neighbours = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            neighbours.add(quiet());
        }
        measure(neighbours, 2); // warms up
        print("alone", measure(neighbours, seconds));
        Neighbour stalled = flooded(false);
        print("stalled", measure(neighbours, seconds));
        if (stalled.taken() > 0) {
            throw new IllegalStateException("is not stalled: taken=" + stalled.taken());
        }
        Neighbour flooded = flooded(true);
        measure(neighbours, 2);
        long before = flooded.taken();
        print("flooded", measure(neighbours, seconds));
        long taken = flooded.taken() - before;
        System.out.printf("the flooded one took %,d messages/s meanwhile%n", taken / seconds);
        if (taken == 0) {
            throw new IllegalStateException("flood has not come");
        }
    }

    private Quiet quiet() throws IOException {
        BlockingQueue<Long> delays = new ArrayBlockingQueue<>(1);
        all.add(kind.connect(loop, port(), true, sentAt -> delays.add(System.nanoTime() - sentAt)));
        return new Quiet(delays, server.accept());
    }

    private Neighbour flooded(boolean takes) throws IOException {
        Neighbour neighbour = kind.connect(loop, port(), takes, message -> {});
        all.add(neighbour);
        Flood.start(server.accept(), payload);
        return neighbour;
    }

    private int port() {
        return server.socket().getLocalPort();
    }

    /** One message at a time, some 1,000 a second, each on the next connection. */
    private static Latency measure(List<Quiet> neighbours, int seconds) throws Exception {
        long[] micros = new long[seconds * 1_000];
        for (int i = 0; i < micros.length; i++) {
            micros[i] = neighbours.get(i % neighbours.size()).send() / 1_000;
            TimeUnit.MICROSECONDS.sleep(500);
        }
        return Latency.of(micros);
    }

    private void print(String phase, Latency micros) {
        System.out.printf("%-6s %-8s given after µs: %s%n", kind.name().toLowerCase(Locale.ROOT), phase, micros.text());
    }

    @Override
    public void close() throws IOException {
        all.forEach(Neighbour::close);
        server.close();
        loop.dispose();
    }

    /**
     * A connection on which little comes.
     *
     * @param delays nanoseconds that the last message took
     */
    private record Quiet(BlockingQueue<Long> delays, SocketChannel peer) {
        private static final int PATIENCE_SECONDS = 10;

        /** Sends one, and waits until it is given: how many nanoseconds that took. */
        long send() throws IOException, InterruptedException {
            ByteBuffer frame = ByteBuffer.allocate(4 + Long.BYTES);
            frame.putInt(Long.BYTES).putLong(System.nanoTime()).flip();
            while (frame.hasRemaining()) {
                peer.write(frame);
            }
            Long delay = delays.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (delay == null) {
                throw new IllegalStateException("message was not given: seconds=" + PATIENCE_SECONDS);
            }
            return delay;
        }
    }
}
