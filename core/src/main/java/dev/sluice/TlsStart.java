package dev.sluice;

import dev.sluice.Drain.Switch;
import dev.sluice.framing.Codec;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.NettyPipeline;

/**
 * Puts TLS under a connection in the midst of its stream: has its turn behind the plaintext that was accepted, hands that to
 * the channel, and stands in front of it then. The gate, which it has claimed, stays shut until the handler is in place:
 * so nothing is read as plaintext that comes behind the pausing message.
 */
final class TlsStart<I> {
    private final ConnectionHandler<I, ?> handler;
    private final SslHandler tls;
    /** What the codec changes to with TLS. */
    private final @Nullable Switch<I> next;

    private final Sinks.Empty<Void> outcome = Sinks.empty();
    /** Whether the handler is in its place, or not needed. */
    private final AtomicBoolean decided = new AtomicBoolean();

    private TlsStart(ConnectionHandler<I, ?> handler, SslHandler tls, @Nullable Switch<I> next) {
        this.handler = handler;
        this.tls = tls;
        this.next = next;
    }

    /** Starts TLS; by the subscription. */
    static Mono<Void> of(ConnectionHandler<?, ?> handler, int view, SslHandler tls) {
        claim(handler, view, tls);
        return start(handler, tls, null);
    }

    /** Starts TLS and upgrades to a codec; by the subscription. Closes the connection if it fails, since nobody has it then. */
    static <I, O> Mono<Void> of(ConnectionHandler<I, O> handler, int view, SslHandler tls, Codec<I, O> codec) {
        claim(handler, view, tls);
        Switch<I> next;
        try {
            next = handler.inbound().upgrade(codec);
        } catch (IllegalStateException e) {
            release(tls);
            throw e;
        }
        Mono<Void> started = start(handler, tls, next);
        handler.outbound().switchTo(codec);
        return started;
    }

    private static void claim(ConnectionHandler<?, ?> handler, int view, SslHandler tls) {
        try {
            handler.inbound().claim(view);
            if (handler.channel().pipeline().get(SslHandler.class) != null) {
                handler.inbound().giveBackClaim();
                throw new IllegalStateException("connection has TLS already: channel=" + handler.channel());
            }
        } catch (IllegalStateException e) {
            release(tls);
            throw e;
        }
    }

    private static <I> Mono<Void> start(ConnectionHandler<I, ?> handler, SslHandler tls, @Nullable Switch<I> next) {
        TlsStart<I> start = new TlsStart<>(handler, tls, next);
        handler.outbound().inTurn(start::run);
        handler.onClose().subscribe(reason -> start.fail(new ConnectionClosedException(reason, null)));
        return start.outcome.asMono();
    }

    private void run() {
        Inbound<I> inbound = handler.inbound();
        long bytes = inbound.bytesAtHand();
        if (!inbound.isInputOpen()) {
            fail(new ConnectionClosedException(handler.closeReason(), null));
        } else if (bytes > 0) {
            handler.closeReason(CloseReason.PROTOCOL_ERROR);
            fail(new IllegalStateException(
                    "plaintext follows the message behind which TLS starts: bytesAtHand=" + bytes + ", limit=0"));
            handler.abort(CloseReason.PROTOCOL_ERROR);
        } else if (!decided.getAndSet(true)) {
            handler.flush();
            insert(handler.channel().pipeline());
            inbound.keepsPayloadNow();
            goOn();
        }
    }

    private void insert(ChannelPipeline pipeline) {
        tls.handshakeFuture().addListener(f -> {
            if (f.isSuccess()) {
                outcome.tryEmitEmpty();
            } else {
                outcome.tryEmitError(f.cause());
                if (next != null) {
                    handler.dispose();
                }
            }
        });
        if (pipeline.get(NettyPipeline.ProxyHandler) == null) {
            pipeline.addFirst(NettyPipeline.SslHandler, tls);
        } else {
            pipeline.addAfter(NettyPipeline.ProxyHandler, NettyPipeline.SslHandler, tls);
        }
    }

    private void goOn() {
        if (next == null) {
            handler.inbound().reopen();
        } else {
            handler.inbound().switchBy(next);
        }
    }

    /** The handler is not needed; without effect when it is in its place, where it cares for itself. */
    private void fail(Throwable error) {
        if (decided.getAndSet(true)) {
            return;
        }
        release(tls);
        outcome.tryEmitError(error);
        if (next != null) {
            handler.dispose(); // first: the next codec must not see what was plaintext
            handler.inbound().switchBy(next);
        }
    }

    /** A handler that was in no pipeline. */
    private static void release(SslHandler tls) {
        ReferenceCountUtil.safeRelease(tls.engine());
    }
}
