package dev.sluice.bench;

import dev.sluice.FrameConnection;
import dev.sluice.FrameServer;
import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import io.netty.channel.ChannelOption;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.tcp.TcpServer;

/**
 * Many connections whose receivers do not come: each peer sends more than is decoded ahead, and what that costs in memory
 * is printed beside what the connections say they hold. {@link StalledPeers} are their other ends.
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
        List<String> command = Programs.jvm(Programs.FLAGS, StalledPeers.class);
        command.addAll(List.of("--port", "" + server.port(), "--connections", "" + count, "--bytes", "" + bytes));
        Program peers = new Program("peers", Programs.pinned("", command));
        peers.await(StalledPeers.CONNECTED);
        await(() -> connections.size() == count);
        Memory idle = Memory.now();

        peers.ask(StalledPeers.SEND, StalledPeers.SENT);
        await(() -> connections.stream().allMatch(c -> c.stats().bytesIn() == bytes));
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

    /** Frames that fill so many bytes, the last one cut. */
    static byte[] frames(int bytes) {
        ByteBuffer frames = ByteBuffer.allocate(bytes);
        while (frames.remaining() >= 4 + PAYLOAD) {
            frames.putInt(PAYLOAD).position(frames.position() + PAYLOAD);
        }
        return frames.array();
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - begin > PATIENCE_NANOS) {
                throw new IllegalStateException("did not come in time");
            }
            Thread.sleep(10);
        }
    }
}
