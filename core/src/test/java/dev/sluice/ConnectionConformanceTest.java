package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.Codec;
import dev.sluice.framing.CorruptFrameException;
import dev.sluice.framing.FrameTooLongException;
import dev.sluice.framing.TruncatedFrameException;
import dev.sluice.framing.test.InputBuffer;
import dev.sluice.testing.BufferKind;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The vectors of {@code conformance/*.json} through a connection: each chunk is a read turn of its own. */
class ConnectionConformanceTest {
    private static final IOException SOURCE_ERROR = new IOException("source");
    private static final byte[] BEHIND_THE_END = {1, 2, 3};

    @ParameterizedTest
    @MethodSource("vectors")
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void givesSameMessagesForEveryBufferAndDemand(Vector vector) {
        Delivery.main(vector.chunks()).filter(delivery -> !delivery.borrowed()).forEach(delivery -> {
            for (Way way : Way.values()) {
                verify(vector, delivery, way);
            }
        });
    }

    /** The ways take turns: every place is cut in one of them. */
    @ParameterizedTest
    @MethodSource("vectors")
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void givesSameMessagesWhereverStreamIsCut(Vector vector) {
        Way[] ways = Way.values();
        AtomicInteger turn = new AtomicInteger();
        Delivery.others(vector.chunks())
                .filter(delivery -> !delivery.borrowed() && delivery.kind() == BufferKind.HEAP)
                .forEach(delivery -> verify(vector, delivery, ways[turn.getAndIncrement() / 3 % ways.length]));
    }

    private static void verify(Vector vector, Delivery delivery, Way way) {
        assertThat(new Run(vector, delivery, way).outcome())
                .as("%s, %s", delivery, way)
                .isEqualTo(vector.expected());
    }

    private static Stream<Vector> vectors() {
        return Vector.FILES.stream()
                .flatMap(file -> Vector.load(file).stream())
                .filter(vector -> VectorFramings.types().contains(vector.type()) && !vector.refused());
    }

    /** One stream brought to one connection in one way. */
    private static final class Run {
        private final Vector vector;
        private final Delivery delivery;
        private final Way way;
        private final List<InputBuffer> inputs = new ArrayList<>();
        private final AtomicLong reports = new AtomicLong();

        Run(Vector vector, Delivery delivery, Way way) {
            this.vector = vector;
            this.delivery = delivery;
            this.way = way;
        }

        Outcome outcome() {
            Codec<ByteBuf, ByteBuf> codec = Codec.slices(VectorFramings.of(vector.framing()))
                    .listener((offset, length, limit) -> reports.incrementAndGet());
            List<ByteBuf> messages = new ArrayList<>();
            List<String> frames = new ArrayList<>();
            Probe<List<ByteBuf>> probe = Probe.demanding(
                    switch (delivery.demand()) {
                        case UNBOUNDED -> Long.MAX_VALUE;
                        case ONE_BY_ONE -> 1;
                        case LATE -> 0;
                    });
            probe.whenNext(signal -> {
                messages.addAll(signal);
                signal.forEach(message -> frames.add(ByteBufUtil.hexDump(message)));
                if (delivery.demand() == Demand.ONE_BY_ONE) {
                    probe.request(1);
                }
            });
            Outcome outcome;
            try (Wire<ByteBuf, ByteBuf> wire = Wire.of(codec)) {
                way.signals(wire.connection).subscribe(probe);
                delivery.chunking().chunks().forEach(chunk -> feed(wire, chunk));
                end(wire);
                if (delivery.demand() == Demand.LATE) {
                    check(!probe.isTerminated() || vector.frames().isEmpty(), "no terminal while a frame waits");
                    probe.request(Long.MAX_VALUE);
                }
                probe.values();
                outcome = new Outcome(
                        List.copyOf(frames), terminal(probe), wire.stats().discardedFrames());
            }
            check(reports.get() == outcome.discarded(), "as many reports as discarded frames");
            for (int i = 0; i < messages.size(); i++) {
                check(ByteBufUtil.hexDump(messages.get(i)).equals(frames.get(i)), "message is still what it was");
                messages.get(i).release();
            }
            check(inputs.stream().allMatch(input -> input.refCnt() == 0), "chunks are released");
            check(inputs.stream().allMatch(InputBuffer::isUnchanged), "chunks are unchanged");
            return outcome;
        }

        private void feed(Wire<?, ?> wire, byte[] chunk) {
            InputBuffer input = delivery.kind().of(chunk);
            inputs.add(input);
            wire.feedRaw(input.buffer());
        }

        private void end(Wire<?, ?> wire) {
            if (vector.end() == End.OPEN) {
                return;
            }
            if (vector.end() == End.COMPLETE) {
                wire.end();
            } else {
                wire.fail(SOURCE_ERROR);
            }
            feed(wire, BEHIND_THE_END);
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
            if (error == SOURCE_ERROR) {
                return "SOURCE_ERROR";
            }
            check(error == null, "no other error, but " + error);
            return probe.isCompleted() ? "complete" : "none";
        }

        private void check(boolean right, String what) {
            if (!right) {
                throw new AssertionError(delivery + ", " + way + ": does not hold: " + what);
            }
        }
    }
}
