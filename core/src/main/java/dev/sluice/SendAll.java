package dev.sluice;

import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Sends what a source brings, and asks it for as much as there is room for. */
final class SendAll<O> extends Mono<Void> {
    private final ConnectionHandler<?, O> handler;
    private final Publisher<? extends O> source;

    private SendAll(ConnectionHandler<?, O> handler, Publisher<? extends O> source) {
        this.handler = handler;
        this.source = source;
    }

    static <O> Mono<Void> of(ConnectionHandler<?, O> handler, Publisher<? extends O> source) {
        return onAssembly(new SendAll<>(handler, source));
    }

    @Override
    public void subscribe(CoreSubscriber<? super Void> actual) {
        source.subscribe(new Sender<>(handler, actual));
    }

    /**
     * Demand: at most {@link #WINDOW} messages are asked for and not there yet, and the next only while the connection is
     * not busy. So what is pending passes the high watermark by a window at most.
     *
     * <p>End: the source's end takes its place behind its messages, and is told when that place is replied to. A message
     * that fails, or a connection that closes, cancels the source and is told at once. Whichever comes first sets {@link
     * #done}.
     */
    private static final class Sender<O> implements CoreSubscriber<O>, Subscription {
        private static final int WINDOW = 64;

        private final ConnectionHandler<?, O> handler;
        private final Outbound<O> outbound;
        private final CoreSubscriber<? super Void> actual;
        private final AtomicLong outstanding = new AtomicLong();
        private final AtomicBoolean waits = new AtomicBoolean();
        private final AtomicBoolean done = new AtomicBoolean();
        private final Disposable.Swap closeWatch = Disposables.swap();
        private volatile @Nullable Subscription upstream;

        Sender(ConnectionHandler<?, O> handler, CoreSubscriber<? super Void> actual) {
            this.handler = handler;
            this.outbound = handler.outbound();
            this.actual = actual;
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription s) {
            if (!Operators.validate(upstream, s)) {
                return;
            }
            upstream = s;
            actual.onSubscribe(this);
            closeWatch.update(handler.onClose().subscribe(reason -> fail(closed())));
            refill();
        }

        private ConnectionClosedException closed() {
            return new ConnectionClosedException(handler.closeReason(), null);
        }

        private void refill() {
            Subscription s = upstream;
            if (s == null || done.get() || outstanding.get() > WINDOW / 4) {
                return;
            }
            if (outbound.isBusy()) {
                if (waits.compareAndSet(false, true)) {
                    outbound.whenWritable(new WritableWaiters.Waiter(this::writable));
                }
                return;
            }
            long before = outstanding.getAndSet(WINDOW);
            if (before < WINDOW) {
                s.request(WINDOW - before);
            }
        }

        private void writable(@Nullable Throwable error) {
            waits.set(false);
            if (error == null) {
                refill();
            } else {
                fail(error);
            }
        }

        @Override
        public void onNext(O message) {
            if (done.get()) {
                ReferenceCountUtil.safeRelease(message);
                return;
            }
            outstanding.decrementAndGet();
            if (outbound.sendDemanded(message, new Item<>(message, this))) {
                refill();
            } else {
                ReferenceCountUtil.safeRelease(message);
                fail(closed());
            }
        }

        @Override
        public void onError(Throwable e) {
            outbound.await(new End<>(this, e));
        }

        @Override
        public void onComplete() {
            outbound.await(new End<>(this, null));
        }

        @Override
        public void request(long n) {
            // Its end needs no demand.
        }

        @Override
        public void cancel() {
            if (done.compareAndSet(false, true)) {
                stop();
            }
        }

        private void stop() {
            closeWatch.dispose();
            Subscription s = upstream;
            if (s != null) {
                s.cancel();
            }
        }

        void fail(Throwable error) {
            if (done.compareAndSet(false, true)) {
                stop();
                actual.onError(error);
            }
        }

        void end(@Nullable Throwable error) {
            if (error != null) {
                fail(error);
            } else if (done.compareAndSet(false, true)) {
                closeWatch.dispose();
                actual.onComplete();
            }
        }
    }

    /** One message of the source. */
    private static final class Item<O> extends Send<O> {
        private final Sender<O> sender;

        Item(O message, Sender<O> sender) {
            super(message);
            this.sender = sender;
        }

        @Override
        void tell(@Nullable Throwable error) {
            if (error != null) {
                sender.fail(error);
            }
        }
    }

    /** The place behind the last one. */
    private static final class End<O> extends Send<O> {
        private final Sender<O> sender;

        End(Sender<O> sender, @Nullable Throwable failure) {
            super(null);
            this.sender = sender;
            if (failure != null) {
                fail(failure);
            }
        }

        @Override
        void tell(@Nullable Throwable error) {
            sender.end(error);
        }
    }
}
