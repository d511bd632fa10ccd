package dev.sluice.testing;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Collects what Netty's own detector reports once the garbage collector has found a buffer that was not released.
 *
 * <p>Reports come from a detector that is put in place before the first buffer; a listener of the log would depend on
 * which logger is there and on its level.
 */
final class ParanoidLeakCheck implements LeakCheck {
    private static final AtomicLong TRACKED = new AtomicLong();
    private static final Queue<String> REPORTS = new ConcurrentLinkedQueue<>();

    ParanoidLeakCheck() {
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new CollectingFactory());
    }

    @Override
    public void arm() {
        if (ResourceLeakDetector.getLevel() != ResourceLeakDetector.Level.PARANOID) {
            throw new IllegalStateException("not every buffer is tracked: io.netty.leakDetection.level="
                    + ResourceLeakDetector.getLevel() + ", needed=PARANOID");
        }
        long before = TRACKED.get();
        ByteBufAllocator.DEFAULT.buffer(1).release();
        if (TRACKED.get() == before) {
            throw new IllegalStateException(
                    "leaks cannot be seen: something used buffers before the detector was put in place");
        }
    }

    @Override
    public void check(Duration patience) {
        // A buffer leaked before this call is in the detector's queue once the collector's references have been worked
        // off. They are, one collection after the other, in order: when the second one's arrives, the first one's have.
        collectGarbage(patience);
        collectGarbage(patience);
        ByteBufAllocator.DEFAULT.buffer(1).release(); // the detector looks at its queue when a buffer is made
        List<String> reports = new ArrayList<>();
        for (String report = REPORTS.poll(); report != null; report = REPORTS.poll()) {
            reports.add(report);
        }
        if (!reports.isEmpty()) {
            throw new AssertionError("buffers were not released: " + String.join("\n", reports));
        }
    }

    private static void collectGarbage(Duration patience) {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        WeakReference<Object> sentinel = new WeakReference<>(new Object(), queue);
        System.gc();
        try {
            if (queue.remove(patience.toMillis()) != sentinel) {
                throw new AssertionError("garbage was not collected: patience=" + patience);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for the garbage collector", e);
        }
    }

    private static final class CollectingFactory extends ResourceLeakDetectorFactory {
        @Override
        @Deprecated
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(
                Class<T> resource, int samplingInterval, long maxActive) {
            return new CollectingDetector<>(resource, samplingInterval);
        }

        @Override
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int samplingInterval) {
            return new CollectingDetector<>(resource, samplingInterval);
        }
    }

    private static final class CollectingDetector<T> extends ResourceLeakDetector<T> {
        CollectingDetector(Class<?> resourceType, int samplingInterval) {
            super(resourceType, samplingInterval);
        }

        @Override
        public ResourceLeakTracker<T> track(T resource) {
            TRACKED.incrementAndGet();
            return super.track(resource);
        }

        @Override
        protected boolean needReport() {
            return true;
        }

        @Override
        protected void reportTracedLeak(String resourceType, String records) {
            REPORTS.add(resourceType + records);
        }

        @Override
        protected void reportUntracedLeak(String resourceType) {
            REPORTS.add(resourceType + ", without a trace");
        }
    }
}
