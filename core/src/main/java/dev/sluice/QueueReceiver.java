package dev.sluice;

import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/**
 * A receiver whose messages are taken by another thread, out of an {@link SpscRing} that stands for the queue that the
 * other thread would have otherwise: so its capacity is the prefetch and what is demanded, up to a bound.
 *
 * <p>The end is signalled once the ring is empty, completion and error alike: consumers of a queue may drop what it holds
 * when an error comes. The drain that finds the input at its end and the ring not empty sets {@link #endAwaited} and looks
 * at the ring again; the consumer that finds the ring empty or has taken all it demanded, so that it may not look at the
 * ring any more, looks at {@code endAwaited} behind a fence. One of the two sees the other. The same two looks wake a
 * parked drain, should the cheap test of {@link #take()} have missed that it parked.
 */
abstract class QueueReceiver<I> extends Receiver<I, I> {
    private final SpscRing<I> ring;
    /** Messages were added that the consumer was not told of. By the drain. */
    private boolean added;

    private volatile boolean endAwaited;
    private volatile boolean seenEmpty = true;
    private @Nullable Throwable error;
    /** Publishes {@link #error}. */
    private volatile boolean ended;

    QueueReceiver(Drain<I> drain, CoreSubscriber<? super I> actual, int maxAhead) {
        super(drain, actual);
        this.ring = new SpscRing<>(drain.ring.bounds(), maxAhead);
    }

    /** Tells the consumer that there is something to take, or that the stream has ended. From any thread. */
    abstract void tell();

    // ---- the drain

    @Override
    final boolean resume() {
        added |= ring.bounds(drain.ring.bounds());
        while (!drain.ring.isEmpty() && ring.hasRoom()) {
            int length = drain.ring.oldestLength();
            add(drain.ring.poll(), length);
        }
        return goesOn();
    }

    @Override
    public final boolean message(I message, int payloadLength) {
        if (drain.ring.isEmpty()) {
            add(message, payloadLength);
        } else {
            drain.ring.offer(message, payloadLength);
        }
        return goesOn();
    }

    private void add(I message, int length) {
        ring.offer(message, length);
        added = true;
    }

    private boolean goesOn() {
        return !isOver() && ring.hasRoomOrParks();
    }

    @Override
    final boolean drainEnd() {
        if (added) {
            added = false;
            drain.signalledAcross(seenEmpty);
            seenEmpty = false;
            tell();
        }
        return goesOn();
    }

    /** Who wants nothing decoded ahead reads on until a whole frame is at hand: only a read shows the end. */
    @Override
    final boolean isFull() {
        return ring.isParked() && drain.ring.bounds().messages() > 0;
    }

    @Override
    final long freeBytes() {
        return ring.freeBytes();
    }

    @Override
    final int held() {
        return ring.size();
    }

    @Override
    final void handBack() {
        ring.takeBack(drain.ring);
    }

    @Override
    final boolean isDrained() {
        if (ring.size() == 0) {
            return true;
        }
        endAwaited = true;
        return ring.size() == 0;
    }

    @Override
    final void signalTerminal(@Nullable Throwable error) {
        this.error = error;
        ended = true;
        tell();
    }

    // ---- the consumer, one thread at a time

    /** The next message; {@code null} when there is none, or the receiver is cancelled. */
    final @Nullable I take() {
        if (isCancelled()) {
            return null;
        }
        I message = ring.poll(drain.isDrainedByThisThread());
        if (message == null) {
            sawEmpty();
        } else if (ring.demanded() == 0) {
            lookBehindFence();
        } else if (ring.isParked() && ring.hasSunkToLowTide()) {
            drain.wake();
        }
        return message;
    }

    /** Whether {@link #take()} would find none. */
    final boolean hasNone() {
        if (isCancelled()) {
            return true;
        }
        boolean none = ring.hasNone();
        if (none) {
            sawEmpty();
        }
        return none;
    }

    private void sawEmpty() {
        if (!seenEmpty) {
            seenEmpty = true;
        }
        lookBehindFence();
    }

    private void lookBehindFence() {
        SpscRing.fence();
        if ((endAwaited && ring.hasNone()) || (ring.isParked() && ring.isLowTide())) {
            endAwaited = false;
            drain.wake();
        }
    }

    /** Whether no message follows and the end is to be told. */
    final boolean hasEnded() {
        return ended;
    }

    final void tellEnd(CoreSubscriber<? super I> subscriber) {
        endOf(subscriber, error);
        letGo();
    }

    // ---- any thread

    @Override
    final void demand(long n) {
        ring.request(n);
        if (ring.isParked() && ring.isLowTide()) {
            drain.wake();
        }
        if (ring.size() > 0) {
            tell();
        }
    }

    @Override
    final long demanded() {
        return ring.demanded();
    }
}
