package dev.sluice.framing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.testing.Chunking;
import dev.sluice.testing.Delivery;
import dev.sluice.testing.End;
import dev.sluice.testing.Outcome;
import dev.sluice.testing.ReaderRun;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hand-written framings of every kind, through every delivery: law 1 of the driver, whatever its framer answers. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FrameReaderDeliveryTest {

    @Test
    @Tag("paranoid")
    void cutsFramesOfFixedLength() {
        verify(TestFramings.fixed(3), "abcdefghi", "complete", 0, "abc", "def", "ghi");
    }

    @Test
    @Tag("paranoid")
    void cutsLinesOfUnknownLength() {
        verify(
                TestFramings.newline(),
                "one\n\ntwo\nthree\u00ff\u0080\n",
                "complete",
                0,
                "one",
                "",
                "two",
                "three\u00ff\u0080");
    }

    @Test
    void tellsTruncatedLineBehindWholeOnes() {
        verify(TestFramings.newline(), "one\ntwo\nthr", "TRUNCATED", 0, "one", "two");
    }

    @Test
    void deliversLastFrameThatOnlyTheEndShows() {
        verify(TestFramings.newlineOrEnd(), "one\ntwo", "complete", 0, "one", "two");
        verify(TestFramings.newlineOrEnd(), "one\n", "complete", 0, "one");
        verify(TestFramings.newlineOrEnd(), "", "complete", 0);
    }

    @Test
    @Tag("paranoid")
    void unescapesPayloads() {
        verify(TestFramings.escaped(), "a\\\nb\n\\\\\n\n", "complete", 0, "a\nb", "\\", "");
    }

    @Test
    void skipsBytesThatAreThere() {
        verify(TestFramings.letters(), "  a b   cd  ", "complete", 0, "a", "b", "c", "d");
    }

    @Test
    void skipsBytesThatAreStillToCome() {
        verify(TestFramings.padded(4), "\2ab____\0____\1c____", "complete", 0, "ab", "", "c");
    }

    @Test
    void completesInsideBytesThatAreSkipped() {
        verify(TestFramings.padded(4), "\2ab__", "complete", 0, "ab");
    }

    @Test
    @Tag("paranoid")
    void discardsFramesOfUnknownLengthAndReportsEachOnce() {
        // How much of a line is there when it is discarded depends on the cut; what comes out does not.
        verify(TestFramings.discardingLines(3), "abc\nabcdefghij\nde\nklmno\n\n", "complete", 2, "abc", "de", "");
    }

    @Test
    void tellsTruncationInsideDiscardedFrame() {
        verify(TestFramings.discardingLines(3), "abc\nabcdefghij", "TRUNCATED", 1, "abc");
    }

    @Test
    void deliversLongLinesInAnyChunks() {
        String[] lines = IntStream.of(0, 1, 62, 63, 64, 65, 127, 128, 129, 300, 4095, 4096, 4097, 20_000)
                .mapToObj("x"::repeat)
                .toArray(String[]::new);
        byte[] bytes = (String.join("\n", lines) + "\n").getBytes(ISO_8859_1);
        Outcome expected = outcome("complete", 0, lines);

        Stream<Chunking> chunkings = IntStream.of(1, 7, 63, 64, 65, 1000, 4096, 10_000)
                .mapToObj(length -> Chunking.ofLength(List.of(bytes), length));
        verify(TestFramings.newline(), chunkings, expected);
    }

    /** The next frames lie in what was brought too much, over and over; some of it is given back, some is not. */
    @Test
    void deliversShortFramesOfFramerThatNeedsMoreThanItTakes() {
        Framing greedy = TestFramings.of((unread, answer) -> {
            int length = 1 + unread.getUnsignedByte(unread.readerIndex()) % 5;
            if (unread.readableBytes() < 7) {
                answer.need(7);
            } else {
                answer.frame(length, 1, length - 1);
            }
        });
        byte[] bytes = new byte[400];
        new Random(1).nextBytes(bytes);
        List<String> frames = new ArrayList<>();
        int at = 0;
        while (bytes.length - at >= 7) {
            int length = 1 + (bytes[at] & 0xff) % 5;
            frames.add(Outcome.hex(Arrays.copyOfRange(bytes, at + 1, at + length)));
            at += length;
        }
        Outcome expected = new Outcome(frames, "TRUNCATED", 0);

        Stream<Chunking> random = LongStream.range(0, 40).mapToObj(seed -> Chunking.random(List.of(bytes), seed, 12));
        verify(greedy, Stream.concat(random, Chunking.cutsInTwo(List.of(bytes))), expected);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void deliversRandomFramesInRandomChunks(long seed) {
        Random random = new Random(seed);
        List<String> frames = new ArrayList<>();
        List<byte[]> stream = new ArrayList<>();
        LengthFieldFraming framing = LengthFieldFraming.of(1 + random.nextInt(8));
        for (int i = 0; i < 60; i++) {
            byte[] payload = new byte[random.nextInt(10) == 0 ? random.nextInt(200) : random.nextInt(20)];
            random.nextBytes(payload);
            frames.add(Outcome.hex(payload));
            stream.add(encode(framing, payload));
        }
        Outcome expected = new Outcome(frames, "complete", 0);

        verify(
                framing,
                LongStream.range(0, 40).mapToObj(i -> Chunking.random(stream, seed * 100 + i, 1 + (int) i)),
                expected);
    }

    private static byte[] encode(Framing framing, byte[] payload) {
        ByteBuf target = Unpooled.buffer();
        framing.encode(Unpooled.wrappedBuffer(payload), target);
        return RoundTrip.bytes(target);
    }

    private static void verify(Framing framing, String stream, String terminal, int discarded, String... frames) {
        List<byte[]> chunks = List.of(stream.getBytes(ISO_8859_1));
        ReaderRun.verify(framing, Delivery.all(chunks), End.COMPLETE, outcome(terminal, discarded, frames));
    }

    private static void verify(Framing framing, Stream<Chunking> chunkings, Outcome expected) {
        ReaderRun.verify(framing, chunkings.flatMap(Delivery::oneAxisAtATime), End.COMPLETE, expected);
    }

    private static Outcome outcome(String terminal, int discarded, String... frames) {
        return new Outcome(
                Stream.of(frames)
                        .map(frame -> Outcome.hex(frame.getBytes(ISO_8859_1)))
                        .toList(),
                terminal,
                discarded);
    }
}
