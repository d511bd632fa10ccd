package dev.sluice;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.netty.util.concurrent.Ticker;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How long a peer may be silent, and how long it may take for one frame. Both are measured in reading time, by a clock that
 * stands still while this side does not read: a peer that is held back by us is not late.
 *
 * <pre>
 *  reading       ├───────────┤             ├───────────────┤
 *  bytes of one frame   ▲ ▲                          ▲
 *  frame's time         ├────┤  +          ├───────────────…
 *  silence                ├──┤  +          ├─────────┤├────…
 * </pre>
 *
 * <p>One task looks at the clock and puts itself off to the moment at which a limit may be reached next. So a read costs
 * a look at the time and nothing else, and while nothing is read the task ends without a successor. What seems late is
 * looked at again by another task shortly after: after something else has kept the event loop, what the peer sent in time
 * is read in between.
 *
 * <p>Event loop only.
 */
final class ReadDeadlines implements Runnable {
    /** No frame has begun; as {@link dev.sluice.framing.FrameReader#tornFrameOffset()} has it. */
    private static final long NO_FRAME = -1;

    private static final long SECOND_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final EventLoop loop;
    private final Ticker ticker;
    private final long idleNanos;
    private final long frameNanos;
    private final Consumer<CloseReason> expired;

    private boolean reading;
    /** When {@link #spent} was brought up to date. */
    private long updatedAt;
    /** The clock: time spent reading. */
    private long spent;

    private long bytesSeen;
    private long lastBytesAt;
    private long frame = NO_FRAME;
    private long frameBeganAt;

    private boolean late;
    private @Nullable ScheduledFuture<?> task;

    /**
     * Limits of one connection.
     *
     * @param options 0 of a limit is none
     * @param expired is told which limit has passed, on the event loop; afterwards {@link #stop()} is called
     */
    ReadDeadlines(EventLoop loop, ConnectionOptions options, Consumer<CloseReason> expired) {
        this.loop = loop;
        this.ticker = loop.ticker();
        this.idleNanos = options.readIdleTimeout().toNanos();
        this.frameNanos = options.frameTimeout().toNanos();
        this.expired = expired;
    }

    /**
     * A run of the drain has ended.
     *
     * @param bytes that have come so far
     * @param reading whether more may come
     * @param frame where the frame begins that has come in part; counts while reading only
     */
    void update(long bytes, boolean reading, long frame) {
        passTime();
        this.reading = reading;
        if (bytes != bytesSeen) {
            bytesSeen = bytes;
            lastBytesAt = spent;
        }
        if (reading && frame != this.frame) {
            this.frame = frame;
            frameBeganAt = spent;
        }
        if (reading && task == null) {
            lookAfter(left());
        }
    }

    /** Nothing is read any more. */
    void stop() {
        reading = false;
        if (task != null) {
            task.cancel(false);
            task = null;
        }
    }

    @Override
    public void run() {
        task = null;
        if (!reading) {
            return; // the next update that reads goes on
        }
        passTime();
        long left = left();
        if (left > 0) {
            late = false;
            lookAfter(left);
        } else if (!late) {
            late = true;
            lookAfter(SECOND_LOOK_NANOS);
        } else {
            expired.accept(idleLeft() <= 0 ? CloseReason.READ_IDLE : CloseReason.FRAME_TIMEOUT);
        }
    }

    private void passTime() {
        long now = ticker.nanoTime();
        if (reading) {
            spent += now - updatedAt;
        }
        updatedAt = now;
    }

    private long left() {
        return Math.min(idleLeft(), frameLeft());
    }

    private long idleLeft() {
        return idleNanos == 0 ? Long.MAX_VALUE : idleNanos - (spent - lastBytesAt);
    }

    /** The next frame has all its time: before it has begun there is nothing to look at earlier than then. */
    private long frameLeft() {
        if (frameNanos == 0) {
            return Long.MAX_VALUE;
        }
        return frame == NO_FRAME ? frameNanos : frameNanos - (spent - frameBeganAt);
    }

    private void lookAfter(long nanos) {
        try {
            task = loop.schedule(this, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The loop has ended, and the channel with it.
        }
    }
}
