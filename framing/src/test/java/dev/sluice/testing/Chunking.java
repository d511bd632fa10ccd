package dev.sluice.testing;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One way to cut a stream of bytes into chunks.
 *
 * @param name for messages
 * @param chunks in order
 */
public record Chunking(String name, List<byte[]> chunks) {
    private static final byte[] EMPTY = {};
    private static final int LONGEST_BYTE_BY_BYTE = 256 * 1024;
    private static final int LONGEST_CUT_EVERYWHERE = 4 * 1024;

    /** As they are. */
    public static Chunking own(List<byte[]> chunks) {
        return new Chunking("own chunks", chunks);
    }

    /** All bytes in one chunk. */
    public static Chunking whole(List<byte[]> chunks) {
        return new Chunking("one chunk", List.of(join(chunks)));
    }

    /** One byte a chunk; for long streams 1,021. */
    public static Chunking small(List<byte[]> chunks) {
        byte[] bytes = join(chunks);
        int length = bytes.length > LONGEST_BYTE_BY_BYTE ? 1021 : 1;
        return new Chunking("chunks of " + length, split(bytes, length));
    }

    /** Chunks of one length, the last one excepted. */
    public static Chunking ofLength(List<byte[]> chunks, int length) {
        return new Chunking("chunks of " + length, split(join(chunks), length));
    }

    /** Its own chunks with an empty one before, between and behind them. */
    public static Chunking withEmptyOnes(List<byte[]> chunks) {
        List<byte[]> result = new ArrayList<>();
        result.add(EMPTY);
        for (byte[] chunk : chunks) {
            result.add(chunk);
            result.add(EMPTY);
        }
        return new Chunking("own chunks, empty ones between", result);
    }

    /** Every cut in two, the first and last place included; nothing for streams over 4 KiB. */
    public static Stream<Chunking> cutsInTwo(List<byte[]> chunks) {
        byte[] bytes = join(chunks);
        if (bytes.length > LONGEST_CUT_EVERYWHERE) {
            return Stream.empty();
        }
        return IntStream.rangeClosed(0, bytes.length)
                .mapToObj(at -> new Chunking(
                        "cut at " + at,
                        List.of(Arrays.copyOf(bytes, at), Arrays.copyOfRange(bytes, at, bytes.length))));
    }

    /** Chunks of random lengths up to this one. */
    public static Chunking random(List<byte[]> chunks, long seed, int longest) {
        byte[] bytes = join(chunks);
        Random random = new Random(seed);
        List<byte[]> result = new ArrayList<>();
        for (int at = 0; at < bytes.length; ) {
            int end = Math.min(bytes.length, at + random.nextInt(longest + 1));
            result.add(Arrays.copyOfRange(bytes, at, end));
            at = end;
        }
        return new Chunking("random chunks, seed=" + seed + ", longest=" + longest, result);
    }

    /** Bytes of the stream. */
    public int length() {
        return chunks.stream().mapToInt(chunk -> chunk.length).sum();
    }

    private static byte[] join(List<byte[]> chunks) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        chunks.forEach(joined::writeBytes);
        return joined.toByteArray();
    }

    private static List<byte[]> split(byte[] bytes, int length) {
        List<byte[]> result = new ArrayList<>();
        for (int at = 0; at < bytes.length; at += length) {
            result.add(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + length)));
        }
        return result;
    }
}
