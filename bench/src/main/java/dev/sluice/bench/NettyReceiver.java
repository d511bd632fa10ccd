package dev.sluice.bench;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.util.Map;

/** A bare Netty pipeline: the frame decoder, and a handler behind it. No demand, no stream. */
final class NettyReceiver implements Receiver {
    private final ReceiverSettings settings;
    private final EventLoop loop;
    private final PayloadDecoder decoder;

    NettyReceiver(ReceiverSettings settings) {
        this.settings = settings;
        this.loop = new EventLoop(settings);
        this.decoder = settings.newDecoder();
    }

    @Override
    public Received receive() throws InterruptedException {
        Tally tally = new Tally();
        EventLoopGroup group = loop.group();
        Bootstrap bootstrap = new Bootstrap()
                .group(group)
                .channelFactory(() -> loop.resources().onChannel(SocketChannel.class, group))
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(new LengthFieldBasedFrameDecoder(settings.maxFrame(), 0, 4, 0, 4))
                                .addLast(new Decoding(decoder, tally));
                    }
                });
        RecvByteBufAllocator allocator = settings.recvAllocator();
        if (allocator != null) {
            bootstrap.option(ChannelOption.RECVBUF_ALLOCATOR, allocator);
        }
        Channel channel = bootstrap.connect(settings.address()).sync().channel();
        tally.await(settings.timeout());
        channel.close().sync();
        return new Received(tally.messages(), tally.endNanos(), decoder.takeSum(), Map.of());
    }

    @Override
    public Thread loopThread() throws Exception {
        return loop.thread();
    }

    @Override
    public void close() {
        loop.close();
    }

    private static final class Decoding extends ChannelInboundHandlerAdapter {
        private final PayloadDecoder decoder;
        private final Tally tally;

        Decoding(PayloadDecoder decoder, Tally tally) {
            this.decoder = decoder;
            this.tally = tally;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object frame) {
            ByteBuf payload = (ByteBuf) frame;
            tally.message(decoder.decode(payload));
            payload.release();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            tally.end(null);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            tally.end(cause);
            ctx.close();
        }
    }
}
