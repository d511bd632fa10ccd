package dev.sluice;

import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;

/**
 * Gives messages one by one on a worker of a scheduler: one task for what a drain brings, unless the worker is at it still.
 * What it has not given when it is cancelled stays in the ring for the next receiver.
 */
final class HopReceiver<I> extends QueueReceiver<I> implements Runnable {
    private final Scheduler scheduler;
    private Scheduler.@Nullable Worker worker;
    private final AtomicInteger wip = new AtomicInteger();
    /** Compared with the own thread only. */
    private @Nullable Thread workerThread;

    HopReceiver(Drain<I> drain, CoreSubscriber<? super I> actual, Scheduler scheduler, int maxAhead) {
        super(drain, actual, maxAhead);
        this.scheduler = scheduler;
    }

    @Override
    void start() {
        try {
            worker = scheduler.createWorker();
        } catch (Throwable e) {
            super.cancel(); // so that the place is free
            Exceptions.throwIfFatal(e);
            Operators.error(actual, e);
            return;
        }
        super.start();
    }

    @Override
    void tell() {
        if (workerThread == Thread.currentThread() || wip.getAndIncrement() != 0) {
            return; // it looks again before it ends
        }
        try {
            worker().schedule(this);
        } catch (RejectedExecutionException e) {
            if (!isCancelled()) {
                CoreSubscriber<? super I> subscriber = actual;
                cancel();
                endOf(subscriber, Operators.onRejectedExecution(e, subscriber.currentContext()));
            }
        }
    }

    @Override
    public void run() {
        CoreSubscriber<? super I> subscriber = actual;
        int missed = wip.get();
        do {
            workerThread = Thread.currentThread();
            if (!giveAll(subscriber)) {
                workerThread = null;
                return;
            }
            workerThread = null; // before another task may come
            missed = wip.addAndGet(-missed);
        } while (missed != 0);
    }

    /** Gives what is demanded; false if nothing more may be given, ever. */
    private boolean giveAll(CoreSubscriber<? super I> subscriber) {
        for (long demanded = demanded(); demanded != 0; demanded = demanded()) {
            while (demanded != 0) {
                I message = take();
                if (message == null) {
                    return goesOn(subscriber);
                }
                if (demanded != Long.MAX_VALUE) {
                    demanded--;
                }
                try {
                    subscriber.onNext(message);
                } catch (Throwable e) {
                    subscriberThrew(e);
                }
            }
        }
        return goesOn(subscriber);
    }

    private boolean goesOn(CoreSubscriber<? super I> subscriber) {
        if (isCancelled()) {
            return false;
        }
        if (hasEnded()) {
            tellEnd(subscriber);
            worker().dispose();
            return false;
        }
        return true;
    }

    @Override
    public void cancel() {
        super.cancel();
        if (worker != null) {
            worker.dispose();
        }
    }

    private Scheduler.Worker worker() {
        return Objects.requireNonNull(worker, "worker");
    }
}
