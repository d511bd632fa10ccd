package dev.sluice.examples;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.SocketAddress;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.netty.DisposableServer;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpServer;

/**
 * Sends the same messages to everybody who connects, then closes. Plain Reactor Netty, and nothing is encoded while it
 * sends, so that all receivers have the same sender and it is as little in their way as can be.
 */
final class DemoServer implements AutoCloseable {
    private static final int BLOCK_SIZE = 1024 * 1024;

    /** At least 1 MiB of whole frames, sent again and again. */
    private final ByteBuf block;

    private final int messagesPerBlock;
    private final DemoOptions options;
    private final LoopResources loops = LoopResources.create("demo-server", 1, true);
    private final DisposableServer server;

    DemoServer(DemoOptions options) {
        this.options = options;
        int frameLength = Integer.BYTES + options.payload();
        messagesPerBlock = (BLOCK_SIZE + frameLength - 1) / frameLength;
        block = Unpooled.directBuffer(messagesPerBlock * frameLength);
        for (int i = 0; i < messagesPerBlock; i++) {
            block.writeInt(options.payload());
            trade(i).encode(block, options.payload());
        }
        int wholeBlocks = options.messages() / messagesPerBlock;
        int rest = options.messages() % messagesPerBlock * frameLength;
        Flux<ByteBuf> stream = Flux.range(0, wholeBlocks)
                .map(i -> block.retainedDuplicate())
                .concatWith(Flux.defer(() -> Flux.just(block.retainedSlice(0, rest))));
        server = TcpServer.create()
                .host("localhost")
                .port(0)
                .runOn(loops, options.transport().prefersNative())
                .handle((in, out) -> out.send(stream))
                .bindNow();
    }

    private static Trade trade(int sequence) {
        return new Trade(sequence, 10_000 + sequence % 97, 1 + sequence % 13);
    }

    SocketAddress address() {
        return server.address();
    }

    /** What a receiver must have got in the end. */
    Tally expected() {
        Tally expected = new Tally();
        for (int i = 0; i < options.messages(); i++) {
            expected.add(trade(i % messagesPerBlock));
        }
        return expected;
    }

    @Override
    public void close() {
        server.disposeNow();
        loops.disposeLater(Duration.ZERO, Duration.ofSeconds(5)).block();
        block.release();
    }
}
