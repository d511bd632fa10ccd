package dev.sluice.framing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.TrackingAllocator;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Law 8, counted: how often the bytes of a frame are looked at and copied. */
class FrameReaderCopyTest {
    private static final int MIB = 1 << 20;
    /**
     * What a torn frame takes too much of the next chunk at first, and copies once more with it: nothing for a long frame,
     * much in proportion for one of two bytes.
     */
    private static final int FIRST_STEP = 2 * 64;

    private static final LengthFieldFraming WITH_LENGTH =
            LengthFieldFraming.builder().maxPayloadLength(16 * MIB).build();

    private final TrackingAllocator allocator = new TrackingAllocator();
    private final LookCounter looks = new LookCounter(allocator);

    @Test
    void copiesNothingOfFramesThatLieWholeInChunks() {
        FrameReader<Integer> reader = lengths(WITH_LENGTH);
        for (int i = 0; i < 100; i++) {
            feed(reader, frames(100, 20), false);
        }

        assertThat(reader.copiedBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 10, 100, 1000, 10_000, 60_000, 65_531, 65_532, 65_533, 65_540, 100_003, 1_000_000})
    void copiesTornFrameAtMostTwiceWhenNextReadCompletesIt(int payloadLength) {
        byte[] frame = frames(1, payloadLength);
        for (int cut = 1; cut < frame.length; cut += Math.max(1, frame.length / 50)) {
            long copied = copiedOfFrameCutAt(WITH_LENGTH, frame, cut);

            assertThat(copied).as("cut at " + cut).isLessThanOrEqualTo(2L * frame.length + FIRST_STEP);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 60, 64, 65, 128, 129, 130, 131, 1000, 10_000, 65_000, 300_000})
    void copiesTornLineAtMostTwiceWhenNextReadCompletesIt(int length) {
        byte[] line = line(length);
        for (int cut = 1; cut < line.length; cut += Math.max(1, line.length / 50)) {
            long copied = copiedOfFrameCutAt(TestFramings.newline(), line, cut);

            assertThat(copied).as("cut at " + cut).isLessThanOrEqualTo(2L * line.length + FIRST_STEP);
        }
    }

