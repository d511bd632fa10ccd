package dev.sluice;

import dev.sluice.framing.Codec;
import dev.sluice.framing.FrameReader;
import dev.sluice.framing.MessageSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Operators;

/**
 * The engine of receiving: cuts what a source of bytes brings, gives it by demand, and owns the ring and the end. Where
 * the bytes come from is up to its subclasses: {@link Inbound} has a channel, {@link SourceDrain} a publisher.
 *
 * <h2>The drain</h2>
 *
 * {@link #drain()} looks at everything and does what is due, so whatever happens (bytes, the end of a read turn, a request,
 * a cancel, a subscription, the source's end, dispose) is noted in a field and followed by a drain. {@link #wip} lets one
 * thread in; who comes meanwhile only makes it go round once more. So the fields that only the drain uses are plain.
 *
 * <p>One round: what the ring holds is given as far as it is demanded; then frames are decoded one at a time, each given
 * or added to the ring before the next is looked at; at the end of the read turn the receiver signals what it still holds
 * back, what was sent meanwhile is flushed, and the source is asked for the next bytes as the last step. Bytes that come
 * inside a read turn are decoded at once too, so that no more than one read lies at hand.
 *
 * <pre>
 *  input          bytes may come   frames may come   how it goes on
 *  OPEN           yes              yes               end, error of the source -> ENDED; wrong bytes, decoder -> FAILED;
 *                                                    dispose, close -> FAILED
 *  ENDED          no               yes               nothing whole at hand -> DONE; an end inside a frame -> FAILED;
 *                                                    dispose, close -> FAILED
 *  FAILED         no               no                DONE, at once
 *  DONE           no               no                the receiver gets the terminal when the ring is empty; so does
 *                                                    each later one
 * </pre>
 *
 * <h2>No lost wake-up</h2>
 *
 * A request from another thread adds to the receiver's remote demand and then looks at {@link #stalled}; the drain, about
 * to leave without demand although it has a message, writes {@code stalled} and then looks at the remote demand. Both are
 * volatile, so at least one of the two sees the other. A request that finds {@code stalled} false needs no task: either
 * the drain is running and looks again, or it has nothing to give, and the next bytes bring it back.
 *
 * <h2>Generations</h2>
 *
 * {@link #place} is the place of the one receiver. A cancel frees the place by itself, on whatever thread; the next
 * subscriber replaces the cancelled receiver by one compare-and-set. The drain reads the place anew in each round and asks
 * the receiver before each signal whether it is cancelled, and messages that are not given never leave the ring: so an old
 * receiver can neither take nor lose what belongs to the next. An upgrade takes the receiver out and makes the place the
 * next view's by one compare-and-set too, so that whoever subscribes by the old view is either completed or refused.
 *
 * <h2>Switches</h2>
 *
 * Behind a pausing message the {@link Gate} is shut: no frame is looked for, whoever asks. A switch is claimed and left in
 * {@link #nextSwitch} on any thread, and carried out by the drain between two frames: what no frame has taken goes to a
 * reader of the next codec. Bytes that no codec has judged also stand in the way of the end: it waits for the next one.
 */
abstract class Drain<I> {
    private enum Input {
        OPEN,
        ENDED,
        FAILED,
        DONE
    }

    /** Messages of one run; a read of 256 KiB brings fewer unless they are very small. */
    private static final int BUDGET = 4_096;

    // Any thread.
    private final AtomicInteger wip = new AtomicInteger();
    private final Place<I> place = new Place<>();
    private final Gate gate = new Gate();
    private volatile @Nullable Switch<I> nextSwitch;
    private volatile boolean stalled;
    private volatile @Nullable Prefetch newPrefetch;
    private volatile @Nullable CloseReason abort;
    private volatile @Nullable CloseReason stop;

    // Only the thread that drains. The counters are read by others, see Counters.
    final MessageRing<I> ring;
    final Counters counters;
    private final ByteBufAllocator allocator;
    private final MessageSink<I> intoRing;
    private final MessageSink<I> pausing = this::givePausing;
    private FrameReader<I> reader;
    private @Nullable Predicate<? super I> pauseAfter;
    /** Where {@link #pausing} gives what it has looked at. */
    private MessageSink<? super I> behindPausing;
    /** Messages and discarded frames of the readers before. */
    private long earlierMessages;

    private long earlierDiscards;
    /** Bytes of the stream that they have taken. */
    private long earlierBytes;

