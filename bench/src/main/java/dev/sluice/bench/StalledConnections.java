package dev.sluice.bench;

import dev.sluice.FrameConnection;
import dev.sluice.FrameServer;
import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.tcp.TcpServer;

/**
 * Many connections whose receivers do not come: each peer sends more than is decoded ahead, and what that costs in memory
 * is printed beside what the connections say they hold.
 */
public final class StalledConnections {
    private static final int PAYLOAD = 64;
    private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();

    private StalledConnections() {}

    /** Options: {@code --connections 10000 --bytes 12288}, the latter for each connection. */
    public static void main(String[] args) throws Exception {
        Arguments arguments = new Arguments(args, Set.of("--connections", "--bytes"));
        int count = arguments.number("--connections", 10_000, 1);
        int bytes = arguments.number("--bytes", 12 * 1024, 4 + PAYLOAD);

        Collection<FrameConnection<Integer, Integer>> connections = new ConcurrentLinkedQueue<>();
        Codec<Integer, Integer> codec = Codec.of(
                LengthFieldFraming.of(4), payload -> payload.getInt(payload.readerIndex()), (message, out) -> {});
        DisposableServer server = FrameServer.from(
                        TcpServer.create().host("127.0.0.1").port(0).option(ChannelOption.SO_BACKLOG, 4_096), codec)
                .handle(connection -> {
                    connections.add(connection);
                    return Mono.never();
                })
                .bindNow();
        List<SocketChannel> peers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            peers.add(SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port())));
        }
        await(() -> connections.size() == count);
        Memory idle = Memory.now();

        byte[] frames = frames(bytes);
        for (SocketChannel peer : peers) {
            for (ByteBuffer left = ByteBuffer.wrap(frames); left.hasRemaining(); ) {
                peer.write(left);
            }
        }
        await(() -> connections.stream().allMatch(c -> c.stats().bytesIn() == frames.length));
        Memory stalled = Memory.now();

        long atHand =
                connections.stream().mapToLong(c -> c.stats().bytesAtHand()).sum();
        long held =
                connections.stream().mapToLong(c -> c.stats().heldMessages()).sum();
        System.out.printf(
                "connections=%d bytesAtHand=%d heldMessages=%d (each connection)%n",
                count, atHand / count, held / count);
        System.out.printf(
                "memory of each connection: idle heap=%d direct=%d; stalled heap=+%d direct=+%d%n",
                idle.heap() / count,
                idle.direct() / count,
                (stalled.heap() - idle.heap()) / count,
                (stalled.direct() - idle.direct()) / count);
        System.exit(0);
    }

    private static byte[] frames(int bytes) {
        ByteBuffer frames = ByteBuffer.allocate(bytes);
        while (frames.remaining() >= 4 + PAYLOAD) {
            frames.putInt(PAYLOAD).position(frames.position() + PAYLOAD);
        }
        return frames.array();
    }

    private static void await(Condition condition) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        while (!condition.holds()) {
            if (System.nanoTime() - begin > PATIENCE_NANOS) {
                throw new IllegalStateException("did not come in time");
            }
            Thread.sleep(10);
        }
    }

    private interface Condition {
        boolean holds() throws IOException;
    }
}
