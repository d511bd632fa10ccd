package dev.sluice;

import java.time.Duration;
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
