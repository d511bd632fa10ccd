package dev.sluice;

import io.netty.channel.ChannelOption;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Options of the operating system's sockets: immutable, each method returns changed options. What is not set stays as the
 * {@code TcpClient} or {@code TcpServer} has it. Set before a socket connects or listens, which matters for buffer sizes;
 * an option that a transport does not know is without effect there, and logged by Netty.
 *
 * <p>{@code TCP_NODELAY} is {@link ConnectionOptions#noDelay}, since it is right for any way to make a connection.
 */
public final class SocketOptions {
    /** Changes nothing. */
    public static final SocketOptions DEFAULT = new SocketOptions(Map.of());

    private final Map<ChannelOption<?>, Object> options;

    private SocketOptions(Map<ChannelOption<?>, Object> options) {
        this.options = options;
    }

    private <T> SocketOptions with(ChannelOption<T> option, T value) {
        Map<ChannelOption<?>, Object> changed = new LinkedHashMap<>(options);
        changed.put(option, value);
        return new SocketOptions(Collections.unmodifiableMap(changed));
    }

    /**
     * SO_KEEPALIVE: whether the kernel probes a connection on which nothing happens, after two hours by Linux's default, so
     * that a peer that has vanished is noticed. Off by the system's default.
     */
    public SocketOptions keepAlive(boolean keepAlive) {
        return with(ChannelOption.SO_KEEPALIVE, keepAlive);
    }

    /**
     * SO_REUSEADDR: whether an address may be bound while connections of an earlier socket wait there for their end
     * (TIME_WAIT). Reactor Netty's servers have it on.
     */
    public SocketOptions reuseAddress(boolean reuseAddress) {
        return with(ChannelOption.SO_REUSEADDR, reuseAddress);
    }

    /**
     * SO_SNDBUF: how much the kernel takes before a peer has acknowledged it. What it has taken counts as sent, so a large
     * buffer delays what watermarks and time-outs notice. The system grows it by itself unless it is set.
     *
     * @param bytes at least 1; Linux reserves twice as many
     */
    public SocketOptions sendBuffer(int bytes) {
        return with(ChannelOption.SO_SNDBUF, positive("sendBuffer", bytes));
    }

    /**
     * SO_RCVBUF: how much the kernel holds that was not read, and so how much a peer may send ahead of this side's demand.
     * The system grows it by itself unless it is set. On a server it is set on the listening socket, whose connections
     * inherit it.
     *
     * @param bytes at least 1; Linux reserves twice as many
     */
    public SocketOptions receiveBuffer(int bytes) {
        return with(ChannelOption.SO_RCVBUF, positive("receiveBuffer", bytes));
    }

    /**
     * SO_LINGER: with a time, closing the channel waits for the peer to acknowledge what was written, and blocks a thread
     * meanwhile; with zero it resets the connection and drops that. Not needed for {@link FrameConnection#close()}, which
     * waits without blocking. Off by the system's default.
     *
     * @param time whole seconds, from 0 to 65,535
     */
    public SocketOptions linger(Duration time) {
        long seconds = Objects.requireNonNull(time, "time").toSeconds();
        if (time.isNegative() || seconds > 65_535 || !time.equals(Duration.ofSeconds(seconds))) {
            throw new IllegalArgumentException("linger is no number of seconds: linger=" + time + ", limit=65535");
        }
        return with(ChannelOption.SO_LINGER, (int) seconds);
    }

    /**
     * How long a client tries to connect before it fails with a {@code ConnectTimeoutException}; 30 s by Reactor Netty's
     * default. A server has no use for it.
     *
     * @param timeout from 1 ms; a longer one than 24 days is taken as that
     */
    public SocketOptions connectTimeout(Duration timeout) {
        if (Objects.requireNonNull(timeout, "timeout").toMillis() < 1) {
            throw new IllegalArgumentException(
                    "connectTimeout too small: connectTimeout=" + timeout + ", limit=PT0.001S");
        }
        return with(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.min(Integer.MAX_VALUE, timeout.toMillis()));
    }

    private static int positive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " too small: " + name + "=" + value + ", limit=1");
        }
        return value;
    }

    Map<ChannelOption<?>, Object> asMap() {
        return options;
    }

    /** Whether the listening socket has it, rather than its connections. */
    static boolean isListeners(ChannelOption<?> option) {
        return option.equals(ChannelOption.SO_REUSEADDR) || option.equals(ChannelOption.SO_RCVBUF);
    }
}
