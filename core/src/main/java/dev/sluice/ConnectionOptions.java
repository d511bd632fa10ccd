package dev.sluice;

import java.time.Duration;
import java.util.Objects;

/** Settings of a {@link FrameConnection}: immutable, each method returns changed options. */
public final class ConnectionOptions {
    /** What each method names as its default. */
    public static final ConnectionOptions DEFAULT = new ConnectionOptions(
            Prefetch.DEFAULT, CancelPolicy.HAND_OVER, true, true, true, Duration.ofSeconds(30), Duration.ofSeconds(10));

    private final Prefetch prefetch;
    private final CancelPolicy cancelPolicy;
    private final boolean fusesAcrossThreads;
    private final boolean sharesReadBuffer;
    private final boolean noDelay;
    private final Duration holdTimeout;
    private final Duration closeTimeout;

    private ConnectionOptions(
            Prefetch prefetch,
            CancelPolicy cancelPolicy,
            boolean fusesAcrossThreads,
            boolean sharesReadBuffer,
            boolean noDelay,
            Duration holdTimeout,
            Duration closeTimeout) {
        this.prefetch = Objects.requireNonNull(prefetch, "prefetch");
        this.cancelPolicy = Objects.requireNonNull(cancelPolicy, "cancelPolicy");
        this.fusesAcrossThreads = fusesAcrossThreads;
        this.sharesReadBuffer = sharesReadBuffer;
        this.noDelay = noDelay;
        this.holdTimeout = notNegative("holdTimeout", holdTimeout);
        this.closeTimeout = notNegative("closeTimeout", closeTimeout);
    }

    /** How much is decoded ahead of demand; {@link Prefetch#DEFAULT} by default. */
    public ConnectionOptions prefetch(Prefetch prefetch) {
        return new ConnectionOptions(
                prefetch, cancelPolicy, fusesAcrossThreads, sharesReadBuffer, noDelay, holdTimeout, closeTimeout);
    }

    /** What becomes of the connection when its receiver cancels; {@link CancelPolicy#HAND_OVER} by default. */
    public ConnectionOptions cancelPolicy(CancelPolicy cancelPolicy) {
        return new ConnectionOptions(
                prefetch, cancelPolicy, fusesAcrossThreads, sharesReadBuffer, noDelay, holdTimeout, closeTimeout);
    }

    /**
     * Whether {@code receive()} fuses with a consumer on another thread, such as {@code publishOn}; on by default. The
     * connection's ring then stands for the consumer's own queue, with what is demanded, up to 1,024 messages and 4 MiB,
     * as its capacity beside the prefetch; and what the consumer has not polled when it cancels stays for the next
     * receiver. When off, such consumers queue by themselves, and discard their queue when cancelled.
     */
    public ConnectionOptions fuseAcrossThreads(boolean fuseAcrossThreads) {
        return new ConnectionOptions(
                prefetch, cancelPolicy, fuseAcrossThreads, sharesReadBuffer, noDelay, holdTimeout, closeTimeout);
    }

    /**
     * Whether the connection reads into a buffer that all connections of its event loop share, 256 KiB at a time, where
     * that can be: NIO and epoll, no TLS, a decoder that {@linkplain dev.sluice.framing.MessageDecoder#keepsPayload()
     * keeps nothing}, and no receive allocator of your own ({@code ChannelOption.RECVBUF_ALLOCATOR}); on by default. When
     * off, each read takes a buffer of the channel's allocator.
     */
    public ConnectionOptions shareReadBuffer(boolean shareReadBuffer) {
        return new ConnectionOptions(
                prefetch, cancelPolicy, fusesAcrossThreads, shareReadBuffer, noDelay, holdTimeout, closeTimeout);
    }

    /**
     * Whether small writes go out at once (TCP_NODELAY) instead of waiting for the acknowledgement of earlier ones; on by
     * default, since Sluice puts messages together itself. Without effect where the transport has no such option.
     */
    public ConnectionOptions noDelay(boolean noDelay) {
        return new ConnectionOptions(
                prefetch, cancelPolicy, fusesAcrossThreads, sharesReadBuffer, noDelay, holdTimeout, closeTimeout);
    }

    /**
     * How long messages that nobody receives are held after the channel has closed, then they are released; 30 s by
     * default.
     */
    public ConnectionOptions holdTimeout(Duration holdTimeout) {
        return new ConnectionOptions(
                prefetch, cancelPolicy, fusesAcrossThreads, sharesReadBuffer, noDelay, holdTimeout, closeTimeout);
    }

    /**
     * How long {@link FrameConnection#close()} waits for what was sent to be taken and for the peer's end of the stream;
     * 10 s by default.
     */
    public ConnectionOptions closeTimeout(Duration closeTimeout) {
        return new ConnectionOptions(
                prefetch, cancelPolicy, fusesAcrossThreads, sharesReadBuffer, noDelay, holdTimeout, closeTimeout);
    }

    Prefetch prefetch() {
        return prefetch;
    }

    CancelPolicy cancelPolicy() {
        return cancelPolicy;
    }

    boolean fusesAcrossThreads() {
        return fusesAcrossThreads;
    }

    boolean sharesReadBuffer() {
        return sharesReadBuffer;
    }

    boolean noDelay() {
        return noDelay;
    }

    Duration holdTimeout() {
        return holdTimeout;
    }

    Duration closeTimeout() {
        return closeTimeout;
    }

    private static Duration notNegative(String name, Duration value) {
        if (Objects.requireNonNull(value, name).isNegative()) {
            throw new IllegalArgumentException(name + " below zero: " + name + "=" + value + ", limit=PT0S");
        }
        return value;
    }
}