    /** Much follows in the chunk that completes the frame, of which the frame may take too much. */
    private long copiedOfFrameCutAt(Framing framing, byte[] frame, int cut) {
        try (FrameReader<Integer> reader = lengths(framing)) {
            feed(reader, Arrays.copyOf(frame, cut), false);
            byte[] rest = Arrays.copyOfRange(frame, cut, 2 * frame.length + 100_000);
            reader.feed(allocator.buffer(rest.length).writeBytes(rest));
            assertThat(reader.read()).isNotNull();
            return reader.copiedBytes();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void copiesFrameOfKnownLengthAtMostFourTimesWhenItComesByteByByte(boolean borrowed) {
        byte[] frame = frames(1, 64 * 1024);
        assertThat(copiedInChunksOf(1, WITH_LENGTH, frame, borrowed)).isLessThanOrEqualTo(4L * frame.length);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void copiesFrameOfUnknownLengthAtMostFourTimesWhenItComesByteByByte(boolean borrowed) {
        byte[] line = line(64 * 1024);
        assertThat(copiedInChunksOf(1, TestFramings.newline(), line, borrowed)).isLessThanOrEqualTo(4L * line.length);
    }

    @ParameterizedTest
    @CsvSource({"8192, false", "8192, true", "65536, false", "65536, true", "1000000, true", "333, false"})
    void copiesLargeFrameOfKnownLengthAtMostOneAndAQuarterTimes(int chunkLength, boolean borrowed) {
        byte[] frame = frames(1, 8 * MIB);
        assertThat(copiedInChunksOf(chunkLength, WITH_LENGTH, frame, borrowed))
                .isLessThanOrEqualTo(frame.length * 5L / 4);
    }

    /** A quarter that does not divide: the buffer is made just there, and is of the whole length, not three bytes less. */
    @ParameterizedTest
    @ValueSource(ints = {65_540, 65_541, 65_542, 65_543, 65_544, 1_000_001, 1_000_002, 1_000_003})
    void copiesLargeFrameOnceMoreAtMostWhenItsQuarterIsThere(int length) {
        byte[] frame = frames(1, length - 4);
        for (int first = length / 4 - 4; first <= length / 4 + 4; first++) {
            try (FrameReader<Integer> reader = lengths(WITH_LENGTH)) {
                allocator.restart();
                feed(reader, Arrays.copyOf(frame, first), false);
                for (int at = first; at < frame.length; at += 16_000) {
                    feed(reader, Arrays.copyOfRange(frame, at, Math.min(frame.length, at + 16_000)), false);
                }

                assertThat(reader.streamOffset()).isEqualTo(frame.length);
                assertThat(reader.copiedBytes())
                        .as("first " + first)
                        .isLessThanOrEqualTo(length + 2L * first)
                        .isLessThanOrEqualTo(length * 3L / 2 + 16);
                assertThat(allocator.largest()).as("first " + first).isLessThanOrEqualTo(length);
            }
        }
    }

    @Test
    void copiesLongLineInProportionToItsLength() {
        byte[] line = line(8 * MIB);
        long whole = copiedInChunksOf(8192, TestFramings.newline(), line, false);

        assertThat(whole).isLessThanOrEqualTo(3L * line.length);
    }

    @Test
    void looksAtNoByteOfLongLineMoreThanTwice() {
        byte[] line = line(8 * MIB);
        copiedInChunksOf(8192, looks.of(TestFramings.newline()), line, false);

        assertThat(looks.visits()).isBetween((long) line.length, 2L * line.length);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 100, 4096})
    void looksAtNoByteMoreThanTwiceWhateverTheChunks(int chunkLength) {
        byte[] lines = new byte[100_000];
        Arrays.fill(lines, (byte) 'x');
        Random random = new Random(7);
        for (int at = 0; at < lines.length; at += 1 + random.nextInt(200)) {
            lines[at] = '\n';
        }
        lines[lines.length - 1] = '\n';
        copiedInChunksOf(chunkLength, looks.of(TestFramings.newline()), lines, false);
        assertThat(looks.visits()).as("lines").isBetween(1L, 2L * lines.length);

        byte[] frames = frames(1000, 30);
        copiedInChunksOf(chunkLength, looks.of(WITH_LENGTH), frames, false);
        assertThat(looks.visits()).as("frames with a length").isBetween(1L, 2L * 4 * 1000);
    }

    /** Bytes are read to look at them or to copy them; decoding reads none here. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 7, 33, 34, 35, 100, 4096})
    void looksAtNoByteOfHeaderMoreThanTwiceWhereverChunksEnd(int chunkLength) {
        long headers = 4 * 1000;

        assertThat(looksAtFramesInChunksOf(chunkLength, 0)).isBetween(headers, 2 * headers);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 17, 33})
    void looksOnceAtHeadersOfTornFramesThatChunksDoNotCut(int firstLength) {
        assertThat(looksAtFramesInChunksOf(34, firstLength)).isEqualTo(4 * 1000);
    }

    private long looksAtFramesInChunksOf(int chunkLength, int firstLength) {
        byte[] frames = frames(1000, 30);
        try (FrameReader<Integer> reader = lengths(WITH_LENGTH)) {
            long before = allocator.visits();
            feed(reader, Arrays.copyOf(frames, firstLength), false);
            for (int at = firstLength; at < frames.length; at += chunkLength) {
                feed(reader, Arrays.copyOfRange(frames, at, Math.min(frames.length, at + chunkLength)), false);
            }
            assertThat(reader.messages()).isEqualTo(1000);
            return allocator.visits() - before - reader.copiedBytes();
        }
    }

    private long copiedInChunksOf(int chunkLength, Framing framing, byte[] stream, boolean borrowed) {
        try (FrameReader<Integer> reader = lengths(framing)) {
            for (int at = 0; at < stream.length; at += chunkLength) {
                feed(reader, Arrays.copyOfRange(stream, at, Math.min(stream.length, at + chunkLength)), borrowed);
            }
            reader.endOfInput();
            drain(reader);
            return reader.copiedBytes();
        }
    }

    private void feed(FrameReader<Integer> reader, byte[] bytes, boolean borrowed) {
        ByteBuf chunk = allocator.buffer(bytes.length).writeBytes(bytes);
        if (borrowed) {
            reader.feedBorrowed(chunk);
            drain(reader);
            reader.endDrain();
            chunk.release();
        } else {
            reader.feed(chunk);
            drain(reader);
        }
    }

    private static void drain(FrameReader<Integer> reader) {
        while (reader.hasFrame()) {
            reader.read();
        }
    }

    private FrameReader<Integer> lengths(Framing framing) {
        return FrameReader.create(Codec.of(framing, ByteBuf::readableBytes, (message, out) -> {}), allocator);
    }

    private static byte[] frames(int count, int payloadLength) {
        byte[] frames = new byte[count * (4 + payloadLength)];
        for (int at = 0; at < frames.length; at += 4 + payloadLength) {
            frames[at] = (byte) (payloadLength >>> 24);
            frames[at + 1] = (byte) (payloadLength >>> 16);
            frames[at + 2] = (byte) (payloadLength >>> 8);
            frames[at + 3] = (byte) payloadLength;
        }
        return frames;
    }

    private static byte[] line(int length) {
        byte[] line = new byte[length];
        Arrays.fill(line, (byte) 'x');
        line[length - 1] = '\n';
        return line;
    }
}
