package dev.sluice;

import java.time.Duration;

/**
 * How much of what is sent a connection holds, and for how long: immutable, each method returns a changed policy.
 *
 * <p><em>Pending</em> is what was accepted and has not been taken by the kernel: its bytes as the encoder's {@code
 * sizeHint} says until a message is encoded, as they are on the wire from then on.
 */
public final class SendPolicy {
    /** What each method names as its default. */
    public static final SendPolicy DEFAULT =
            new SendPolicy(512 * 1024, 1024 * 1024, 8_192, 1_024, Duration.ZERO, true, 64 * 1024);

    /** Where one word has room for two counts, see {@link PendingSends}. */
    private static final int MAX_MESSAGES = 1 << 20;

    private static final int MAX_BYTES = 1 << 30;

    private final int lowWatermark;
    private final int highWatermark;
    private final int maxPending;
    private final int maxWaiting;
    private final Duration sendTimeout;
    private final boolean closesOnTimeout;
    private final int batchBytes;

    private SendPolicy(
            int lowWatermark,
            int highWatermark,
            int maxPending,
            int maxWaiting,
            Duration sendTimeout,
            boolean closesOnTimeout,
            int batchBytes) {
        this.lowWatermark = lowWatermark;
        this.highWatermark = highWatermark;
        this.maxPending = maxPending;
        this.maxWaiting = maxWaiting;
        this.sendTimeout = sendTimeout;
        this.closesOnTimeout = closesOnTimeout;
        this.batchBytes = batchBytes;
    }

    /**
     * With {@code high} or more pending bytes the connection is busy, and stays so until {@code low} or less are pending;
     * 512 KiB and 1 MiB by default: enough to keep a fast link full, and a distance that pays for a wake-up. The bound is
     * tested before a message is added, so that one of any size passes.
     *
     * @param low bytes, from 0 to {@code high}
     * @param high bytes, from 1 to 1 GiB
     */
    public SendPolicy watermarks(int low, int high) {
        atLeast("highWatermark", high, 1);
        atMost("highWatermark", high, MAX_BYTES);
        atLeast("lowWatermark", low, 0);
        if (low > high) {
            throw new IllegalArgumentException(
                    "low watermark above the high one: lowWatermark=" + low + ", limit=" + high);
        }
        return new SendPolicy(low, high, maxPending, maxWaiting, sendTimeout, closesOnTimeout, batchBytes);
    }

    /**
     * With so many pending messages the connection is busy too, until half of them are pending; 8,192 by default. This
     * bounds what small messages cost beside their bytes.
     *
     * @param messages from 1 to 1,048,576
     */
    public SendPolicy maxPending(int messages) {
        atLeast("maxPending", messages, 1);
        atMost("maxPending", messages, MAX_MESSAGES);
        return new SendPolicy(
                lowWatermark, highWatermark, messages, maxWaiting, sendTimeout, closesOnTimeout, batchBytes);
    }

    /**
     * How many {@code send}s may wait while the connection is busy, before {@link BusyException}; 1,024 by default.
     *
     * @param messages from 0 to 1,048,576
     */
    public SendPolicy maxWaiting(int messages) {
        atLeast("maxWaiting", messages, 0);
        atMost("maxWaiting", messages, MAX_MESSAGES);
        return new SendPolicy(
                lowWatermark, highWatermark, maxPending, messages, sendTimeout, closesOnTimeout, batchBytes);
    }

    /**
     * How long an accepted message may take until the kernel has all its bytes; {@link Duration#ZERO}, the default, for as
     * long as it takes. Then its reply is a {@link SendTimeoutException}, and the connection is closed unless {@link
     * #closeOnTimeout} is off. With a time-out every message costs an object, also those without a reply.
     */
    public SendPolicy sendTimeout(Duration timeout) {
        ConnectionOptions.checkDuration("sendTimeout", timeout);
        return new SendPolicy(
                lowWatermark, highWatermark, maxPending, maxWaiting, timeout, closesOnTimeout, batchBytes);
    }

    /**
     * Whether a message that is not written in time closes the connection; on by default. When off, its reply tells the
     * time-out, its bytes stay where they are and may still go out, and later replies follow in order.
     */
    public SendPolicy closeOnTimeout(boolean close) {
        return new SendPolicy(lowWatermark, highWatermark, maxPending, maxWaiting, sendTimeout, close, batchBytes);
    }

    /**
     * Encoded bytes are handed to the channel at the latest when there are so many; 64 KiB by default. All that is handed
     * over in one turn is flushed together; the replies to one batch come together.
     *
     * @param bytes from 1 to 1 GiB
     */
    public SendPolicy batchBytes(int bytes) {
        atLeast("batchBytes", bytes, 1);
        atMost("batchBytes", bytes, MAX_BYTES);
        return new SendPolicy(lowWatermark, highWatermark, maxPending, maxWaiting, sendTimeout, closesOnTimeout, bytes);
    }

    int lowWatermark() {
        return lowWatermark;
    }

    int highWatermark() {
        return highWatermark;
    }

    int maxPending() {
        return maxPending;
    }

    int maxWaiting() {
        return maxWaiting;
    }

    Duration sendTimeout() {
        return sendTimeout;
    }

    boolean hasTimeout() {
        return !sendTimeout.isZero();
    }

    boolean closesOnTimeout() {
        return closesOnTimeout;
    }

    int batchBytes() {
        return batchBytes;
    }

    private static void atLeast(String name, int value, int limit) {
        if (value < limit) {
            throw new IllegalArgumentException(name + " too small: " + name + "=" + value + ", limit=" + limit);
        }
    }

    private static void atMost(String name, int value, int limit) {
        if (value > limit) {
            throw new IllegalArgumentException(name + " too large: " + name + "=" + value + ", limit=" + limit);
        }
    }
}
