package dev.sluice;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/** The receiver of a subscriber that polls ({@code Fuseable.ASYNC}): it is told by {@code onNext(null)}, once a drain. */
final class FusedReceiver<I> extends QueueReceiver<I> {
    /** Further than this the ring does not run ahead of the polls, however much is requested. */
    private static final int MAX_AHEAD = 1_024;

    /** Signals come from the drain and from requests: one thread at a time signals, for all. */
    private final AtomicInteger signals = new AtomicInteger();

    FusedReceiver(Drain<I> drain, CoreSubscriber<? super I> actual) {
        super(drain, actual, MAX_AHEAD);
    }

    @Override
    @SuppressWarnings({"DataFlowIssue", "NullAway"}) // onNext(null) is how a fused subscriber is told to poll
    void tell() {
        if (signals.getAndIncrement() != 0) {
            return;
        }
        int missed = 1;
        do {
            CoreSubscriber<? super I> subscriber = actual;
            if (isCancelled()) {
                return;
            }
            if (hasEnded()) {
                tellEnd(subscriber);
                return;
            }
            try {
                subscriber.onNext(null);
            } catch (Throwable e) {
                subscriberThrew(e);
            }
            missed = signals.addAndGet(-missed);
        } while (missed != 0);
    }

    @Nullable I poll() {
        return take();
    }

    boolean isEmpty() {
        return hasNone();
    }
}
