package dev.sluice;

import dev.sluice.framing.Codec;
import io.netty.buffer.ByteBuf;
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

    /** Whether reads may go into buffers that the loop shares, or into a frame. */
    private boolean readsAnywhere = true;
    /** Where the bytes are read to that come next, if this side has chosen it. */
    private @Nullable ByteBuf target;
    /** Bytes in the target that have been fed already. */
    private int fed;

    private @Nullable ScheduledFuture<?> holdTimer;
    /** None if no time is limited. */
    private final @Nullable ReadDeadlines deadlines;

    Inbound(ConnectionHandler<I, ?> handler, Codec<I, ?> codec, ConnectionOptions options, Counters counters) {
        super(codec, handler.channel().alloc(), options.prefetch(), counters);
        this.handler = handler;
        this.loop = handler.channel().eventLoop();
        this.options = options;
        this.deadlines =
                options.readIdleTimeout().isZero() && options.frameTimeout().isZero()
                        ? null
                        : new ReadDeadlines(loop, options, handler::readTimedOut);
        attaching();
    }

    @Override
    void wake() {
        if (loop.inEventLoop() || !queueDrain()) {
            drain();
        }
    }

    @Override
    boolean yields() {
        return queueDrain();
    }

    /** However many ask, at most one task waits; false if the loop has ended, so that nobody waits for its other tasks. */
    private boolean queueDrain() {
        if (queued.compareAndSet(false, true)) {
            try {
                loop.execute(drainTask);
            } catch (RejectedExecutionException e) {
                queued.set(false);
                return false;
            }
        }
        return true;
    }

    /**
     * A task never runs inside a read turn: one that is open still was left by a handler that did not end it. Nor inside the
     * callback that attaches the connection.
     */
    void drainInTask() {
        queued.set(false);
        attached();
        forgetReadTurn();
        drain();
    }

    /**
     * Where the next read goes: into the large frame at hand, or into the loop's buffer.
     *
     * @param shortest bytes to read at least, if there are so many
     * @return {@code null} if it is to go into a buffer of its own
     */
    @Nullable ByteBuf bufferForRead(ReadBuffer buffer, int shortest) {
        endLoan();
        if (!readsAnywhere) {
            return null;
        }
        ByteBuf frame = frameBuffer();
        if (frame != null && frame.isDirect()) { // native transports read into no other
            fed = frame.readableBytes();
            target = frame;
            return frame;
        }
        if (frame != null) {
            frame.release();
        }
        fed = 0;
        target = buffer.lend((int) Math.min(ReadBuffer.SIZE, Math.max(shortest, wantedBytes())));
        return target;
    }

    /** Bytes that were read. */
    @SuppressWarnings("ReferenceEquality") // that very buffer, not one of the same bytes
    void read(ByteBuf bytes) {
        boolean lent = bytes == target && fed == 0;
        int count = bytes == target ? bytes.readableBytes() - fed : bytes.readableBytes();
        target = null;
        if (lent) {
            feedLent(bytes, ReadBuffer.HEADROOM);
        } else {
            feed(bytes, count);
        }
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
    CloseReason closeReason() {
        return handler.closeReason();
    }

    /** From now on each read takes a buffer of its own: messages may keep it, or what it brings are no frames yet. */
    @Override
    void keepsPayloadNow() {
        readsAnywhere = false;
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

    @Override
    void afterRound(boolean hasReceiver) {
        limitHold(hasReceiver);
        if (deadlines != null && !isInReadTurn()) {
            limitReading(deadlines);
        }
    }

    private void limitReading(ReadDeadlines limits) {
        if (isInputOpen()) {
            boolean reading = isReading();
            limits.update(counters.bytesIn, reading, reading ? tornFrameOffset() : -1);
        } else if (loop.inEventLoop()) {
            limits.stop();
        }
    }

    /** Once the channel has closed, what nobody receives, or says how to decode, is held only so long. */
    private void limitHold(boolean hasReceiver) {
        boolean closed = !isInputOpen() && !handler.channel().isOpen();
        boolean waits = closed && (hasReceiver ? waitsForCodecAlone() : holdsAnything());
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
