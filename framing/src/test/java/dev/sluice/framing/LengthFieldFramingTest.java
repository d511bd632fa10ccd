package dev.sluice.framing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LengthFieldFramingTest {

    @Nested
    class Encoding {
        @ParameterizedTest
        @CsvSource({
            "1, BIG_ENDIAN, 03616263",
            "2, BIG_ENDIAN, 0003616263",
            "3, BIG_ENDIAN, 000003616263",
            "4, BIG_ENDIAN, 00000003616263",
            "5, BIG_ENDIAN, 0000000003616263",
            "6, BIG_ENDIAN, 000000000003616263",
            "7, BIG_ENDIAN, 00000000000003616263",
            "8, BIG_ENDIAN, 0000000000000003616263",
            "1, LITTLE_ENDIAN, 03616263",
            "2, LITTLE_ENDIAN, 0300616263",
            "3, LITTLE_ENDIAN, 030000616263",
            "4, LITTLE_ENDIAN, 03000000616263",
            "5, LITTLE_ENDIAN, 0300000000616263",
            "6, LITTLE_ENDIAN, 030000000000616263",
            "7, LITTLE_ENDIAN, 03000000000000616263",
            "8, LITTLE_ENDIAN, 0300000000000000616263"
        })
        void writesFieldOfEachWidthAndOrder(int width, String order, String frame) {
            LengthFieldFraming framing = LengthFieldFraming.builder()
                    .lengthFieldLength(width)
                    .byteOrder(order.equals("BIG_ENDIAN") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN)
                    .build();

            assertThat(encode(framing, "616263")).isEqualTo(frame);
            assertThat(decode(framing, frame)).containsExactly("616263");
        }

        @Test
        void writesLengthsWithHighBits() {
            byte[] payload = new byte[0x8182];
            assertThat(encode(LengthFieldFraming.of(2), ByteBufUtil.hexDump(payload)))
                    .startsWith("818200")
                    .hasSize(2 * (2 + payload.length));
        }

        @Test
        void writesPrefixThatDecodingStrips() {
            LengthFieldFraming framing = LengthFieldFraming.builder()
                    .lengthFieldOffset(2)
                    .lengthFieldLength(2)
                    .headerPrefix((byte) 0xca, (byte) 0xfe)
                    .build();

            assertThat(encode(framing, "616263")).isEqualTo("cafe0003616263");
        }

        @Test
        void writesZerosBeforeFieldWithoutPrefix() {
            LengthFieldFraming framing = LengthFieldFraming.builder()
                    .lengthFieldOffset(3)
                    .lengthFieldLength(1)
                    .build();

            assertThat(encode(framing, "61")).isEqualTo("0000000161");
        }

        @Test
        void writesOnlyThePartOfPrefixThatDecodingStrips() {
            LengthFieldFraming framing = LengthFieldFraming.builder()
                    .lengthFieldOffset(3)
                    .lengthFieldLength(1)
                    .initialBytesToStrip(2)
                    .headerPrefix((byte) 1, (byte) 2, (byte) 3)
                    .build();

            assertThat(encode(framing, "990161"))
                    .as("own third byte, right length")
                    .isEqualTo("0102990161");
            assertThat(decode(framing, "0102990161")).containsExactly("990161");
        }

        @Test
        void writesStrippedPartOfField() {
            LengthFieldFraming framing =
                    LengthFieldFraming.builder().initialBytesToStrip(3).build();

            assertThat(encode(framing, "026162")).isEqualTo("000000026162");
        }

        @Test
        void countsAdjustment() {
            LengthFieldFraming framing = LengthFieldFraming.builder()
                    .lengthFieldLength(2)
                    .lengthAdjustment(-4)
                    .build();

            assertThat(encode(framing, "68656c6c6f2c20776f726c64")).isEqualTo("001068656c6c6f2c20776f726c64");
        }

        @Test
        void doesNotKeepArrayOfPrefix() {
            byte[] prefix = {7};
            LengthFieldFraming framing = LengthFieldFraming.builder()
                    .lengthFieldOffset(1)
                    .lengthFieldLength(1)
                    .headerPrefix(prefix)
                    .build();
            prefix[0] = 8;

            assertThat(encode(framing, "61")).isEqualTo("070161");
        }

        @Test
        void tellsHeaderLengthOnlyWhereHeaderIsStrippedWhole() {
            assertThat(LengthFieldFraming.of(3).headerLength(5)).isEqualTo(3);
            assertThat(LengthFieldFraming.builder()
                            .lengthFieldOffset(2)
                            .initialBytesToStrip(6)
                            .build()
                            .headerLength(0))
                    .isEqualTo(6);
            assertThat(LengthFieldFraming.builder()
                            .initialBytesToStrip(3)
                            .build()
                            .headerLength(5))
                    .isEqualTo(-1);
            assertThat(LengthFieldFraming.builder()
                            .initialBytesToStrip(5)
                            .build()
                            .headerLength(5))
                    .isEqualTo(-1);
        }
    }

    @Nested
    class Refusal {
        @Test
        void isOfPayloadOverTheLimit() {
            assertRefused(
                    LengthFieldFraming.builder().maxPayloadLength(2).build(),
                    "616263",
                    "payload too long: payloadLength=3, maxPayloadLength=2");
        }

        @Test
        void isOfLengthThatFieldCannotSay() {
            assertRefused(
                    LengthFieldFraming.of(1),
                    "61".repeat(256),
                    "length does not fit into its field: lengthField=256, limit=255, lengthFieldLength=1");
            assertThat(encode(LengthFieldFraming.of(1), "61".repeat(255))).startsWith("ff61");
        }

        @Test
        void isOfNegativeField() {
            assertRefused(
                    LengthFieldFraming.builder().lengthAdjustment(2).build(),
                    "61",
                    "length field below zero: lengthField=-1, payloadLength=1, lengthAdjustment=2");
        }

        @Test
        void isOfFieldThatAdjustmentMakesTooLarge() {
            assertRefused(
                    LengthFieldFraming.builder()
                            .lengthFieldLength(1)
                            .lengthAdjustment(-255)
                            .build(),
                    "61",
                    "length does not fit into its field: lengthField=256, limit=255, lengthFieldLength=1");
        }

        @Test
        void isOfMessageWithoutItsHeader() {
            assertRefused(
                    LengthFieldFraming.builder().initialBytesToStrip(0).build(),
                    "000000",
                    "message shorter than the header that it must bring: messageLength=3, limit=4");
        }

        @Test
        void isOfWrongFieldInMessage() {
            assertRefused(
                    LengthFieldFraming.builder().initialBytesToStrip(0).build(),
                    "0000000361",
                    "length field of the message is wrong: headerByte=3, value=3, expected=1, lengthField=1");
        }

        @Test
        void isOfWrongPartOfFieldInMessage() {
            assertRefused(
                    LengthFieldFraming.builder().initialBytesToStrip(2).build(),
                    "800161",
                    "length field of the message is wrong: headerByte=2, value=128, expected=0, lengthField=1");
        }

        @Test
        void isOfEverythingWhereMoreThanHeaderIsStripped() {
            assertRefused(
                    LengthFieldFraming.builder().initialBytesToStrip(5).build(),
                    "616263",
                    "framing strips more than the header and only decodes: initialBytesToStrip=5, limit=4");
        }

        @Test
        void comesFromHeaderAlone() {
            ByteBuf target = Unpooled.buffer(4).writeInt(0x01020304);

            assertThatThrownBy(() -> LengthFieldFraming.of(1).setHeader(256, target, 0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("length does not fit into its field: lengthField=256, limit=255, lengthFieldLength=1");
            assertThat(target.getInt(0)).isEqualTo(0x01020304);
        }

        private static void assertRefused(Framing framing, String payload, String message) {
            ByteBuf target = Unpooled.buffer(3, 3).writeBytes(new byte[] {1, 2});

            assertThatThrownBy(() -> framing.encode(unhex(payload), target))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(message);
            assertThat(target).isEqualTo(Unpooled.wrappedBuffer(new byte[] {1, 2}));
            assertThat(target.writerIndex()).isEqualTo(2);
            assertThat(RoundTrip.verify(framing, ByteBufUtil.decodeHexDump(payload)))
                    .isFalse();
        }
    }

    @Nested
    class Filling {
        @Test
        void writesRightLengthIntoDeliveredField() {
            LengthFieldFraming framing = LengthFieldFraming.builder()
                    .lengthFieldOffset(1)
                    .lengthAdjustment(-4)
                    .initialBytesToStrip(0)
                    .fillLengthField(true)
                    .build();

            assertThat(Wires.encodeFilled(framing, "5100000000616263", "5100000007616263"))
                    .isEqualTo("5100000007616263");
            assertThat(Wires.encodeFilled(framing, "51ffffffff", "5100000004")).isEqualTo("5100000004");
            assertThat(encode(framing, "5100000007616263"))
                    .as("what was delivered stays as it is")
                    .isEqualTo("5100000007616263");
            assertThat(framing.headerLength(3)).isEqualTo(-1);
        }

        @Test
        void writesDeliveredPartOfFieldInItsByteOrder() {
            LengthFieldFraming framing = LengthFieldFraming.builder()
                    .lengthFieldLength(3)
                    .byteOrder(ByteOrder.LITTLE_ENDIAN)
                    .initialBytesToStrip(1)
                    .fillLengthField(true)
                    .build();
            String payload = "61".repeat(0x102);

            assertThat(Wires.encodeFilled(framing, "eeee" + payload, "0100" + payload))
                    .isEqualTo("020100" + payload);
        }

        @Test
        void stillRefusesWhatFramingCannotCarry() {
            LengthFieldFraming framing = LengthFieldFraming.builder()
                    .lengthFieldLength(2)
                    .initialBytesToStrip(0)
                    .maxPayloadLength(3)
                    .fillLengthField(true)
                    .build();

            Wires.assertRefused(
                    framing, "00", "message shorter than the header that it must bring: messageLength=1, limit=2");
            Wires.assertRefused(framing, "000061626364", "payload too long: payloadLength=4, maxPayloadLength=3");
        }

        @Test
        void changesNothingWhereFieldIsStripped() {
            LengthFieldFraming framing =
                    LengthFieldFraming.builder().fillLengthField(true).build();

            assertThat(encode(framing, "616263")).isEqualTo("00000003616263");
            assertThat(framing.headerLength(3)).isEqualTo(4);
        }
    }

    @Nested
    class Decoding {
        @Test
        void tellsNegativePayloadLength() {
            assertFailure(
                    LengthFieldFraming.builder().lengthAdjustment(-4).build(),
                    "00000003",
                    CorruptFrameException.class,
                    "payload length below zero: payloadLength=-1, lengthField=3, lengthAdjustment=-4, streamOffset=0,"
                            + " firstBytes=00000003");
        }

        @Test
        void tellsPayloadOverTheLimitByHeaderAlone() {
            assertFailure(
                    LengthFieldFraming.of(4),
                    "47455420",
                    FrameTooLongException.class,
                    "payload too long: payloadLength=1195725856, maxPayloadLength=1048576, streamOffset=0,"
                            + " firstBytes=47455420");
        }

        @ParameterizedTest
        @CsvSource({
            "8000000000000000, 0",
            "ffffffffffffffff, 0",
            "ffffffffffffffff, 3",
            "ffffffffffffffff, -3",
            "7fffffffffffffff, 1",
            "8000000000000000, -1"
        })
        void takesEightByteFieldBeyondSignedRangeAsTooLong(String field, int adjustment) {
            LengthFieldFraming framing = LengthFieldFraming.builder()
                    .lengthFieldLength(8)
                    .lengthAdjustment(adjustment)
                    .build();

            assertFailure(
                    framing,
                    field,
                    FrameTooLongException.class,
                    "payload too long: payloadLength=2^63 or more, maxPayloadLength=1048576, streamOffset=0, firstBytes="
                            + field);
        }

        @Test
        void tellsStripBeyondFrame() {
            assertFailure(
                    LengthFieldFraming.builder()
                            .lengthFieldLength(1)
                            .initialBytesToStrip(4)
                            .build(),
                    "02",
                    CorruptFrameException.class,
                    "fewer bytes than are stripped: frameLength=3, initialBytesToStrip=4, streamOffset=0, firstBytes=02");
        }

        @Test
        void judgesLimitBeforeStrip() {
            assertFailure(
                    LengthFieldFraming.builder()
                            .lengthFieldLength(1)
                            .initialBytesToStrip(9)
                            .maxPayloadLength(1)
                            .build(),
                    "02",
                    FrameTooLongException.class,
                    "payload too long: payloadLength=2, maxPayloadLength=1, streamOffset=0, firstBytes=02");
        }

        @Test
        void deliversFramesOfDifferentWidthsWithHighBits() {
            byte[] payload = new byte[0x80];
            Arrays.fill(payload, (byte) 0x80);
            String hex = ByteBufUtil.hexDump(payload);

            for (int width = 1; width <= 8; width++) {
                LengthFieldFraming framing = LengthFieldFraming.of(width);
                assertThat(decode(framing, "00".repeat(width - 1) + "80" + hex)).containsExactly(hex);
            }
        }

        private static void assertFailure(Framing framing, String bytes, Class<?> type, String message) {
            try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(framing))) {
                reader.feed(unhex(bytes));
                assertThatThrownBy(reader::read).isInstanceOf(type).hasMessage(message);
            }
        }
    }

    static ByteBuf unhex(String hex) {
        return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
    }

    private static String encode(Framing framing, String payload) {
        ByteBuf target = Unpooled.buffer();
        framing.encode(unhex(payload), target);
        assertThat(RoundTrip.verify(framing, ByteBufUtil.decodeHexDump(payload)))
                .isTrue();
        return ByteBufUtil.hexDump(target);
    }

    private static List<String> decode(Framing framing, String frames) {
        return RoundTrip.decode(framing, unhex(frames)).stream()
                .map(ByteBufUtil::hexDump)
                .collect(Collectors.toList());
    }
}
