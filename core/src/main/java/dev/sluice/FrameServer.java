package dev.sluice;

import dev.sluice.framing.Codec;
import io.netty.channel.ChannelOption;
import java.time.Duration;
import java.util.Map;
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

    private static final Duration BIND_TIMEOUT = Duration.ofSeconds(45);

    private final TcpServer server;
    private final Codec<I, O> codec;
    private final ConnectionOptions options;
    private final int acceptors;
    private final Function<? super FrameConnection<I, O>, ? extends Publisher<Void>> handler;

    private FrameServer(
            TcpServer server,
            Codec<I, O> codec,
            ConnectionOptions options,
            int acceptors,
            Function<? super FrameConnection<I, O>, ? extends Publisher<Void>> handler) {
        this.server = Objects.requireNonNull(server, "server");
        this.codec = Objects.requireNonNull(codec, "codec");
        this.options = Objects.requireNonNull(options, "options");
        this.acceptors = acceptors;
        this.handler = Objects.requireNonNull(handler, "handler");
    }

    /** A server for this address, with Reactor Netty's defaults; port 0 takes any that is free. */
    public static <I, O> FrameServer<I, O> create(String host, int port, Codec<I, O> codec) {
        return from(TcpServer.create().host(host).port(port), codec);
    }

    /** A server that binds and accepts as {@code server} does. */
    public static <I, O> FrameServer<I, O> from(TcpServer server, Codec<I, O> codec) {
        return new FrameServer<>(server, codec, ConnectionOptions.DEFAULT, 1, connection -> Mono.empty());
    }

    /** Settings for connections accepted from now on; {@link ConnectionOptions#DEFAULT} by default. */
    public FrameServer<I, O> options(ConnectionOptions options) {
        return new FrameServer<>(server, codec, options, acceptors, handler);
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
        return new FrameServer<>(server, codec, options, acceptors, handler);
    }

    /**
     * Options of the sockets, set before they listen or before a connection is used; {@link SocketOptions#DEFAULT} by
     * default.
     */
    @SuppressWarnings("unchecked")
    public FrameServer<I, O> socketOptions(SocketOptions socketOptions) {
        TcpServer changed = server;
        for (Map.Entry<ChannelOption<?>, Object> entry : socketOptions.asMap().entrySet()) {
            ChannelOption<Object> option = (ChannelOption<Object>) entry.getKey();
            if (SocketOptions.isListeners(option)) {
                changed = changed.option(option, entry.getValue());
            } else if (!option.equals(ChannelOption.CONNECT_TIMEOUT_MILLIS)) {
                changed = changed.childOption(option, entry.getValue());
            }
        }
        return new FrameServer<>(changed, codec, options, acceptors, handler);
    }

    /**
     * How many sockets listen at the address (SO_REUSEPORT); 1 by default. The kernel spreads connections over them, so
     * that one event loop is not all that accepts: let the server's {@code LoopResources} have as many selectors. Needs the
     * native transport; with NIO binding fails, as the address is in use then.
     *
     * @param acceptors at least 1
     */
    public FrameServer<I, O> acceptors(int acceptors) {
        if (acceptors < 1) {
            throw new IllegalArgumentException("nobody accepts: acceptors=" + acceptors + ", limit=1");
        }
        return new FrameServer<>(server, codec, options, acceptors, handler);
    }

    /** Binds when subscribed to. Disposing the server stops accepting; connections stay. */
    public Mono<? extends DisposableServer> bind() {
        TcpServer accepting = server.doOnConnection(this::accept);
        return acceptors == 1 ? accepting.bind() : Acceptors.bind(accepting, acceptors);
    }

    /** Binds now, waiting for at most 45 s. */
    public DisposableServer bindNow() {
        return acceptors == 1
                ? server.doOnConnection(this::accept).bindNow(BIND_TIMEOUT)
                : bind().<DisposableServer>cast(DisposableServer.class)
                        .blockOptional(BIND_TIMEOUT)
                        .orElseThrow();
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