    private @Nullable Receiver<I, ?> active;
    private Input input = Input.OPEN;
    private @Nullable Throwable failure;
    private boolean inReadTurn;
    /** What the read turn reads from, if it goes back when the turn ends. */
    private @Nullable ByteBuf lent;

    private boolean woken;
    /** Messages that this run may still decode. */
    private long budgetLeft = BUDGET;
    /** Another task goes on where this run has ended. */
    private boolean pausedForOthers;

    private boolean paused;
    private boolean requestedByThisThread;
    /** Compared with the own thread only; what another thread sees there does not matter. */
    private @Nullable Thread drainThread;

    Drain(Codec<I, ?> codec, ByteBufAllocator allocator, Prefetch prefetch, Counters counters) {
        this.counters = counters;
        this.ring = new MessageRing<>(prefetch);
        this.allocator = allocator;
        this.reader = FrameReader.create(codec, allocator);
        this.pauseAfter = codec.pauseAfter();
        this.intoRing = (message, payloadLength) -> {
            ring.offer(message, payloadLength);
            return ring.hasRoom();
        };
        this.behindPausing = intoRing;
    }

    /** The next codec; and the receiver that ends with this one, if it does. */
    record Switch<I>(Codec<? extends I, ?> codec, @Nullable Receiver<I, ?> last) {}

    // ---- the source

    /** Sees to it that a drain follows, now or soon, on a thread that may signal. From any thread. */
    abstract void wake();

    /** Takes the next thing that the source has brought meanwhile, by {@link #takeTurn} or {@link #takeEnd}. By the drain. */
    boolean takeArrival() {
        return false;
    }

    /** Asks for the next bytes; what they bring may be fed before this returns. By the drain. */
    abstract void askForBytes();

    /** Ends this run, so that others have their turn, if a drain can be made to follow: says whether. By the drain. */
    boolean yields() {
        return false;
    }

    /** Sends what was written meanwhile. By the drain. */
    abstract void flush();

    /** Why the source has ended, as far as is known. */
    abstract CloseReason closeReason();

    /** The codec has changed to one whose messages may keep parts of the buffers that were read. By the drain. */
    void keepsPayloadNow() {}

    /** Ends the source at once, and calls {@link #abort}. From any thread. */
    abstract void disposeSource();

    /** The bytes were no frames, or the decoder failed. By the drain. */
    abstract void sourceIsWrong();

    /** A round has ended. By the drain. */
    abstract void afterRound(boolean hasReceiver);

    abstract CancelPolicy cancelPolicy();

    /** Whether a subscriber that polls on another thread may fuse. */
    abstract boolean fusesAcrossThreads();

    abstract Scannable.Attr.RunStyle runStyle();

    /** What is upstream, as {@link Scannable} shows it. */
    abstract @Nullable Object scanParent();

    // ---- any thread

    /** Takes the place of the receiver, or refuses. */
    final void subscribe(Receiver<I, ?> receiver, CoreSubscriber<?> actual, int view) {
        try {
            place.take(receiver, view);
        } catch (IllegalStateException e) {
            Operators.error(actual, e);
            return;
        }
        try {
            receiver.start();
        } catch (Throwable e) {
            receiver.cancel(); // its onSubscribe threw: the place is free again
            throw e;
        }
    }

    /** Gives a receiver's place to the one that takes its part; false if it has been cancelled. */
    final boolean replace(Receiver<I, ?> receiver, Receiver<I, ?> replacement) {
        return !receiver.isGone() && place.replace(receiver, replacement);
    }

    /** Whether this view has been replaced by an upgrade. */
    final boolean isUpgraded(int view) {
        return !place.isOf(view);
    }

    // ---- switches; any thread

    /** There is nobody who could say how a paused stream goes on. */
    final void neverPauses() {
        pauseAfter = null;
    }

    /** Nothing is decoded until {@link #attached()}. */
    final void attaching() {
        gate.attaching();
    }

    /** The callback that attaches has returned; a drain follows. */
    final void attached() {
        if (gate.isAttaching()) {
            gate.attached();
        }
    }

    /** Decoding goes on behind the pausing message, with the codec that there is. */
    final void resumeDecoding(int view) {
        if (isUpgraded(view)) {
            throw Place.upgraded();
        }
        if (gate.resume()) {
            wake();
        }
    }

