package dev.sluice.bench.soak;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.LeakPresenceDetector;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Tells whether a buffer is alive, by Netty's detector that counts each; the JVM has to be started with it. */
final class LiveBuffers extends LeakPresenceDetector<Object> {
    LiveBuffers() {
        super(Object.class);
    }

    /** @throws IllegalStateException if buffers are not counted, so that nothing would ever be found */
    void checkThatTheyAreCounted() {
        ByteBuf buffer = ByteBufAllocator.DEFAULT.buffer(1);
        boolean counted = areThere();
        buffer.release();
        if (!counted || areThere()) {
            throw new IllegalStateException("buffers are not counted: start with"
                    + " -Dio.netty.customResourceLeakDetector=io.netty.util.LeakPresenceDetector");
        }
    }

    boolean areThere() {
        return currentScope().hasOpenResources();
    }

    /** Whether none is left, now or shortly. */
    boolean areGoneWithin(Duration patience) throws InterruptedException {
        long begin = System.nanoTime();
        while (areThere()) {
            if (System.nanoTime() - begin > patience.toNanos()) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return true;
    }
}
