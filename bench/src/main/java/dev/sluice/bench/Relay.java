package dev.sluice.bench;

import dev.sluice.FrameConnection;
import dev.sluice.FrameServer;
import dev.sluice.SendResult;
import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpServer;

/**
 * Passes messages on: each begins with the number of its topic, and goes to the one subscriber that the topic has. A
 * message that is such a number and nothing else subscribes the connection it came from.
 */
final class Relay {
    private static final int HEADER = 4;
    private static final int TOPIC = 4;
    private static final int BACKLOG = 4_096;
    private static final int MAX_FRAME = 1 << 20;

    private final RelayKind kind;
    private final AtomicReferenceArray<@Nullable Subscriber> subscribers;
    private final AtomicInteger subscriptions = new AtomicInteger();
    private final LongAdder refused = new LongAdder();

    Relay(RelayKind kind, int topics) {
        this.kind = kind;
        this.subscribers = new AtomicReferenceArray<>(topics);
    }

    private record Subscriber(Channel channel, @Nullable FrameConnection<byte[], byte[]> connection) {
        ChannelFuture write(byte[] message) {
            ByteBuf frame = channel.alloc().directBuffer(HEADER + message.length);
            return channel.writeAndFlush(frame.writeInt(message.length).writeBytes(message));
        }

        boolean trySend(byte[] message) {
            return connection != null && connection.trySend(message) == SendResult.ACCEPTED;
        }
    }

    int subscriptions() {
        return subscriptions.get();
    }

    /** Messages that were not accepted, so that they were lost. */
    long refused() {
        return refused.sum();
    }

    DisposableServer bind(LoopResources loops, boolean nativeTransport) {
        TcpServer server = TcpServer.create()
                .runOn(loops, nativeTransport)
                .host("127.0.0.1")
                .port(0)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true);
        return switch (kind) {
            case AWAITED -> server(server, this::awaited);
            case UNAWAITED -> server(server, connection -> each(connection, Subscriber::write));
            case SLUICE ->
                server(
                        server,
                        connection -> each(connection, (to, message) -> {
                            if (!to.trySend(message)) {
                                refused.increment();
                            }
                        }));
            case NETTY_AWAITED -> netty(server, true);
            case NETTY_UNAWAITED -> netty(server, false);
        };
    }

    // ---- received by Sluice

    private interface Passing {
        void pass(Subscriber to, byte[] message);
    }

    private interface Way {
        Flux<?> relay(FrameConnection<byte[], byte[]> connection);
    }

    private static DisposableServer server(TcpServer server, Way way) {
        return FrameServer.from(server, Codec.bytes(LengthFieldFraming.of(HEADER)))
                .handle(connection -> way.relay(connection).then())
                .bindNow();
    }

    private Flux<byte[]> each(FrameConnection<byte[], byte[]> connection, Passing passing) {
        return connection.receive().doOnNext(message -> {
            int topic = ByteBuffer.wrap(message).getInt();
            if (message.length == TOPIC) {
                subscribe(topic, new Subscriber(connection.channel(), connection));
            } else {
                passing.pass(subscriber(topic), message);
            }
        });
    }

    private Flux<Void> awaited(FrameConnection<byte[], byte[]> connection) {
        return connection
                .receive()
                .concatMap(
                        message -> {
                            int topic = ByteBuffer.wrap(message).getInt();
                            if (message.length == TOPIC) {
                                subscribe(topic, new Subscriber(connection.channel(), connection));
                                return Mono.empty();
                            }
                            ChannelFuture write = subscriber(topic).write(message);
                            return Mono.create(sink -> write.addListener(done -> {
                                if (done.isSuccess()) {
                                    sink.success();
                                } else {
                                    sink.error(done.cause());
                                }
                            }));
                        },
                        1);
    }

    private void subscribe(int topic, Subscriber subscriber) {
        subscribers.set(topic, subscriber);
        subscriptions.incrementAndGet();
    }

    private Subscriber subscriber(int topic) {
        Subscriber subscriber = subscribers.get(topic);
        if (subscriber == null) {
            throw new IllegalStateException("topic has no subscriber: topic=" + topic);
        }
        return subscriber;
    }

    // ---- a bare pipeline

    private DisposableServer netty(TcpServer server, boolean awaits) {
        Consumer<Channel> handlers = channel ->
                channel.pipeline().addFirst(new LengthFieldBasedFrameDecoder(MAX_FRAME, 0, HEADER), new Passer(awaits));
        return server.doOnChannelInit((observer, channel, address) -> handlers.accept(channel))
                .bindNow();
    }

    /** The frame with its header goes on as it came, without a copy. */
    private final class Passer extends SimpleChannelInboundHandler<ByteBuf> {
        private final boolean awaits;

        Passer(boolean awaits) {
            this.awaits = awaits;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.fireChannelActive();
            context.channel().config().setAutoRead(!awaits); // Reactor Netty has turned it off
            context.read();
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
            int topic = frame.getInt(frame.readerIndex() + HEADER);
            if (frame.readableBytes() == HEADER + TOPIC) {
                subscribe(topic, new Subscriber(context.channel(), null));
                context.read();
                return;
            }
            ChannelFuture write = subscriber(topic).channel.writeAndFlush(frame.retain());
            if (awaits) {
                write.addListener(done -> context.read());
            }
        }
    }
}
