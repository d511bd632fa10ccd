package dev.sluice;

import dev.sluice.framing.Codec;
import dev.sluice.framing.FrameWriter;
import dev.sluice.framing.MessageEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import reactor.util.concurrent.Queues;

/**
 * The sending half of a connection: many threads put messages into a queue, the event loop encodes all that are there into
 * few contiguous buffers, and flushes once.
 *
 * <p>On the event loop a message is encoded at once, behind those in the queue. It is flushed at the end of this
 * connection's drain when sent from inside it, otherwise by a task that runs when the current callback has returned. From
 * other threads one task encodes and flushes what has come by then.
 *
 * <p>Replies go by position: a message is sent when all bytes up to its end have been taken by the kernel, so the replies
 * of one buffer are walked in order when its write has completed, and each waits for those before it.
 *
 * <h2>No lost wake-up</h2>
 *
 * A sender on another thread offers its message and then tries to set {@link #queued}; if it was set, a task is due that
 * has not reset it yet. The task resets it first and empties the queue then, so it finds every message whose sender saw
 * the flag set. A sender that finds the connection {@link #refusing} after its offer drains itself: {@link #wip} lets in
 * one thread at a time, and whoever is in fails the messages of a connection that is shut down, on whatever thread, so
 * that none depends on a task that a dying event loop may drop.
 */
final class Outbound<O> {
    /** So many messages may wait for a channel that takes no more bytes. */
    private static final int MAX_WAITING = 1_024;
    /** So many may wait for the event loop to come round. */
    private static final int MAX_PENDING = 8_192;

    /** Encoded bytes are handed to the channel at the latest when there are so many. */
    private static final int WRITE_AT = 64 * 1024;

    private final ConnectionHandler<?, O> handler;
    private final Channel channel;
    private final EventLoop loop;
    private final MessageEncoder<? super O> encoder;
    private final Counters counters;
    private final Runnable drainTask = this::drainInTask;
    private final Runnable flushTask = this::flushInTask;
    private final AtomicLong busyAnswers = new AtomicLong();

    // Any thread.
    private final Queue<Send<O>> queue =
            Queues.<Send<O>>unboundedMultiproducer().get();
    private final AtomicInteger wip = new AtomicInteger();
    /** A drain task is due. */
    private final AtomicBoolean queued = new AtomicBoolean();
    /** Messages in {@link #queue}. */
    private final AtomicInteger pending = new AtomicInteger();
    /** No more sends are accepted. */
    private volatile boolean refusing;
    /** Nothing is encoded any more. */
    private volatile boolean shutDown;

    // Event loop only.
    private final FrameWriter writer;
    /** Encoded, and not taken by the kernel yet, in the order of their bytes. */
    private final ArrayDeque<Send<O>> written = new ArrayDeque<>();

    private long handedBytes;
    /** Handed bytes whose fate is known. */
    private long settledBytes;
    /** Handed bytes that the kernel has taken. */
    private long takenBytes;

    private @Nullable Throwable writeFailure;
    private boolean replying;
    private boolean flushQueued;
    private boolean flushOwed;
    /** Writes complete inside a flush, and their replies may send again: that waits for the next turn of the loop. */
    private boolean flushing;

    private @Nullable Runnable whenWritten;

    Outbound(ConnectionHandler<?, O> handler, Codec<?, O> codec, Counters counters) {
        this.handler = handler;
        this.channel = handler.channel();
        this.loop = channel.eventLoop();
        this.encoder = codec.encoder();
        this.counters = counters;
        this.writer = FrameWriter.create(codec.framing(), channel.alloc());
    }

    // ---- any thread

    /** A send was subscribed: accepts it, or tells it at once why not. Owns its message either way. */
    void submit(Send<O> send) {
        if (refusing) {
            send.refuse(new ConnectionClosedException(handler.closeReason(), null));
            return;
        }
        int limit = channel.isWritable() ? MAX_PENDING : MAX_WAITING;
        int before = pending.getAndIncrement();
        if (before >= limit) {
            pending.getAndDecrement();
            busyAnswers.incrementAndGet();
            send.refuse(new BusyException(before, limit));
            return;
        }
        queue.offer(send);
        if (loop.inEventLoop()) {
            drain();
            if (flushing || !handler.isDrainedByThisThread()) {
                queueFlush(); // otherwise the drain's end flushes
            }
        } else if (refusing) {
            drain();
        } else if (queued.compareAndSet(false, true)) {
            try {
                loop.execute(drainTask);
            } catch (RejectedExecutionException e) {
                shutDown();
            }
        }
    }

