package dev.sluice;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Notices messages that are not written in time. At most one task is due for a connection, for the oldest message that has
 * no reply, and none while a flush leaves nothing behind: what is sent fast never meets it. Event loop only.
 */
final class SendTimer {
    /** Messages that are due so soon after each other are looked at together. */
    private static final long GRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Outbound<?> outbound;
    private final SendQueue queue;
    private final OutboundWriter writer;
    private final SendPolicy policy;
    private final EventLoop loop;
    private @Nullable ScheduledFuture<?> task;

    SendTimer(Outbound<?> outbound, SendQueue queue, OutboundWriter writer, SendPolicy policy, EventLoop loop) {
        this.outbound = outbound;
        this.queue = queue;
        this.writer = writer;
        this.policy = policy;
        this.loop = loop;
    }

    /** All has been flushed that could be: whoever waits now depends on the peer. */
    void watch() {
        settled();
        if (task == null && policy.hasTimeout() && writer.hasReplies()) {
            look();
        }
    }

    /** Some have their reply: when all have, none needs the task. */
    void settled() {
        if (task != null && !writer.hasReplies()) {
            cancel();
        }
    }

    void cancel() {
        if (task != null) {
            task.cancel(false);
            task = null;
        }
    }

    private void lookInTask() {
        task = null;
        look();
    }

    /** Tells those whose time has come, and comes again for the next. */
    private void look() {
        long now = System.nanoTime();
        long limit = policy.sendTimeout().toNanos();
        List<Send<?>> late = new ArrayList<>();
        Send<?> next = firstInTime(writer.unreplied().iterator(), now - limit, late);
        if (next == null) {
            next = firstInTime(queue.iterator(), now - limit, late);
        }
        for (Send<?> send : late) {
            SendTimeoutException error =
                    new SendTimeoutException(Duration.ofNanos(now - send.acceptedNanos()), policy.sendTimeout());
            if (policy.closesOnTimeout()) {
                send.fail(error); // told as the channel closes, and so in its turn
                outbound.timedOut();
                return;
            }
            send.reply(error);
        }
        if (next != null && task == null) {
            long delay = Math.max(GRAIN_NANOS, next.acceptedNanos() + limit - now);
            task = loop.schedule(this::lookInTask, delay, TimeUnit.NANOSECONDS);
        }
    }

    private static @Nullable Send<?> firstInTime(Iterator<?> sends, long late, List<Send<?>> into) {
        while (sends.hasNext()) {
            if (sends.next() instanceof Send<?> send && !send.isReplied() && !send.isWithdrawn()) {
                if (send.acceptedNanos() - late > 0) {
                    return send;
                }
                into.add(send);
            }
        }
        return null;
    }
}
