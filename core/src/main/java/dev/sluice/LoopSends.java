package dev.sluice;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;

/**
 * The sending connections of one event loop: one task, which runs when the current callback has returned, flushes all that
 * were written to meanwhile. And when the loop has ended, whatever is pending in them is failed, since no task of that loop
 * will do it. Event loop only; after its end, the thread that tells of it.
 *
 * <p>An event loop reads from all channels that are ready before it comes to its tasks. Where those are thousands, the
 * first would wait long for their flush; so it also comes after every {@value #MAX_TURNS} read turns.
 */
final class LoopSends implements Runnable {
    private static final FastThreadLocal<LoopSends> OF_THIS_THREAD = new FastThreadLocal<>();
    private static final int MAX_TURNS = 64;

    private final EventLoop loop;
    private final Set<Outbound<?>> open = Collections.newSetFromMap(new IdentityHashMap<>());
    private final ArrayDeque<Outbound<?>> unflushed = new ArrayDeque<>();
    /** Read turns that have ended since the last flush of all. */
    private int turns;

    private boolean queued;
    private boolean running;

    private LoopSends(EventLoop loop) {
        this.loop = loop;
        try {
            loop.terminationFuture().addListener(f -> List.copyOf(open).forEach(Outbound::loopEnded));
        } catch (UnsupportedOperationException e) {
            // An embedded channel's loop does not end.
        }
    }

    /** That of the event loop whose thread this is; looked up once for each connection. */
    static LoopSends of(EventLoop loop) {
        LoopSends sends = OF_THIS_THREAD.get();
        if (sends == null || sends.loop != loop) { // the loops of embedded channels share their test's thread
            sends = new LoopSends(loop);
            OF_THIS_THREAD.set(sends);
        }
        return sends;
    }

    void add(Outbound<?> outbound) {
        open.add(outbound);
    }

    void remove(Outbound<?> outbound) {
        open.remove(outbound);
    }

    /** Flushes it soon; to be called once until then. */
    void flushLater(Outbound<?> outbound) {
        unflushed.add(outbound);
        if (queued) {
            return;
        }
        queued = true;
        try {
            loop.execute(this);
        } catch (RejectedExecutionException e) {
            if (!running) {
                run(); // the loop is ending, and may still write
            }
        }
    }

    /** A connection of this loop has read, and what it led to has been written. */
    void turnEnded() {
        if (++turns >= MAX_TURNS && !running) {
            flushAll(); // the task stays due, and may find nothing
        }
    }

    @Override
    public void run() {
        queued = false;
        flushAll();
    }

    private void flushAll() {
        turns = 0;
        running = true;
        for (int left = unflushed.size(); left > 0; left--) { // those that come meanwhile have the next task
            Outbound<?> outbound = unflushed.poll();
            if (outbound != null) { // an embedded channel runs tasks inside a flush
                outbound.flushInTask();
            }
        }
        running = false;
    }
}
