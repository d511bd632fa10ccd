package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * A subscriber whose demand is steered by hand, and that notices what a publisher must never do: overlapping signals, more
 * than was demanded, anything behind a terminal.
 */
final class Probe<T> implements CoreSubscriber<T> {
    private final AtomicLong requested = new AtomicLong();
    private final AtomicInteger inside = new AtomicInteger();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final List<T> values = new ArrayList<>();
    private final long initialDemand;
    private long given;
    private Consumer<? super T> onNext = value -> {};
    private Consumer<? super Probe<T>> onSubscribe = probe -> {};
    private Consumer<? super @Nullable Throwable> onTerminal = error -> {};
    private volatile @Nullable Subscription subscription;
    private volatile @Nullable Throwable error;
    private volatile boolean completed;
    private volatile boolean terminated;
    private volatile int count;

    private Probe(long initialDemand) {
        this.initialDemand = initialDemand;
    }

    /** Demands so many at once; 0 for none. */
    static <T> Probe<T> demanding(long initialDemand) {
        return new Probe<>(initialDemand);
    }

    /** Demands all. */
    static <T> Probe<T> unbounded() {
        return new Probe<>(Long.MAX_VALUE);
    }

    /** Does this with each value, after having noted it. */
    Probe<T> whenNext(Consumer<? super T> action) {
        onNext = action;
        return this;
    }

    /** Does this in {@code onSubscribe}, before the initial demand. */
    Probe<T> whenSubscribed(Consumer<? super Probe<T>> action) {
        onSubscribe = action;
        return this;
    }

    /** Does this when terminated, with the error or {@code null}, after having noted it. */
    Probe<T> whenTerminated(Consumer<? super @Nullable Throwable> action) {
        onTerminal = action;
        return this;
    }

    void request(long n) {
        requested.accumulateAndGet(n, Operators::addCap);
        subscription.request(n);
    }

    /** Asks for {@code n} as it is, also if that is forbidden. */
    void requestRaw(long n) {
        subscription.request(n);
    }

    void cancel() {
        subscription.cancel();
    }

    @Override
    public void onSubscribe(Subscription s) {
        subscription = s;
        onSubscribe.accept(this);
        if (initialDemand > 0) {
            request(initialDemand);
        }
    }

    @Override
    public void onNext(T value) {
        enter("onNext");
        if (++given > requested.get()) {
            violations.add("more than was demanded: given=" + given + ", requested=" + requested.get());
        }
        synchronized (values) {
            values.add(value);
        }
        count++;
        try {
            onNext.accept(value);
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
        completed = true;
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
        terminated = true;
        try {
            onTerminal.accept(error);
        } finally {
            inside.decrementAndGet();
        }
    }

    int count() {
        return count;
    }

    boolean isCompleted() {
        return completed;
    }

    boolean isTerminated() {
        return terminated;
    }

    @Nullable Throwable error() {
        return error;
    }

    /** What came so far. Fails if a rule was broken. */
    List<T> values() {
        assertThat(violations).as("broken rules").isEmpty();
        synchronized (values) {
            return List.copyOf(values);
        }
    }

    Probe<T> awaitCount(int n) {
        Await.until("value " + n, () -> count >= n || terminated);
        if (count < n) {
            throw new AssertionError("terminated behind " + count + " of " + n + " values", error);
        }
        return this;
    }

    Probe<T> awaitCompletion() {
        Await.until("completion behind " + count + " values", () -> terminated);
        if (!completed) {
            throw new AssertionError("failed where completion was expected", error);
        }
        return this;
    }

    Throwable awaitError() {
        Await.until("error behind " + count + " values", () -> terminated);
        if (error == null) {
            throw new AssertionError("completed where an error was expected");
        }
        return error;
    }
}
