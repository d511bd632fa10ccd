package dev.sluice;

import dev.sluice.framing.Codec;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.Scannable;

/**
 * The receiving half of a connection: a {@link Drain} on the channel's event loop or, once the loop takes no more tasks, on
 * the thread of whoever comes.
 */
final class Inbound<I> extends Drain<I> {
    private final ConnectionHandler<I, ?> handler;
    private final EventLoop loop;
    private final ConnectionOptions options;
    private final Runnable drainTask = this::drainInTask;
    /** A drain task is due. */
    private final AtomicBoolean queued = new AtomicBoolean();

    private @Nullable ScheduledFuture<?> holdTimer;

    Inbound(ConnectionHandler<I, ?> handler, Codec<I, ?> codec, ConnectionOptions options, Counters counters) {
        super(codec, handler.channel().alloc(), options.prefetch(), counters);
        this.handler = handler;
        this.loop = handler.channel().eventLoop();
        this.options = options;
    }

    /** However many ask, at most one task waits. */
    @Override
    void wake() {
        if (loop.inEventLoop()) {
            drain();
        } else if (queued.compareAndSet(false, true)) {
            try {
                loop.execute(drainTask);
            } catch (RejectedExecutionException e) {
                queued.set(false);
                drain(); // the loop has ended
            }
        }
    }

    /** A task never runs inside a read turn: one that is open still was left by a handler that did not end it. */
    void drainInTask() {
        queued.set(false);
        forgetReadTurn();
        drain();
    }

    /** While the connection is closing too: then only the peer's end is looked for. */
    @Override
    void askForBytes() {
        if (isInputOpen() || handler.isClosing()) {
            handler.read();
        }
    }

    @Override
    void flush() {
        handler.flush();
    }

    @Override
    void disposeSource() {
        handler.dispose();
    }

    @Override
    void sourceIsWrong() {
        handler.closeReason(CloseReason.PROTOCOL_ERROR);
    }

    @Override
    CancelPolicy cancelPolicy() {
        return options.cancelPolicy();
    }

    @Override
    boolean fusesAcrossThreads() {
        return options.fusesAcrossThreads();
    }

    @Override
    Scannable.Attr.RunStyle runStyle() {
        return Scannable.Attr.RunStyle.ASYNC;
    }

    @Override
    @Nullable Object scanParent() {
        return null;
    }

    /** Once the channel has closed, what nobody receives is held only so long. */
    @Override
    void afterRound(boolean hasReceiver) {
        boolean waits = !hasReceiver && !isInputOpen() && !handler.channel().isOpen() && holdsAnything();
        if (waits && holdTimer == null) {
            long nanos = options.holdTimeout().toNanos();
            try {
                holdTimer = loop.schedule(this::holdTimedOut, nanos, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) {
                // The loop has ended: it is held until taken or disposed.
            }
        } else if (!waits && holdTimer != null) {
            holdTimer.cancel(false);
            holdTimer = null;
        }
    }

    private void holdTimedOut() {
        holdTimer = null;
        dropHeld();
    }
}
