package dev.sluice.bench;

import dev.sluice.FrameClient;
import dev.sluice.FrameConnection;
import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.net.InetAddress;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;

/** A connection that shares its event loop with others. Its frames have a length of 4 bytes and begin with a number of 8. */
interface Neighbour extends AutoCloseable {
    /** Messages that it has taken. */
    long taken();

    @Override
    void close();

    /** Who reads. */
    enum Kind {
        SLUICE {
            @Override
            Neighbour connect(LoopResources loop, int port, boolean takes, LongConsumer receiver) {
                Codec<Long, Void> codec =
                        Codec.decoding(LengthFieldFraming.of(4), payload -> payload.getLong(payload.readerIndex()));
                FrameConnection<Long, Void> connection = FrameClient.from(
                                TcpClient.newConnection()
                                        .host("127.0.0.1")
                                        .port(port)
                                        .runOn(loop),
                                codec)
                        .connect()
                        .blockOptional()
                        .orElseThrow();
                connection.receive().subscribe(new BaseSubscriber<Long>() {
                    @Override
                    protected void hookOnSubscribe(Subscription subscription) {
                        if (takes) {
                            subscription.request(Long.MAX_VALUE);
                        }
                    }

                    @Override
                    protected void hookOnNext(Long message) {
                        receiver.accept(message);
                    }

                    @Override
                    protected void hookOnError(Throwable closed) {}
                });
                return new Neighbour() {
                    @Override
                    public long taken() {
                        return connection.stats().messagesIn()
                                - connection.stats().heldMessages();
                    }

                    @Override
                    public void close() {
                        connection.disposeNow();
                    }
                };
            }
        },
        /** Netty's decoder and a handler. */
        NETTY {
            @Override
            Neighbour connect(LoopResources loop, int port, boolean takes, LongConsumer receiver) {
                LongAdder taken = new LongAdder();
                EventLoopGroup group = loop.onClient(LoopResources.DEFAULT_NATIVE);
                Channel channel = new Bootstrap()
                        .group(group)
                        .channel(loop.onChannelClass(SocketChannel.class, group))
                        .option(ChannelOption.AUTO_READ, takes)
                        .handler(new ChannelInitializer<>() {
                            @Override
                            protected void initChannel(Channel made) {
                                made.pipeline()
                                        .addLast(new LengthFieldBasedFrameDecoder(1 << 20, 0, 4, 0, 4))
                                        .addLast(new SimpleChannelInboundHandler<ByteBuf>() {
                                            @Override
                                            protected void channelRead0(ChannelHandlerContext ctx, ByteBuf frame) {
                                                taken.increment();
                                                receiver.accept(frame.readLong());
                                            }
                                        });
                            }
                        })
                        .connect(InetAddress.getLoopbackAddress(), port)
                        .syncUninterruptibly()
                        .channel();
                return new Neighbour() {
                    @Override
                    public long taken() {
                        return taken.sum();
                    }

                    @Override
                    public void close() {
                        channel.close().syncUninterruptibly();
                    }
                };
            }
        };

        /**
         * Connects.
         *
         * @param takes whether it takes what comes; otherwise it has no demand
         * @param receiver takes the number of each message, on the event loop
         */
        abstract Neighbour connect(LoopResources loop, int port, boolean takes, LongConsumer receiver);
    }
}
