package dev.sluice;

import dev.sluice.framing.Codec;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;

/**
 * A drain without a channel, for races that need many rounds: its event loop is the thread that made it, or the one that
 * said so last. What other threads ask of it waits, as a task would, until {@link #runTasks()}.
 */
class HandDrain<I> extends Drain<I> {
    private Thread loop = Thread.currentThread();
    private final AtomicBoolean woken = new AtomicBoolean();
    private int asked;

    HandDrain(Codec<I, ?> codec) {
        this(codec, ByteBufAllocator.DEFAULT, Prefetch.DEFAULT);
    }

    HandDrain(Codec<I, ?> codec, ByteBufAllocator allocator, Prefetch prefetch) {
        super(codec, allocator, prefetch, new Counters());
    }

    /** The calling thread is the event loop from now on. */
    final void onLoop() {
        loop = Thread.currentThread();
    }

    Flux<I> receive() {
        return ReceiveFlux.messages(this, Place.FIRST_VIEW);
    }

    /** One read turn that brings these bytes. */
    void bring(byte[] bytes) {
        feed(ByteBufAllocator.DEFAULT.buffer(bytes.length).writeBytes(bytes));
        endReadTurn();
    }

    /** Runs what other threads have left. */
    void runTasks() {
        while (woken.compareAndSet(true, false)) {
            drain();
        }
    }

    /** Whether bytes were asked for since the last call. */
    boolean wantsBytes() {
        boolean wants = asked > 0;
        asked = 0;
        return wants;
    }

    @Override
    void wake() {
        if (Thread.currentThread() == loop) {
            drain();
        } else {
            woken.set(true);
        }
    }

    @Override
    void askForBytes() {
        asked++;
    }

    @Override
    void flush() {}

    @Override
    CloseReason closeReason() {
        return CloseReason.DISPOSED;
    }

    @Override
    void disposeSource() {
        abort(CloseReason.DISPOSED);
    }

    @Override
    void sourceIsWrong() {}

    @Override
    void afterRound(boolean hasReceiver) {}

    @Override
    CancelPolicy cancelPolicy() {
        return CancelPolicy.HAND_OVER;
    }

    @Override
    boolean fusesAcrossThreads() {
        return true;
    }

    @Override
    Scannable.Attr.RunStyle runStyle() {
        return Scannable.Attr.RunStyle.ASYNC;
    }

    @Override
    Object scanParent() {
        return null;
    }
}
