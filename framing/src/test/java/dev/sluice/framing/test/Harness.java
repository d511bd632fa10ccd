package dev.sluice.framing.test;

import dev.sluice.framing.Codec;
import dev.sluice.framing.Framing;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Opens what the verifier consists of to the tests of other packages and modules. */
public final class Harness {
    private Harness() {}

    /** A buffer of a kind of {@link Memory}. */
    public static InputBuffer buffer(String memory, byte[] bytes) {
        return new InputBuffer(Memory.valueOf(memory).of(bytes));
    }

    /** {@link Cut#every}. */
    public static List<byte[]> split(byte[] stream, int length) {
        return Cut.every(stream, length).chunks();
    }

    /** {@link Cut#everywhere}. */
    public static Stream<List<byte[]>> splitEverywhere(byte[] stream) {
        return Cut.everywhere(stream).map(Cut::chunks);
    }

    /** {@link Cut#random}. */
    public static List<byte[]> splitRandomly(byte[] stream, long seed, int longest) {
        return Cut.random(stream, seed, longest).chunks();
    }

    /** {@link Cut#withEmptyOnes}. */
    public static List<byte[]> withEmptyOnes(List<byte[]> chunks) {
        return Cut.withEmptyOnes(chunks).chunks();
    }

    /** {@link Cut#join}. */
    public static byte[] join(List<byte[]> chunks) {
        return Cut.join(chunks);
    }

    /** {@link RoundTrip#verify(Framing, byte[])}. */
    public static @Nullable IllegalArgumentException roundTrip(Framing framing, byte[] payload) {
        return RoundTrip.verify(framing, payload);
    }

    /** One run of a reader; its messages must be bytes. */
    public static Outcome run(
            Codec<?, ?> codec, List<byte[]> chunks, String memory, boolean borrowed, String reading, boolean ends) {
        Way way = new Way(new Cut("chunks", chunks), Memory.valueOf(memory), borrowed, Way.Reading.valueOf(reading));
        Result result = Run.of(codec, way, List.of(), ends, judged -> {});
        Class<?> failure = result.kind();
        return new Outcome(result.messages().stream().map(Object::toString).toList(), failure, result.discarded());
    }

    /**
     * What came out.
     *
     * @param frames payloads in hex
     * @param failure the exception's class, if there was one
     */
    public record Outcome(List<String> frames, @Nullable Class<?> failure, long discarded) {}
}
