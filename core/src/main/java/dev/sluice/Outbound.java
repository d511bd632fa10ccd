package dev.sluice;

import dev.sluice.framing.Codec;
import dev.sluice.framing.MessageEncoder;
import io.netty.channel.EventLoop;
import io.netty.util.ReferenceCountUtil;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a connection: many threads put messages into one queue; the event loop encodes all that are there and
 * flushes once.
 *
 * <p>On the event loop a message is encoded at once, behind those in the queue. It is flushed at the end of this
 * connection's drain when sent from inside it, otherwise by a task that runs when the current callback has returned and
 * flushes every connection of the loop that was written to ({@link LoopSends}). From other threads one task encodes and
 * flushes what has come by then.
 *
 * <p>The queue holds messages as they are where nobody waits for a reply, so that no object is made for them; {@link
 * Send}s where somebody does; and {@link Turn}s, actions that have their place between messages.
 *
 * <h2>Room</h2>
 *
 * {@link PendingSends} counts what was accepted; while it is busy, or a {@code send} waits, {@code trySend} is refused, and
 * a {@code send} joins those that wait, which are counted in {@link #waiting}. What is accepted is encoded in its turn,
 * until the kernel takes no more ({@link OutboundWriter#isStopped()}).
 *
 * <h2>No lost wake-up</h2>
 *
 * <ul>
 *   <li>A sender offers its message and then tries to set {@link #queued}; if it was set, a task is due that has not reset
 *       it yet. The task resets it first and empties the queue then, so it finds every message whose sender saw the flag
 *       set.
 *   <li>A task may find the writer stopped and leave messages in the queue: then bytes are on their way, and the end of
 *       their write comes back to the queue.
 *   <li>A dying event loop may drop a task that it has taken. So no reply depends on one: when the channel has closed or
 *       the loop has ended, {@link #over} is written, and then the queue emptied; a sender looks at {@code over} after its
 *       offer. Both are volatile, so one of the two sees the other, and fails the message on its own thread; {@link #wip}
 *       lets in one at a time, so that they are failed in order.
 *   <li>A sender reserves its room and then looks at {@link #refusing} again; a close writes {@code refusing} and then
 *       waits until no room is reserved. So a message is either refused, or written before the output is shut down.
 * </ul>
 */
final class Outbound<O> {
    private final ConnectionHandler<?, O> handler;
    private final EventLoop loop;
    private final LoopSends loopSends;
    private final SendPolicy policy;
    private final OutboundWriter writer;
    private final SendTimer timer;
    private final Runnable drainTask = this::drainInTask;

    // Any thread.
    private final SendQueue queue = new SendQueue();
    private final PendingSends pending;
    /** {@code send}s that wait for the connection to be no longer busy. */
    private final AtomicInteger waiting = new AtomicInteger();

    private final WritableWaiters writableWaiters = new WritableWaiters();
    private final AtomicLong busyAnswers = new AtomicLong();
    private final AtomicInteger wip = new AtomicInteger();
    /** A drain task is due. */
    private final AtomicBoolean queued = new AtomicBoolean();
    /** Of the codec that messages accepted now will be encoded by. */
    private volatile MessageEncoder<Object> encoder;
    /** No more sends are accepted. */
    private volatile boolean refusing;
    /** Nothing is encoded any more. Written by the event loop. */
    private volatile boolean shutDown;
    /** No event loop cares for the queue any more. */
    private volatile boolean over;

    // Event loop only.
    private boolean draining;
    private boolean gone;
    private boolean flushQueued;
    private @Nullable Runnable whenWritten;

    Outbound(ConnectionHandler<?, O> handler, Codec<?, O> codec, SendPolicy policy, Counters counters) {
        this.handler = handler;
        this.loop = handler.channel().eventLoop();
        this.policy = policy;
        this.encoder = encoderOf(codec);
        this.pending = new PendingSends(policy);
        this.writer = new OutboundWriter(handler, this, codec, pending, policy, counters);
        this.timer = new SendTimer(this, queue, writer, policy, loop);
        this.loopSends = LoopSends.of(loop);
        loopSends.add(this);
    }

    /** Sound as long as each message is encoded by the codec it was accepted for. */
    @SuppressWarnings("unchecked")
    static MessageEncoder<Object> encoderOf(Codec<?, ?> codec) {
        return (MessageEncoder<Object>) codec.encoder();
    }

    // ---- sending, on any thread

    /** Accepts a message, or says why not; never waits. Owns the message if it is accepted. */
    SendResult trySend(O message, @Nullable Consumer<? super @Nullable Throwable> reply) {
        if (refusing) {
            return SendResult.CLOSED;
        }
        if (loop.inEventLoop()) {
            if (!hasRoom()) {
                return busy();
            }
            if (refusing) { // by a reply, as room was made
                return SendResult.CLOSED;
            }
            sendOnLoop(message, needsSend(reply) ? new ReplySend<>(message, reply) : null);
            return SendResult.ACCEPTED;
        }
        int hint = hint(message, encoder);
        if (waiting.get() > 0 || !pending.tryAdd(hint)) {
            return busy();
        }
        if (refusing) {
            giveBack(false, hint);
            return SendResult.CLOSED;
        }
        queue(message, needsSend(reply) ? new ReplySend<>(message, reply) : null, false, hint);
        return SendResult.ACCEPTED;
    }

    private boolean needsSend(@Nullable Object reply) {
        return reply != null || policy.hasTimeout();
    }

    private SendResult busy() {
        busyAnswers.incrementAndGet();
        return SendResult.BUSY;
    }

    /** A send was subscribed: accepts it, or tells it at once why not. Owns its message either way. */
    void submit(MonoSend<O> send) {
        boolean onLoop = loop.inEventLoop();
        if (!refusing && onLoop && hasRoom() && !refusing) {
            sendOnLoop(Objects.requireNonNull(send.message()), send);
            return;
        }
        if (refusing) {
            send.refuse(closed());
            return;
        }
        int hint = hint(send.message(), encoder);
        boolean waits = onLoop || waiting.get() > 0 || !pending.tryAdd(hint);
        if (waits) {
            int before = waiting.getAndIncrement();
            if (before >= policy.maxWaiting()) {
                giveBack(true, hint);
                busyAnswers.incrementAndGet();
                send.refuse(new BusyException(before, policy.maxWaiting()));
                return;
            }
        }
        if (refusing) {
            giveBack(waits, hint);
            send.refuse(closed());
        } else {
            queue(Objects.requireNonNull(send.message()), send, waits, hint);
        }
    }

    /**
     * Accepts a message that its source was asked for, also when busy.
     *
     * @return false when closed: the message stays the caller's
     */
    boolean sendDemanded(O message, Send<O> send) {
        if (refusing) {
            return false;
        }
        if (loop.inEventLoop()) {
            sendOnLoop(message, send);
            return true;
        }
        int hint = hint(message, encoder);
        pending.change(1, hint);
        if (refusing) {
            giveBack(false, hint);
            return false;
        }
        queue(message, send, false, hint);
        return true;
    }

    /** A place in the order, with nothing to write: replied to when all that was accepted before has been. */
    void await(Send<O> place) {
        place.accepted(false, 0);
        stamp(place);
        offer(place);
    }

    /** What is accepted from now on is encoded by this codec, what was accepted before by the one before. */
    void switchTo(Codec<?, ?> codec) {
        encoder = encoderOf(codec);
        inTurn(() -> writer.switchTo(codec));
    }

    /**
     * Runs an action on the event loop when all that was accepted before is encoded and handed to the channel, and nothing
     * that is accepted later; at once if that is now. Not at all when the connection is closed before its turn.
     */
    void inTurn(Runnable action) {
        Turn turn = new Turn(action);
        if (loop.inEventLoop() && !over) {
            drain();
            if (mayEncode()) {
                run(turn);
                return;
            }
        }
        offer(turn);
    }

    /** A send was cancelled before its turn: its room is free at once. */
    void withdrawn(Send<O> send) {
        queue.withdrawn();
        giveBack(send.waits(), send.hint());
    }

    /** Tells once when the connection is not busy, or fails when it is closed. */
    void whenWritable(WritableWaiters.Waiter waiter) {
        if (refusing) {
            waiter.tell(closed());
        } else if (!isBusy()) {
            waiter.tell(null);
        } else {
            writableWaiters.add(waiter);
            if (over) {
                failRest();
            } else if (refusing || !isBusy()) {
                wake();
            }
        }
    }

    void forget(WritableWaiters.Waiter waiter) {
        writableWaiters.remove(waiter);
    }

    boolean isBusy() {
        return waiting.get() > 0 || pending.isBusy();
    }

    /** From now on sends are refused; those accepted go on. */
    void refuse() {
        refusing = true;
        wake(); // whoever waits for room is told
    }

    boolean isShutDown() {
        return shutDown;
    }

    long busyAnswers() {
        return busyAnswers.get();
    }

    int pendingMessages() {
        return pending.messages();
    }

    long pendingBytes() {
        return pending.bytes();
    }

    int waitingMessages() {
        return waiting.get();
    }

    // ---- the queue, on any thread

    private void offer(Object entry) {
        queue.offer(entry);
        if (over) {
            failRest();
        } else {
            wake();
        }
    }

    private void wake() {
        if (!queued.get() && queued.compareAndSet(false, true)) {
            try {
                loop.execute(drainTask);
            } catch (RejectedExecutionException e) {
                // The loop is ending: loopEnded() does what is left.
            }
        }
    }

    private void giveBack(boolean waits, int hint) {
        if (waits) {
            waiting.decrementAndGet();
        } else {
            pending.change(-1, -hint);
        }
        wake(); // for those who wait until it is no longer busy, or all is written
    }

    /** A hint is a hint: an encoder that throws here throws again when it encodes, and is told then. */
    private static int hint(@Nullable Object message, MessageEncoder<Object> encoder) {
        if (message == null) {
            return 0;
        }
        try {
            return Math.max(0, encoder.sizeHint(message));
        } catch (Throwable e) {
            return 0;
        }
    }

    // ---- sending, on the event loop

    /** Before it says no, the kernel may take what has been sent during this callback. */
    private boolean hasRoom() {
        if (waiting.get() == 0 && !writer.isBusy()) {
            return true;
        }
        if (!writer.isFlushing() && !writer.isEncoding() && writer.hasUnflushed()) {
            flush();
        }
        return waiting.get() == 0 && !writer.isBusy();
    }

    private void sendOnLoop(Object message, @Nullable Send<O> send) {
        drain(); // those of other threads came before
        if (mayEncode()) {
            if (send == null) {
                writer.encode(message, null);
            } else if (send.take()) {
                stamp(send);
                writer.encode(message, send);
            }
            flushLater();
        } else {
            int hint = hint(message, encoder);
            pending.change(1, hint);
            queue(message, send, false, hint);
        }
    }

    /** Its room has been reserved. */
    private void queue(Object message, @Nullable Send<O> send, boolean waits, int hint) {
        if (send == null) {
            offer(message);
            return;
        }
        send.accepted(waits, hint);
        if (send.queue()) {
            stamp(send);
            offer(send);
        } else {
            giveBack(waits, hint);
        }
    }

    private void stamp(Send<?> send) {
        if (policy.hasTimeout()) {
            send.acceptedAt(System.nanoTime());
        }
    }

    /** Whether the next message may be encoded now, without overtaking another. */
    private boolean mayEncode() {
        return !draining && !shutDown && !writer.isEncoding() && !writer.isStopped() && queue.isEmpty();
    }

    private void flushLater() {
        if (!flushQueued && (writer.isFlushing() || !handler.isDrainedByThisThread())) {
            flushQueued = true; // otherwise the drain's end flushes
            loopSends.flushLater(this);
        }
    }

    /** The connection's read turn has ended. */
    void turnEnded() {
        loopSends.turnEnded();
    }

    void flushInTask() {
        flushQueued = false;
        flush();
    }

    private void drainInTask() {
        queued.set(false);
        if (!over) {
            queue.limitWithdrawn();
        }
        flush();
    }

    /** Encodes what is queued, hands all that is encoded to the channel and flushes it. */
    void flush() {
        if (over || !loop.inEventLoop()) {
            return; // the loop has ended, and the channel with it
        }
        drain();
        writer.flush();
        timer.watch();
        look();
    }

    private void drain() {
        if (draining || writer.isEncoding()) {
            return; // an encoder that sends
        }
        draining = true;
        try {
            while (!shutDown && !writer.isStopped()) {
                Object entry = queue.poll();
                if (entry == null) {
                    break;
                }
                encode(entry);
            }
        } finally {
            draining = false;
        }
    }

    private void encode(Object entry) {
        if (entry instanceof Turn turn) {
            run(turn);
        } else if (!(entry instanceof Send<?> send)) {
            writer.encode(entry, null, 1, hint(entry, writer.encoder()));
        } else if (!send.take()) {
            queue.passedOver();
        } else if (send.message() == null) {
            writer.await(send);
        } else if (send.waits()) {
            waiting.decrementAndGet();
            writer.encode(send.message(), send);
        } else {
            writer.encode(send.message(), send, 1, send.hint());
        }
    }

    private void run(Turn turn) {
        writer.hand();
        turn.action().run();
    }

    /** Looks after those who wait: until there is room, or until all is written. */
    private void look() {
        if (!writableWaiters.isEmpty() && (refusing || !isBusy())) {
            writableWaiters.tell(refusing ? closed() : null);
        }
        Runnable action = whenWritten;
        if (action != null && isIdle()) {
            whenWritten = null;
            action.run();
        }
    }

    private boolean isIdle() {
        return pending.messages() == 0 && waiting.get() == 0 && writer.isIdle() && queue.isEmpty();
    }

    // ---- what happens to the channel, on the event loop

    /** The writer has replied to a write. */
    void settled(boolean resumes, boolean failed) {
        if (failed) {
            shutDown(); // bytes are missing in the stream
        } else if (resumes && writer.isHanding()) {
            flushLater();
        } else if (resumes) {
            drain();
            writer.flush();
        }
        if (shutDown) {
            failQueued();
        }
        timer.settled();
        look();
    }

    /** From now on nothing is encoded: what is not written fails, in order. */
    void shutDown() {
        refusing = true;
        shutDown = true;
        failQueued();
    }

    /** Those in the queue come behind those that were encoded; only then is it their turn to fail. */
    private void failQueued() {
        if (!gone && !writer.hasReplies()) {
            failAll();
        }
    }

    private void failAll() {
        for (Object entry = queue.poll(); entry != null; entry = queue.poll()) {
            fail(entry);
        }
    }

    private void fail(Object entry) {
        if (entry instanceof Turn) {
            return;
        }
        if (!(entry instanceof Send<?> send)) {
            pending.change(-1, -hint(entry, encoder));
            ReferenceCountUtil.safeRelease(entry);
        } else if (send.take()) {
            if (send.waits()) {
                waiting.decrementAndGet();
            } else if (send.message() != null) {
                pending.change(-1, -send.hint());
            }
            send.release();
            send.reply(writer.failure());
        }
    }

    /** Runs it once all that was accepted is written. */
    void whenWritten(Runnable action) {
        whenWritten = action;
        flush();
    }

    /** The oldest message was not written in time, and that closes the connection. */
    void timedOut() {
        handler.timedOut();
    }

    /** The channel has closed, and all its writes with it: whatever has no reply yet gets one. */
    void channelGone() {
        timer.cancel();
        failWritten();
        replied();
    }

    private void failWritten() {
        refusing = true;
        shutDown = true;
        gone = true;
        writer.end();
    }

    /** The writer has replied to all that was due. A reply that closes leaves those behind it to the walk it came from. */
    void replied() {
        if (gone && !over && !writer.isReplying()) {
            end();
        }
    }

    private void end() {
        loopSends.remove(this);
        over = true;
        failRest();
    }

    /** On the thread that tells of it: nobody else is left. */
    void loopEnded() {
        handler.loopEnded();
        failWritten();
        over = true;
        failRest();
    }

    private void failRest() {
        if (wip.getAndIncrement() != 0) {
            return;
        }
        int missed = 1;
        do {
            failAll();
            if (!writableWaiters.isEmpty()) {
                writableWaiters.tell(closed());
            }
            missed = wip.addAndGet(-missed);
        } while (missed != 0);
    }

    private ConnectionClosedException closed() {
        return new ConnectionClosedException(handler.closeReason(), null);
    }

    /** An action that has its place between messages. */
    private record Turn(Runnable action) {}
}