    /** From now on sends are refused; those accepted go on. */
    void refuse() {
        refusing = true;
    }

    /** From now on nothing is encoded: what is not written fails, in order. */
    void shutDown() {
        refusing = true;
        shutDown = true;
        drain();
    }

    boolean isShutDown() {
        return shutDown;
    }

    long busyAnswers() {
        return busyAnswers.get();
    }

    // ---- the drain

    private void drainInTask() {
        queued.set(false);
        drain();
        flush();
    }

    private void drain() {
        if (wip.getAndIncrement() != 0) {
            return;
        }
        int missed = 1;
        do {
            if (shutDown) {
                failQueued();
            } else if (loop.inEventLoop()) {
                encodeQueued();
            }
            missed = wip.addAndGet(-missed);
        } while (missed != 0);
    }

    private void encodeQueued() {
        while (channel.isWritable()) {
            Send<O> send = queue.poll();
            if (send == null) {
                break;
            }
            pending.getAndDecrement();
            encode(send);
            if (writer.writtenBytes() - handedBytes >= WRITE_AT) {
                hand();
            }
        }
        reply();
    }

    private void encode(Send<O> send) {
        if (!send.take()) {
            return;
        }
        try {
            writer.write(send.message(), encoder);
            counters.messagesOut++;
        } catch (Throwable e) {
            send.fail(e); // told in turn
        } finally {
            send.release();
        }
        send.endsAt(writer.writtenBytes());
        written.add(send);
    }

    /** Those that wait come behind those that were encoded; only then is it their turn to fail. */
    private void failQueued() {
        if (loop.inEventLoop() && !written.isEmpty()) {
            return;
        }
        for (Send<O> send = queue.poll(); send != null; send = queue.poll()) {
            pending.getAndDecrement();
            if (send.take()) {
                send.release();
                send.reply(closedBy(writeFailure));
            }
        }
    }

    // ---- the channel, on the event loop

    /** The channel takes bytes again. */
    void resume() {
        drain();
        flush();
    }

    /** Hands all that is encoded to the channel and flushes it. */
    void flush() {
        if (!loop.inEventLoop()) {
            return; // the loop has ended, and the channel with it
        }
        hand();
        if (flushOwed) {
            flushOwed = false;
            counters.flushes++;
            flushing = true;
            try {
                handler.context().flush();
            } finally {
                flushing = false;
            }
        }
    }

    private void queueFlush() {
        if (flushQueued || (writer.writtenBytes() == handedBytes && !flushOwed)) {
            return;
        }
        flushQueued = true;
        try {
            loop.execute(flushTask);
        } catch (RejectedExecutionException e) {
            flushInTask();
        }
    }

    private void flushInTask() {
        flushQueued = false;
        flush();
    }

    private void hand() {
        for (ByteBuf buffer = writer.poll(); buffer != null; buffer = writer.poll()) {
            int length = buffer.readableBytes();
            handedBytes += length;
            counters.bytesOut += length;
            flushOwed = true;
            handler.context().write(buffer).addListener(f -> settled(length, f.cause()));
        }
    }

    private void settled(int length, @Nullable Throwable cause) {
        settledBytes += length;
        if (cause == null && writeFailure == null) {
            takenBytes = settledBytes;
        } else if (writeFailure == null) {
            writeFailure = cause;
        }
        reply();
        if (cause != null) {
            shutDown(); // bytes are missing in the stream
        }
    }

    /** The channel has closed, and all its writes with it: whatever has no reply yet gets one. */
    void channelGone() {
        writer.close();
        if (writeFailure == null) {
            writeFailure = new ClosedChannelException();
        }
        settledBytes = writer.writtenBytes();
        reply();
        shutDown();
    }

    /** Runs it once all that was accepted is written. */
    void whenWritten(Runnable action) {
        whenWritten = action;
        resume();
        reply();
    }

    /** Walks the replies that are due, in order. A reply that sends only adds to them. */
    private void reply() {
        if (replying) {
            return;
        }
        replying = true;
        Send<O> send = written.peek();
        while (send != null && send.end() <= settledBytes) {
            written.poll();
            send.reply(send.end() <= takenBytes ? null : closedBy(writeFailure));
            send = written.peek();
        }
        replying = false;
        Runnable action = whenWritten;
        if (action != null && written.isEmpty() && pending.get() == 0) {
            whenWritten = null;
            action.run();
        }
    }

    private Throwable closedBy(@Nullable Throwable cause) {
        return cause == null || cause instanceof ClosedChannelException
                ? new ConnectionClosedException(handler.closeReason(), cause)
                : cause;
    }
}
