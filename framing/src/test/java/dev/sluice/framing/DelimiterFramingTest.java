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
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DelimiterFramingTest {

    private static DelimiterFraming.Builder limited(int maxPayloadLength, String... delimiters) {
        return DelimiterFraming.builder()
                .delimiters(Arrays.stream(delimiters).map(StreamCheck::text).toArray(byte[][]::new))
                .maxPayloadLength(maxPayloadLength);
    }

    @Nested
    class Decoding {
        @Test
        void reachesNotBackOverEndOfFrameBefore() {
            verify(DelimiterFraming.of("xa", "b", "ab"), "xab", End.OPEN, "none", 0, "", "");
            verify(DelimiterFraming.of("xa", "b", "ab"), "xxabab", End.OPEN, "none", 0, "x", "", "");
            verify(DelimiterFraming.of("aa"), "aaaaa", End.COMPLETE, "TRUNCATED", 0, "", "");
        }

        @Test
        void takesLongestOfThreeThatEndTogether() {
            verify(
                    DelimiterFraming.of("c", "bc", "abc"),
                    "xabcxbcxcabcbcc",
                    End.COMPLETE,
                    "complete",
                    0,
                    "x",
                    "x",
                    "x",
                    "",
                    "",
                    "");
        }

        @Test
        void takesFirstToBeCompletedWhateverTheirOrder() {
            verify(DelimiterFraming.of("bcd", "ab"), "xabcd", End.COMPLETE, "TRUNCATED", 0, "x");
            verify(DelimiterFraming.of("ab", "bcd"), "xbcdab", End.COMPLETE, "complete", 0, "x", "");
        }

        @Test
        void fallsBackInsideOneDelimiterAndToAnother() {
            verify(DelimiterFraming.of("aabaac"), "aabaabaacx", End.COMPLETE, "TRUNCATED", 0, "aab");
            verify(
                    DelimiterFraming.of("abcabd", "cae"),
                    "zabcae!abcabcabd",
                    End.COMPLETE,
                    "complete",
                    0,
                    "zab",
                    "!abc");
        }

        @Test
        void findsDelimitersThatBeginWithManyDifferentBytes() {
            verify(
                    limited(9, "1", "22", "333", "4", "\u00ff\u0080").build(),
                    "a1bb22ccc333dddd4eeeee\u00ff\u00802232\u00ff\u00ff\u0080",
                    End.COMPLETE,
                    "complete",
                    0,
                    "a",
                    "bb",
                    "ccc",
                    "dddd",
                    "eeeee",
                    "",
                    "32\u00ff");
        }

        @ParameterizedTest
        @ValueSource(ints = {0, 1, 7, 8, 9, 64, 600})
        void judgesLimitAtFirstByteThatCannotBePayload(int limit) {
            String text = "y".repeat(limit);
            verify(limited(limit, "aab").build(), text + "aab" + text + "aaab", End.OPEN, "TOO_LONG", 0, text);
            verify(limited(limit, "aab").build(), text + "aa", End.OPEN, "none", 0);
            verify(limited(limit, "aab").build(), text + "aaa", End.OPEN, "TOO_LONG", 0);
            verify(limited(limit, "aab").build(), text + "ac", End.OPEN, "TOO_LONG", 0);
            verify(limited(limit, "aab").build(), text + "c", End.OPEN, "TOO_LONG", 0);
            verify(limited(limit, "aab", "ac").build(), text + "ac", End.OPEN, "none", 0, text);
            verify(limited(limit, "0").build(), text + "0" + text + "1", End.OPEN, "TOO_LONG", 0, text);
        }

        /** At the limit the longer delimiter fails, and one that began inside it still keeps the frame within. */
        @Test
        void judgesLimitByDelimiterThatBeganFirst() {
            verify(limited(1, "abab!", "ba?").build(), "xaba", End.OPEN, "none", 0);
            verify(limited(1, "abab!", "ba?").build(), "xaba?", End.OPEN, "TOO_LONG", 0);
            verify(limited(2, "abab!", "ba?").build(), "xaba?", End.OPEN, "none", 0, "xa");
            verify(
                    limited(1, "abab!", "ba?").oversize(Oversize.DISCARD).build(),
                    "xaba?xba?",
                    End.OPEN,
                    "none",
                    1,
                    "x");
        }

        @ParameterizedTest
        @ValueSource(ints = {0, 1, 3, 8, 20})
        void discardsEachOversizeFrameWithOneReport(int limit) {
            String text = "y".repeat(limit);
            DelimiterFraming framing =
                    limited(limit, "aab").oversize(Oversize.DISCARD).build();
            verify(framing, text + "zaab" + text + "aab", End.OPEN, "none", 1, text);
            verify(framing, text + "aaab" + text + "aab", End.OPEN, "none", 1, text);
            verify(framing, text + "zzzzzzzzzzaazaab" + text + "zaabaab", End.COMPLETE, "complete", 2, "");
            verify(framing, text + "zzza", End.COMPLETE, "TRUNCATED", 1);
            verify(framing, text + "aa", End.COMPLETE, "TRUNCATED", 0);
            verify(framing, text + "zaa", End.ERROR, "SOURCE_ERROR", 1);
        }

        @Test
        void deliversDelimiterOnRequest() {
            DelimiterFraming framing = limited(2, "b", "ab")
                    .stripDelimiter(false)
                    .openLast(OpenLast.EMIT)
                    .build();
            verify(framing, "xxabbxbxx", End.COMPLETE, "complete", 0, "xxab", "b", "xb", "xx");
            verify(framing, "xxab" + "xxxab", End.COMPLETE, "TOO_LONG", 0, "xxab");
        }

        @Test
        void holdsOpenLastFrameToTheLimitWithItsBegunDelimiter() {
            DelimiterFraming.Builder builder = limited(3, "\r\n").openLast(OpenLast.EMIT);
            DelimiterFraming fail = builder.build();
            DelimiterFraming discard = builder.oversize(Oversize.DISCARD).build();
            verify(fail, "ab\r\nab\r", End.COMPLETE, "complete", 0, "ab", "ab\r");
            verify(fail, "ab\r\nabc\r", End.COMPLETE, "TOO_LONG", 0, "ab");
            verify(fail, "ab\r\nabc\r", End.ERROR, "SOURCE_ERROR", 0, "ab");
            verify(discard, "ab\r\nabc\r", End.COMPLETE, "TRUNCATED", 1, "ab");
            verify(discard, "ab\r\nabc\r", End.ERROR, "SOURCE_ERROR", 0, "ab");
            verify(discard, "ab\r\nabc\r", End.OPEN, "none", 0, "ab");
            verify(discard, "ab\r\nabcd\r", End.COMPLETE, "TRUNCATED", 1, "ab");
        }

        @Test
        void endsMessagesWithDotOnLineOfItsOwn() {
            verify(
                    DelimiterFraming.of("\r\n.\r\n"),
                    "x\r\n.\ny\r\n\r\n.\r\r\n.\r\n",
                    End.COMPLETE,
                    "complete",
                    0,
                    "x\r\n.\ny\r\n\r\n.\r");
        }

        @Test
        void agreesWithModelOnRandomStreams() {
            Random random = new Random(5);
            int built = 0;
            for (int round = 0; round < 1500; round++) {
                String[] delimiters = new String[1 + random.nextInt(4)];
                Arrays.setAll(delimiters, i -> letters(random, 1 + random.nextInt(4)));
                int limit = random.nextInt(10);
                boolean discard = random.nextBoolean();
                boolean emit = random.nextBoolean();
                DelimiterFraming framing;
                try {
                    framing = limited(limit, delimiters)
                            .oversize(discard ? Oversize.DISCARD : Oversize.FAIL)
                            .openLast(emit ? OpenLast.EMIT : OpenLast.FAIL)
                            .build();
                } catch (IllegalArgumentException e) {
                    continue;
                }
                built++;
                String stream = letters(random, random.nextInt(60));
                Outcome expected = new SearchModel(List.of(delimiters), limit, discard, emit, false).run(stream);
                List<byte[]> bytes = List.of(StreamCheck.text(stream));
                ReaderRun.verify(
                        framing,
                        Stream.of(Chunking.whole(bytes), Chunking.small(bytes), Chunking.random(bytes, round, 9))
                                .flatMap(Delivery::oneAxisAtATime),
                        End.COMPLETE,
                        expected);
                RoundTrip.verify(framing, StreamCheck.text(letters(random, random.nextInt(6))));
            }
            assertThat(built).isGreaterThan(300);
        }

        private static String letters(Random random, int length) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < length; i++) {
                text.append("aaabbc\r\u00e4".charAt(random.nextInt(8)));
            }
            return text.toString();
        }
    }

    @Nested
    class Encoding {
        @Test
        void writesFirstDelimiter() {
            assertThat(encode(DelimiterFraming.of("\r\n", "\n"), "ab")).isEqualTo("ab\r\n");
            assertThat(encode(DelimiterFraming.of("\n", "\r\n"), "ab")).isEqualTo("ab\n");
            assertThat(encode(DelimiterFraming.of("\n", "\r\n"), "a\rb")).isEqualTo("a\rb\n");
            assertThat(encode(DelimiterFraming.of("aab"), "a")).isEqualTo("aaab");
            assertThat(encode(DelimiterFraming.of("||"), "")).isEqualTo("||");
            assertThat(encode(DelimiterFraming.of("||"), "a|b")).isEqualTo("a|b||");
        }

        @Test
        void refusesWhatDecodingWouldNotGiveBack() {
            String refusal = "payload holds a delimiter, or the beginning of one at its end: payloadLength=";
            assertThat(encode(DelimiterFraming.of("||"), "a||b")).isEqualTo(refusal + "4, decodedLength=1");
            assertThat(encode(DelimiterFraming.of("||"), "a|")).isEqualTo(refusal + "2, decodedLength=1");
            assertThat(encode(DelimiterFraming.of("\n", "\r\n"), "a\r")).isEqualTo(refusal + "2, decodedLength=1");
            assertThat(encode(DelimiterFraming.of("b!", "ab"), "xa")).isEqualTo(refusal + "2, decodedLength=1");
            assertThat(encode(limited(1, "!").build(), "ab"))
                    .isEqualTo("payload too long: payloadLength=2, maxPayloadLength=1");
        }

        @Test
        void takesMessageThatBringsAnyDelimiter() {
            DelimiterFraming framing =
                    limited(2, "\n", "\r\n", "!").stripDelimiter(false).build();
            assertThat(encode(framing, "ab\r\n")).isEqualTo("ab\r\n");
            assertThat(encode(framing, "!")).isEqualTo("!");
            assertThat(encode(framing, "")).isEqualTo("message does not end with a delimiter: messageLength=0");
            assertThat(encode(framing, "ab\r")).isEqualTo("message does not end with a delimiter: messageLength=3");
            assertThat(encode(framing, "a!b"))
                    .isEqualTo("message goes on behind a delimiter: delimiterEnd=2, messageLength=3");
            assertThat(encode(framing, "a!\n"))
                    .isEqualTo("message goes on behind a delimiter: delimiterEnd=2, messageLength=3");
            assertThat(encode(framing, "abc!")).isEqualTo("payload too long: payloadLength=3, maxPayloadLength=2");
        }

        @Test
        void takesAndRefusesByDecodingForEveryShortPayload() {
            List<DelimiterFraming> framings = List.of(
                    DelimiterFraming.of("aab"),
                    DelimiterFraming.of("b", "ab"),
                    DelimiterFraming.of("ab", "b"),
                    DelimiterFraming.of("aa", "ba"),
                    DelimiterFraming.of("aba"),
                    limited(3, "ab", "c").stripDelimiter(false).build());
            for (DelimiterFraming framing : framings) {
                int taken = 0;
                for (String payload : Streams.allTexts("abc", 5)) {
                    taken += RoundTrip.verify(framing, StreamCheck.text(payload)) ? 1 : 0;
                }
                assertThat(taken).as(framing.toString()).isBetween(20, 350);
            }
        }
    }

    @Test
    void tellsWhatIsWrong() {
        assertThat(failure(limited(3, "!").build(), "ok!abcd"))
                .isEqualTo(
                        "FrameTooLongException: payload too long: payloadLength=4, maxPayloadLength=3, streamOffset=3,"
                                + " firstBytes=61626364");
        assertThat(failure(DelimiterFraming.of("!"), "ok!ab"))
                .isEqualTo("TruncatedFrameException: input ended inside a frame: bytesAtHand=2, bytesNeeded=3,"
                        + " streamOffset=3, firstBytes=6162");
    }

    @Nested
    class Building {
        @Test
        void hasDefaults() {
            assertThat(DelimiterFraming.of("\0"))
                    .hasToString("DelimiterFraming{delimiters=[00], stripDelimiter=true, maxPayloadLength=1048576,"
                            + " oversize=FAIL, openLast=FAIL}");
            assertThat(DelimiterFraming.of("\0").maxPayloadLength()).isEqualTo(1 << 20);
            assertThat(DelimiterFraming.of("é", "x").toString()).contains("[c3a9, 78]");
        }

        @Test
        void keepsNoArrayOfDelimiter() {
            byte[] delimiter = {'!'};
            DelimiterFraming.Builder builder = DelimiterFraming.builder().delimiters(delimiter);
            delimiter[0] = '?';
            assertThat(encode(builder.build(), "a")).isEqualTo("a!");
            assertThat(encode(DelimiterFraming.of(new byte[] {0}, new byte[] {1, 2}), "a"))
                    .isEqualTo("a\0");
        }

        @Test
        void refusesSettingsOutOfRange() {
            assertRefused(DelimiterFraming.builder(), "no delimiter: delimiters=0, limit=1");
            assertRefused(limited(1, "a", ""), "empty delimiter: index=1, length=0, limit=1");
            assertRefused(limited(1, "a", "bc", "a"), "delimiter given twice: delimiter=61");
            assertRefused(
                    limited(1, "ab", "abc"),
                    "delimiter inside another: delimiter=6162, other=616263, index=0, limit=1");
            assertRefused(
                    limited(1, "xbx", "b"), "delimiter inside another: delimiter=62, other=786278, index=1, limit=2");
            assertRefused(
                    limited(1, "aa", "a"), "delimiter inside another: delimiter=61, other=6161, index=0, limit=1");
            assertRefused(limited(-1, "a"), "maxPayloadLength below zero: maxPayloadLength=-1, limit=0");
        }

        @Test
        void refusesNull() {
            assertThatThrownBy(() -> DelimiterFraming.builder().oversize(null))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("oversize");
            assertThatThrownBy(() -> DelimiterFraming.builder().openLast(null))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("openLast");
        }

        private static void assertRefused(DelimiterFraming.Builder builder, String message) {
            assertThatThrownBy(builder::build)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(message);
        }
    }
}
