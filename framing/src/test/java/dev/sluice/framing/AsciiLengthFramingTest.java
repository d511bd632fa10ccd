package dev.sluice.framing;

import static dev.sluice.framing.Wires.assertFailure;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testing.End;
import dev.sluice.testing.Outcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AsciiLengthFramingTest {
    private static final AsciiLengthFraming NETSTRING = framing(b -> b.trailer((byte) ','));
    private static final AsciiLengthFraming HEX = framing(b -> b.base(16));

    @Nested
    class Settings {
        @Test
        void haveDefaults() {
            assertThat(AsciiLengthFraming.of(' '))
                    .hasToString("AsciiLengthFraming{base=10, terminator=0x20, trailer=none, maxPayloadLength=1048576,"
                            + " oversize=FAIL}");
            assertThat(AsciiLengthFraming.of(' ').maxPayloadLength()).isEqualTo(1024 * 1024);
            assertThat(framing(b -> b.base(16).trailer((byte) 0x0d, (byte) 0xfa))
                            .toString())
                    .contains("base=16", "terminator=0x3a", "trailer=0x0dfa");
        }

        @Test
        void areCheckedWhenBuilt() {
            refuses(b -> b.base(8), "base is neither 10 nor 16: base=8");
            refuses(b -> b.terminator(-1), "terminator below zero: terminator=-1, limit=0");
            refuses(b -> b.terminator(256), "terminator is no byte: terminator=256, limit=255");
            refuses(b -> b.terminator('0'), "terminator is a digit: terminator=0x30, base=10");
            refuses(b -> b.terminator('9'), "terminator is a digit: terminator=0x39, base=10");
            refuses(b -> b.base(16).terminator('a'), "terminator is a digit: terminator=0x61, base=16");
            refuses(b -> b.base(16).terminator('F'), "terminator is a digit: terminator=0x46, base=16");
            refuses(b -> b.maxPayloadLength(-1), "maxPayloadLength below zero: maxPayloadLength=-1, limit=0");
            assertThatThrownBy(() -> AsciiLengthFraming.builder().build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("terminator is missing: terminator=none, base=10");
            assertThatThrownBy(() -> AsciiLengthFraming.builder().oversize(null))
                    .hasMessage("oversize");
        }

        @Test
        void allowTerminatorsThatAreNoDigitsOfTheBase() {
            for (int terminator = 0; terminator < 256; terminator++) {
                int tried = terminator;
                for (int base : new int[] {10, 16}) {
                    boolean digit = Character.digit(terminator, base) >= 0 && terminator < 128;
                    if (!digit) {
                        AsciiLengthFraming framing = framing(b -> b.base(base).terminator(tried));
                        assertThat(encode(framing, "ab")).isEqualTo("2" + (char) terminator + "ab");
                    }
                }
            }
        }

        @Test
        void stayWhenBuilderGoesOn() {
            byte[] trailer = {','};
            AsciiLengthFraming.Builder builder =
                    AsciiLengthFraming.builder().terminator(':').trailer(trailer);
            AsciiLengthFraming framing = builder.build();
            builder.terminator(' ').maxPayloadLength(0).build();
            trailer[0] = ';';

            assertThat(encode(framing, "a")).isEqualTo("1:a,");
        }

        private static void refuses(UnaryOperator<AsciiLengthFraming.Builder> settings, String message) {
            AsciiLengthFraming.Builder builder =
                    settings.apply(AsciiLengthFraming.builder().terminator(':'));
            assertThatThrownBy(builder::build)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(message);
        }
    }

    @Nested
    class Decoding {
        @Test
        void deliversWhatStandsBetweenTerminatorAndTrailer() {
            assertThat(decode(NETSTRING, "12:hello world!,0:,3:1:,,1:\u0080,"))
                    .containsExactly("hello world!", "", "1:,", "\u0080");
            assertThat(decode(AsciiLengthFraming.of(' '), "5 hello0 3  5 ")).containsExactly("hello", "", " 5 ");
        }

        @Test
        void takesHexDigitsOfEitherCase() {
            String sixteen = "x".repeat(0xaf);
            assertThat(decode(HEX, "af:" + sixteen + "AF:" + sixteen + "aF:" + sixteen + "0:"))
                    .containsExactly(sixteen, sixteen, sixteen, "");
        }

        @ParameterizedTest
        @CsvSource({
            "':', 0x3a, 10", "'1/', 0x2f, 10", "'1a', 0x61, 10", "'-', 0x2d, 10", "'+', 0x2b, 10", "' ', 0x20, 10",
            "'g', 0x67, 16", "'1G', 0x47, 16", "'@', 0x40, 16", "'1`', 0x60, 16", "'1;', 0x3b, 16",
                    "'\u00e1', 0xe1, 16",
            "'\u00b0', 0xb0, 10"
        })
        void tellsByteThatIsNeitherDigitNorTerminator(String bytes, String value, int base) {
            fails(
                    framing(b -> b.base(base)),
                    bytes,
                    CorruptFrameException.class,
                    "length has neither a digit nor its terminator: value=" + value + ", base=" + base
                            + ", terminator=0x3a");
        }

        @ParameterizedTest
        @ValueSource(strings = {"00", "01"})
        void tellsLeadingZeroAtTheDigitBehindIt(String bytes) {
            fails(
                    NETSTRING,
                    bytes,
                    CorruptFrameException.class,
                    "length has a leading zero: nextDigit=" + bytes.charAt(1) + ", base=10");
        }

        @ParameterizedTest
        @CsvSource({"3, 4, 4", "10, 11, 11", "99, 100, 100", "0, 1, 1", "9, 10, 10"})
        void tellsPayloadOverLimitAtTheDigitThatExceedsIt(int limit, String digits, long length) {
            fails(
                    framing(b -> b.maxPayloadLength(limit)),
                    digits,
                    FrameTooLongException.class,
                    "payload too long: payloadLength=" + length + ", maxPayloadLength=" + limit);
        }

        @Test
        void takesLargestLimit() {
            AsciiLengthFraming framing =
                    framing(b -> b.maxPayloadLength(Integer.MAX_VALUE).trailer((byte) ','));
            Outcome nothing = new Outcome(List.of(), "none", 0);

            Wires.verify(framing, bytes("2147483647:xyz"), End.OPEN, nothing);
            fails(
                    framing,
                    "2147483648",
                    FrameTooLongException.class,
                    "payload too long: payloadLength=2147483648, maxPayloadLength=2147483647");
        }

        @Test
        void tellsFirstByteOfTrailerThatDiffers() {
            AsciiLengthFraming framing = framing(b -> b.trailer((byte) '\r', (byte) '\n'));

            fails(
                    framing,
                    "1:aX",
                    CorruptFrameException.class,
                    "trailer is wrong: trailerByte=0, value=0x58, expected=0x0d");
            fails(
                    framing,
                    "1:a\r\r",
                    CorruptFrameException.class,
                    "trailer is wrong: trailerByte=1, value=0x0d, expected=0x0a");
        }

        @ParameterizedTest
        @ValueSource(strings = {"1", "1:", "1:a", "1:a\r", "0", "0:", "0:\r"})
        void tellsEndInsideFrame(String bytes) {
            AsciiLengthFraming framing = framing(b -> b.trailer((byte) '\r', (byte) '\n'));

            Wires.verify(framing, bytes(bytes), End.COMPLETE, new Outcome(List.of(), "TRUNCATED", 0));
            Wires.verify(framing, bytes(bytes), End.OPEN, new Outcome(List.of(), "none", 0));
        }
    }

    @Nested
    class Discarding {
        private final AsciiLengthFraming framing =
                framing(b -> b.maxPayloadLength(3).oversize(Oversize.DISCARD).trailer((byte) '\r', (byte) '\n'));

        @Test
        void skipsExactlyThatFrame() {
            verify("3:abc\r\n4:defg\r\n10:0123456789\r\n2:hi\r\n", "complete", 2, "abc", "hi");
            AsciiLengthFraming plain = framing(b -> b.maxPayloadLength(3).oversize(Oversize.DISCARD));
            Wires.verify(
                    plain,
                    bytes("4:defg10:01234567892:hi"),
                    End.COMPLETE,
                    new Outcome(List.of(ByteBufUtil.hexDump(bytes("hi"))), "complete", 2));
        }

        @Test
        void reportsAtTheDigitThatExceedsTheLimit() {
            List<String> reports = new ArrayList<>();
            Codec<byte[], byte[]> codec = Codec.bytes(framing)
                    .listener((offset, length, limit) -> reports.add(offset + " " + length + " " + limit));
            try (FrameReader<byte[]> reader = FrameReader.create(codec)) {
                reader.feed(Unpooled.wrappedBuffer(bytes("1:a\r\n1")));
                reader.read();
                assertThat(reader.hasFrame()).isFalse();
                assertThat(reports).isEmpty();
                reader.feed(Unpooled.wrappedBuffer(bytes("2")));
                assertThat(reader.hasFrame()).isFalse();
                assertThat(reports).containsExactly("5 12 3");
                reader.feed(Unpooled.wrappedBuffer(bytes("34")));
                assertThat(reader.hasFrame()).isFalse();

                assertThat(reports).containsExactly("5 12 3");
            }
        }

        @Test
        void stillChecksDigitsAndTrailer() {
            verify("5x", "CORRUPT", 1);
            verify("45;", "CORRUPT", 1);
            verify("4:abcdX", "CORRUPT", 1);
            verify("4:abcd\rX", "CORRUPT", 1);
        }

        @Test
        void takesZerosBehindOtherDigits() {
            verify("400:" + "x".repeat(400) + "\r\n1:a\r\n", "complete", 1, "a");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "4",
                    "45",
                    "4:",
                    "4:abc",
                    "4:abcd",
                    "4:abcd\r",
                    "99999999999999999999",
                    "9223372036854775807:"
                })
        void tellsEndInsideDiscardedFrame(String bytes) {
            verify(bytes, "TRUNCATED", 1);
            Wires.verify(framing, bytes(bytes), End.OPEN, new Outcome(List.of(), "none", 1));
        }

        @Test
        void skipsAllBehindLengthOfMoreThan63Bits() {
            verify("9223372036854775808:x\r\n1:a\r\n", "TRUNCATED", 1);
            verify("99999999999999999999999999x1:a\r\n", "TRUNCATED", 1);
            AsciiLengthFraming hex = framing(b -> b.base(16).maxPayloadLength(3).oversize(Oversize.DISCARD));
            Wires.verify(hex, bytes("7fffffffffffffff:"), End.OPEN, new Outcome(List.of(), "none", 1));
            Wires.verify(hex, bytes("8000000000000000x"), End.OPEN, new Outcome(List.of(), "none", 1));
            Wires.verify(hex, bytes("7fffffffffffffffx"), End.OPEN, new Outcome(List.of(), "CORRUPT", 1));
        }

        @Test
        void tellsEndBehindPayloadThatWasSkippedInItsOwnWords() {
            try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(framing))) {
                reader.feed(Unpooled.wrappedBuffer(bytes("4:abcd\r")));
                assertThat(reader.hasFrame()).isFalse();
                reader.endOfInput();

                assertThatThrownBy(reader::read)
                        .isInstanceOf(TruncatedFrameException.class)
                        .hasMessage("input ended inside a frame that was discarded: bytesAtHand=1, bytesNeeded=2,"
                                + " streamOffset=0, firstBytes=");
            }
        }

        private void verify(String stream, String terminal, long discarded, String... frames) {
            List<String> expected = Stream.of(frames)
                    .map(frame -> ByteBufUtil.hexDump(bytes(frame)))
                    .toList();
            Wires.verify(framing, bytes(stream), End.COMPLETE, new Outcome(expected, terminal, discarded));
        }
    }

    @Nested
    class Encoding {
        @ParameterizedTest
        @ValueSource(ints = {0, 1, 9, 10, 15, 16, 99, 100, 255, 256, 999, 1000, 4095, 4096, 12_345})
        void writesNoLeadingZerosAndLowerCaseHex(int length) {
            String payload = "x".repeat(length);

            assertThat(encode(NETSTRING, payload)).isEqualTo(length + ":" + payload + ",");
            assertThat(encode(HEX, payload)).isEqualTo(Integer.toHexString(length) + ":" + payload);
            assertThat(HEX.headerLength(length))
                    .isEqualTo(Integer.toHexString(length).length() + 1);
        }

        @Test
        void writesHeaderInPlaceWhereThereIsNoTrailer() {
            AsciiLengthFraming framing = framing(b -> b.maxPayloadLength(Integer.MAX_VALUE));
            ByteBuf target = Unpooled.buffer(16).writeZero(16);
            framing.setHeader(Integer.MAX_VALUE, target, 2);

            assertThat(target.toString(2, 11, ISO_8859_1)).isEqualTo("2147483647:");
            assertThat(target.getShort(0)).isZero();
            assertThat(target.getByte(13)).isZero();
            assertThat(framing.headerLength(Integer.MAX_VALUE)).isEqualTo(11);
            assertThat(NETSTRING.headerLength(3)).isEqualTo(-1);
        }

        @Test
        void refusesPayloadOverTheLimit() {
            AsciiLengthFraming framing = framing(b -> b.maxPayloadLength(2));

            Wires.assertRefused(framing, "616263", "payload too long: payloadLength=3, maxPayloadLength=2");
            assertThatThrownBy(() -> framing.setHeader(3, Unpooled.buffer(), 0))
                    .hasMessage("payload too long: payloadLength=3, maxPayloadLength=2");
            Wires.assertRefused(
                    framing(b -> b.maxPayloadLength(2).trailer((byte) ',')),
                    "616263",
                    "payload too long: payloadLength=3, maxPayloadLength=2");
        }
    }

    private static AsciiLengthFraming framing(UnaryOperator<AsciiLengthFraming.Builder> settings) {
        return settings.apply(AsciiLengthFraming.builder().terminator(':')).build();
    }

    private static void fails(Framing framing, String bytes, Class<? extends FramingException> type, String message) {
        String hex = ByteBufUtil.hexDump(bytes(bytes));
        assertFailure(framing, hex, type, message + ", streamOffset=0, firstBytes=" + hex);
    }

    private static String encode(Framing framing, String payload) {
        return new String(StreamCheck.hex(Wires.encode(framing, ByteBufUtil.hexDump(bytes(payload)))), ISO_8859_1);
    }

    private static List<String> decode(Framing framing, String frames) {
        return Wires.decode(framing, ByteBufUtil.hexDump(bytes(frames))).stream()
                .map(hex -> new String(StreamCheck.hex(hex), ISO_8859_1))
                .toList();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }
}
