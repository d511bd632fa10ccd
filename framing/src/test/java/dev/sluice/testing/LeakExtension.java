package dev.sluice.testing;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;

/**
 * Fails every test that leaves a buffer alive. Registered for all tests by {@code junit-platform.properties}.
 *
 * <p>The system property {@code sluice.leak.mode} chooses how buffers are counted:
 *
 * <ul>
 *   <li>{@code presence} (the default): each buffer, at once. The JVM needs {@code
 *       -Dio.netty.customResourceLeakDetector=io.netty.util.LeakPresenceDetector}.
 *   <li>{@code paranoid}: those that the garbage collector finds, with a trace of who touched them. The JVM needs {@code
 *       -Dio.netty.leakDetection.level=paranoid}.
 * </ul>
 *
 * <p>In a JVM that was started otherwise every test class fails: a check that cannot fail is worth nothing.
 */
public final class LeakExtension
        implements BeforeAllCallback, AfterEachCallback, AfterAllCallback, InvocationInterceptor {
    /** Event loops release a buffer a moment after the test that waited for its last byte has ended. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** Made with the extension, before any test can touch a buffer. */
    private static final LeakCheck CHECK = LeakCheck.ofMode(System.getProperty("sluice.leak.mode", "presence"));

    private static final AtomicLong CHECKS = new AtomicLong();

    private static volatile boolean armed;

    /** How often this JVM has checked; grows with each test if the extension is registered. */
    static long checks() {
        return CHECKS.get();
    }

    /** The check of this JVM's mode. */
    static LeakCheck check() {
        return CHECK;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        if (!armed) { // once: a nested class may find buffers of the class around it
            CHECK.arm();
            armed = true;
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        checkNow();
    }

    /** For what the test class leaked by itself, and for what lived as long as the instance of its last test. */
    @Override
    public void afterAll(ExtensionContext context) {
        checkNow();
    }

    /** Dynamic tests share one {@code afterEach}; so the one that leaked is found here. */
    @Override
    public void interceptDynamicTest(
            Invocation<Void> invocation, DynamicTestInvocationContext invocationContext, ExtensionContext context)
            throws Throwable {
        try {
            invocation.proceed();
        } catch (Throwable e) {
            try {
                checkNow();
            } catch (AssertionError leak) {
                e.addSuppressed(leak);
            }
            throw e;
        }
        checkNow();
    }

    private static void checkNow() {
        CHECKS.incrementAndGet();
        CHECK.check(PATIENCE);
    }
}