    /** Takes a switch upon the caller, who sees it through by one of the following. */
    final void claim(int view) {
        if (!gate.claim()) {
            throw new IllegalStateException(
                    "decoding is not paused: switch behind a message that the codec pauses after,"
                            + " or in the callback that attaches the connection");
        }
        if (isUpgraded(view)) {
            gate.giveBack();
            throw Place.upgraded();
        }
    }

    /** A claimed switch: the same receiver goes on with another codec. */
    final void switchTo(Codec<? extends I, ?> codec) {
        switchBy(new Switch<>(codec, null));
    }

    /**
     * A claimed switch: the place is the next view's. The receiver ends, and the codec changes, when it is {@linkplain
     * #switchBy carried out}.
     *
     * @throws IllegalStateException if a message is held; the claim is given back
     */
    final Switch<I> upgrade(Codec<? extends I, ?> codec) {
        int held = heldMessages();
        if (held > 0) {
            gate.giveBack();
            throw new IllegalStateException(
                    "messages are held that no receiver was given: heldMessages=" + held + ", limit=0");
        }
        return new Switch<>(codec, place.upgrade());
    }

    /** Carries out a claimed switch. */
    final void switchBy(Switch<I> next) {
        nextSwitch = next;
        wake();
    }

    /** Nothing comes of the claimed switch. */
    final void giveBackClaim() {
        gate.giveBack();
    }

    /** A claimed switch was carried out elsewhere: the codec stays. */
    final void reopen() {
        gate.open();
        wake();
    }

    /**
     * While the gate is shut none comes to them. Right for whoever was given the pausing message: all were taken before
     * it. Another thread may see too few; the drain looks again.
     */
    private int heldMessages() {
        Receiver<I, ?> receiver = place.receiver();
        return ring.size() + (receiver == null ? 0 : receiver.held());
    }

    // ---- any thread

    final void prefetch(Prefetch prefetch) {
        newPrefetch = prefetch;
        wake();
    }

    /** Drops what is held and at hand, and fails the receiver at once. */
    final void abort(CloseReason reason) {
        abort = reason;
        wake();
    }

    /**
     * Graceful close: nothing more is decoded. What is held stays for the receiver, and so does how the input has ended, if
     * that is known already.
     */
    final void stopDecoding(CloseReason reason) {
        stop = reason;
        wake();
    }

    final boolean isAborted() {
        return abort != null;
    }

    final void wakeIfStalled() {
        if (stalled) {
            wake();
        }
    }

    final boolean isDrainedByThisThread() {
        return drainThread == Thread.currentThread();
    }

    /** A request by the thread that drains: it is looked at before the drain ends. */
    final void requestedByThisThread() {
        requestedByThisThread = true;
    }

    // ---- what the source brings; one call at a time

    /** The next bytes; a read turn begins with the first and ends with {@link #endReadTurn()}. */
    final void feed(ByteBuf bytes) {
        feed(bytes, bytes.readableBytes());
    }

    /**
     * The next bytes, the last ones in a buffer that may hold earlier ones.
     *
     * @param count how many bytes of the stream they bring
     */
    final void feed(ByteBuf bytes, int count) {
        beginReadTurn();
        take(bytes, count);
        drain();
    }

    /**
     * The next bytes, in a buffer that is lent: it is released when the read turn ends, and what is unread then is copied.
     *
     * @param headroom bytes in front of them that may be written
     */
    final void feedLent(ByteBuf bytes, int headroom) {
        beginReadTurn();
        endLoan();
        lent = bytes;
        counters.reads++;
        counters.bytesIn += bytes.readableBytes();
        if (input == Input.OPEN) {
            reader.feedBorrowed(bytes, headroom);
        }
        drain();
    }

    private void beginReadTurn() {
        if (!inReadTurn) {
            inReadTurn = true;
            beginRun(Long.MAX_VALUE); // one read
            counters.drains++;
        }
    }

    /** The read turn brings no more. The wake-up that it began goes on. */
    final void endReadTurn() {
        inReadTurn = false;
        endLoan();
        if (wip.getAndIncrement() == 0) {
            drainOwned();
        }
    }

    /** A read turn that was never ended is over. */
    final void forgetReadTurn() {
        inReadTurn = false;
        endLoan();
    }

    /** Nothing more is read from the lent buffer. */
    final void endLoan() {
        if (lent != null) {
            reader.endDrain();
            lent.release();
            lent = null;
        }
    }

