package dev.sluice.framing.test;

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
record Cut(String name, List<byte[]> chunks) {
    private static final byte[] EMPTY = {};

    /** All bytes in one chunk. */
    static Cut none(byte[] stream) {
        return new Cut("one chunk", List.of(stream));
    }

    /** Chunks of one length, the last one excepted. */
    static Cut every(byte[] stream, int length) {
        List<byte[]> chunks = new ArrayList<>();
        for (int at = 0; at < stream.length; at += length) {
            chunks.add(Arrays.copyOfRange(stream, at, Math.min(stream.length, at + length)));
        }
        return new Cut("chunks of " + length, chunks);
    }

    /** Two chunks. */
    static Cut at(byte[] stream, int at) {
        return new Cut(
                "cut at " + at, List.of(Arrays.copyOf(stream, at), Arrays.copyOfRange(stream, at, stream.length)));
    }

    /** Every cut in two, the first and last place included. */
    static Stream<Cut> everywhere(byte[] stream) {
        return IntStream.rangeClosed(0, stream.length).mapToObj(at -> at(stream, at));
    }

    /** Chunks of random lengths up to this one; empty ones are among them. */
    static Cut random(byte[] stream, long seed, int longest) {
        Random random = new Random(seed);
        List<byte[]> chunks = new ArrayList<>();
        for (int at = 0; at < stream.length; ) {
            int end = Math.min(stream.length, at + random.nextInt(longest + 1));
            chunks.add(Arrays.copyOfRange(stream, at, end));
            at = end;
        }
        return new Cut("random chunks, seed=" + seed + ", longest=" + longest, chunks);
    }

    /** These chunks with an empty one before, between and behind them. */
    static Cut withEmptyOnes(List<byte[]> chunks) {
        List<byte[]> result = new ArrayList<>();
        result.add(EMPTY);
        for (byte[] chunk : chunks) {
            result.add(chunk);
            result.add(EMPTY);
        }
        return new Cut("own chunks, empty ones between", result);
    }

    /** The stream of these chunks. */
    static byte[] join(List<byte[]> chunks) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        chunks.forEach(joined::writeBytes);
        return joined.toByteArray();
    }

    /** Bytes of the stream. */
    int length() {
        return chunks.stream().mapToInt(chunk -> chunk.length).sum();
    }
}
