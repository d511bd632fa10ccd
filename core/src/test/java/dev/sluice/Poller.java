package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable;

/**
 * A subscriber that fuses, and polls only when it is told to. Notices overlapping signals, values where {@code null} must
 * come, an end while messages are left, and anything behind the end.
 */
final class Poller<T> implements CoreSubscriber<T> {
    private final int mode;
    private final AtomicInteger inside = new AtomicInteger();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private Consumer<? super Poller<T>> onSignal = poller -> {};
    private Fuseable.@Nullable QueueSubscription<T> queue;
    private int granted;
    private volatile int signals;
    private volatile boolean terminated;
    private volatile @Nullable Throwable error;

    private Poller(int mode) {
        this.mode = mode;
    }

    /** Asks for {@code ASYNC}. */
    static <T> Poller<T> create() {
        return new Poller<>(Fuseable.ASYNC);
    }

    /** Asks for this. */
    static <T> Poller<T> asking(int mode) {
        return new Poller<>(mode);
    }

    /** Polls all there is at each signal. */
    static <T> Poller<T> eager(Consumer<? super T> action) {
        return Poller.<T>create().whenSignalled(poller -> {
            for (T value = poller.poll(); value != null; value = poller.poll()) {
                action.accept(value);
            }
        });
    }

    /** Does this at each {@code onNext(null)}. */
    Poller<T> whenSignalled(Consumer<? super Poller<T>> action) {
        onSignal = action;
        return this;
    }

    @Override
    @SuppressWarnings("unchecked")
    public void onSubscribe(Subscription s) {
        queue = (Fuseable.QueueSubscription<T>) s;
        granted = queue.requestFusion(mode);
    }

    @Override
    public void onNext(T value) {
        enter("onNext");
        if (value != null) {
            violations.add("value where null is expected: value=" + value);
        }
        signals++;
        try {
            onSignal.accept(this);
        } finally {
            inside.decrementAndGet();
        }
    }

    @Override
    public void onError(Throwable t) {
        enter("onError");
        error = t;
        terminate();
    }

    @Override
    public void onComplete() {
        enter("onComplete");
        terminate();
    }

    private void enter(String signal) {
        if (inside.getAndIncrement() != 0) {
            violations.add(signal + " overlaps another signal");
        }
        if (terminated) {
            violations.add(signal + " behind the terminal");
        }
    }

    private void terminate() {
        if (queue.size() != 0) {
            violations.add("end before the last message: left=" + queue.size());
        }
        terminated = true;
        inside.decrementAndGet();
    }

    @Nullable T poll() {
        return queue.poll();
    }

    /** Polls until there is nothing. */
    List<T> pollAll() {
        return pollSome(Integer.MAX_VALUE);
    }

    /** Polls at most so many. */
    List<T> pollSome(int n) {
        List<T> values = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            T value = queue.poll();
            if (value == null) {
                break;
            }
            values.add(value);
        }
        return values;
    }

    void request(long n) {
        queue.request(n);
    }

    void cancel() {
        queue.cancel();
    }

    Fuseable.QueueSubscription<T> queue() {
        return queue;
    }

    /** The mode that was granted. */
    int granted() {
        return granted;
    }

    /** How often {@code onNext(null)} came. Fails if a rule was broken. */
    int signals() {
        assertThat(violations).as("broken rules").isEmpty();
        return signals;
    }

    boolean isTerminated() {
        assertThat(violations).as("broken rules").isEmpty();
        return terminated;
    }

    @Nullable Throwable error() {
        return error;
    }
}
