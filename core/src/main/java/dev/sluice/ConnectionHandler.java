package dev.sluice;

import dev.sluice.framing.Codec;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A connection's place in its channel's pipeline, below Reactor Netty's bridge: tells {@link Inbound} and {@link Outbound}
 * what happens to the channel, and does to the channel what they ask for. Bytes end here; every other event goes on, since
 * Reactor Netty's own life cycle hangs on it.
 */
final class ConnectionHandler<I, O> extends ChannelInboundHandlerAdapter {
    private final Channel channel;
    private final ConnectionOptions options;
    private final Counters counters = new Counters();
    private final Inbound<I> inbound;
    private final Outbound<O> outbound;
    private final Sinks.One<CloseReason> closed = Sinks.one();
    private final Sinks.Empty<Void> outputEnd = Sinks.empty();

    private volatile @Nullable ChannelHandlerContext context;
    private final AtomicReference<@Nullable CloseReason> closeReason = new AtomicReference<>();
    private volatile boolean closing;
    /** The output alone is ended. */
    private volatile boolean endingOutput;
    /** The peer's stream has ended, by its end, an error, or because the channel is gone. Event loop only. */
    private boolean peerEnded;

    private boolean gone;
    /** In order, behind all that was accepted. Event loop only. */
    private boolean outputEnded;

    ConnectionHandler(Channel channel, Codec<I, O> codec, ConnectionOptions options) {
        this.channel = channel;
        this.options = options;
        this.inbound = new Inbound<>(this, codec, options, counters);
        this.outbound = new Outbound<>(this, codec, options.sendPolicy(), counters);
    }

    Channel channel() {
        return channel;
    }

    Inbound<I> inbound() {
        return inbound;
    }

    Outbound<O> outbound() {
        return outbound;
    }

    Mono<CloseReason> onClose() {
        return closed.asMono();
    }

    ConnectionStats stats() {
        if (inbound.isDrainedByThisThread()) {
            inbound.publish(); // asked by a receiver, in the midst of the drain
        }
        return counters.snapshot(outbound);
    }

    // ---- what the halves ask for; on the event loop

    ChannelHandlerContext context() {
        ChannelHandlerContext ctx = context;
        if (ctx == null) {
            throw new IllegalStateException("connection is not in its channel's pipeline");
        }
        return ctx;
    }

    void read() {
        if (!peerEnded) {
            context().read();
        }
    }

    /** Sends what was written during the drain. */
    void flush() {
        outbound.flush();
    }

    boolean isDrainedByThisThread() {
        return inbound.isDrainedByThisThread();
    }

    boolean isClosing() {
        return closing;
    }

    /** Keeps the first reason. */
    void closeReason(CloseReason reason) {
        closeReason.compareAndSet(null, reason);
    }

    CloseReason closeReason() {
        CloseReason reason = closeReason.get();
        if (reason == null) {
            return endingOutput ? CloseReason.CLOSED : CloseReason.DISPOSED;
        }
        return reason;
    }

    // ---- switches; from any thread

    void switchTo(Codec<? extends I, ? super O> codec, int view) {
        inbound.claim(view);
        outbound.switchTo(codec);
        inbound.switchTo(codec);
    }

    void upgrade(Codec<I, O> codec, int view) {
        inbound.claim(view);
        inbound.switchBy(inbound.upgrade(codec));
        outbound.switchTo(codec);
    }

    // ---- closing

    /** At once; from any thread. */
    void dispose() {
        abort(CloseReason.DISPOSED);
    }

    /** Nothing more is given, or sent. From any thread. */
    void abort(CloseReason reason) {
        closeReason(reason);
        outbound.refuse();
        inbound.abort(reason);
        channel.close();
    }

    /** A message was not written in time. */
    void timedOut() {
        closeReason(CloseReason.SEND_TIMEOUT);
        outbound.refuse();
        channel.close();
    }

    /** The loop has ended, and may not have closed its channels. On the thread that tells of it. */
    void loopEnded() {
        closeReason(CloseReason.DISPOSED);
        inbound.stopDecoding(closeReason());
        closed.tryEmitValue(closeReason());
    }

    /** A limit of the time to read has passed: what was read stays for the receiver. On the event loop. */
    void readTimedOut(CloseReason reason) {
        closeReason(reason);
        outbound.refuse();
        inbound.stopDecoding(reason);
        channel.close();
    }

    /** In order: no more sends, what was accepted is written, the output is shut down, the peer's end is awaited. */
    void close() {
        closeReason(CloseReason.CLOSED);
        outbound.refuse();
        try {
            channel.eventLoop().execute(this::closeInLoop);
        } catch (RejectedExecutionException e) {
            inbound.stopDecoding(CloseReason.CLOSED);
        }
    }

