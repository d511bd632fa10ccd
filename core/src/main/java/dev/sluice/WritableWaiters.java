package dev.sluice;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Those who want to know when the connection is not busy. Any thread. */
final class WritableWaiters {
    private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();

    static Mono<Void> mono(Outbound<?> outbound) {
        return Mono.create(sink -> {
            Waiter waiter = new Waiter(error -> {
                if (error == null) {
                    sink.success();
                } else {
                    sink.error(error);
                }
            });
            sink.onCancel(() -> outbound.forget(waiter));
            outbound.whenWritable(waiter);
        });
    }

    void add(Waiter waiter) {
        waiters.add(waiter);
    }

    void remove(Waiter waiter) {
        waiters.remove(waiter);
    }

    boolean isEmpty() {
        return waiters.isEmpty();
    }

    /** Tells all that are there now: one that comes again waits for the next time. */
    void tell(@Nullable Throwable error) {
        Waiter last = null;
        for (Waiter waiter : waiters) {
            last = waiter;
        }
        Waiter waiter = last == null ? null : waiters.poll();
        while (waiter != null) {
            waiter.tell(error);
            waiter = waiter == last ? null : waiters.poll();
        }
    }

    /** Is told once. */
    static final class Waiter {
        private final Consumer<? super @Nullable Throwable> action;
        private final AtomicBoolean told = new AtomicBoolean();

        Waiter(Consumer<? super @Nullable Throwable> action) {
            this.action = action;
        }

        void tell(@Nullable Throwable error) {
            if (told.compareAndSet(false, true)) {
                action.accept(error);
            }
        }
    }
}