    /** The large frame that is being put together, for the next bytes to be written into; retained. */
    final @Nullable ByteBuf frameBuffer() {
        return input == Input.OPEN ? reader.frameBuffer() : null;
    }

    /** How many bytes are wanted at once: as many as may be held, or as there are. */
    final long wantedBytes() {
        return active == null ? ring.freeBytes() : active.freeBytes();
    }

    /** No bytes follow: the source has ended, or failed with {@code error}. */
    final void inputEnded(@Nullable Throwable error) {
        takeEnd(error);
        forgetReadTurn();
        drain();
    }

    /** A read turn of these bytes alone. By the drain. */
    final void takeTurn(ByteBuf bytes) {
        beginRun(Long.MAX_VALUE);
        counters.drains++;
        take(bytes, bytes.readableBytes());
    }

    /** As {@link #inputEnded}. By the drain. */
    final void takeEnd(@Nullable Throwable error) {
        if (input == Input.OPEN) {
            input = Input.ENDED;
            failure = error;
            if (error == null) {
                reader.endOfInput();
            }
        }
    }

    private void take(ByteBuf bytes, int count) {
        counters.reads++;
        counters.bytesIn += count;
        if (input == Input.OPEN) {
            reader.feed(bytes);
        } else {
            bytes.release();
        }
    }

    /** Bytes that were read and that no frame has taken. By the drain. */
    final long bytesAtHand() {
        return reader.bytesAtHand();
    }

    final boolean isInputOpen() {
        return input == Input.OPEN;
    }

    /** Whether bytes may come: what was read has been looked at, and more was asked for. */
    final boolean isReading() {
        return input == Input.OPEN && !inReadTurn && !paused && !pausedForOthers && !gate.isShut();
    }

    final boolean isInReadTurn() {
        return inReadTurn;
    }

    /** As {@link FrameReader#tornFrameOffset()}, in the whole stream. */
    final long tornFrameOffset() {
        long offset = reader.tornFrameOffset();
        return offset < 0 ? offset : earlierBytes + offset;
    }

    /** Whether messages or bytes wait for a receiver. */
    final boolean holdsAnything() {
        return !ring.isEmpty() || reader.bytesAtHand() > 0;
    }

    /** Releases all messages that there are, as if a receiver had taken them. */
    final void dropHeld() {
        if (wip.getAndIncrement() == 0) {
            counters.droppedMessages += ring.releaseAll();
            if (bytesAwaitCodec()) {
                fail(new ConnectionClosedException(closeReason(), null)); // nobody says what they are
            }
            budgetLeft = Long.MAX_VALUE;
            decode((message, payloadLength) -> {
                ReferenceCountUtil.safeRelease(message);
                counters.droppedMessages++;
                return true;
            });
            drainOwned();
        }
    }

    // ---- the drain

    final void drain() {
        if (wip.getAndIncrement() != 0) {
            return;
        }
        if (!inReadTurn) {
            beginRun(BUDGET);
        }
        drainOwned();
    }

    private void beginRun(long budget) {
        woken = false;
        pausedForOthers = false;
        budgetLeft = budget;
    }

    private void drainOwned() {
        Throwable fatal = null;
        int missed = 1;
        do {
            drainThread = Thread.currentThread();
            try {
                round();
            } catch (Throwable e) {
                fatal = e;
                disposeSource();
            }
            drainThread = null;
            missed = wip.addAndGet(-missed);
        } while (missed != 0);
        if (fatal instanceof Error error) {
            throw error;
        }
        if (fatal instanceof RuntimeException exception) {
            throw exception;
        }
    }

    private void round() {
        if (abort != null) {
            discardAll(abort);
        }
        if (stop != null && (input == Input.OPEN || bytesAwaitCodec() || frameAtHand())) {
            fail(new ConnectionClosedException(stop, null));
        }
        Prefetch prefetch = newPrefetch;
        if (prefetch != null) {
            newPrefetch = null;
            ring.bounds(prefetch);
        }
        Receiver<I, ?> receiver;
        takeArrival();
        do {
            receiver = decodeAndGive();
            if (isExhausted()) {
                finish(receiver);
            }
            if (!inReadTurn) {
                flush();
            }
        } while (takeArrival() || requestedByThisThread); // the latter by a reply, as what was sent has been written
        if (!inReadTurn && !pausedForOthers) {
            armRead();
        }
        afterRound(receiver != null);
        publish();
    }

