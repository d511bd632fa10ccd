package dev.sluice;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/** Settings of a {@link FrameConnection}: immutable, each method returns changed options. */
public final class ConnectionOptions {
    /** What each method names as its default. */
    public static final ConnectionOptions DEFAULT = new ConnectionOptions(new Settings());

    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    /** Written before its options are made, never after. */
    private final Settings settings;

    private ConnectionOptions(Settings settings) {
        this.settings = settings;
    }

    private ConnectionOptions with(Consumer<Settings> change) {
        Settings changed = new Settings(settings);
        change.accept(changed);
        return new ConnectionOptions(changed);
    }

    /** How much is decoded ahead of demand; {@link Prefetch#DEFAULT} by default. */
    public ConnectionOptions prefetch(Prefetch prefetch) {
        Objects.requireNonNull(prefetch, "prefetch");
        return with(changed -> changed.prefetch = prefetch);
    }

    /** What becomes of the connection when its receiver cancels; {@link CancelPolicy#HAND_OVER} by default. */
    public ConnectionOptions cancelPolicy(CancelPolicy cancelPolicy) {
        Objects.requireNonNull(cancelPolicy, "cancelPolicy");
        return with(changed -> changed.cancelPolicy = cancelPolicy);
    }

    /**
     * Whether {@code receive()} fuses with a consumer on another thread, such as {@code publishOn}; on by default. The
     * connection's ring then stands for the consumer's own queue, with what is demanded, up to 1,024 messages and 4 MiB,
     * as its capacity beside the prefetch; and what the consumer has not polled when it cancels stays for the next
     * receiver. When off, such consumers queue by themselves, and discard their queue when cancelled.
     */
    public ConnectionOptions fuseAcrossThreads(boolean fuseAcrossThreads) {
        return with(changed -> changed.fusesAcrossThreads = fuseAcrossThreads);
    }

    /**
     * Whether the connection reads into a buffer that all connections of its event loop share, 256 KiB at a time, where
     * that can be: NIO and epoll, no TLS, a decoder that {@linkplain dev.sluice.framing.MessageDecoder#keepsPayload()
     * keeps nothing}, and no receive allocator of your own ({@code ChannelOption.RECVBUF_ALLOCATOR}); on by default. When
     * off, each read takes a buffer of the channel's allocator.
     */
    public ConnectionOptions shareReadBuffer(boolean shareReadBuffer) {
        return with(changed -> changed.sharesReadBuffer = shareReadBuffer);
    }

    /**
     * Whether small writes go out at once (TCP_NODELAY) instead of waiting for the acknowledgement of earlier ones; on by
     * default, since Sluice puts messages together itself. Without effect where the transport has no such option.
     */
    public ConnectionOptions noDelay(boolean noDelay) {
        return with(changed -> changed.noDelay = noDelay);
    }

    /**
     * How long messages that nobody receives are held after the channel has closed, then they are released; and how long
     * bytes behind a message that the codec pauses after wait then for somebody to say how to go on, when all messages
     * have been taken; 30 s by default.
     */
    public ConnectionOptions holdTimeout(Duration holdTimeout) {
        checkDuration("holdTimeout", holdTimeout);
        return with(changed -> changed.holdTimeout = holdTimeout);
    }

    /**
     * How long {@link FrameConnection#close()} waits for what was sent to be taken and for the peer's end of the stream;
     * 10 s by default.
     */
    public ConnectionOptions closeTimeout(Duration closeTimeout) {
        checkDuration("closeTimeout", closeTimeout);
        return with(changed -> changed.closeTimeout = closeTimeout);
    }

    /** How much of what is sent is held, and for how long; {@link SendPolicy#DEFAULT} by default. */
    public ConnectionOptions sendPolicy(SendPolicy sendPolicy) {
        Objects.requireNonNull(sendPolicy, "sendPolicy");
        return with(changed -> changed.sendPolicy = sendPolicy);
    }

    /**
     * How long the peer may be silent, then the connection is closed with {@link CloseReason#READ_IDLE}; 0, the default, is
     * for ever. Only time in which this side reads counts: while the receiver has no demand and the prefetch is full, or
     * while decoding is paused, the peer cannot be heard. Any byte ends the silence, also one of a frame that is not whole.
     * The receiver gets all messages read before, then {@link ConnectionClosedException}.
     */
    public ConnectionOptions readIdleTimeout(Duration readIdleTimeout) {
        checkDuration("readIdleTimeout", readIdleTimeout);
        return with(changed -> changed.readIdleTimeout = readIdleTimeout);
    }

    /**
     * How long a frame may take from its first byte to its last, then the connection is closed with {@link
     * CloseReason#FRAME_TIMEOUT}; 0, the default, is for ever. It stops peers that send a byte now and then, which no limit
     * of silence does. Like {@link #readIdleTimeout} it counts only time in which this side reads, and the receiver gets
     * all messages read before.
     */
    public ConnectionOptions frameTimeout(Duration frameTimeout) {
        checkDuration("frameTimeout", frameTimeout);
        return with(changed -> changed.frameTimeout = frameTimeout);
    }

    Prefetch prefetch() {
        return settings.prefetch;
    }

    CancelPolicy cancelPolicy() {
        return settings.cancelPolicy;
    }

    boolean fusesAcrossThreads() {
        return settings.fusesAcrossThreads;
    }

    boolean sharesReadBuffer() {
        return settings.sharesReadBuffer;
    }

    boolean noDelay() {
        return settings.noDelay;
    }

    Duration holdTimeout() {
        return settings.holdTimeout;
    }

    Duration closeTimeout() {
        return settings.closeTimeout;
    }

    SendPolicy sendPolicy() {
        return settings.sendPolicy;
    }

    Duration readIdleTimeout() {
        return settings.readIdleTimeout;
    }

    Duration frameTimeout() {
        return settings.frameTimeout;
    }

    /** Timers count in nanoseconds, and a long holds 292 years of them. */
    static void checkDuration(String name, Duration value) {
        if (Objects.requireNonNull(value, name).isNegative()) {
            throw new IllegalArgumentException(name + " below zero: " + name + "=" + value + ", limit=PT0S");
        }
        if (value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " too long: " + name + "=" + value + ", limit=" + LONGEST);
        }
    }

    private static final class Settings {
        Prefetch prefetch = Prefetch.DEFAULT;
        CancelPolicy cancelPolicy = CancelPolicy.HAND_OVER;
        boolean fusesAcrossThreads = true;
        boolean sharesReadBuffer = true;
        boolean noDelay = true;
        Duration holdTimeout = Duration.ofSeconds(30);
        Duration closeTimeout = Duration.ofSeconds(10);
        SendPolicy sendPolicy = SendPolicy.DEFAULT;
        Duration readIdleTimeout = Duration.ZERO;
        Duration frameTimeout = Duration.ZERO;

        Settings() {}

        Settings(Settings from) {
            prefetch = from.prefetch;
            cancelPolicy = from.cancelPolicy;
            fusesAcrossThreads = from.fusesAcrossThreads;
            sharesReadBuffer = from.sharesReadBuffer;
            noDelay = from.noDelay;
            holdTimeout = from.holdTimeout;
            closeTimeout = from.closeTimeout;
            sendPolicy = from.sendPolicy;
            readIdleTimeout = from.readIdleTimeout;
            frameTimeout = from.frameTimeout;
        }
    }
}
