package dev.sluice;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.annotations.AfterMethod;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Law 7: the Reactive Streams TCK for one stream of messages. Its subscribers are plain ones, which Reactor wraps to keep
 * the rules for them; so each stream is verified once more with subscribers that Reactor leaves alone.
 *
 * <p>Connections are over real sockets, to a peer that has sent all its frames and ended its stream.
 */
abstract class StreamTck<T> extends PublisherVerification<T> {
    /** How long a signal may take: only a test that fails waits so long. */
    private static final long SIGNAL_MILLIS = Await.LIMIT.toMillis();
    /** How long the TCK watches that nothing comes. */
    private static final long SILENCE_MILLIS = 30;

    /** How often it looks for an error. */
    private static final long LOOK_MILLIS = 5;

    private static final long GARBAGE_MILLIS = 1_000;
    private static final int MOST_ELEMENTS = 10_000;

    private final boolean asCoreSubscriber;
    private final List<Link<Integer, Integer>> links = new CopyOnWriteArrayList<>();

    StreamTck(boolean asCoreSubscriber) {
        super(new TestEnvironment(SIGNAL_MILLIS, SILENCE_MILLIS, LOOK_MILLIS), GARBAGE_MILLIS);
        this.asCoreSubscriber = asCoreSubscriber;
    }

    /** A stream of so many elements. */
    abstract Flux<T> stream(int elements);

    /** A stream that has failed. */
    abstract Flux<T> failedStream();

    /** A connection whose peer has sent so many frames, and the end. */
    final <S> Flux<S> connection(int frames, Function<FrameConnection<Integer, Integer>, Flux<S>> way) {
        Link<Integer, Integer> link = Link.open(Transport.NIO, Frames.NUMBERS);
        links.add(link);
        link.peer.send(Frames.numbers(0, frames)).fin();
        return way.apply(link.connection);
    }

    final <S> Flux<S> disposedConnection(Function<FrameConnection<Integer, Integer>, Flux<S>> way) {
        Link<Integer, Integer> link = Link.open(Transport.NIO, Frames.NUMBERS);
        links.add(link);
        link.connection.dispose();
        return way.apply(link.connection);
    }

    /**
     * Tests leave their streams as they are; the next count of buffers must not find them, nor the next test take for its
     * own what they are told then, by their loops and on the threads that they hop to.
     */
    @AfterMethod
    public void closeConnections() {
        links.forEach(Link::close);
        links.forEach(link -> link.onLoop(() -> {}));
        links.clear();
        for (int i = 0; i < Schedulers.DEFAULT_POOL_SIZE; i++) { // each time another of its threads
            Await.completion(Mono.fromRunnable(() -> {}).subscribeOn(Schedulers.parallel()));
        }
    }

    @Override
    public long maxElementsFromPublisher() {
        return MOST_ELEMENTS;
    }

    @Override
    public Publisher<T> createPublisher(long elements) {
        return published(stream((int) elements));
    }

    @Override
    public Publisher<T> createFailedPublisher() {
        return published(failedStream());
    }

    private Publisher<T> published(Flux<T> flux) {
        if (!asCoreSubscriber) {
            return flux;
        }
        return subscriber -> flux.subscribe(new Unwrapped<T>(Objects.requireNonNull(subscriber, "subscriber")));
    }

    /** Passes every signal on as it comes. */
    private record Unwrapped<T>(Subscriber<? super T> subscriber) implements CoreSubscriber<T> {
        @Override
        public void onSubscribe(Subscription s) {
            subscriber.onSubscribe(s);
        }

        @Override
        public void onNext(T value) {
            subscriber.onNext(value);
        }

        @Override
        public void onError(Throwable error) {
            subscriber.onError(error);
        }

        @Override
        public void onComplete() {
            subscriber.onComplete();
        }
    }
}
