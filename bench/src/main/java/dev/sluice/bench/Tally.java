package dev.sluice.bench;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** Counts the messages of one connection, and notes when and how it ended. */
final class Tally {
    private final CountDownLatch ended = new CountDownLatch(1);
    private long messages;
    private long endNanos;
    private @Nullable Throwable error;
    /** So that no message can be left unmade. */
    private @Nullable Message latest;

    void message(Message message) {
        latest = message;
        messages++;
    }

    void end(@Nullable Throwable cause) {
        error = cause;
        endNanos = System.nanoTime();
        ended.countDown();
    }

    /** Takes everything, without bounding demand. */
    <T> CoreSubscriber<T> subscriber(Consumer<? super T> onNext) {
        return new TallySubscriber<>(onNext, Long.MAX_VALUE);
    }

    /** Takes everything, and requests each message when it has taken the one before. */
    <T> CoreSubscriber<T> oneByOne(Consumer<? super T> onNext) {
        return new TallySubscriber<>(onNext, 1);
    }

    private final class TallySubscriber<T> implements CoreSubscriber<T> {
        private final Consumer<? super T> onNext;
        private final long demand;
        private @Nullable Subscription subscription;

        TallySubscriber(Consumer<? super T> onNext, long demand) {
            this.onNext = onNext;
            this.demand = demand;
        }

        @Override
        public void onSubscribe(Subscription s) {
            if (demand < Long.MAX_VALUE) {
                subscription = s;
            }
            s.request(demand);
        }

        @Override
        public void onNext(T item) {
            onNext.accept(item);
            if (subscription != null) {
                subscription.request(demand);
            }
        }

        @Override
        public void onError(Throwable cause) {
            end(cause);
        }

        @Override
        public void onComplete() {
            end(null);
        }
    }

    /**
     * Waits for the end.
     *
     * @throws IllegalStateException if it does not come, or is an error
     */
    void await(int seconds) throws InterruptedException {
        if (!ended.await(seconds, TimeUnit.SECONDS)) {
            throw new IllegalStateException("connection has not ended: seconds=" + seconds + ", messages=" + messages);
        }
        if (error != null) {
            throw new IllegalStateException(
                    "connection has failed: messages=" + messages + ", latest=" + latest, error);
        }
    }

    long messages() {
        return messages;
    }

    long endNanos() {
        return endNanos;
    }
}