    /** Until neither demand nor frames are left, or those that are left do not meet; returns the receiver they are for. */
    private @Nullable Receiver<I, ?> decodeAndGive() {
        Receiver<I, ?> receiver;
        boolean wantsMore = false;
        do {
            Switch<I> next = dueSwitch();
            if (next != null) {
                carryOut(next);
            }
            receiver = receiver();
            if (receiver == null) {
                decodeAhead();
            } else {
                wantsMore = decodeFor(receiver);
                if (!inReadTurn || !wantsMore) {
                    wantsMore = receiver.drainEnd();
                }
            }
        } while (goesOn(receiver, wantsMore));
        requestedByThisThread = false;
        return receiver;
    }

    /** The receiver that may be signalled, if there is one. Lets go of one that is gone. */
    private @Nullable Receiver<I, ?> receiver() {
        Receiver<I, ?> receiver = place.receiver();
        if (active != null && active != receiver) {
            release(active);
            active = null;
        }
        if (receiver == null || !receiver.isStarted()) {
            return null;
        }
        receiver.rejectBadRequest();
        if (receiver.isGone()) {
            release(receiver);
            place.replace(receiver, null);
            active = null;
            return null;
        }
        active = receiver;
        return receiver;
    }

    private void release(Receiver<I, ?> receiver) {
        receiver.handBack();
        if (receiver.isCancelled()) {
            receiver.letGo();
        }
    }

    /** Whether the receiver would take more. */
    private boolean decodeFor(Receiver<I, ?> receiver) {
        boolean goesOn = receiver.resume();
        while (goesOn) {
            if (decode(receiver)) {
                return true;
            }
            if (budgetLeft > 0 || pausesForOthers()) {
                return false; // unless the budget is spent, the receiver has enough
            }
            goesOn = receiver.resume();
        }
        return false;
    }

    private void decodeAhead() {
        if (ring.hasRoom()) {
            decode(intoRing);
        }
    }

    /** Whether the rest has to wait for another task, since this one has taken long enough. */
    private boolean pausesForOthers() {
        pausedForOthers = yields();
        budgetLeft = BUDGET;
        return pausedForOthers;
    }

    /** Whether another round of decoding is due: another receiver, more demand, or a signal at the drain's end led to it. */
    private boolean goesOn(@Nullable Receiver<I, ?> receiver, boolean wantsMore) {
        if ((receiver != null && receiver.isGone()) || dueSwitch() != null) {
            return true;
        }
        Receiver<I, ?> now = place.receiver();
        if (now != null && now != receiver && now.isStarted() && !now.isGone()) {
            return true;
        }
        if (receiver == null || pausedForOthers) {
            return false;
        }
        if (wantsMore && frameAtHand()) {
            return true;
        }
        boolean stalls = receiver.isStalled() && (!ring.isEmpty() || frameAtHand());
        if (stalled != stalls) {
            stalled = stalls;
        }
        return receiver.hasRemoteDemand() && stalls;
    }

    /** Decodes until no whole frame is at hand, which it says, or the sink has enough, or the run has taken long enough. */
    private boolean decode(MessageSink<? super I> sink) {
        if (!mayDecode()) {
            return true;
        }
        behindPausing = sink;
        long before = reader.messages();
        try {
            return reader.read(pauseAfter == null ? sink : pausing, budgetLeft);
        } catch (Throwable e) {
            if (!reader.hasFailed()) {
                throw e; // the sink's
            }
            fail(e);
            return true;
        } finally {
            budgetLeft -= reader.messages() - before;
        }
    }

    /** Gives a message on; shuts the gate before if it is one to pause after, since its receiver may say how to go on. */
    private boolean givePausing(I message, int payloadLength) {
        boolean pauses;
        try {
            pauses = pauseAfter != null && pauseAfter.test(message);
        } catch (Throwable e) {
            ReferenceCountUtil.safeRelease(message);
            fail(e);
            return false;
        }
        if (pauses) {
            gate.close();
        }
        return behindPausing.message(message, payloadLength) && !(pauses && gate.isShut());
    }

    /** The switch that is to be carried out now: the receiver that ends with it has been given all it gets. */
    private @Nullable Switch<I> dueSwitch() {
        Switch<I> next = nextSwitch;
        if (next == null || next.last() == null) {
            return next;
        }
        Receiver<I, ?> last = next.last();
        boolean waits = !last.isGone() && !(last.isStarted() && ring.isEmpty() && last.isDrained());
        return waits ? null : next;
    }

