package dev.sluice.framing;

import static dev.sluice.framing.Streams.encode;
import static dev.sluice.framing.Streams.failure;
import static dev.sluice.framing.Streams.verify;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testing.Chunking;
import dev.sluice.testing.Delivery;
import dev.sluice.testing.End;
import dev.sluice.testing.Outcome;
import dev.sluice.testing.ReaderRun;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LineFramingTest {

    private static LineFraming.Builder lines(int maxPayloadLength) {
        return LineFraming.builder().maxPayloadLength(maxPayloadLength);
    }

    private static LineFraming.Builder strict(int maxPayloadLength) {
        return lines(maxPayloadLength).strict(true);
    }

    @Nested
    class Lenient {
        @Test
        void takesOneCarriageReturnOffLongAndShortLines() {
            String text = "x".repeat(20);
            verify(
                    LineFraming.lenient(),
                    text + "\r\n" + text + "\r\r\n\r\r\n\r" + text + "\n\n",
                    End.COMPLETE,
                    "complete",
                    0,
                    text,
                    text + "\r",
                    "\r",
                    "\r" + text,
                    "");
        }

        /** A CR of the frame before, or behind LF, is no part of this end. */
        @Test
        void reachesNotBackOverEndOfLineBefore() {
            verify(LineFraming.lenient(), "a\n\n\r\n\n", End.COMPLETE, "complete", 0, "a", "", "", "");
        }

        @Test
        void deliversBytesThatDifferFromLineFeedInOneBit() {
            StringBuilder text = new StringBuilder();
            for (int value = 0; value < 256; value++) {
                text.append(value == '\n' ? 'x' : (char) value);
            }
            verify(LineFraming.lenient(), text + "\n" + text + "\n", End.COMPLETE, "complete", 0, "" + text, "" + text);
        }

        @ParameterizedTest
        @ValueSource(ints = {0, 1, 2, 7, 8, 9, 15, 16, 17, 64, 600})
        void takesPayloadOfTheLimitWithEitherEnd(int limit) {
            String text = "y".repeat(limit);
            verify(
                    lines(limit).build(),
                    text + "\n" + text + "\r\n" + text + "\n",
                    End.COMPLETE,
                    "complete",
                    0,
                    text,
                    text,
                    text);
        }

        @ParameterizedTest
        @ValueSource(ints = {0, 1, 2, 7, 8, 9, 15, 16, 17, 64, 600})
        void judgesLimitAtFirstByteThatCannotBePayload(int limit) {
            String text = "y".repeat(limit);
            verify(lines(limit).build(), text + "y", End.OPEN, "TOO_LONG", 0);
            verify(lines(limit).build(), text + "\r", End.OPEN, "none", 0);
            verify(lines(limit).build(), text + "\rz", End.OPEN, "TOO_LONG", 0);
            verify(lines(limit).build(), text + "\r\r", End.OPEN, "TOO_LONG", 0);
            verify(lines(limit).build(), "\n" + text + "y\n", End.COMPLETE, "TOO_LONG", 0, "");
        }

        @ParameterizedTest
        @ValueSource(ints = {0, 1, 3, 8, 20})
        void discardsEachOversizeLineWithOneReport(int limit) {
            String text = "y".repeat(limit);
            LineFraming framing = lines(limit).oversize(Oversize.DISCARD).build();
            verify(framing, text + "z\n" + text + "\n", End.OPEN, "none", 1, text);
            verify(framing, text + "zzzz\r\n" + text + "\r\n", End.OPEN, "none", 1, text);
            verify(framing, text + "\rz\n" + text + "\r\r\n" + text + "\n", End.OPEN, "none", 2, text);
            verify(framing, text + "\n" + text + "z\n\n", End.COMPLETE, "complete", 1, text, "");
            verify(framing, text + "z", End.COMPLETE, "TRUNCATED", 1);
            verify(framing, text + "\r", End.COMPLETE, "TRUNCATED", 0);
            verify(framing, text + "zzz", End.ERROR, "SOURCE_ERROR", 1);
        }

        @Test
        void discardsLongLineOverManyChunks() {
            String text = "z".repeat(3000);
            verify(
                    lines(5).oversize(Oversize.DISCARD).build(),
                    "a\n" + text + "\nb\n" + text + "\r\nc\n",
                    End.COMPLETE,
                    "complete",
                    2,
                    "a",
                    "b",
                    "c");
        }

        @Test
        void holdsOpenLastLineToTheLimitWithItsCarriageReturn() {
            LineFraming fail = lines(3).openLast(OpenLast.EMIT).build();
            LineFraming discard =
                    lines(3).openLast(OpenLast.EMIT).oversize(Oversize.DISCARD).build();
            verify(fail, "ab\nabc", End.COMPLETE, "complete", 0, "ab", "abc");
            verify(fail, "ab\nab\r", End.COMPLETE, "complete", 0, "ab", "ab\r");
            verify(fail, "ab\nabc\r", End.COMPLETE, "TOO_LONG", 0, "ab");
            verify(discard, "ab\nabc\r", End.COMPLETE, "TRUNCATED", 1, "ab");
            verify(discard, "ab\nabcd", End.COMPLETE, "TRUNCATED", 1, "ab");
            verify(discard, "ab\nabc\r", End.ERROR, "SOURCE_ERROR", 0, "ab");
            verify(discard, "ab\nabc\r", End.OPEN, "none", 0, "ab");
            verify(discard, "abcde\n", End.COMPLETE, "complete", 1);
        }

        @Test
        void emitsOpenLastLineThatOnlyBeganToEnd() {
            verify(LineFraming.builder().openLast(OpenLast.EMIT).build(), "\r", End.COMPLETE, "complete", 0, "\r");
            verify(LineFraming.builder().openLast(OpenLast.EMIT).build(), "", End.COMPLETE, "complete", 0);
        }

        @Test
        void skipsEmptyLinesOnly() {
            LineFraming framing = LineFraming.builder()
                    .skipEmpty(true)
                    .openLast(OpenLast.EMIT)
                    .build();
            verify(framing, "\n\r\n\na\r\n \n\r\r\n\n\r", End.COMPLETE, "complete", 0, "a", " ", "\r", "\r");
            verify(framing, "\n\r\n\n", End.COMPLETE, "complete", 0);
            verify(LineFraming.ndjson(), "\n\r", End.COMPLETE, "TRUNCATED", 0);
        }

        @Test
        void skipsEmptyLinesBehindDiscardedOne() {
            verify(
                    lines(0).skipEmpty(true).oversize(Oversize.DISCARD).build(),
                    "a\n\n\r\nbc\r\n\n",
                    End.COMPLETE,
                    "complete",
                    2);
        }

        @Test
        void deliversJsonTextsOfNdjson() {
            verify(
                    LineFraming.ndjson(),
                    "{\"a\":1}\n\n[2]\r\n\r\n\"\\n\"\n",
                    End.COMPLETE,
                    "complete",
                    0,
                    "{\"a\":1}",
                    "[2]",
                    "\"\\n\"");
        }
    }

    @Nested
    class Strict {
        @Test
        void takesEndsWhereverWordsAreCut() {
            for (int length = 0; length < 20; length++) {
                String text = "s".repeat(length);
                verify(
                        LineFraming.strict(),
                        text + "\r\n" + text + "\r\n\r\n",
                        End.COMPLETE,
                        "complete",
                        0,
                        text,
                        text,
                        "");
            }
        }

        @ParameterizedTest
        @ValueSource(ints = {0, 1, 2, 7, 8, 9, 600})
        void judgesLimitAtFirstByteThatCannotBePayload(int limit) {
            String text = "y".repeat(limit);
            verify(strict(limit).build(), text + "\r\n" + text + "y", End.OPEN, "TOO_LONG", 0, text);
            verify(strict(limit).build(), text + "\r", End.OPEN, "none", 0);
        }

        @ParameterizedTest
        @ValueSource(ints = {0, 1, 7, 8})
        void isCorruptRatherThanTooLong(int limit) {
            String text = "y".repeat(limit);
            verify(strict(limit).build(), text + "\n", End.OPEN, "CORRUPT", 0);
            verify(strict(limit).build(), text + "\ry", End.OPEN, "CORRUPT", 0);
            verify(strict(limit).build(), text + "\r\r\n", End.OPEN, "CORRUPT", 0);
        }

        @Test
        void checksDiscardedLine() {
            LineFraming framing = strict(2).oversize(Oversize.DISCARD).build();
            verify(framing, "abcdef\r\nok\r\n", End.COMPLETE, "complete", 1, "ok");
            verify(framing, "abc\r\n\r\n", End.OPEN, "none", 1, "");
            verify(framing, "abc\n", End.OPEN, "CORRUPT", 1);
            verify(framing, "abcdefghijkl\n", End.OPEN, "CORRUPT", 1);
            verify(framing, "abcdefghijkl\rx\r\n", End.OPEN, "CORRUPT", 1);
            verify(framing, "abcdefghijkl\r\r\n", End.OPEN, "CORRUPT", 1);
            verify(framing, "abcdefghijkl\r", End.OPEN, "none", 1);
            verify(framing, "abcdefghijkl\r", End.COMPLETE, "TRUNCATED", 1);
            verify(framing, "abcdefghijkl\r", End.ERROR, "SOURCE_ERROR", 1);
        }

        @Test
        void judgesCarriageReturnAtTheEndByOpenLast() {
            LineFraming emit = strict(3).openLast(OpenLast.EMIT).build();
            verify(strict(3).build(), "a\r\nb\r", End.COMPLETE, "TRUNCATED", 0, "a");
            verify(emit, "a\r\nb\r", End.COMPLETE, "CORRUPT", 0, "a");
            verify(emit, "a\r\nbcd\r", End.COMPLETE, "CORRUPT", 0, "a");
            verify(emit, "a\r\nbcd", End.COMPLETE, "complete", 0, "a", "bcd");
            verify(emit, "a\r\nb\r", End.ERROR, "SOURCE_ERROR", 0, "a");
            verify(
                    strict(3).openLast(OpenLast.EMIT).oversize(Oversize.DISCARD).build(),
                    "a\r\nbcdef",
                    End.COMPLETE,
                    "TRUNCATED",
                    1,
                    "a");
        }

        @Test
        void skipsEmptyLines() {
            verify(
                    LineFraming.builder().strict(true).skipEmpty(true).build(),
                    "\r\na\r\n\r\n\r\nb\r\n",
                    End.COMPLETE,
                    "complete",
                    0,
                    "a",
                    "b");
        }
    }

    /** Random bytes of few values, judged by a model that goes from byte to byte. */
    @ParameterizedTest
    @EnumSource(Oversize.class)
    void agreesWithModelOnRandomStreams(Oversize oversize) {
        Random random = new Random(11);
        for (int round = 0; round < 300; round++) {
            boolean strict = random.nextBoolean();
            int limit = random.nextInt(12);
            StringBuilder stream = new StringBuilder();
            for (int line = random.nextInt(8); line >= 0; line--) {
                int length = random.nextInt(limit + 3);
                for (int i = 0; i < length; i++) {
                    stream.append(random.nextInt(25) == 0 ? (random.nextBoolean() ? '\r' : '\n') : 'a');
                }
                stream.append(strict || random.nextBoolean() ? "\r\n" : "\n");
            }
            boolean skipEmpty = random.nextBoolean();
            boolean emit = random.nextBoolean();
            LineFraming framing = lines(limit)
                    .strict(strict)
                    .oversize(oversize)
                    .skipEmpty(skipEmpty)
                    .openLast(emit ? OpenLast.EMIT : OpenLast.FAIL)
                    .build();
            stream.setLength(stream.length() - random.nextInt(2));
            byte[] bytes = StreamCheck.text(stream.toString());
            Outcome expected = new SearchModel(
                            strict ? List.of() : List.of("\n", "\r\n"),
                            limit,
                            oversize == Oversize.DISCARD,
                            emit,
                            skipEmpty)
                    .run(stream.toString());

            ReaderRun.verify(
                    framing,
                    Stream.of(
                                    Chunking.whole(List.of(bytes)),
                                    Chunking.small(List.of(bytes)),
                                    Chunking.random(List.of(bytes), round, 9))
                            .flatMap(Delivery::oneAxisAtATime),
                    End.COMPLETE,
                    expected);
        }
    }

    @Nested
    class Encoding {
        @Test
        void writesLineFeedOrBoth() {
            assertThat(encode(LineFraming.lenient(), "ab")).isEqualTo("ab\n");
            assertThat(encode(LineFraming.lenient(), "")).isEqualTo("\n");
            assertThat(encode(LineFraming.lenient(), "a\rb")).isEqualTo("a\rb\n");
            assertThat(encode(LineFraming.builder().crLf(true).build(), "ab\r")).isEqualTo("ab\r\r\n");
            assertThat(encode(LineFraming.strict(), "ab")).isEqualTo("ab\r\n");
            assertThat(encode(lines(2).build(), "ab")).isEqualTo("ab\n");
        }

        @Test
        void refusesWhatDecodingWouldNotGiveBack() {
            assertThat(encode(LineFraming.lenient(), "a\nb"))
                    .isEqualTo("line holds a line feed: index=1, payloadLength=3");
            assertThat(encode(LineFraming.lenient(), "ab\r"))
                    .isEqualTo("line ends with a carriage return, which would be part of its end: index=2,"
                            + " payloadLength=3");
            assertThat(encode(LineFraming.strict(), "a\rb"))
                    .isEqualTo("strict line holds a carriage return: index=1, payloadLength=3");
            assertThat(encode(LineFraming.strict(), "a\n"))
                    .isEqualTo("line holds a line feed: index=1, payloadLength=2");
            assertThat(encode(LineFraming.ndjson(), ""))
                    .isEqualTo("empty line, of those that decoding skips: payloadLength=0, limit=1");
            assertThat(encode(lines(2).build(), "abc"))
                    .isEqualTo("payload too long: payloadLength=3, maxPayloadLength=2");
        }

        @Test
        void takesAndRefusesByDecodingForEveryShortPayload() {
            List<LineFraming> framings = List.of(
                    LineFraming.lenient(),
                    LineFraming.builder().crLf(true).build(),
                    LineFraming.strict(),
                    LineFraming.ndjson(),
                    lines(2).openLast(OpenLast.EMIT).oversize(Oversize.DISCARD).build());
            for (LineFraming framing : framings) {
                int taken = 0;
                for (String payload : Streams.allTexts("a\r\n", 4)) {
                    taken += RoundTrip.verify(framing, StreamCheck.text(payload)) ? 1 : 0;
                }
                assertThat(taken).as(framing.toString()).isBetween(3, 70);
            }
        }
    }

    @Test
    void tellsWhatIsWrong() {
        assertThat(failure(lines(3).build(), "ok\nabcd"))
                .isEqualTo(
                        "FrameTooLongException: payload too long: payloadLength=4, maxPayloadLength=3, streamOffset=3,"
                                + " firstBytes=61626364");
        assertThat(failure(LineFraming.lenient(), "ok\nab"))
                .isEqualTo("TruncatedFrameException: input ended inside a frame: bytesAtHand=2, bytesNeeded=3,"
                        + " streamOffset=3, firstBytes=6162");
        assertThat(failure(LineFraming.strict(), "ab\n"))
                .isEqualTo(
                        "CorruptFrameException: line feed without carriage return before it: index=2, streamOffset=0,"
                                + " firstBytes=61620a");
        assertThat(failure(LineFraming.strict(), "ab\rc"))
                .isEqualTo(
                        "CorruptFrameException: carriage return without line feed behind it: index=2, streamOffset=0,"
                                + " firstBytes=61620d63");
        assertThat(failure(lines(3).oversize(Oversize.DISCARD).build(), "abcdef"))
                .startsWith("TruncatedFrameException: input ended inside a frame that was discarded: bytesAtHand=0,"
                        + " bytesNeeded=1");
        assertThat(failure(lines(3).openLast(OpenLast.EMIT).build(), "abc\r"))
                .isEqualTo(
                        "FrameTooLongException: payload too long: payloadLength=4, maxPayloadLength=3, streamOffset=0,"
                                + " firstBytes=6162630d");
        assertThat(failure(
                        lines(3).openLast(OpenLast.EMIT)
                                .oversize(Oversize.DISCARD)
                                .build(),
                        "a\nabc\r"))
                .isEqualTo("TruncatedFrameException: input ended inside a frame that was discarded: bytesNeeded=1,"
                        + " streamOffset=2, firstBytes=");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 20})
    void reportsWhereDiscardedLineBeginsWhateverTheChunks(int chunkLength) {
        List<String> reports = new ArrayList<>();
        Codec<byte[], byte[]> codec = Codec.bytes(
                        lines(3).oversize(Oversize.DISCARD).build())
                .listener((offset, length, limit) -> reports.add(offset + ", " + length + ", " + limit));
        try (FrameReader<byte[]> reader = FrameReader.create(codec)) {
            for (byte[] chunk : Chunking.ofLength(List.of(StreamCheck.text("a\nbcdefg\nh\n")), chunkLength)
                    .chunks()) {
                reader.feed(Unpooled.wrappedBuffer(chunk));
                while (reader.read() != null) {}
            }
            assertThat(reader.streamOffset()).isEqualTo(11);
        }
        assertThat(reports).containsExactly("2, 4, 3");
    }

    @Test
    void hasDefaults() {
        assertThat(LineFraming.lenient())
                .hasToString("LineFraming{strict=false, crLf=false, skipEmpty=false, maxPayloadLength=1048576,"
                        + " oversize=FAIL, openLast=FAIL}");
        assertThat(LineFraming.strict()).asString().contains("strict=true, crLf=true, skipEmpty=false");
        assertThat(LineFraming.ndjson()).asString().contains("strict=false, crLf=false, skipEmpty=true");
        assertThat(LineFraming.lenient().maxPayloadLength()).isEqualTo(1 << 20);
    }

    @Test
    void refusesSettingsOutOfRange() {
        assertThatThrownBy(() -> lines(-1).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxPayloadLength below zero: maxPayloadLength=-1, limit=0");
        assertThatThrownBy(() -> LineFraming.builder().oversize(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("oversize");
        assertThatThrownBy(() -> LineFraming.builder().openLast(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("openLast");
    }
}
