package dev.sluice.testing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.LeakPresenceDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Counts the buffers that are alive, by Netty's {@link LeakPresenceDetector}.
 *
 * <p>Its own check resets the count, whether it passes or not. That is what keeps one leak from failing all later tests,
 * but it also means that we must not use it to wait; and a leaked buffer that is released in a later test makes the count
 * of that test negative, for which it is not to blame.
 */
final class PresenceLeakCheck implements LeakCheck {
    private static final long POLL_NANOS = 1_000_000;

    private boolean leakWasTold;

    @Override
    public void arm() {
        Scope scope = new Scope();
        try {
            LeakPresenceDetector.check();
        } catch (IllegalStateException e) {
            if (!isInUse()) {
                throw e;
            }
            // What was made before the first test is no test's leak; the count begins anew.
        }
        ByteBuf buffer = ByteBufAllocator.DEFAULT.buffer(1);
        boolean seen = scope.hasOpenBuffers();
        buffer.release();
        if (!seen) {
            throw new IllegalStateException("buffers are not counted: something used them before the detector was set;"
                    + " io.netty.customResourceLeakDetector="
                    + System.getProperty("io.netty.customResourceLeakDetector"));
        }
    }

    @Override
    public void check(Duration patience) {
        Scope scope = new Scope();
        long deadline = System.nanoTime() + patience.toNanos();
        while (scope.hasOpenBuffers() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(POLL_NANOS);
        }
        boolean tooMany = scope.hasOpenBuffers();
        try {
            LeakPresenceDetector.check();
        } catch (IllegalStateException e) {
            if (!isInUse()) {
                throw e;
            }
            if (!tooMany && leakWasTold) {
                leakWasTold = false;
                return;
            }
            if (!tooMany && isUndone(patience)) {
                return;
            }
            leakWasTold = tooMany;
            throw new AssertionError(
                    tooMany
                            ? "buffers are alive behind the end of the test; who made them: run the tests tagged paranoid"
                            : "buffers were released twice, or after the test that made them",
                    e);
        }
    }

    /**
     * A buffer that was made, by the other side of a connection that is ending, between the look at the count and its
     * reset makes the next count negative when it is released. One that was released twice does not.
     */
    private static boolean isUndone(Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (System.nanoTime() - deadline < 0) {
            try {
                LeakPresenceDetector.check();
            } catch (IllegalStateException e) {
                return true;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return false;
    }

    private static boolean isInUse() {
        return ResourceLeakDetectorFactory.instance().newResourceLeakDetector(Object.class)
                instanceof LeakPresenceDetector;
    }

    /** Looks at the count without resetting it. */
    private static final class Scope extends LeakPresenceDetector<Object> {
        Scope() {
            super(Object.class);
        }

        boolean hasOpenBuffers() {
            return currentScope().hasOpenResources();
        }
    }
}