    @SuppressWarnings("unchecked") // the predicate is asked about messages of its own codec
    private void carryOut(Switch<I> next) {
        nextSwitch = null;
        ByteBuf rest = reader.rest();
        earlierBytes += reader.streamOffset();
        earlierMessages += reader.messages();
        earlierDiscards += reader.discardedFrames();
        reader = FrameReader.create(next.codec(), allocator);
        pauseAfter = (Predicate<? super I>) next.codec().pauseAfter();
        if (next.codec().decoder().keepsPayload()) {
            keepsPayloadNow();
        }
        if (mayHoldFrames()) {
            reader.feed(rest);
            if (input == Input.ENDED && failure == null) {
                reader.endOfInput();
            }
        } else {
            rest.release();
        }
        gate.open();
        if (next.last() != null) {
            next.last().terminate(null);
        }
    }

    /** Whether a whole frame is read and not decoded, and may be. */
    private boolean frameAtHand() {
        if (!mayDecode()) {
            return false;
        }
        try {
            return reader.hasFrame();
        } catch (Throwable e) {
            fail(e);
            return false;
        }
    }

    private boolean mayDecode() {
        return mayHoldFrames() && !gate.isShut();
    }

    /**
     * Whether there are last bytes that the next codec has to judge. To be asked before {@link #frameAtHand()}: another
     * thread may open the gate between the two, and then it is frames that these bytes are looked at for.
     */
    private boolean bytesAwaitCodec() {
        return gate.isShut() && input == Input.ENDED && reader.bytesAtHand() > 0;
    }

    /** Whether all messages were taken and only the next codec could say what the last bytes are. */
    final boolean waitsForCodecAlone() {
        return bytesAwaitCodec() && ring.isEmpty() && (active == null || active.isDrained());
    }

    private boolean mayHoldFrames() {
        return input == Input.OPEN || input == Input.ENDED;
    }

    /** What the bytes, the decoder or this side did; it comes behind what is held, and before what the peer did later. */
    private void fail(Throwable e) {
        input = Input.FAILED;
        failure = e;
        reader.close();
        if (!(e instanceof ConnectionClosedException)) {
            sourceIsWrong();
        }
    }

    /** Whether all messages there will ever be have been given. */
    private boolean isExhausted() {
        return !bytesAwaitCodec()
                && !frameAtHand()
                && input != Input.OPEN
                && ring.isEmpty()
                && (active == null || active.isDrained());
    }

    private void finish(@Nullable Receiver<I, ?> receiver) {
        input = Input.DONE;
        reader.close();
        if (receiver != null) {
            receiver.terminate(failure);
        }
    }

    private void discardAll(CloseReason reason) {
        if (input == Input.DONE) {
            return;
        }
        if (!isExhausted()) {
            if (active != null) {
                active.handBack();
            }
            counters.droppedMessages += ring.releaseAll();
            fail(new ConnectionClosedException(reason, null));
        }
    }

    private void armRead() {
        boolean full = active == null ? ring.isFull() : active.isFull();
        boolean shut = gate.isShut(); // before frames are looked for: who opens it meanwhile has another round made
        boolean pauses = input == Input.OPEN && (full || frameAtHand());
        if (pauses && !paused) {
            counters.pauses++;
        }
        paused = pauses;
        if (!pauses && (input != Input.OPEN || !shut)) {
            askForBytes();
        }
    }

    // ---- counters

    final void signalled() {
        counters.signals++;
        if (!woken) {
            woken = true;
            counters.wakeUps++;
        }
    }

    /** A consumer on another thread that had found nothing more is told. */
    final void signalledAcross(boolean wakeUp) {
        counters.signals++;
        if (wakeUp) {
            counters.wakeUps++;
        }
    }

    /** Brings the counters of what is held up to date. */
    final void publish() {
        int held = ring.size() + (active == null ? 0 : active.held());
        counters.messagesIn = earlierMessages + reader.messages();
        counters.heldMessages = held;
        counters.heldMessagesMax = Math.max(counters.heldMessagesMax, Math.max(held, ring.largestSize()));
        counters.bytesAtHand = reader.bytesAtHand();
        counters.discardedFrames = earlierDiscards + reader.discardedFrames();
    }
}
