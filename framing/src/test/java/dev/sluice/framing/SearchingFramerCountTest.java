package dev.sluice.framing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.TrackingAllocator;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Law 8 for framings that search: no byte is looked at or copied more often than needed, whatever the bytes are. */
class SearchingFramerCountTest {
    private static final int MIB = 1 << 20;

    private final TrackingAllocator allocator = new TrackingAllocator();
    private final LookCounter looks = new LookCounter(allocator);
    private long visits;
    private long frames;
    private long copied;

    static Stream<Framing> framings() {
        return Stream.of(
                LineFraming.builder().maxPayloadLength(16 * MIB).build(),
                LineFraming.builder().maxPayloadLength(16 * MIB).strict(true).build(),
                delimited("\r\n"),
                delimited("\n", "\r\n"),
                delimited("\r\n", "1", "2", "3", "4"));
    }

    private static Framing delimited(String... delimiters) {
        return DelimiterFraming.builder()
                .delimiters(delimiters)
                .maxPayloadLength(16 * MIB)
                .build();
    }

    @ParameterizedTest
    @MethodSource("framings")
    void looksAtBytesOfLongFrameOnce(Framing framing) {
        byte[] frame = frame(8 * MIB);
        run(framing, frame, 8192);

        assertThat(frames).isEqualTo(1);
        assertThat(visits).isBetween((long) frame.length, frame.length * 5L / 4);
        assertThat(copied).isLessThanOrEqualTo(3L * frame.length);
    }

    @ParameterizedTest
    @MethodSource("framings")
    void looksAtBytesOfSmallFramesAtMostTwice(Framing framing) {
        byte[] stream = smallFrames(100_000, MIB);
        run(framing, stream, MIB);

        assertThat(frames).isEqualTo(100_000);
        assertThat(visits).isBetween((long) stream.length, 2L * stream.length);
        assertThat(copied).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 100, 4096})
    void looksAtNoByteMoreThanTwiceWhateverTheChunks(int chunkLength) {
        byte[] stream = smallFrames(5000, 60_000);
        framings().forEach(framing -> {
            run(framing, stream, chunkLength);

            assertThat(frames).isEqualTo(5000);
            assertThat(visits).as(framing.toString()).isBetween((long) stream.length, 2L * stream.length);
        });
    }

    /** Every byte may begin the delimiter, and nearly all of it is there each time. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 8, 100, 8192, MIB})
    void looksAtNoByteMoreThanTwiceHoweverOftenDelimiterBegins(int chunkLength) {
        for (String delimiter : new String[] {"aab", "aaaaaaaaaaaaaaab", "baaaaaaaaaaaaaaa", "abababababac"}) {
            for (String text : new String[] {"a", "ab", "aax", "abababab!", "aaaaaaaaaaaaaax"}) {
                byte[] stream = StreamCheck.text(text.repeat(20_000 / text.length()) + "!" + delimiter);
                run(delimited(delimiter), stream, chunkLength);

                assertThat(frames).as(delimiter + " in " + text).isPositive();
                assertThat(visits).as(delimiter + " in " + text).isBetween((long) stream.length, 2L * stream.length);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("framings")
    void looksAtBytesOfDiscardedFrameOnceAndCopiesNone(Framing framing) {
        byte[] frame = frame(4 * MIB);
        Framing discarding = framing instanceof LineFraming
                ? LineFraming.builder()
                        .strict(framing.toString().contains("strict=true"))
                        .maxPayloadLength(100)
                        .oversize(Oversize.DISCARD)
                        .build()
                : DelimiterFraming.builder()
                        .delimiters("\r\n", "\t")
                        .maxPayloadLength(100)
                        .oversize(Oversize.DISCARD)
                        .build();
        run(discarding, frame, 8192);

        assertThat(frames).isZero();
        assertThat(visits).isBetween((long) frame.length, frame.length * 5L / 4);
        assertThat(copied).isZero();
    }

    @ParameterizedTest
    @MethodSource("framings")
    void copiesTornFrameAtMostTwiceWhenNextReadCompletesIt(Framing framing) {
        for (int length : new int[] {2, 64, 65, 128, 130, 1000, 65_000, 300_000}) {
            byte[] frame = frame(length);
            for (int cut = 1; cut < length; cut += Math.max(1, length / 20)) {
                byte[] rest = Arrays.copyOfRange(frame, cut, length + 100_000);
                try (FrameReader<Integer> reader = reader(framing)) {
                    reader.feed(chunk(Arrays.copyOf(frame, cut)));
                    assertThat(reader.read()).isNull();
                    reader.feed(chunk(rest));
                    assertThat(reader.read()).isEqualTo(length - 2);

                    assertThat(reader.copiedBytes())
                            .as("length " + length + ", cut at " + cut)
                            .isLessThanOrEqualTo(2L * length + 2 * 64);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("framings")
    void copiesFrameAtMostFourTimesWhenItComesByteByByte(Framing framing) {
        byte[] frame = frame(64 * 1024);
        run(framing, frame, 1);

        assertThat(frames).isEqualTo(1);
        assertThat(copied).isLessThanOrEqualTo(4L * frame.length);
        assertThat(visits).isLessThanOrEqualTo(2L * frame.length);
    }

    @Test
    void seesVisits() {
        run(TestFramings.newline(), frame(1000), 1000);

        assertThat(visits).isEqualTo(1000);
    }

    private void run(Framing framing, byte[] stream, int chunkLength) {
        frames = 0;
        try (FrameReader<Integer> reader = reader(looks.of(framing))) {
            for (int at = 0; at < stream.length; at += chunkLength) {
                reader.feed(chunk(Arrays.copyOfRange(stream, at, Math.min(stream.length, at + chunkLength))));
                while (reader.read() != null) {
                    frames++;
                }
            }
            assertThat(reader.bytesAtHand()).isZero();
            copied = reader.copiedBytes();
        }
        visits = looks.visits();
    }

    private ByteBuf chunk(byte[] bytes) {
        return allocator.buffer(bytes.length).writeBytes(bytes);
    }

    private FrameReader<Integer> reader(Framing framing) {
        return FrameReader.create(Codec.of(framing, ByteBuf::readableBytes, (message, out) -> {}), allocator);
    }

    private static byte[] frame(int length) {
        byte[] frame = new byte[length];
        Arrays.fill(frame, (byte) 'x');
        frame[length - 2] = '\r';
        frame[length - 1] = '\n';
        return frame;
    }

    /** Frames of random lengths, from empty ones on, that together have this length. */
    private static byte[] smallFrames(int count, int length) {
        byte[] stream = new byte[length];
        Arrays.fill(stream, (byte) 'x');
        Random random = new Random(7);
        int end = 0;
        for (int left = count; left > 0; left--) {
            int spare = (length - end) / left - 2;
            end += left == 1 ? length - end : 2 + random.nextInt(2 * spare + 1);
            stream[end - 2] = '\r';
            stream[end - 1] = '\n';
        }
        return stream;
    }
}
