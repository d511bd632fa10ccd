package dev.sluice.bench;

import dev.sluice.FrameClient;
import dev.sluice.FrameConnection;
import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;

/**
 * What the neighbours of a flooded connection feel, all on one event loop: many connections on each of which a message comes
 * now and then, and how long after its sending it was given. First by themselves; then with connections beside them whose
 * receivers have no demand and whose peers send all they can; then with one that is flooded and takes all, too.
 */
public final class LoopFairness {
    private final int port;
    private final ServerSocketChannel server;
    private final LoopResources loop = LoopResources.create("fairness", 1, true);
    private final int payload;

    private LoopFairness(ServerSocketChannel server, int payload) throws IOException {
        this.server = server;
        this.port = ((InetSocketAddress) server.getLocalAddress()).getPort();
        this.payload = payload;
    }

    /** Options: {@code --quiet 100 --payload 64 --seconds 5}, the last for each phase. */
    public static void main(String[] args) throws Exception {
        Arguments arguments = new Arguments(args, Set.of("--quiet", "--payload", "--seconds"));
        int quiet = arguments.number("--quiet", 100, 1);
        int payload = arguments.number("--payload", 64, Long.BYTES);
        int seconds = arguments.number("--seconds", 5, 1);
        try (ServerSocketChannel server =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            LoopFairness bench = new LoopFairness(server, payload);
            List<Quiet> neighbours = new ArrayList<>();
            for (int i = 0; i < quiet; i++) {
                neighbours.add(bench.quiet());
            }
            measure(neighbours, 1); // warms up
            print("alone", measure(neighbours, seconds));
            FrameConnection<Long, Void> stalled = bench.flooded(0);
            print("stalled", measure(neighbours, seconds));
            if (stalled.stats().pauses() == 0) {
                throw new IllegalStateException("is not stalled: stats=" + stalled.stats());
            }
            FrameConnection<Long, Void> flooded = bench.flooded(Long.MAX_VALUE);
            measure(neighbours, 1);
            long before = flooded.stats().messagesIn();
            print("flooded", measure(neighbours, seconds));
            long taken = flooded.stats().messagesIn() - before;
            System.out.printf("the flooded one took %,d messages/s meanwhile%n", taken / seconds);
            if (taken == 0) {
                throw new IllegalStateException("flood has not come: stats=" + flooded.stats());
            }
        }
        System.exit(0);
    }

    private FrameConnection<Long, Void> connect() {
        Codec<Long, Void> codec =
                Codec.decoding(LengthFieldFraming.of(4), payload -> payload.getLong(payload.readerIndex()));
        return FrameClient.from(
                        TcpClient.newConnection().host("127.0.0.1").port(port).runOn(loop), codec)
                .connect()
                .blockOptional()
                .orElseThrow();
    }

    private Quiet quiet() throws IOException {
        FrameConnection<Long, Void> connection = connect();
        return new Quiet(connection, server.accept());
    }

    private FrameConnection<Long, Void> flooded(long demand) throws IOException {
        FrameConnection<Long, Void> connection = connect();
        SocketChannel peer = server.accept();
        connection.receive().subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                if (demand > 0) {
                    subscription.request(demand);
                }
            }
        });
        Flood.start(peer, payload);
        return connection;
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

    private static void print(String phase, Latency micros) {
        System.out.printf("%-8s given after µs: %s%n", phase, micros.text());
    }

    /** A connection on which little comes: the moments at which that was sent, and how long it took. */
    private static final class Quiet {
        private static final int PATIENCE_SECONDS = 10;

        private final BlockingQueue<Long> delays = new ArrayBlockingQueue<>(1);
        private final SocketChannel peer;

        Quiet(FrameConnection<Long, Void> connection, SocketChannel peer) {
            this.peer = peer;
            connection.receive().subscribe(sentAt -> delays.add(System.nanoTime() - sentAt));
        }

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
