package dev.sluice;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import reactor.core.publisher.Mono;

/** Bounded waits for what other threads do. */
final class Await {
    /** Far more than anything takes; a test that waits so long fails. */
    static final Duration LIMIT = Duration.ofSeconds(20);

    private static final long POLL_NANOS = 200_000;

    private Await() {}

    /** Waits until the condition holds. */
    static void until(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("did not come: " + what);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** Waits also where nothing may block: for tests that want a thread to come to nothing else. */
    static void blocking(Future<?> event) {
        try {
            event.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("did not come: " + event, e);
        }
    }

    /** Waits for completion. */
    static void completion(Mono<?> mono) {
        mono.block(LIMIT);
    }

    /** Waits for the error. */
    static Throwable error(Mono<?> mono) {
        Throwable error = mono.materialize().block(LIMIT).getThrowable();
        if (error == null) {
            throw new AssertionError("completed where an error was expected");
        }
        return error;
    }
}
