package dev.sluice;

import dev.sluice.framing.Codec;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.tcp.TcpServer;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Accepts connections and talks on them in messages. Immutable.
 *
 * <p>Event loops, native transport, TLS and metrics are those of the {@link TcpServer} it is made {@linkplain #from from}.
 *
 * @param <I> the messages that come in
 * @param <O> the messages that go out
 */
public final class FrameServer<I, O> {
    private static final Logger LOG = Loggers.getLogger(FrameServer.class);

    private final TcpServer server;
    private final Codec<I, O> codec;
    private final ConnectionOptions options;
    private final Function<? super FrameConnection<I, O>, ? extends Publisher<Void>> handler;

    private FrameServer(
            TcpServer server,
            Codec<I, O> codec,
            ConnectionOptions options,
            Function<? super FrameConnection<I, O>, ? extends Publisher<Void>> handler) {
        this.server = Objects.requireNonNull(server, "server");
        this.codec = Objects.requireNonNull(codec, "codec");
        this.options = Objects.requireNonNull(options, "options");
        this.handler = Objects.requireNonNull(handler, "handler");
    }

    /** A server for this address, with Reactor Netty's defaults; port 0 takes any that is free. */
    public static <I, O> FrameServer<I, O> create(String host, int port, Codec<I, O> codec) {
        return from(TcpServer.create().host(host).port(port), codec);
    }

    /** A server that binds and accepts as {@code server} does. */
    public static <I, O> FrameServer<I, O> from(TcpServer server, Codec<I, O> codec) {
        return new FrameServer<>(server, codec, ConnectionOptions.DEFAULT, connection -> Mono.empty());
    }

    /** Settings for connections accepted from now on; {@link ConnectionOptions#DEFAULT} by default. */
    public FrameServer<I, O> options(ConnectionOptions options) {
        return new FrameServer<>(server, codec, options, handler);
    }

    /**
     * What is done with each connection. Called on its event loop while the connection is being made; reading starts when
     * it has returned, and its publisher is subscribed to at once. When that completes the connection is {@linkplain
     * FrameConnection#close() closed} in order; when it fails the connection is {@linkplain FrameConnection#dispose()
     * disposed} and the error is logged. It is not cancelled when the peer goes: what it receives and sends tells it.
     *
     * <p>Without a handler every connection is closed at once.
     */
    public FrameServer<I, O> handle(Function<? super FrameConnection<I, O>, ? extends Publisher<Void>> handler) {
        return new FrameServer<>(server, codec, options, handler);
    }

    /** Binds when subscribed to. Disposing the server stops accepting; connections stay. */
    public Mono<? extends DisposableServer> bind() {
        return server.doOnConnection(this::accept).bind();
    }

    /** Binds now, waiting for at most 45 s. */
    public DisposableServer bindNow() {
        return server.doOnConnection(this::accept).bindNow(Duration.ofSeconds(45));
    }

    private void accept(Connection connection) {
        FrameConnection<I, O> accepted = FrameConnection.attach(connection, codec, options);
        Flux.defer(() -> handler.apply(accepted))
                .subscribe(
                        ignored -> {},
                        e -> failed(accepted, e),
                        () -> accepted.close().subscribe());
    }

    private static void failed(FrameConnection<?, ?> connection, Throwable e) {
        if (connection.isDisposed()) {
            LOG.debug("[{}] handler failed after the connection had closed", connection.channel(), e);
        } else {
            LOG.warn("[{}] handler failed, connection is disposed", connection.channel(), e);
        }
        connection.dispose();
    }
}
