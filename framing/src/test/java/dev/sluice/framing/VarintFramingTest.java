package dev.sluice.framing;

import static dev.sluice.framing.StreamCheck.hex;
import static dev.sluice.framing.Wires.assertFailure;
import static dev.sluice.framing.Wires.assertRefused;
import static dev.sluice.framing.Wires.decode;
import static dev.sluice.framing.Wires.encode;
import static dev.sluice.framing.Wires.encodeFilled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testing.End;
import dev.sluice.testing.Outcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VarintFramingTest {
    private static final String PREFIX_OF_300 = "ac02";

    @Nested
    class Settings {
        @Test
        void haveDefaults() {
            assertThat(VarintFraming.of())
                    .hasToString("VarintFraming{lengthFieldOffset=0, maxLengthBytes=5, initialBytesToStrip=header,"
                            + " maxPayloadLength=1048576, oversize=FAIL, fillLengthField=false}");
            assertThat(VarintFraming.of().maxPayloadLength()).isEqualTo(1024 * 1024);
            assertThat(framing(b -> b.initialBytesToStrip(3)).toString()).contains("initialBytesToStrip=3,");
        }

        @Test
        void areCheckedWhenBuilt() {
            refuses(b -> b.lengthFieldOffset(-1), "lengthFieldOffset below zero: lengthFieldOffset=-1, limit=0");
            refuses(b -> b.maxLengthBytes(0), "varint too short: maxLengthBytes=0, limit=1");
            refuses(b -> b.maxLengthBytes(6), "varint too long: maxLengthBytes=6, limit=5");
            refuses(b -> b.initialBytesToStrip(-1), "initialBytesToStrip below zero: initialBytesToStrip=-1, limit=0");
            refuses(b -> b.maxPayloadLength(-1), "maxPayloadLength below zero: maxPayloadLength=-1, limit=0");
            refuses(
                    b -> b.lengthFieldOffset(Integer.MAX_VALUE - 4),
                    "header too long: lengthFieldOffset=2147483643, limit=2147483642");
            refuses(
                    b -> b.lengthFieldOffset(2).headerPrefix((byte) 1),
                    "headerPrefix is not what stands before the field: headerPrefix.length=1, limit=2");
            refuses(
                    b -> b.lengthFieldOffset(1).initialBytesToStrip(2).fillLengthField(true),
                    "fillLengthField needs a varint that is delivered whole: initialBytesToStrip=2, limit=1");
            assertThatThrownBy(() -> VarintFraming.builder().oversize(null)).hasMessage("oversize");
        }

        @Test
        void stayWhenBuilderGoesOn() {
            byte[] prefix = {7};
            VarintFraming.Builder builder =
                    VarintFraming.builder().lengthFieldOffset(1).headerPrefix(prefix);
            VarintFraming framing = builder.build();
            builder.maxPayloadLength(0).initialBytesToStrip(0).build();
            prefix[0] = 8;

            assertThat(encode(framing, "61")).isEqualTo("070161");
        }

        /** Nothing of the header's length may be reserved before its bytes come. */
        @Test
        void allowLongestHeader() {
            VarintFraming framing = framing(b -> b.lengthFieldOffset(Integer.MAX_VALUE - 5));

            assertThat(framing.headerLength(Long.MAX_VALUE)).isEqualTo(Integer.MAX_VALUE);
            try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(framing))) {
                reader.feed(Unpooled.wrappedBuffer(new byte[10]).skipBytes(3));
                assertThat(reader.read()).isNull();
            }
        }

        private static void refuses(UnaryOperator<VarintFraming.Builder> settings, String message) {
            VarintFraming.Builder builder = settings.apply(VarintFraming.builder());
            assertThatThrownBy(builder::build)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(message);
        }
    }

    @Nested
    class Decoding {
        @ParameterizedTest
        @CsvSource({"0, 00", "1, 01", "127, 7f", "128, 8001", "300, ac02", "16383, ff7f", "16384, 808001"})
        void takesShortestEncoding(int length, String varint) {
            String payload = "81".repeat(length);
            try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(VarintFraming.of()))) {
                reader.feed(Unpooled.wrappedBuffer(hex(varint + payload)));

                assertThat(reader.read()).isEqualTo(hex(payload));
                assertThat(reader.bytesAtHand()).isZero();
            }
        }

        @Test
        void takesLongerEncodingThanNeeded() {
            assertThat(decode(VarintFraming.of(), "830061626383808080006465660100"))
                    .containsExactly("616263", "646566", "00");
        }

        @ParameterizedTest
        @CsvSource({"1, 80", "2, 8080", "3, 808080", "4, 80808080", "5, 8080808080"})
        void tellsContinuationBehindLastByteAllowed(int maxLengthBytes, String bytes) {
            assertFailure(
                    framing(b -> b.maxLengthBytes(maxLengthBytes)),
                    bytes,
                    CorruptFrameException.class,
                    "varint goes on behind its last byte: value=0, maxLengthBytes=" + maxLengthBytes
                            + ", streamOffset=0, firstBytes=" + bytes);
        }

        @ParameterizedTest
        @CsvSource({"10, 4294967296", "7f, 34091302912"})
        void tellsBitsBeyond32(String fifth, long value) {
            assertFailure(
                    framing(b -> b.maxPayloadLength(Integer.MAX_VALUE)),
                    "80808080" + fifth,
                    CorruptFrameException.class,
                    "varint has more than 32 bits: value=" + value + ", limit=4294967295, streamOffset=0, firstBytes="
                            + "80808080" + fifth);
        }

        @Test
        void takesAll32BitsAsALength() {
            assertFailure(
                    framing(b -> b.maxPayloadLength(Integer.MAX_VALUE)),
                    "ffffffff0f",
                    FrameTooLongException.class,
                    "payload too long: payloadLength=4294967295, maxPayloadLength=2147483647, streamOffset=0,"
                            + " firstBytes=ffffffff0f");
        }

        @Test
        void judgesNothingBeforeTheLastGroup() {
            Wires.verify(VarintFraming.of(), hex("ffffffff"), End.OPEN, new Outcome(List.of(), "none", 0));
            Wires.verify(VarintFraming.of(), hex("ffffffff"), End.COMPLETE, new Outcome(List.of(), "TRUNCATED", 0));
        }

        @Test
        void tellsEndInsideBytesBeforeVarint() {
            Wires.verify(
                    framing(b -> b.lengthFieldOffset(2)),
                    hex("ffff0001ff"),
                    End.COMPLETE,
                    new Outcome(List.of(""), "TRUNCATED", 0));
        }

        @Test
        void discardsFrameOverLimitWhole() {
            VarintFraming framing = framing(b -> b.maxPayloadLength(2).oversize(Oversize.DISCARD));

            Wires.verify(
                    framing,
                    hex("026162" + "83006162630163"),
                    End.COMPLETE,
                    new Outcome(List.of("6162", "63"), "complete", 1));
            Wires.verify(framing, hex("036162"), End.COMPLETE, new Outcome(List.of(), "TRUNCATED", 1));
        }

        @Test
        void letsOnlyEmptyPayloadsPassWithLimitZero() {
            VarintFraming framing = framing(b -> b.maxPayloadLength(0));

            assertThat(decode(framing, "008000")).containsExactly("", "");
            assertFailure(
                    framing,
                    "0001",
                    FrameTooLongException.class,
                    "payload too long: payloadLength=1, maxPayloadLength=0, streamOffset=1, firstBytes=01");
        }

        @Test
        void stripsEqualBytesWhateverTheVarintsLength() {
            VarintFraming framing = framing(b -> b.initialBytesToStrip(2));

            assertThat(decode(framing, "026162" + "8300616263" + "0161")).containsExactly("62", "616263", "");
        }

        @Test
        void tellsStripBeyondFrameAtTheVarintAndBehindTheLimit() {
            VarintFraming framing = framing(b -> b.initialBytesToStrip(4).maxPayloadLength(9));
            assertFailure(
                    framing,
                    "02",
                    CorruptFrameException.class,
                    "fewer bytes than are stripped: frameLength=3, initialBytesToStrip=4, streamOffset=0, firstBytes=02");
            assertThat(decode(framing, "03616263")).containsExactly("");

            assertFailure(
                    framing(b -> b.initialBytesToStrip(9).maxPayloadLength(1)),
                    "02",
                    FrameTooLongException.class,
                    "payload too long: payloadLength=2, maxPayloadLength=1, streamOffset=0, firstBytes=02");
            Wires.verify(
                    framing(b -> b.initialBytesToStrip(9).maxPayloadLength(1).oversize(Oversize.DISCARD)),
                    hex("026162"),
                    End.COMPLETE,
                    new Outcome(List.of(), "complete", 1));
        }
    }

    @Nested
    class Encoding {
        @ParameterizedTest
        @CsvSource({"0, 00", "1, 01", "127, 7f", "128, 8001", "300, ac02", "16383, ff7f", "16384, 808001"})
        void writesShortestVarint(int length, String varint) {
            assertThat(encode(VarintFraming.of(), "81".repeat(length))).isEqualTo(varint + "81".repeat(length));
            assertThat(VarintFraming.of().headerLength(length)).isEqualTo(varint.length() / 2);
        }

        @ParameterizedTest
        @CsvSource({
            "2097151, ffff7f",
            "2097152, 80808001",
            "268435455, ffffff7f",
            "268435456, 8080808001",
            "2147483647, ffffffff07"
        })
        void writesHeaderOfLongPayloads(int length, String varint) {
            VarintFraming framing = framing(b -> b.maxPayloadLength(Integer.MAX_VALUE));
            ByteBuf target = Unpooled.buffer(8).writeZero(8);

            framing.setHeader(length, target, 1);
            assertThat(target)
                    .isEqualTo(Unpooled.wrappedBuffer(hex("00" + varint + "00".repeat(7 - varint.length() / 2))));
            assertThat(framing.headerLength(length)).isEqualTo(varint.length() / 2);
        }

        @Test
        void writesPrefixOrZerosBeforeVarint() {
            assertThat(encode(framing(b -> b.lengthFieldOffset(2).headerPrefix((byte) 0xca, (byte) 0xfe)), "61"))
                    .isEqualTo("cafe0161");
            assertThat(encode(framing(b -> b.lengthFieldOffset(2)), "61")).isEqualTo("00000161");
        }

        @Test
        void takesDeliveredHeaderFromMessage() {
            VarintFraming framing =
                    framing(b -> b.lengthFieldOffset(2).initialBytesToStrip(1).headerPrefix((byte) 0xca, (byte) 0xfe));

            assertThat(encode(framing, "aa0161")).isEqualTo("caaa0161");
            assertThat(encode(framing, "aa810061")).as("longer than needed").isEqualTo("caaa810061");
            assertThat(framing.headerLength(1)).isEqualTo(-1);
        }

        @Test
        void writesStrippedPartOfVarint() {
            VarintFraming framing = framing(b -> b.initialBytesToStrip(1));
            String payload = "61".repeat(300);

            assertThat(encode(framing, "616263")).as("all of it").isEqualTo("03616263");
            assertThat(encode(framing, "02" + payload)).isEqualTo(PREFIX_OF_300 + payload);
            assertThat(encode(framing, "8200" + payload)).isEqualTo("ac8200" + payload);
            assertThat(encode(framing, "00" + "61".repeat(127))).isEqualTo("ff00" + "61".repeat(127));
        }

        @Test
        void leavesTargetsIndicesToItsCaller() {
            ByteBuf target = Unpooled.buffer(4).writeInt(-1);
            VarintFraming.of().setHeader(5, target, 2);

            assertThat(target.writerIndex()).isEqualTo(4);
            assertThat(target.getInt(0)).isEqualTo(0xffff05ff);
        }
    }

    @Nested
    class Refusal {
        @Test
        void isOfPayloadOverTheLimit() {
            assertRefused(
                    framing(b -> b.maxPayloadLength(2)),
                    "616263",
                    "payload too long: payloadLength=3, maxPayloadLength=2");
            assertRefused(
                    framing(b -> b.maxPayloadLength(2).initialBytesToStrip(0)),
                    "03616263",
                    "payload too long: payloadLength=3, maxPayloadLength=2");
        }

        @Test
        void isOfLengthThatVarintCannotSay() {
            VarintFraming one = framing(b -> b.maxLengthBytes(1));

            assertThat(encode(one, "61".repeat(127))).startsWith("7f61");
            assertRefused(
                    one,
                    "61".repeat(128),
                    "length does not fit into its varint: payloadLength=128, limit=127, maxLengthBytes=1");
            assertThatThrownBy(() -> framing(b -> b.maxLengthBytes(4).maxPayloadLength(Integer.MAX_VALUE))
                            .setHeader(1 << 28, Unpooled.buffer(), 0))
                    .hasMessage("length does not fit into its varint: payloadLength=268435456, limit=268435455,"
                            + " maxLengthBytes=4");
        }

        @Test
        void isOfWrongVarintInMessage() {
            VarintFraming framing = framing(b -> b.lengthFieldOffset(1).initialBytesToStrip(0));

            assertRefused(framing, "300261", "varint of the message is wrong: value=2, expected=1, payloadLength=1");
            assertRefused(
                    framing,
                    "30ffffffff7f",
                    "varint of the message is wrong: value=34359738367, expected=0, payloadLength=0");
        }

        @Test
        void isOfWrongPartOfVarintInMessage() {
            assertRefused(
                    framing(b -> b.initialBytesToStrip(1)),
                    "01" + "61".repeat(300),
                    "varint of the message is wrong: value=1, expected=2, payloadLength=300");
        }

        @Test
        void isOfMessageWithoutItsHeader() {
            VarintFraming framing = framing(b -> b.lengthFieldOffset(1).initialBytesToStrip(0));

            assertRefused(framing, "", "message shorter than the header that it must bring: messageLength=0, limit=2");
            assertRefused(
                    framing, "30", "message shorter than the header that it must bring: messageLength=1, limit=2");
            assertRefused(
                    framing, "3080", "message shorter than the header that it must bring: messageLength=2, limit=3");
        }

        @Test
        void isOfVarintThatDoesNotEnd() {
            assertRefused(
                    framing(b -> b.initialBytesToStrip(0).maxLengthBytes(2)),
                    "808001",
                    "varint of the message does not end within its header: messageLength=3, initialBytesToStrip=0,"
                            + " maxLengthBytes=2");
            assertRefused(
                    framing(b -> b.initialBytesToStrip(2).maxLengthBytes(2)),
                    "616263",
                    "varint of the message does not end within its header: messageLength=3, initialBytesToStrip=2,"
                            + " maxLengthBytes=2");
        }

        @Test
        void isOfEverythingWhereMoreThanHeaderIsStripped() {
            assertRefused(
                    framing(b -> b.lengthFieldOffset(1).initialBytesToStrip(7)),
                    "616263",
                    "framing strips more than the header and only decodes: initialBytesToStrip=7, limit=6");
        }
    }

    @Nested
    class Filling {
        private final VarintFraming framing = framing(b -> b.lengthFieldOffset(2)
                .initialBytesToStrip(1)
                .fillLengthField(true)
                .maxPayloadLength(400));

        @Test
        void replacesWrongVarintByShortest() {
            assertThat(encodeFilled(framing, "3000616263", "3003616263")).isEqualTo("003003616263");
            assertThat(encodeFilled(framing, "30ffff7f616263", "3003616263")).isEqualTo("003003616263");
            String payload = "61".repeat(300);
            assertThat(encodeFilled(framing, "3000" + payload, "30" + PREFIX_OF_300 + payload))
                    .isEqualTo("0030" + PREFIX_OF_300 + payload);
        }

        @Test
        void leavesRightVarintAsItIs() {
            assertThat(encode(framing, "3003616263")).isEqualTo("003003616263");
            assertThat(encode(framing, "308300616263")).isEqualTo("00308300616263");
        }

        @Test
        void stillRefusesWhatHasNoVarintOrIsTooLong() {
            assertRefused(
                    framing, "30", "message shorter than the header that it must bring: messageLength=1, limit=2");
            assertRefused(
                    framing, "3000" + "61".repeat(401), "payload too long: payloadLength=401, maxPayloadLength=400");
            assertRefused(
                    framing,
                    "308080808080",
                    "varint of the message does not end within its header: messageLength=6, initialBytesToStrip=1,"
                            + " maxLengthBytes=5");
        }

        @Test
        void changesNothingWhereVarintIsStripped() {
            assertThat(encode(framing(b -> b.fillLengthField(true)), "616263")).isEqualTo("03616263");
        }
    }

    private static VarintFraming framing(UnaryOperator<VarintFraming.Builder> settings) {
        return settings.apply(VarintFraming.builder()).build();
    }
}
