package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Replies to numbered sends, as they came, on whatever threads: at most one at a time. */
final class Replies {
    private final List<Integer> numbers = new ArrayList<>();
    private final List<@Nullable Throwable> errors = new ArrayList<>();
    private final AtomicInteger count = new AtomicInteger();

    void add(int number, @Nullable Throwable error) {
        synchronized (this) {
            numbers.add(number);
            errors.add(error);
        }
        count.incrementAndGet();
    }

    /** Sends a message with a reply. */
    <O> SendResult trySend(FrameConnection<?, O> connection, int number, O message) {
        return connection.trySend(message, error -> add(number, error));
    }

    void await(int expected) {
        Await.until("replies: expected=" + expected + ", got=" + count, () -> count.get() >= expected);
        assertThat(count).as("replies").hasValue(expected);
    }

    synchronized List<Integer> numbers() {
        return List.copyOf(numbers);
    }

    synchronized List<@Nullable Throwable> errors() {
        return new ArrayList<>(errors);
    }
}
