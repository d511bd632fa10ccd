package dev.sluice;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import org.jspecify.annotations.Nullable;

/**
 * Lets writes wait for the kernel behind the peer's end over epoll, where Netty (4.2.17, and 4.2.20 too) fails them: when
 * the peer has ended its stream and nothing waits to be written, nothing is asked of epoll, so the transport takes the
 * descriptor out of it; the registration does not remember that, and once a write has to wait it changes what is asked of a
 * descriptor that is not there. A registration made anew puts it there.
 *
 * <p>So from the peer's end on, a flush while no earlier one waits makes the registration anew first, on the same loop, and
 * writes in the same task, before the loop asks epoll for events:
 *
 * <pre>
 *  RESTING      flush: the registration is taken back, which Netty does by a task -> REGISTERING
 *  REGISTERING  that task has made another: flush, then a close that came         -> WAITING, or RESTING if all is written
 *  WAITING      flush: what is to be written joins what waits, by a task
 *               the kernel has taken all: Netty takes the descriptor out          -> RESTING
 * </pre>
 *
 * <p>A write that has used up its spins would go on by a task, with nothing asked of epoll meanwhile; so it spins until the
 * kernel is full. That is bounded by what had been flushed before: what is sent as its parts are written is flushed later.
 *
 * <p>First in the pipeline: it sees everybody's flush, and nobody sees that the channel had no registration. Event loop only.
 */
final class EpollHalfClose extends ChannelDuplexHandler {
    private static final String NAME = "sluice.epollHalfClose";
    /** One more means to Netty that the kernel is full. */
    private static final int MAX_SPINS = Integer.MAX_VALUE - 1;

    private boolean registering;
    private boolean flushQueued;
    /** Who has closed the channel while it was registering. */
    private @Nullable ChannelPromise closing;

    private EpollHalfClose() {}

    /** The peer has ended its stream: inside the event that tells so, while the registration is as it should be. */
    static void begin(Channel channel) {
        if (!channel.isOpen()
                || !channel.getClass().getName().startsWith("io.netty.channel.epoll.")
                || channel.pipeline().get(NAME) != null) {
            return;
        }
        channel.config().setWriteSpinCount(MAX_SPINS);
        channel.pipeline().addFirst(NAME, new EpollHalfClose());
        if (isWaiting(channel.unsafe().outboundBuffer())) {
            channel.unsafe().flush(); // it may wait for a task, its spins used up; now it waits for the kernel
        }
    }

    private static boolean isWaiting(@Nullable ChannelOutboundBuffer buffer) {
        return buffer != null && buffer.size() > 0;
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        if (registering || flushQueued) {
            return; // follows
        }
        if (isWaiting(ctx.channel().unsafe().outboundBuffer())) {
            flushQueued = true;
            ctx.executor().execute(() -> flushQueued(ctx));
        } else {
            flushAnew(ctx);
        }
    }

    private void flushQueued(ChannelHandlerContext ctx) {
        flushQueued = false;
        if (isWaiting(ctx.channel().unsafe().outboundBuffer())) {
            ctx.flush();
        } else {
            flushAnew(ctx);
        }
    }

    private void flushAnew(ChannelHandlerContext ctx) {
        ChannelOutboundBuffer buffer = ctx.channel().unsafe().outboundBuffer();
        if (buffer == null || buffer.totalPendingWriteBytes() == 0) {
            ctx.flush();
        } else {
            registering = true;
            ctx.deregister().addListener(f -> registerAnew(ctx.channel()));
        }
    }

    /** In the task that has taken the registration back, behind what Netty does there to a channel that has closed. */
    private static void registerAnew(Channel channel) {
        if (channel.isOpen()) {
            channel.eventLoop().register(channel);
        }
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext ctx) {
        if (!registering || !ctx.channel().isOpen()) {
            ctx.fireChannelUnregistered();
        }
    }

    @Override
    public void channelRegistered(ChannelHandlerContext ctx) {
        registering = false;
        ctx.flush();
        if (closing != null) {
            ctx.close(closing);
        }
    }

    /** Without a registration Netty would not tell that the channel is inactive then. */
    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (!registering) {
            ctx.close(promise);
        } else if (closing == null) {
            closing = promise;
        } else {
            closing.addListener(f -> ctx.close(promise));
        }
    }

    /** The channel is gone, or its loop. */
    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (closing != null) {
            closing.trySuccess();
        }
    }
}
