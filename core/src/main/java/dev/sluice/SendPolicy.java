package dev.sluice;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * How much of what is sent a connection holds, and for how long: immutable, each method returns a changed policy.
 *
 * <p><em>Pending</em> is what was accepted and has not been taken by the kernel: its bytes as the encoder's {@code
 * sizeHint} says until a message is encoded, as they are on the wire from then on.
 */
public final class SendPolicy {
    /** What each method names as its default. */
    public static final SendPolicy DEFAULT = new SendPolicy(new Settings());

    /** Where one word has room for two counts, see {@link PendingSends}. */
    private static final int MAX_MESSAGES = 1 << 20;

    private static final int MAX_BYTES = 1 << 30;

    /** Written before its policy is made, never after. */
    private final Settings settings;

    private SendPolicy(Settings settings) {
        this.settings = settings;
    }

    private SendPolicy with(Consumer<Settings> change) {
        Settings changed = new Settings(settings);
        change.accept(changed);
        return new SendPolicy(changed);
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
        return with(changed -> {
            changed.lowWatermark = low;
            changed.highWatermark = high;
        });
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
        return with(changed -> changed.maxPending = messages);
    }

    /**
     * How many {@code send}s may wait while the connection is busy, before {@link BusyException}; 1,024 by default.
     *
     * @param messages from 0 to 1,048,576
     */
    public SendPolicy maxWaiting(int messages) {
        atLeast("maxWaiting", messages, 0);
        atMost("maxWaiting", messages, MAX_MESSAGES);
        return with(changed -> changed.maxWaiting = messages);
    }

    /**
     * How long an accepted message may take until the kernel has all its bytes; {@link Duration#ZERO}, the default, for as
     * long as it takes. Then its reply is a {@link SendTimeoutException}, and the connection is closed unless {@link
     * #closeOnTimeout} is off. With a time-out every message costs an object, also those without a reply.
     */
    public SendPolicy sendTimeout(Duration timeout) {
        ConnectionOptions.checkDuration("sendTimeout", timeout);
        return with(changed -> changed.sendTimeout = timeout);
    }

    /**
     * Whether a message that is not written in time closes the connection; on by default. When off, its reply tells the
     * time-out, its bytes stay where they are and may still go out, and later replies follow in order.
     */
    public SendPolicy closeOnTimeout(boolean close) {
        return with(changed -> changed.closesOnTimeout = close);
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
        return with(changed -> changed.batchBytes = bytes);
    }

    int lowWatermark() {
        return settings.lowWatermark;
    }

    int highWatermark() {
        return settings.highWatermark;
    }

    int maxPending() {
        return settings.maxPending;
    }

    int maxWaiting() {
        return settings.maxWaiting;
    }

    Duration sendTimeout() {
        return settings.sendTimeout;
    }

    boolean hasTimeout() {
        return !settings.sendTimeout.isZero();
    }

    boolean closesOnTimeout() {
        return settings.closesOnTimeout;
    }

    int batchBytes() {
        return settings.batchBytes;
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

    private static final class Settings {
        int lowWatermark = 512 * 1024;
        int highWatermark = 1024 * 1024;
        int maxPending = 8_192;
        int maxWaiting = 1_024;
        Duration sendTimeout = Duration.ZERO;
        boolean closesOnTimeout = true;
        int batchBytes = 64 * 1024;

        Settings() {}

        Settings(Settings from) {
            lowWatermark = from.lowWatermark;
            highWatermark = from.highWatermark;
            maxPending = from.maxPending;
            maxWaiting = from.maxWaiting;
            sendTimeout = from.sendTimeout;
            closesOnTimeout = from.closesOnTimeout;
            batchBytes = from.batchBytes;
        }
    }
}
