package dev.sluice.framing;

import static dev.sluice.framing.StreamCheck.failsAtLastByte;
import static dev.sluice.framing.StreamCheck.failsWith;
import static dev.sluice.framing.StreamCheck.outcome;
import static dev.sluice.framing.StreamCheck.refuses;
import static dev.sluice.framing.StreamCheck.text;
import static dev.sluice.framing.StreamCheck.verify;
import static dev.sluice.framing.StreamCheck.verifyInFew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sluice.testing.End;
import dev.sluice.testing.Outcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonFramingTest {
    private static final String MARK = "\u00ef\u00bb\u00bf";
    private static final JsonFraming VALUES = JsonFraming.values();
    private static final JsonFraming ELEMENTS = JsonFraming.arrayElements();

    @Nested
    class Values {
        @ParameterizedTest
        @ValueSource(strings = {"", " ", "\t\r\n ", MARK, MARK + "\n "})
        void areNoneInWhiteSpaceAndMark(String stream) {
            verify(VALUES, text(stream), End.COMPLETE, frames("complete"));
        }

        @ParameterizedTest
        @ValueSource(strings = {"\u00ef", "\u00ef\u00bb", MARK + "{", "[", "{\"a", "[\"\\", "[[]", "{} {"})
        void areTruncatedWhereInputEnds(String stream) {
            Outcome expected = stream.startsWith("{}") ? frames("TRUNCATED", "{}") : frames("TRUNCATED");
            verify(VALUES, text(stream), End.COMPLETE, expected);
            verify(VALUES, text(stream), End.ERROR, new Outcome(expected.frames(), "SOURCE_ERROR", 0));
        }

        @Test
        void areDeliveredAtTheirLastByte() {
            verify(VALUES, text("{\"a\":[1]}"), End.OPEN, frames("none", "{\"a\":[1]}"));
            verify(VALUES, text("[[]][]"), End.OPEN, frames("none", "[[]]", "[]"));
        }

        @Test
        void mayFollowMarkAtOnce() {
            verify(VALUES, text(MARK + "{}[]"), End.COMPLETE, frames("complete", "{}", "[]"));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {MARK + "\u00ef", " \u00ef", "\u00efx", "\u00ef\u00ef", "\u00ef\u00bb{", "\u00ef\u00bb "})
        void areCorruptBehindMarkThatIsNone(String stream) {
            failsAtLastByte(VALUES, text(stream), frames("CORRUPT"));
        }

        @Test
        void haveNothingBetweenThemButWhiteSpace() {
            for (int value = 0; value < 256; value++) {
                byte[] alone = {(byte) value};
                byte[] behind = {'{', '}', (byte) value};
                switch (value) {
                    case ' ', '\t', '\r', '\n' -> {
                        verifyInFew(VALUES, alone, End.COMPLETE, frames("complete"), value);
                        verifyInFew(VALUES, behind, End.COMPLETE, frames("complete", "{}"), value);
                    }
                    case '{', '[' -> {
                        verifyInFew(VALUES, alone, End.COMPLETE, frames("TRUNCATED"), value);
                        verifyInFew(VALUES, behind, End.COMPLETE, frames("TRUNCATED", "{}"), value);
                    }
                    case 0xef -> {
                        verifyInFew(VALUES, alone, End.COMPLETE, frames("TRUNCATED"), value);
                        failsAtLastByte(VALUES, behind, frames("CORRUPT", "{}"));
                    }
                    default -> {
                        failsAtLastByte(VALUES, alone, frames("CORRUPT"));
                        failsAtLastByte(VALUES, behind, frames("CORRUPT", "{}"));
                    }
                }
            }
        }

        @ParameterizedTest
        @ValueSource(strings = {"[}", "{]", "[{]", "{\"a\":[}", "[[]}", "{\"]\":1]", "[\"\\\"\"}"})
        void areCorruptAtBracketOfAnotherKind(String stream) {
            failsAtLastByte(VALUES, text(stream), frames("CORRUPT"));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "{\"\\\\\":\"}\"}",
                    "[\"\\\"]\"]",
                    "[\"\\\\\\\"]\"]",
                    "[\"\\\\\",\"]\"]",
                    "{\"a\":\"\\u007d}\"}",
                    "[\"01234567\\\\\\\\\\\\\\\\\\\"]\"]",
                    "[\"\",\"\",\"]\",\"[\"]",
                    "{\"k\u00e4\u00ff\":\"\u0080]\"}"
                })
        void endBehindStringsWithEscapesAndBrackets(String value) {
            verify(VALUES, text(value + value), End.COMPLETE, frames("complete", value, value));
            for (int filled = 0; filled < 9; filled++) {
                String shifted = "[" + "1".repeat(filled) + "," + value + "]";
                verifyInFew(VALUES, text(shifted), End.OPEN, frames("none", shifted), filled);
            }
        }

        @Test
        void areNotParsed() {
            String nonsense = "{,:\\\" }\"::\u0000\u00ff}";
            verify(VALUES, text(nonsense), End.OPEN, frames("none", nonsense));
        }

        @Test
        void haveBracketsOutsideOfStringsOnly() {
            for (int value = 0; value < 256; value++) {
                if (value != '"' && "[]{}".indexOf(value) < 0) {
                    byte[] frame = {'[', (byte) value, ']'};
                    verifyInFew(VALUES, frame, End.OPEN, outcome("none", frame), value);
                }
            }
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2, 63, 64, 65, 127, 128, 129, 512, 1500})
        void areAsDeepAsAllowed(int maxDepth) {
            JsonFraming framing = JsonFraming.builder().maxDepth(maxDepth).build();
            String opening = "[{".repeat(maxDepth).substring(0, maxDepth);
            String closing = new StringBuilder(opening.replace('[', ']').replace('{', '}'))
                    .reverse()
                    .toString();
            String next = opening.endsWith("[") ? "{" : "[";

            verifyInFew(framing, text(opening + closing), End.OPEN, frames("none", opening + closing), maxDepth);
            verifyInFew(framing, text(opening + next), End.OPEN, frames("CORRUPT"), maxDepth);
            verifyInFew(framing, text(opening), End.OPEN, frames("none"), maxDepth);
            for (int closed = 0; closed < maxDepth; closed += 1 + maxDepth / 70) {
                String wrong = closing.charAt(closed) == ']' ? "}" : "]";
                assertThat(terminalOf(framing, opening + closing.substring(0, closed) + wrong))
                        .as("wrong bracket behind right ones: " + closed)
                        .isInstanceOf(CorruptFrameException.class);
            }
        }

        @Test
        void countDepthOnceForBracketsBehindEachOther() {
            JsonFraming framing = JsonFraming.builder().maxDepth(2).build();
            String wide = "[" + "{}[]".repeat(40) + "]";
            verify(framing, text(wide), End.OPEN, frames("none", wide));
        }

        @ParameterizedTest
        @CsvSource({
            "4, '[\"a\"]', TOO_LONG",
            "3, '[[1}', CORRUPT",
            "3, '[[1]', TOO_LONG",
            "2, '[\"}', TOO_LONG",
            "2, '[\"\"', TOO_LONG",
            "2, '[1,', TOO_LONG",
            "1, '[]', TOO_LONG",
            "1, '[}', CORRUPT",
            "8, '[1234567]', TOO_LONG",
            "9, '[\"123456\\\"', TOO_LONG",
            "0, '{', TOO_LONG",
            "0, 'x', CORRUPT",
            "0, ']', CORRUPT"
        })
        void endAtFirstByteBeyondLimit(int maxPayloadLength, String stream, String terminal) {
            JsonFraming framing =
                    JsonFraming.builder().maxPayloadLength(maxPayloadLength).build();
            failsAtLastByte(framing, text(stream), frames(terminal));
            if (maxPayloadLength >= 2) {
                failsAtLastByte(framing, text("{} [] " + stream), frames(terminal, "{}", "[]"));
            }
        }

        @Test
        void areCorruptWhereOneByteIsTooDeepAndTooFar() {
            JsonFraming framing =
                    JsonFraming.builder().maxPayloadLength(2).maxDepth(2).build();
            failsAtLastByte(framing, text("[[["), frames("CORRUPT"));
            failsAtLastByte(framing, text("[[1"), frames("TOO_LONG"));
            failsAtLastByte(
                    JsonFraming.builder().maxPayloadLength(2).maxDepth(3).build(), text("[[["), frames("TOO_LONG"));
        }

        @Test
        void passAtExactlyTheLimit() {
            for (int length = 2; length < 40; length++) {
                String value = "[" + "7".repeat(length - 2) + "]";
                JsonFraming framing =
                        JsonFraming.builder().maxPayloadLength(length).build();
                verifyInFew(framing, text(" " + value + value), End.OPEN, frames("none", value, value), length);
            }
        }

        @Test
        void sayWhatIsWrongAndWhere() {
            failsWith(
                    VALUES,
                    text("{} ,{}"),
                    CorruptFrameException.class,
                    "neither an object nor an array: byte=0x2c, frameOffset=0, streamOffset=3, firstBytes=2c7b7d");
            failsWith(
                    VALUES,
                    text("\n{} [12345678, 9}"),
                    CorruptFrameException.class,
                    "bracket closes one of another kind: byte=0x7d, frameOffset=12, streamOffset=4,"
                            + " firstBytes=5b31323334353637382c20397d");
            failsWith(
                    JsonFraming.builder().maxDepth(1).build(),
                    text(" [[]]"),
                    CorruptFrameException.class,
                    "nested too deep: depth=2, maxDepth=1, frameOffset=1, streamOffset=1, firstBytes=5b5b5d5d");
            failsWith(
                    JsonFraming.builder().maxPayloadLength(3).build(),
                    text(" [[]]"),
                    FrameTooLongException.class,
                    "payload too long: payloadLength=4, maxPayloadLength=3, streamOffset=1, firstBytes=5b5b5d5d");
            failsWith(
                    VALUES,
                    text("\u00ef\u00bb{}"),
                    CorruptFrameException.class,
                    "byte order mark broken off: byte=0x7b, frameOffset=2, streamOffset=0, firstBytes=efbb7b7d");
            failsWith(
                    VALUES,
                    text("{} [{\"a"),
                    TruncatedFrameException.class,
                    "input ended inside JSON: bytesAtHand=4, depth=2, inString=true, inArrayOfElements=false,"
                            + " streamOffset=3, firstBytes=5b7b2261");
        }

        /** What follows may be another protocol's. */
        @Test
        void takeNoWhiteSpaceBehindThem() {
            try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(VALUES))) {
                reader.feed(Unpooled.wrappedBuffer(text(" \n{}\n[]\n")));
                assertThat(reader.read()).isEqualTo(text("{}"));
                assertThat(reader.streamOffset()).isEqualTo(4);
                assertThat(reader.hasFrame()).isTrue();
                assertThat(reader.streamOffset()).isEqualTo(4);
                assertThat(reader.read()).isEqualTo(text("[]"));
                assertThat(reader.streamOffset()).isEqualTo(7);
                ByteBuf rest = reader.rest();
                assertThat(RoundTrip.bytes(rest)).isEqualTo(text("\n"));
                rest.release();
            }
        }
    }

    @Nested
    class Elements {
        @ParameterizedTest
        @ValueSource(strings = {"", " \n", MARK, MARK + " ", "[]", " [ ] ", MARK + "\t[\r\n]\n"})
        void areNoneInEmptyArrayAndWithoutOne(String stream) {
            verify(ELEMENTS, text(stream), End.COMPLETE, frames("complete"));
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                nullValues = "-",
                value = {
                    "[ | -",
                    "' [ ' | -",
                    "[1 | -",
                    "'[1 ' | 1",
                    "[1, | 1",
                    "'[1 , ' | 1",
                    "[{} | {}",
                    "[\"a | -",
                    "[\"a\" | \"a\"",
                    "[\"a\\\" | -",
                    "[[1] | [1]",
                    "[[1 | -"
                })
        void areTruncatedBeforeClosingBracket(String stream, String frame) {
            Outcome expected = frame == null ? frames("TRUNCATED") : frames("TRUNCATED", frame);
            verify(ELEMENTS, text(stream), End.COMPLETE, expected);
            verify(ELEMENTS, text(stream), End.OPEN, new Outcome(expected.frames(), "none", 0));
        }

        @Test
        void beginWithAnyByteThatIsNoneOfTheArrayNorWrong() {
            for (int value = 0; value < 256; value++) {
                byte[] first = {'[', (byte) value};
                byte[] later = {'[', '1', ',', (byte) value};
                byte[] alone = {(byte) value};
                switch (value) {
                    case ' ', '\t', '\r', '\n', '[', '{', '"' -> {
                        verifyInFew(ELEMENTS, first, End.COMPLETE, frames("TRUNCATED"), value);
                        verifyInFew(ELEMENTS, later, End.COMPLETE, frames("TRUNCATED", "1"), value);
                    }
                    case ']' -> {
                        verifyInFew(ELEMENTS, first, End.COMPLETE, frames("complete"), value);
                        failsAtLastByte(ELEMENTS, later, frames("CORRUPT", "1"));
                    }
                    case ',', ':', '}' -> {
                        failsAtLastByte(ELEMENTS, first, frames("CORRUPT"));
                        failsAtLastByte(ELEMENTS, later, frames("CORRUPT", "1"));
                    }
                    default -> {
                        byte[] whole = {'[', (byte) value, ','};
                        verifyInFew(ELEMENTS, whole, End.OPEN, outcome("none", alone), value);
                        verifyInFew(ELEMENTS, later, End.COMPLETE, frames("TRUNCATED", "1"), value);
                    }
                }
            }
        }

        @Test
        void endAsScalarsAtTheByteBehindThem() {
            for (int value = 0; value < 256; value++) {
                byte[] stream = {'[', '1', '2', (byte) value};
                switch (value) {
                    case ' ', '\t', '\r', '\n', ',' ->
                        verifyInFew(ELEMENTS, stream, End.OPEN, frames("none", "12"), value);
                    case ']' -> verifyInFew(ELEMENTS, stream, End.COMPLETE, frames("complete", "12"), value);
                    case '[', '{', '}', '"', ':' -> failsAtLastByte(ELEMENTS, stream, frames("CORRUPT"));
                    default -> verifyInFew(ELEMENTS, stream, End.COMPLETE, frames("TRUNCATED"), value);
                }
            }
        }

        @Test
        void haveOneCommaOrTheEndBehindThem() {
            for (String element : new String[] {"{}", "[]", "\"\"", "1 "}) {
                String frame = element.strip();
                for (int value = 0; value < 256; value++) {
                    byte[] stream = text("[" + element + (char) value);
                    switch (value) {
                        case ' ', '\t', '\r', '\n', ',' ->
                            verifyInFew(ELEMENTS, stream, End.OPEN, frames("none", frame), value);
                        case ']' -> verifyInFew(ELEMENTS, stream, End.COMPLETE, frames("complete", frame), value);
                        default -> failsAtLastByte(ELEMENTS, stream, frames("CORRUPT", frame));
                    }
                }
            }
        }

        @ParameterizedTest
        @ValueSource(strings = {"1", "{", "\"", ",", "]", MARK + "x", " {", "[]x", "[] [", "[],", "[] ]", "[]\u00ef"})
        void areCorruptWithoutArrayAroundThem(String stream) {
            failsAtLastByte(ELEMENTS, text(stream), frames("CORRUPT"));
        }

        @Test
        void mayBeStringsOfAnyLengthWithEscapes() {
            for (int length = 0; length < 30; length++) {
                String filled = "\"" + "]".repeat(length) + "\\\\\\\"," + "\"";
                verifyInFew(
                        ELEMENTS,
                        text("[ " + filled + "," + filled + "]"),
                        End.COMPLETE,
                        frames("complete", filled, filled),
                        length);
            }
        }

        @ParameterizedTest
        @CsvSource(
                quoteCharacter = '`',
                value = {
                    "2, `[123`, TOO_LONG",
                    "2, `[\"a\"`, TOO_LONG",
                    "2, `[\"a]`, TOO_LONG",
                    "2, `[12:`, CORRUPT",
                    "2, `[12\"`, CORRUPT",
                    "2, `[12{`, CORRUPT",
                    "2, `[12[`, CORRUPT",
                    "2, `[12}`, CORRUPT",
                    "2, `[[[1`, TOO_LONG",
                    "2, `[[[}`, CORRUPT",
                    "0, `[1`, TOO_LONG",
                    "0, `[{`, TOO_LONG",
                    "0, `[\"`, TOO_LONG",
                    "0, `[:`, CORRUPT",
                    "0, `[,`, CORRUPT"
                })
        void endAtFirstByteBeyondLimit(int maxPayloadLength, String stream, String terminal) {
            JsonFraming framing = JsonFraming.builder()
                    .arrayElements(true)
                    .maxPayloadLength(maxPayloadLength)
                    .build();
            failsAtLastByte(framing, text(stream), frames(terminal));
            if (maxPayloadLength > 0) {
                failsAtLastByte(framing, text("[7 , " + stream.substring(1)), frames(terminal, "7"));
            }
        }

        @Test
        void passAtExactlyTheLimit() {
            JsonFraming framing = JsonFraming.builder()
                    .arrayElements(true)
                    .maxPayloadLength(3)
                    .build();
            verify(
                    framing,
                    text("[123,123 ,\"1\",[1],{ }, 123]"),
                    End.COMPLETE,
                    frames("complete", "123", "123", "\"1\"", "[1]", "{ }", "123"));
        }

        @Test
        void countDepthWithoutTheArrayAroundThem() {
            JsonFraming framing =
                    JsonFraming.builder().arrayElements(true).maxDepth(1).build();
            verify(framing, text("[[1],{}]"), End.COMPLETE, frames("complete", "[1]", "{}"));
            failsAtLastByte(framing, text("[[1],[{"), frames("CORRUPT", "[1]"));
        }

        @Test
        void sayWhatIsWrongAndWhere() {
            failsWith(ELEMENTS, text(" 7"), CorruptFrameException.class, at("no array: byte=0x37", 1, "37"));
            failsWith(ELEMENTS, text("[1,]"), CorruptFrameException.class, at("no element: byte=0x5d", 3, "5d"));
            failsWith(
                    ELEMENTS,
                    text("[1 2"),
                    CorruptFrameException.class,
                    at("neither a comma nor the closing bracket behind an element: byte=0x32", 3, "32"));
            failsWith(
                    ELEMENTS,
                    text("[] ,"),
                    CorruptFrameException.class,
                    at("more than white space behind the array: byte=0x2c", 3, "2c"));
            failsWith(
                    ELEMENTS,
                    text("[ 12:"),
                    CorruptFrameException.class,
                    "no byte of a number or literal: byte=0x3a, frameOffset=2, streamOffset=2, firstBytes=31323a");
            failsWith(
                    ELEMENTS,
                    text("[1"),
                    TruncatedFrameException.class,
                    "input ended inside JSON: bytesAtHand=1, depth=0, inString=false, inArrayOfElements=true,"
                            + " streamOffset=1, firstBytes=31");
        }

        private static String at(String wrong, int offset, String firstBytes) {
            return wrong + ", frameOffset=0, streamOffset=" + offset + ", firstBytes=" + firstBytes;
        }
    }

    @Nested
    class Encoding {
        @ParameterizedTest
        @ValueSource(strings = {"{}", "[]", "[1,\"]\",{\"a\":[ ]}]", "{\"\\\"\":\"\\\\\"}"})
        void writesPayloadAsItIs(String payload) {
            ByteBuf target = Unpooled.buffer();
            VALUES.encode(Unpooled.wrappedBuffer(text(payload)), target);

            assertThat(RoundTrip.bytes(target)).isEqualTo(text(payload));
            assertThat(RoundTrip.verify(VALUES, text(payload))).isTrue();
        }

        @ParameterizedTest
        @ValueSource(strings = {"", " ", " {}", "{} ", "{}{}", "{", "[\"]", "[\"\\\"]", MARK + "{}", MARK, "\u00ef"})
        void refusesWhatIsNotExactlyOneObjectOrArray(String payload) {
            refuses(
                    VALUES,
                    text(payload),
                    "payload is not exactly one object or array: payloadLength=" + payload.length());
        }

        @Test
        void refusesWhatDecodingRefuses() {
            refuses(VALUES, text("1"), "neither an object nor an array: byte=0x31, frameOffset=0");
            refuses(VALUES, text("[1}"), "bracket closes one of another kind: byte=0x7d, frameOffset=2");
            refuses(
                    JsonFraming.builder().maxDepth(1).build(),
                    text("[[]]"),
                    "nested too deep: depth=2, maxDepth=1, frameOffset=1");
            refuses(
                    JsonFraming.builder().maxPayloadLength(3).build(),
                    text("[[]]"),
                    "payload too long: payloadLength=4, maxPayloadLength=3");
        }

        @Test
        void refusesEverythingForArrayElements() {
            refuses(ELEMENTS, text("{}"), "framing of the elements of an array only decodes: arrayElements=true");
        }
    }

    @Nested
    class Building {
        @Test
        void hasDefaults() {
            assertThat(VALUES.toString())
                    .isEqualTo("JsonFraming{arrayElements=false, maxPayloadLength=1048576, maxDepth=512}");
            assertThat(ELEMENTS.toString())
                    .isEqualTo("JsonFraming{arrayElements=true, maxPayloadLength=1048576, maxDepth=512}");
            assertThat(VALUES.maxPayloadLength()).isEqualTo(1048576);
        }

        @Test
        void refusesSettingsOutOfRange() {
            assertThatThrownBy(() -> JsonFraming.builder().maxPayloadLength(-1).build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("maxPayloadLength below zero: maxPayloadLength=-1, limit=0");
            assertThatThrownBy(() -> JsonFraming.builder().maxDepth(0).build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("maxDepth below one: maxDepth=0, limit=1");
        }

        @Test
        void takesLargestLimits() {
            JsonFraming framing = JsonFraming.builder()
                    .maxPayloadLength(Integer.MAX_VALUE)
                    .maxDepth(Integer.MAX_VALUE)
                    .build();
            verify(framing, text(" {}[["), End.COMPLETE, frames("TRUNCATED", "{}"));
        }
    }

    private static Outcome frames(String terminal, String... frames) {
        return outcome(terminal, Arrays.stream(frames).map(StreamCheck::text).toArray(byte[][]::new));
    }

    private static Throwable terminalOf(Framing framing, String stream) {
        try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(framing))) {
            reader.feed(Unpooled.wrappedBuffer(text(stream)));
            return catchThrowable(reader::read);
        }
    }
}
