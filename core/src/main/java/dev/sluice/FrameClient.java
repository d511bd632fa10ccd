package dev.sluice;

import dev.sluice.framing.Codec;
import io.netty.channel.ChannelOption;
import java.util.Map;
import java.util.Objects;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.tcp.TcpClient;

/**
 * Connects to a server and talks to it in messages. Immutable; every {@link #connect()} makes a connection of its own.
 *
 * <p>Event loops, native transport, TLS, name resolution, connect time-out and metrics are those of the {@link TcpClient}
 * it is made {@linkplain #from from}.
 *
 * @param <I> the messages that come in
 * @param <O> the messages that go out
 */
public final class FrameClient<I, O> {
    private final TcpClient client;
    private final Codec<I, O> codec;
    private final ConnectionOptions options;

    private FrameClient(TcpClient client, Codec<I, O> codec, ConnectionOptions options) {
        this.client = Objects.requireNonNull(client, "client");
        this.codec = Objects.requireNonNull(codec, "codec");
        this.options = Objects.requireNonNull(options, "options");
    }

    /** A client for this address, with Reactor Netty's defaults and without a pool. */
    public static <I, O> FrameClient<I, O> create(String host, int port, Codec<I, O> codec) {
        return from(TcpClient.newConnection().host(host).port(port), codec);
    }

    /** A client that connects as {@code client} does. */
    public static <I, O> FrameClient<I, O> from(TcpClient client, Codec<I, O> codec) {
        return new FrameClient<>(client, codec, ConnectionOptions.DEFAULT);
    }

    /** Settings for connections made from now on; {@link ConnectionOptions#DEFAULT} by default. */
    public FrameClient<I, O> options(ConnectionOptions options) {
        return new FrameClient<>(client, codec, options);
    }

    /** Options of the socket, set before it connects; {@link SocketOptions#DEFAULT} by default. */
    @SuppressWarnings("unchecked")
    public FrameClient<I, O> socketOptions(SocketOptions socketOptions) {
        TcpClient changed = client;
        for (Map.Entry<ChannelOption<?>, Object> option : socketOptions.asMap().entrySet()) {
            changed = changed.option((ChannelOption<Object>) option.getKey(), option.getValue());
        }
        return new FrameClient<>(changed, codec, options);
    }

    /**
     * Connects when subscribed to. Nothing is lost between connecting and the first receiver: what comes meanwhile is
     * decoded up to the prefetch and waits.
     */
    public Mono<FrameConnection<I, O>> connect() {
        // Reactor Netty tells of a connection inside the callback in which it is made, before the first read.
        return client.connect().map(this::attach);
    }

    private FrameConnection<I, O> attach(Connection connection) {
        try {
            return FrameConnection.attach(connection, codec, options);
        } catch (Throwable e) {
            connection.dispose(); // it is nobody's
            throw e;
        }
    }
}
