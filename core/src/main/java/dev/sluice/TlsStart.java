package dev.sluice;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.NettyPipeline;

/**
 * Puts TLS under a connection in the midst of its stream: has its turn behind the plaintext that was accepted, hands that to
 * the channel, and stands in front of it then. The gate, which it has claimed, stays shut until the handler is in place:
 * so nothing is read as plaintext that comes behind the pausing message.
 */
final class TlsStart {
    private final ConnectionHandler<?, ?> handler;
    private final SslHandler tls;
    private final Sinks.Empty<Void> outcome = Sinks.empty();
    /** Whether the handler is in its place, or not needed. */
    private final AtomicBoolean decided = new AtomicBoolean();

    private TlsStart(ConnectionHandler<?, ?> handler, SslHandler tls) {
        this.handler = handler;
        this.tls = tls;
    }

    /** Starts TLS; by the subscription. */
    static Mono<Void> of(ConnectionHandler<?, ?> handler, int view, SslHandler tls) {
        handler.inbound().claim(view);
        TlsStart start = new TlsStart(handler, tls);
        handler.outbound().inTurn(start::run);
        handler.onClose().subscribe(reason -> start.fail(new ConnectionClosedException(reason, null)));
        return start.outcome.asMono();
    }

    private void run() {
        Inbound<?> inbound = handler.inbound();
        ChannelPipeline pipeline = handler.channel().pipeline();
        long bytes = inbound.bytesAtHand();
        if (!inbound.isInputOpen()) {
            fail(new ConnectionClosedException(handler.closeReason(), null));
        } else if (bytes > 0) {
            fail(new IllegalStateException(
                    "plaintext follows the message behind which TLS starts: bytesAtHand=" + bytes + ", limit=0"));
            handler.abort(CloseReason.PROTOCOL_ERROR);
        } else if (pipeline.get(SslHandler.class) != null) {
            fail(new IllegalStateException("connection has TLS already: channel=" + handler.channel()));
            inbound.giveBackClaim();
        } else {
            handler.flush();
            insert(pipeline);
            inbound.keepsPayloadNow();
            inbound.reopen();
        }
    }

    private void insert(ChannelPipeline pipeline) {
        decided.set(true);
        tls.handshakeFuture().addListener(f -> {
            if (f.isSuccess()) {
                outcome.tryEmitEmpty();
            } else {
                outcome.tryEmitError(f.cause());
            }
        });
        if (pipeline.get(NettyPipeline.ProxyHandler) == null) {
            pipeline.addFirst(NettyPipeline.SslHandler, tls);
        } else {
            pipeline.addAfter(NettyPipeline.ProxyHandler, NettyPipeline.SslHandler, tls);
        }
    }

    /** The handler is not needed; without effect when it is in its place, where it cares for itself. */
    private void fail(Throwable error) {
        if (!decided.getAndSet(true)) {
            ReferenceCountUtil.safeRelease(tls.engine());
            outcome.tryEmitError(error);
        }
    }
}
