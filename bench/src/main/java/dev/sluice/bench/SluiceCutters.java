package dev.sluice.bench;

import dev.sluice.FrameFlux;
import dev.sluice.framing.Codec;
import dev.sluice.framing.FrameReader;
import dev.sluice.framing.Framing;
import java.util.function.Consumer;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** Sluice's ways to cut. */
final class SluiceCutters {
    private SluiceCutters() {}

    /** {@link FrameReader}, without any stream. */
    static Cutter reader(Framing framing, Chunks chunks, FrameSink sink) {
        FrameReader<Message> reader = FrameReader.create(Codec.decoding(framing, sink.decoder()));
        return new Cutter() {
            @Override
            public void cut() {
                for (int i = 0; i < chunks.length(); i++) {
                    reader.feed(chunks.get(i));
                    for (Message message = reader.read(); message != null; message = reader.read()) {
                        sink.taken(message);
                    }
                }
            }

            @Override
            public void close() {
                reader.close();
            }
        };
    }

    /** {@link FrameFlux}, message by message; one subscription a stream. */
    static Cutter flux(Framing framing, Chunks chunks, FrameSink sink) {
        FrameFlux<Message> frames = FrameFlux.owned(Codec.decoding(framing, sink.decoder()));
        return () -> frames.apply(chunks).subscribe(unbounded(sink::taken));
    }

    /** {@link FrameFlux}, in batches; one subscription a stream. */
    static Cutter batches(Framing framing, Chunks chunks, FrameSink sink) {
        FrameFlux<Message> frames = FrameFlux.owned(Codec.decoding(framing, sink.decoder()));
        Consumer<Message> each = sink::taken;
        return () -> frames.batches(chunks).subscribe(unbounded(batch -> batch.forEach(each)));
    }

    private static <T> CoreSubscriber<T> unbounded(Consumer<T> onNext) {
        return new CoreSubscriber<>() {
            @Override
            public void onSubscribe(Subscription subscription) {
                subscription.request(Long.MAX_VALUE);
            }

            @Override
            public void onNext(T item) {
                onNext.accept(item);
            }

            @Override
            public void onError(Throwable error) {
                throw new IllegalStateException(error);
            }

            @Override
            public void onComplete() {}
        };
    }
}
