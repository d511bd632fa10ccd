package dev.sluice.bench;

import dev.sluice.framing.Framing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/**
 * A stream of {@link #FRAMES} frames in chunks, made once and taken again and again; as a {@code Flux} its elements cost
 * next to nothing. The memory behind it stays below 1 MiB: long frames are the same few over and over, and the chunk in
 * which these end is shorter.
 *
 * <p>Each chunk is retained before it is given away, so that the taker releases it as any other, and it lives on. It
 * cannot grow: Netty's decoder, when a frame is cut, copies into a buffer of its own, as it does for a chunk that slices
 * refer to.
 */
final class Chunks extends Flux<ByteBuf> {
    /** A constant, since the benchmarks' results are divided by it. */
    static final int FRAMES = 4096;

    private static final int MAX_BYTES = 1024 * 1024;
    private static final int MOST_HEADER = 16;

    private final ByteBuf[] chunks;
    private final int repeats;
    private final long sum;

    private Chunks(ByteBuf[] chunks, int repeats, long sum) {
        this.chunks = chunks;
        this.repeats = repeats;
        this.sum = sum;
    }

    /** @param payload bytes of each payload */
    static Chunks of(FrameFormat format, int payload, Chunking chunking) {
        int frames = FRAMES;
        while (frames * ((long) payload + MOST_HEADER) > MAX_BYTES && frames > 1) {
            frames /= 2;
        }
        Framing framing = format.framing(payload);
        PayloadDecoder decoder = PayloadDecoder.shared();
        ByteBuf stream = Unpooled.buffer(frames * (payload + MOST_HEADER));
        int[] frameEnds = new int[frames];
        for (int frame = 0; frame < frames; frame++) {
            ByteBuf bytes = Unpooled.wrappedBuffer(format.payloads().payload(frame, payload));
            decoder.decode(bytes);
            framing.encode(bytes, stream);
            frameEnds[frame] = stream.writerIndex();
        }
        ByteBuf[] chunks = Arrays.stream(chunking.ends(frameEnds))
                .map(end -> end - stream.readerIndex())
                .mapToObj(length -> Unpooled.directBuffer(length, length).writeBytes(stream, length))
                .toArray(ByteBuf[]::new);
        int repeats = FRAMES / frames;
        return new Chunks(chunks, repeats, decoder.takeSum() * repeats);
    }

    /** How many chunks the stream has. */
    int length() {
        return chunks.length * repeats;
    }

    /** A chunk of the stream, whole and unread, which the caller releases. */
    ByteBuf get(int index) {
        ByteBuf chunk = chunks[index % chunks.length];
        return chunk.setIndex(0, chunk.capacity()).retain();
    }

    /** The stream in chunks of another kind; they are made once and may occur many times. */
    <T> List<T> mapped(Function<ByteBuf, T> mapper) {
        List<T> once = Arrays.stream(chunks).map(mapper).toList();
        return Collections.nCopies(repeats, once).stream().flatMap(List::stream).toList();
    }

    /** What {@link PayloadDecoder} makes of all payloads, taken before they were framed. */
    long sum() {
        return sum;
    }

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> actual) {
        actual.onSubscribe(new ChunkSubscription(actual));
    }

    void release() {
        for (ByteBuf chunk : chunks) {
            chunk.release();
        }
    }

    /** Nobody has kept a chunk. */
    boolean isReleased() {
        return Arrays.stream(chunks).allMatch(chunk -> chunk.refCnt() == 0);
    }

    /** For a subscriber that requests on one thread, and from within {@code onNext} at most one chunk. */
    private final class ChunkSubscription implements Subscription {
        private final CoreSubscriber<? super ByteBuf> actual;
        private int next;
        private boolean ended;

        ChunkSubscription(CoreSubscriber<? super ByteBuf> actual) {
            this.actual = actual;
        }

        @Override
        public void request(long n) {
            for (long i = 0; i < n && next < length(); i++) {
                actual.onNext(get(next++));
                if (next == length() && !ended) {
                    ended = true;
                    actual.onComplete();
                }
            }
        }

        @Override
        public void cancel() {
            next = length();
            ended = true;
        }
    }
}
