package dev.sluice.bench;

import dev.sluice.FrameConnection;
import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import reactor.netty.Connection;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;

/** The asking JVM: one request at a time, the next from the callback of the answer, all on the event loop. */
public final class RequestMain {
    private static final int HEADER = 4;
    private static final int PARTS = 4;
    private static final byte[] PART = new byte[16];
    private static final int PAYLOAD = PARTS * PART.length - HEADER;

    private RequestMain() {}

    /** Prints one line of {@code name=number} words. */
    public static void main(String[] args) throws Exception {
        Arguments arguments = new Arguments(args, Set.of("--kind", "--port", "--warm-up", "--requests"));
        RequestKind kind = Named.of(RequestKind.class, arguments.text("--kind", ""));
        TcpClient client = TcpClient.newConnection()
                .runOn(LoopResources.create("ask", 1, true))
                .host("127.0.0.1")
                .port(arguments.number("--port", 0, 1))
                .option(ChannelOption.TCP_NODELAY, kind != RequestKind.NAGLE);
        Rally rally = kind == RequestKind.SLUICE ? new SluiceRally(client) : new NettyRally(client);
        rally.play(arguments.number("--warm-up", 20_000, 1)).join();
        int requests = arguments.number("--requests", 20_000, 1);
        long cpu = ProcessCpu.nanos();
        long begin = System.nanoTime();
        rally.play(requests).join();
        long nanos = System.nanoTime() - begin;
        cpu = ProcessCpu.nanos() - cpu;
        System.out.printf("asked messages=%d nanos=%d cpuNanos=%d%n", requests, nanos, cpu);
        System.exit(0);
    }

    /** A request, its answer, the next request … */
    private abstract static class Rally {
        // Event loop only.
        private int left;
        private CompletableFuture<Void> done = new CompletableFuture<>();

        abstract Channel channel();

        abstract void request();

        final CompletableFuture<Void> play(int requests) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            channel().eventLoop().execute(() -> {
                left = requests;
                done = end;
                request();
            });
            return end;
        }

        final void answered() {
            if (--left > 0) {
                request();
            } else {
                done.complete(null);
            }
        }
    }

    private static final class NettyRally extends Rally {
        private final Channel channel;

        NettyRally(TcpClient client) {
            Connection connection = client.connectNow();
            channel = connection.channel();
            connection.addHandlerFirst(new SimpleChannelInboundHandler<ByteBuf>() {
                @Override
                protected void channelRead0(ChannelHandlerContext context, ByteBuf answer) {
                    answered();
                }
            });
            connection.addHandlerFirst(new LengthFieldBasedFrameDecoder(1 << 20, 0, HEADER));
            channel.config().setAutoRead(true);
        }

        @Override
        Channel channel() {
            return channel;
        }

        @Override
        void request() {
            ByteBuf first = channel.alloc().directBuffer(PART.length);
            channel.writeAndFlush(first.writeInt(PAYLOAD).writeBytes(PART, HEADER, PART.length - HEADER));
            for (int i = 1; i < PARTS; i++) {
                channel.writeAndFlush(channel.alloc().directBuffer(PART.length).writeBytes(PART));
            }
        }
    }

    private static final class SluiceRally extends Rally {
        private final FrameConnection<Object, Object> connection;

        SluiceRally(TcpClient client) {
            Object shared = new Object();
            Codec<Object, Object> codec = Codec.of(LengthFieldFraming.of(HEADER), payload -> shared, (message, out) -> {
                out.buffer().writeBytes(PART, HEADER, PART.length - HEADER);
                for (int i = 1; i < PARTS; i++) {
                    out.buffer().writeBytes(PART);
                }
            });
            connection = client.connect()
                    .map(made -> FrameConnection.attach(made, codec))
                    .blockOptional()
                    .orElseThrow();
            connection.receive().subscribe(answer -> answered());
        }

        @Override
        Channel channel() {
            return connection.channel();
        }

        @Override
        void request() {
            connection.trySend(PART);
        }
    }
}
