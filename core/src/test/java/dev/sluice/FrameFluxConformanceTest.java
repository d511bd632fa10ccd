package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.Codec;
import dev.sluice.framing.CorruptFrameException;
import dev.sluice.framing.FrameTooLongException;
import dev.sluice.framing.Framing;
import dev.sluice.framing.TruncatedFrameException;
import dev.sluice.framing.test.InputBuffer;
import dev.sluice.testing.Delivery;
import dev.sluice.testing.Demand;
import dev.sluice.testing.End;
import dev.sluice.testing.Outcome;
import dev.sluice.testing.Vector;
import dev.sluice.testing.VectorFramings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

/** Runs the conformance vectors through the operator: law 1 for chunks, buffers and demands; law 3 for every input. */
class FrameFluxConformanceTest {
    private static final byte[] BEHIND_THE_END = {1, 2, 3};
    private static final IOException SOURCE_ERROR = new IOException("source");

    @ParameterizedTest
    @MethodSource("vectors")
    void deliversSameFramesForEveryBufferAndDemand(Vector vector) {
        verify(vector, Delivery.main(vector.chunks()));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void deliversSameFramesWhereverStreamIsCut(Vector vector) {
        verify(vector, Delivery.others(vector.chunks()));
    }

    private static Stream<Vector> vectors() {
        return Vector.FILES.stream()
                .flatMap(file -> Vector.load(file).stream())
                .filter(vector -> VectorFramings.types().contains(vector.type()) && !vector.refused());
    }

    private static void verify(Vector vector, Stream<Delivery> deliveries) {
        Framing framing = VectorFramings.of(vector.framing());
        deliveries.forEach(delivery -> {
            for (boolean batches : new boolean[] {false, true}) {
                check(
                        vector,
                        delivery,
                        new Run<byte[]>(delivery, vector.end(), ByteBufUtil::hexDump)
                                .outcome(Codec.bytes(framing), batches));
                check(
                        vector,
                        delivery,
                        new Run<ByteBuf>(delivery, vector.end(), ByteBufUtil::hexDump)
                                .outcome(Codec.slices(framing), batches));
            }
        });
    }

    private static void check(Vector vector, Delivery delivery, Outcome actual) {
        if (!actual.equals(vector.expected())) {
            throw new AssertionError(delivery + ": expected " + vector.expected() + ", but got " + actual);
        }
    }

    /** One subscription to one delivery of the stream. */
    private static final class Run<M> {
        private final Delivery delivery;
        private final End end;
        private final Function<M, String> content;
        private final Upstream upstream = new Upstream();
        private final AtomicLong reports = new AtomicLong();
        private final List<InputBuffer> inputs = new ArrayList<>();
        private final List<M> messages = new ArrayList<>();
        private final List<String> frames = new ArrayList<>();

        Run(Delivery delivery, End end, Function<M, String> content) {
            this.delivery = delivery;
            this.end = end;
            this.content = content;
        }

        Outcome outcome(Codec<M, ?> plain, boolean batches) {
            Codec<M, ?> codec = plain.listener((offset, length, limit) -> reports.incrementAndGet());
            FrameFlux<M> flux = delivery.borrowed() ? FrameFlux.borrowed(codec) : FrameFlux.owned(codec);
            delivery.chunking().chunks().forEach(chunk -> upstream.then(() -> bring(chunk)));
            upstream.then(this::end);
            Probe<?> probe = batches
                    ? subscribe(flux.batches(upstream, 3), batch -> batch.forEach(this::take))
                    : subscribe(flux.apply(upstream), this::take);
            if (delivery.demand() == Demand.LATE) {
                probe.request(Long.MAX_VALUE);
            }
            probe.values(); // no rule was broken
            String terminal = terminal(probe);
            check(upstream.highestRequest() <= 1, "one chunk is asked for at a time");
            // A source that goes on pushing: behind the end, or behind the cancel of a subscriber that had enough.
            bring(BEHIND_THE_END);
            probe.cancel();
            bring(BEHIND_THE_END);
            check(probe.values().size() == probe.count(), "nothing behind the end");
            release();
            return new Outcome(frames, terminal, reports.get());
        }

        private <T> Probe<T> subscribe(Flux<T> flux, java.util.function.Consumer<T> action) {
            Probe<T> probe = switch (delivery.demand()) {
                case UNBOUNDED -> Probe.unbounded();
                case ONE_BY_ONE -> Probe.demanding(1);
                case LATE -> Probe.demanding(0);
            };
            flux.subscribe(probe.whenNext(value -> {
                action.accept(value);
                if (delivery.demand() == Demand.ONE_BY_ONE) {
                    probe.request(1);
                }
            }));
            return probe;
        }

        private void bring(byte[] chunk) {
            InputBuffer input = delivery.kind().of(chunk);
            inputs.add(input);
            upstream.push(input.buffer());
            if (delivery.borrowed()) {
                if (input.buffer().refCnt() == 1) { // otherwise it is kept
                    input.overwrite();
                }
                input.buffer().release();
            }
        }

        private void end() {
            switch (end) {
                case COMPLETE -> upstream.complete();
                case ERROR -> upstream.fail(SOURCE_ERROR);
                case OPEN -> {}
            }
        }

        private void take(M message) {
            messages.add(message);
            frames.add(content.apply(message));
        }

        private String terminal(Probe<?> probe) {
            Throwable error = probe.error();
            if (error instanceof TruncatedFrameException) {
                return "TRUNCATED";
            }
            if (error instanceof FrameTooLongException) {
                return "TOO_LONG";
            }
            if (error instanceof CorruptFrameException) {
                return "CORRUPT";
            }
            if (error != null) {
                assertThat(error).isSameAs(SOURCE_ERROR);
                return "SOURCE_ERROR";
            }
            return probe.isCompleted() ? "complete" : "none";
        }

        private void release() {
            for (int i = 0; i < messages.size(); i++) {
                check(content.apply(messages.get(i)).equals(frames.get(i)), "message " + i + " is still what it was");
                io.netty.util.ReferenceCountUtil.release(messages.get(i));
            }
            for (int i = 0; i < inputs.size(); i++) {
                check(inputs.get(i).refCnt() == 0, "chunk " + i + " released");
                check(delivery.borrowed() || inputs.get(i).isUnchanged(), "chunk " + i + " unchanged");
            }
        }

        private void check(boolean right, String what) {
            if (!right) {
                throw new AssertionError(delivery + ": does not hold: " + what);
            }
        }
    }
}
