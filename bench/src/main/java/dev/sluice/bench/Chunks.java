package dev.sluice.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/**
 * A stream of {@link #FRAMES} frames in full 64 KiB chunks, made once and taken again and again; as a {@code Flux} its
 * elements cost next to nothing. The memory behind it stays below 1 MiB: long frames are the same few over and over, and
 * the chunk in which these end is shorter.
 *
 * <p>Each chunk is retained before it is given away, so that the taker releases it as any other, and it lives on. It
 * cannot grow: Netty's decoder, when a frame is cut, copies into a buffer of its own, as it does for a chunk that slices
 * refer to.
 */
final class Chunks extends Flux<ByteBuf> {
    /** A constant, since the benchmarks' results are divided by it. */
    static final int FRAMES = 4096;

    private static final int CHUNK_SIZE = 64 * 1024;
    private static final int MAX_BYTES = 1024 * 1024;

    private final ByteBuf[] chunks;
    private final int repeats;

    private Chunks(ByteBuf[] chunks, int repeats) {
        this.chunks = chunks;
        this.repeats = repeats;
    }

    static Chunks ofFrames(int payload) {
        int frames = FRAMES;
        while (frames * (payload + 4L) > MAX_BYTES && frames > 1) {
            frames /= 2;
        }
        ByteBuf stream = Unpooled.directBuffer(frames * (payload + 4));
        for (int frame = 0; frame < frames; frame++) {
            stream.writeInt(payload);
            for (int i = 0; i < payload; i++) {
                stream.writeByte('a' + (i * 31 + frame) % 26);
            }
        }
        List<ByteBuf> chunks = new ArrayList<>();
        while (stream.isReadable()) {
            int length = Math.min(CHUNK_SIZE, stream.readableBytes());
            chunks.add(Unpooled.directBuffer(length, length).writeBytes(stream, length));
        }
        stream.release();
        return new Chunks(chunks.toArray(ByteBuf[]::new), FRAMES / frames);
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

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> actual) {
        actual.onSubscribe(new ChunkSubscription(actual));
    }

    void release() {
        for (ByteBuf chunk : chunks) {
            chunk.release();
        }
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
