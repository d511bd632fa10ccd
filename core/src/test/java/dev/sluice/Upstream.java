package dev.sluice;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.util.context.Context;

/** A source of buffers, on this thread alone: it notes what is asked of it, and pushes what the test says. */
final class Upstream implements Publisher<ByteBuf>, Subscription {
    private final Deque<Runnable> onRequest = new ArrayDeque<>();
    private @Nullable Subscriber<? super ByteBuf> subscriber;
    private long requested;
    private long highestRequest;
    private int pushed;
    private int subscriptions;
    private boolean cancelled;

    static ByteBuf buffer(byte[] bytes) {
        return Unpooled.wrappedBuffer(bytes);
    }

    /** The next request brings this, before {@code request} returns; one not answered yet brings it now. */
    Upstream thenPush(ByteBuf buffer) {
        return then(() -> push(buffer));
    }

    Upstream then(Runnable action) {
        onRequest.add(action);
        return this;
    }

    @Override
    public void subscribe(Subscriber<? super ByteBuf> s) {
        subscriptions++;
        subscriber = s;
        s.onSubscribe(this);
    }

    @Override
    public void request(long n) {
        requested += n;
        highestRequest = Math.max(highestRequest, requested - pushed);
        Runnable action = onRequest.poll();
        if (action != null) {
            action.run();
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
    }

    /** Pushes a buffer, asked for or not. */
    void push(ByteBuf buffer) {
        pushed++;
        subscriber.onNext(buffer);
    }

    void push(byte[] bytes) {
        push(buffer(bytes));
    }

    void complete() {
        subscriber.onComplete();
    }

    void fail(Throwable error) {
        subscriber.onError(error);
    }

    /** Asked for and not pushed. */
    long wanted() {
        return requested - pushed;
    }

    /** The most that was asked for and not pushed. */
    long highestRequest() {
        return highestRequest;
    }

    boolean isCancelled() {
        return cancelled;
    }

    int subscriptions() {
        return subscriptions;
    }

    Subscriber<? super ByteBuf> subscriber() {
        return subscriber;
    }

    Context context() {
        return ((CoreSubscriber<? super ByteBuf>) subscriber).currentContext();
    }
}
