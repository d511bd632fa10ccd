package dev.sluice;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Counts the workers and tasks of another scheduler. */
final class CountingScheduler implements Scheduler {
    private final Scheduler scheduler;
    private final Deque<Runnable> waiting;
    private final AtomicInteger tasks = new AtomicInteger();
    private final AtomicInteger created = new AtomicInteger();
    private final AtomicInteger disposed = new AtomicInteger();

    private CountingScheduler(Scheduler scheduler, Deque<Runnable> waiting) {
        this.scheduler = scheduler;
        this.waiting = waiting;
    }

    static CountingScheduler of(Scheduler scheduler) {
        return new CountingScheduler(scheduler, new ArrayDeque<>());
    }

    /** Its tasks wait for {@link #runAll()}, on whatever thread that comes: another thread as it were, but no race. */
    static CountingScheduler byHand() {
        Deque<Runnable> waiting = new ArrayDeque<>();
        return new CountingScheduler(Schedulers.fromExecutor(waiting::add), waiting);
    }

    /** Runs what waits, and what comes by that. */
    void runAll() {
        for (Runnable task = waiting.poll(); task != null; task = waiting.poll()) {
            task.run();
        }
    }

    int waiting() {
        return waiting.size();
    }

    int tasks() {
        return tasks.get();
    }

    int created() {
        return created.get();
    }

    int disposed() {
        return disposed.get();
    }

    @Override
    public Disposable schedule(Runnable task) {
        tasks.incrementAndGet();
        return scheduler.schedule(task);
    }

    @Override
    public Worker createWorker() {
        created.incrementAndGet();
        Worker worker = scheduler.createWorker();
        return new Worker() {
            private final AtomicInteger disposals = new AtomicInteger();

            @Override
            public Disposable schedule(Runnable task) {
                tasks.incrementAndGet();
                return worker.schedule(task);
            }

            @Override
            public void dispose() {
                if (disposals.getAndIncrement() == 0) {
                    disposed.incrementAndGet();
                }
                worker.dispose();
            }
        };
    }

    @Override
    public void dispose() {
        scheduler.dispose();
    }
}
