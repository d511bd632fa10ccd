package dev.sluice.bench.soak;

import dev.sluice.FrameConnection;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * One receiver: demands in steps, some of them late, takes so many messages, and cancels; or another thread does so
 * meanwhile.
 */
final class Turn implements CoreSubscriber<Object> {
    private static final int MOST = 100;
    private static final int LATEST_MILLIS = 3;

    private final End end;
    /** The end's connection that this takes messages of. */
    private final FrameConnection<?, ?> connection;

    private final Scheduler thread;
    /** Signals that are demanded at once. */
    private final long step;
    /** Whether the next step is demanded later, by another thread than the one that signals. */
    private final boolean late;
    /** When another thread cancels; 0 for never. */
    private final int cancelAfterMillis;

    private final int delayMillis;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile Subscription subscription = Operators.emptySubscription();
    /** Messages until it cancels. */
    private int left;
    /** Signals until it demands more. */
    private long stepLeft;

    Turn(End end, FrameConnection<?, ?> connection, Taking taking, Scheduler thread, Random random) {
        this.end = end;
        this.connection = connection;
        this.thread = thread;
        this.step = random.nextInt(4) == 0 ? Long.MAX_VALUE : 1 + random.nextInt(50);
        this.late = random.nextInt(4) == 0;
        this.delayMillis = 1 + random.nextInt(LATEST_MILLIS);
        // What an operator on another thread has taken when it is cancelled is lost; so only others are cancelled thus.
        boolean losesNothing = taking != Taking.FUSED;
        this.cancelAfterMillis = losesNothing && random.nextInt(4) == 0 ? 1 + random.nextInt(LATEST_MILLIS) : 0;
        this.left = end.awaitsEnd() ? Integer.MAX_VALUE : Math.min(end.mayTake(), 1 + random.nextInt(MOST));
    }

    void begin(Flux<?> messages) {
        messages.subscribe(this);
        if (cancelAfterMillis > 0) {
            Schedulers.parallel().schedule(() -> cancel(true), cancelAfterMillis, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void onSubscribe(Subscription s) {
        subscription = s;
        stepLeft = step;
        s.request(step);
    }

    @Override
    public void onNext(Object signal) {
        Taking.forEach(signal, message -> {
            end.take(message);
            left--;
        });
        if (left <= 0) {
            cancel(false);
        } else if (step != Long.MAX_VALUE && --stepLeft == 0) {
            stepLeft = step;
            if (late) {
                thread.schedule(() -> subscription.request(step), delayMillis, TimeUnit.MILLISECONDS);
            } else {
                subscription.request(step);
            }
        }
    }

    /** The next receiver comes on the thread on which those run that are not on the event loop: so one is behind the other. */
    private void cancel(boolean byAnotherThread) {
        if (over.compareAndSet(false, true)) {
            subscription.cancel();
            end.cancelled(byAnotherThread);
        }
    }

    @Override
    public void onError(Throwable error) {
        if (over.compareAndSet(false, true)) {
            end.ended(connection, error);
        }
    }

    @Override
    public void onComplete() {
        if (over.compareAndSet(false, true)) {
            end.ended(connection, null);
        }
    }
}
