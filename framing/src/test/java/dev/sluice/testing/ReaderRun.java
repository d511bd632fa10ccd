package dev.sluice.testing;

import dev.sluice.framing.Codec;
import dev.sluice.framing.CorruptFrameException;
import dev.sluice.framing.FrameReader;
import dev.sluice.framing.FrameTooLongException;
import dev.sluice.framing.Framing;
import dev.sluice.framing.TruncatedFrameException;
import dev.sluice.framing.test.Harness;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One stream of bytes, brought to a {@link FrameReader} in one way. */
public final class ReaderRun {
    private ReaderRun() {}

    /**
     * Fails unless this comes out of the stream, by payloads that are copied and by slices, in each of these deliveries.
     */
    public static void verify(Framing framing, Stream<Delivery> deliveries, End end, Outcome expected) {
        deliveries.forEach(delivery -> {
            check(delivery, "bytes", expected, bytes(framing, delivery, end));
            check(delivery, "slices", expected, slices(framing, delivery, end));
        });
    }

    /** What comes out with {@link Codec#bytes}. */
    public static Outcome bytes(Framing framing, Delivery delivery, End end) {
        return run(Codec.bytes(framing), delivery, end);
    }

    /** What comes out with {@link Codec#slices}. */
    public static Outcome slices(Framing framing, Delivery delivery, End end) {
        return run(Codec.slices(framing), delivery, end);
    }

    private static Outcome run(Codec<?, ?> codec, Delivery delivery, End end) {
        String reading = delivery.demand() == Demand.UNBOUNDED
                ? "AT_ONCE"
                : delivery.demand().name();
        try {
            Harness.Outcome outcome = Harness.run(
                    codec,
                    delivery.chunking().chunks(),
                    delivery.kind().name(),
                    delivery.borrowed(),
                    reading,
                    end == End.COMPLETE);
            return new Outcome(outcome.frames(), terminal(outcome.failure(), end), outcome.discarded());
        } catch (AssertionError e) {
            throw new AssertionError(delivery + ": " + e.getMessage(), e);
        }
    }

    private static void check(Delivery delivery, String codec, Outcome expected, Outcome actual) {
        if (!actual.equals(expected)) {
            throw new AssertionError(delivery + ", " + codec + ": expected " + expected + ", but got " + actual);
        }
    }

    private static String terminal(@Nullable Class<?> failure, End end) {
        if (failure == TruncatedFrameException.class) {
            return "TRUNCATED";
        }
        if (failure == FrameTooLongException.class) {
            return "TOO_LONG";
        }
        if (failure == CorruptFrameException.class) {
            return "CORRUPT";
        }
        return switch (end) {
            case COMPLETE -> "complete";
            case ERROR -> "SOURCE_ERROR";
            case OPEN -> "none";
        };
    }
}
