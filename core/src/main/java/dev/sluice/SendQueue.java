package dev.sluice;

import io.netty.util.internal.PlatformDependent;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What many threads have accepted and one takes, in order: messages as they are, where nobody waits for a reply; {@link
 * Send}s; and the actions that have their place between them. A send that was withdrawn keeps its place until it is come to,
 * or until there are too many such places.
 */
final class SendQueue {
    private static final int CHUNK = 256;
    private static final int CAPACITY = 1 << 30;
    /** So many withdrawn messages may keep a place. */
    private static final int MAX_WITHDRAWN = 1_024;

    private final Queue<Object> queue = PlatformDependent.newMpscQueue(CHUNK, CAPACITY);
    /** Places that are to be passed over. */
    private final AtomicInteger withdrawn = new AtomicInteger();
    /** What was taken out of the queue to be looked at, and has not had its turn. By the thread that takes. */
    private final ArrayDeque<Object> gathered = new ArrayDeque<>(0);

    /** Puts it behind all that there are. From any thread. */
    void offer(Object entry) {
        queue.offer(entry);
    }

    /** A send that has its place here was withdrawn. From any thread. */
    void withdrawn() {
        withdrawn.incrementAndGet();
    }

    // ---- by the thread that takes

    boolean isEmpty() {
        return gathered.isEmpty() && queue.isEmpty();
    }

    @Nullable Object poll() {
        Object entry = gathered.poll();
        return entry == null ? queue.poll() : entry;
    }

    /** A withdrawn send has been polled. */
    void passedOver() {
        withdrawn.decrementAndGet();
    }

    /** All that waits for its turn, in order. */
    Iterator<Object> iterator() {
        gather();
        return gathered.iterator();
    }

    private void gather() {
        for (Object entry = queue.poll(); entry != null; entry = queue.poll()) {
            gathered.add(entry);
        }
    }

    /** If they are too many, takes all places out that are not needed any more. */
    void limitWithdrawn() {
        if (withdrawn.get() < MAX_WITHDRAWN) {
            return;
        }
        gather();
        int before = gathered.size();
        gathered.removeIf(entry -> entry instanceof Send<?> send && send.isWithdrawn());
        withdrawn.addAndGet(gathered.size() - before);
    }
}
