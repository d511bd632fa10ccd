package dev.sluice;

import dev.sluice.framing.Codec;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * Frames out of any stream of buffers, where there is no connection: a file, the body of a request, a list in a test.
 * Immutable; each subscription cuts a stream of its own.
 *
 * <pre>{@code
 * Flux<byte[]> messages = buffers.transform(FrameFlux.owned(Codec.bytes(LengthFieldFraming.of(4))));
 * Flux<FrameBatch<byte[]>> batches = inbound.receive().transform(FrameFlux.borrowed(codec)::batches);
 * }</pre>
 *
 * <p>One buffer is one drain: all its frames are cut, and given as far as they are demanded; at most a {@link Prefetch} is
 * decoded beyond that, and the next buffer is requested, one at a time, when less than half of that is left and no whole
 * frame is at hand. The end, the error of the source, and what the framing or decoder threw come behind all messages before
 * them; a failure of the framing or the decoder cancels the source. A cancel cancels the source and releases what was not
 * given. Signals come on the thread of the source or of a request, one at a time. It does not pause where its codec says so
 * ({@link Codec#pauseAfter}): there is no connection that could go on with another one.
 *
 * @param <I> the messages
 */
public final class FrameFlux<I> implements Function<Publisher<? extends ByteBuf>, Flux<I>> {
    private static final int BATCH_SIZE = 64;

    private final Codec<I, ?> codec;
    private final boolean borrowed;
    private final Prefetch prefetch;

    private FrameFlux(Codec<I, ?> codec, boolean borrowed, Prefetch prefetch) {
        this.codec = Objects.requireNonNull(codec, "codec");
        this.borrowed = borrowed;
        this.prefetch = Objects.requireNonNull(prefetch, "prefetch");
    }

    /** For a source whose buffers become the subscriber's: every one is released, whatever happens. */
    public static <I> FrameFlux<I> owned(Codec<I, ?> codec) {
        return new FrameFlux<>(codec, false, Prefetch.DEFAULT);
    }

    /**
     * For a source that releases its buffers itself when {@code onNext} has returned, as everything derived from Reactor
     * Netty's {@code receive()} does: what is kept longer is retained.
     */
    public static <I> FrameFlux<I> borrowed(Codec<I, ?> codec) {
        return new FrameFlux<>(codec, true, Prefetch.DEFAULT);
    }

    /** How much is decoded ahead of demand; {@link Prefetch#DEFAULT} by default. */
    public FrameFlux<I> prefetch(Prefetch prefetch) {
        return new FrameFlux<>(codec, borrowed, prefetch);
    }

    /** The messages of {@code source}, one by one; for {@code transform}. */
    @Override
    public Flux<I> apply(Publisher<? extends ByteBuf> source) {
        return FrameOperator.messages(source, codec, borrowed, prefetch);
    }

    /** The messages of {@code source} in {@link #batches(Publisher, int) batches} of at most 64. */
    public Flux<FrameBatch<I>> batches(Publisher<? extends ByteBuf> source) {
        return batches(source, BATCH_SIZE);
    }

    /**
     * The messages of {@code source} in batches: those of one buffer, at most {@code maxMessages} each. Demand counts
     * batches.
     *
     * @param maxMessages of a batch, at least 1
     */
    public Flux<FrameBatch<I>> batches(Publisher<? extends ByteBuf> source, int maxMessages) {
        if (maxMessages < 1) {
            throw new IllegalArgumentException("batch holds no message: maxMessages=" + maxMessages + ", limit=1");
        }
        return FrameOperator.batches(source, codec, borrowed, prefetch, maxMessages);
    }
}
