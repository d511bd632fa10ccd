package dev.sluice.testing;

import dev.sluice.framing.test.Harness;
import java.util.List;
import java.util.stream.Stream;

/**
 * One way to cut a stream of bytes into chunks.
 *
 * @param name for messages
 * @param chunks in order
 */
public record Chunking(String name, List<byte[]> chunks) {
    private static final int LONGEST_BYTE_BY_BYTE = 256 * 1024;
    private static final int LONGEST_CUT_EVERYWHERE = 4 * 1024;

    /** As they are. */
    public static Chunking own(List<byte[]> chunks) {
        return new Chunking("own chunks", chunks);
    }

    /** All bytes in one chunk. */
    public static Chunking whole(List<byte[]> chunks) {
        return new Chunking("one chunk", List.of(Harness.join(chunks)));
    }

    /** One byte a chunk; for long streams 1,021. */
    public static Chunking small(List<byte[]> chunks) {
        return ofLength(chunks, length(chunks) > LONGEST_BYTE_BY_BYTE ? 1021 : 1);
    }

    /** Chunks of one length, the last one excepted. */
    public static Chunking ofLength(List<byte[]> chunks, int length) {
        return new Chunking("chunks of " + length, Harness.split(Harness.join(chunks), length));
    }

    /** Its own chunks with an empty one before, between and behind them. */
    public static Chunking withEmptyOnes(List<byte[]> chunks) {
        return new Chunking("own chunks, empty ones between", Harness.withEmptyOnes(chunks));
    }

    /** Every cut in two, the first and last place included; nothing for streams over 4 KiB. */
    public static Stream<Chunking> cutsInTwo(List<byte[]> chunks) {
        if (length(chunks) > LONGEST_CUT_EVERYWHERE) {
            return Stream.empty();
        }
        return Harness.splitEverywhere(Harness.join(chunks))
                .map(cut -> new Chunking("cut at " + cut.get(0).length, cut));
    }

    /** Chunks of random lengths up to this one. */
    public static Chunking random(List<byte[]> chunks, long seed, int longest) {
        return new Chunking(
                "random chunks, seed=" + seed + ", longest=" + longest,
                Harness.splitRandomly(Harness.join(chunks), seed, longest));
    }

    /** Bytes of the stream. */
    public int length() {
        return length(chunks);
    }

    private static int length(List<byte[]> chunks) {
        return chunks.stream().mapToInt(chunk -> chunk.length).sum();
    }
}