    /** Ends the output behind what was accepted; reading goes on. */
    Mono<Void> shutdownOutput() {
        if (!(channel instanceof DuplexChannel) || channel.pipeline().get(SslHandler.class) != null) {
            return Mono.error(new UnsupportedOperationException(
                    "output cannot be ended alone, over plain TCP only: channel=" + channel));
        }
        endingOutput = true;
        outbound.refuse();
        try {
            channel.eventLoop().execute(this::shutdownOutputInLoop);
        } catch (RejectedExecutionException e) {
            outputFailed(e);
        }
        return outputEnd.asMono();
    }

    private void shutdownOutputInLoop() {
        if (!channel.isOpen() || outbound.isShutDown()) {
            outputFailed(null); // unless it has been ended already
        } else if (!closing) { // close() ends it too
            outbound.whenWritten(this::endOutput);
        }
    }

    private void outputFailed(@Nullable Throwable cause) {
        if (endingOutput) {
            outputEnd.tryEmitError(new ConnectionClosedException(closeReason(), cause));
        }
    }

    private void closeInLoop() {
        if (closing) {
            return;
        }
        closing = true;
        inbound.stopDecoding(CloseReason.CLOSED);
        if (channel.isOpen()) {
            long nanos = options.closeTimeout().toNanos();
            Future<?> deadline = channel.eventLoop().schedule(() -> channel.close(), nanos, TimeUnit.NANOSECONDS);
            channel.closeFuture().addListener(f -> deadline.cancel(false));
            outbound.whenWritten(this::endOutput);
        }
    }

    private void endOutput() {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls != null) {
            tls.closeOutbound().addListener(f -> shutdownTransport()); // close_notify
        } else {
            shutdownTransport();
        }
    }

    private void shutdownTransport() {
        if (channel instanceof DuplexChannel duplex && (endingOutput || !peerEnded)) {
            if (!outputEnded) {
                // Added before: the channel's event of it, which a failed write brings too, comes before this returns.
                ChannelPromise ended = channel.newPromise();
                ended.addListener(f -> outputEnded(f.cause()));
                duplex.shutdownOutput(ended);
            }
        } else {
            channel.close();
        }
    }

    private void outputEnded(@Nullable Throwable error) {
        if (error == null) {
            outputEnded = true;
            outputEnd.tryEmitEmpty();
        } else {
            outputFailed(error);
            if (closing) {
                channel.close();
            }
        }
    }

    // ---- what happens to the channel

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (!gone) {
            dispose();
            channelGone();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ByteBuf bytes) {
            inbound.read(bytes);
        } else {
            ctx.fireChannelRead(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        inbound.endReadTurn();
        outbound.turnEnded();
        ctx.fireChannelReadComplete();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE || event == ChannelInputShutdownReadComplete.INSTANCE) {
            EpollHalfClose.begin(channel);
            transportEnded();
        } else if (event == SslCloseCompletionEvent.SUCCESS) {
            peerEnded(CloseReason.PEER_CLOSED, null);
        } else if (event == ChannelOutputShutdownEvent.INSTANCE) {
            outbound.shutDown();
            outputFailed(null); // unless it has been ended in order
            closeIfBothEnded();
        } else if (event instanceof SslHandshakeCompletionEvent) {
            // Bytes that came with the handshake are passed on by a task, without the end of a read turn. Two tasks
            // from
            // here that task has run.
            channel.eventLoop().execute(() -> channel.eventLoop().execute(inbound::drainInTask));
        }
        ctx.fireUserEventTriggered(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        boolean connectionLost = cause instanceof IOException;
        peerEnded(connectionLost ? CloseReason.CONNECTION_LOST : CloseReason.PROTOCOL_ERROR, cause);
        channel.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        channelGone();
        ctx.fireChannelInactive();
    }

    private void channelGone() {
        gone = true;
        if (!peerEnded && (channel instanceof DuplexChannel || closeReason.get() != null)) {
            // A duplex channel tells the peer's end by an event of its own: without it, it was closed on this side.
            closeReason(CloseReason.DISPOSED);
            peerEnded(closeReason(), new ConnectionClosedException(closeReason(), null));
        } else {
            transportEnded();
        }
        outbound.channelGone();
        outputFailed(null);
        closed.tryEmitValue(closeReason());
    }

    /** Under TLS a FIN says nothing, unless close_notify came before it: then the end is known already. */
    private void transportEnded() {
        SslHandler tls = peerEnded ? null : channel.pipeline().get(SslHandler.class);
        if (tls == null) {
            peerEnded(CloseReason.PEER_CLOSED, null);
            return;
        }
        peerEnded(CloseReason.TLS_TRUNCATED, new ConnectionClosedException(CloseReason.TLS_TRUNCATED, null));
        if (!tls.handshakeFuture().isDone()) {
            channel.close(); // so that the handshake fails now
        }
    }

    private void peerEnded(CloseReason reason, @Nullable Throwable error) {
        closeReason(reason);
        peerEnded = true;
        inbound.inputEnded(error);
        closeIfBothEnded();
    }

    /** Nobody else closes a channel whose two directions have ended one by one. */
    private void closeIfBothEnded() {
        if (peerEnded && outbound.isShutDown()) {
            channel.close();
        }
    }
}
