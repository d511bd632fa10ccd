package dev.sluice.framing;

import static dev.sluice.framing.StreamCheck.failsAtLastByte;
import static dev.sluice.framing.StreamCheck.failsWith;
import static dev.sluice.framing.StreamCheck.hex;
import static dev.sluice.framing.StreamCheck.outcome;
import static dev.sluice.framing.StreamCheck.refuses;
import static dev.sluice.framing.StreamCheck.verify;
import static dev.sluice.framing.StreamCheck.verifyInFew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testing.End;
import dev.sluice.testing.Outcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CobsFramingTest {
    private static final CobsFraming COBS = CobsFraming.create();
    private static final String FULL = "61".repeat(254);

    @Nested
    class Decoding {
        @Test
        void takesLoneCodeBehindFullGroup() {
            verifyInFew(COBS, hex("ff" + FULL + "01 00"), End.OPEN, outcome("none", hex(FULL)), 1);
            verifyInFew(COBS, hex("ff" + FULL + "00"), End.OPEN, outcome("none", hex(FULL)), 2);
            verifyInFew(COBS, hex("ff" + FULL + "0101 00"), End.OPEN, outcome("none", hex(FULL + "00")), 3);
            verifyInFew(COBS, hex("ff" + FULL + "ff" + FULL + "01 00"), End.OPEN, outcome("none", hex(FULL + FULL)), 4);
            verifyInFew(
                    COBS,
                    hex("fe" + FULL.substring(2) + "01 00"),
                    End.OPEN,
                    outcome("none", hex(FULL.substring(2) + "00")),
                    5);
        }

        @Test
        void findsZeroAtEachPlaceOfGroup() {
            for (int at = 0; at < 30; at++) {
                failsAtLastByte(COBS, hex("0000" + "1f" + "61".repeat(at) + "00"), outcome("CORRUPT"));
                failsAtLastByte(discarding(0), hex("1f" + "61".repeat(at) + "00"), outcome(at == 0 ? 0 : 1, "CORRUPT"));
            }
        }

        @ParameterizedTest
        @CsvSource({
            "'', complete",
            "0000, complete",
            "01, TRUNCATED",
            "05, TRUNCATED",
            "0361, TRUNCATED",
            "026101, TRUNCATED"
        })
        void judgesEndOfInput(String stream, String terminal) {
            verify(COBS, hex(stream), End.COMPLETE, outcome(terminal));
            verify(COBS, hex("0262 00" + stream), End.COMPLETE, outcome(terminal, hex("62")));
        }

        @ParameterizedTest
        @CsvSource({
            "2, 04616263",
            "9, ff61616161616161616161",
            "2, 03616202",
            "2, 02610101",
            "0, 0101",
            "0, ff61",
            "1, 010101",
            "1, 0261 05"
        })
        void failsAtFirstByteBeyondLimit(int maxPayloadLength, String stream) {
            CobsFraming framing =
                    CobsFraming.builder().maxPayloadLength(maxPayloadLength).build();
            failsAtLastByte(framing, hex(stream), outcome("TOO_LONG"));
        }

        @Test
        void countsNothingBehindFullGroup() {
            CobsFraming framing = CobsFraming.builder().maxPayloadLength(254).build();
            verifyInFew(framing, hex("ff" + FULL + "01 00"), End.OPEN, outcome("none", hex(FULL)), 1);
            failsAtLastByte(framing, hex("ff" + FULL + "0101"), outcome("TOO_LONG"));
            failsAtLastByte(framing, hex("ff" + FULL + "0261"), outcome("TOO_LONG"));
        }

        @Test
        void endsWithZeroInsideGroupBeforeLimit() {
            CobsFraming framing = CobsFraming.builder().maxPayloadLength(2).build();
            failsAtLastByte(framing, hex("05616200"), outcome("CORRUPT"));
            failsAtLastByte(framing, hex("05616263"), outcome("TOO_LONG"));
        }

        @Test
        void passesAtExactlyTheLimit() {
            for (int length = 0; length < 30; length++) {
                CobsFraming framing =
                        CobsFraming.builder().maxPayloadLength(length).build();
                byte[] payload = new byte[length];
                for (int i = 0; i < length; i++) {
                    payload[i] = (byte) (i % 5);
                }
                ByteBuf frame = Unpooled.buffer();
                framing.encode(Unpooled.wrappedBuffer(payload), frame);
                verifyInFew(framing, RoundTrip.bytes(frame), End.OPEN, outcome("none", payload), length);
            }
        }

        @Test
        void discardsExactlyOneFrame() {
            byte[] stream = hex("0261 00 0361620a616161616161616161 00 00 0101 00 01 00");
            verify(discarding(3), stream, End.COMPLETE, outcome(1, "complete", hex("61"), hex("00"), hex("")));
            verify(discarding(0), stream, End.COMPLETE, outcome(3, "complete", hex("")));
        }

        @ParameterizedTest
        @ValueSource(strings = {"04616263", "036162 01", "036162 05", "036162 0201"})
        void isTruncatedInsideDiscardedFrame(String stream) {
            verify(discarding(2), hex(stream), End.COMPLETE, outcome(1, "TRUNCATED"));
            verify(discarding(2), hex(stream), End.ERROR, outcome(1, "SOURCE_ERROR"));
            verify(discarding(2), hex(stream), End.OPEN, outcome(1, "none"));
        }

        @Test
        void checksDiscardedFrame() {
            failsAtLastByte(discarding(2), hex("0261 00 03616204616200"), outcome(1, "CORRUPT", hex("61")));
        }

        @Test
        void saysWhatIsWrongAndWhere() {
            failsWith(
                    COBS,
                    hex("00 05616200"),
                    CorruptFrameException.class,
                    "code byte points beyond the frame: bytesBeyond=2, frameOffset=3, streamOffset=1,"
                            + " firstBytes=05616200");
            failsWith(
                    CobsFraming.builder().maxPayloadLength(1).build(),
                    hex("00 036162"),
                    FrameTooLongException.class,
                    "payload too long: payloadLength=2, maxPayloadLength=1, streamOffset=1, firstBytes=036162");
            failsWith(
                    COBS,
                    hex("0361"),
                    TruncatedFrameException.class,
                    "input ended before the zero of a frame: bytesAtHand=2, discarding=false, streamOffset=0,"
                            + " firstBytes=0361");
        }

        /** Random bytes with many zeros and small codes, against the rules written down once more. */
        @ParameterizedTest
        @ValueSource(longs = {71, 72, 73, 74, 75, 76})
        void decodesAsTheRulesSay(long seed) {
            Random random = new Random(seed);
            List<String> terminals = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                byte[] stream = stream(random);
                int limit = random.nextInt(25);
                boolean discards = random.nextBoolean();
                Outcome expected = reference(stream, limit, discards);
                CobsFraming framing = discards
                        ? discarding(limit)
                        : CobsFraming.builder().maxPayloadLength(limit).build();
                try {
                    verifyInFew(framing, stream, End.COMPLETE, expected, random.nextLong());
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("seed=" + seed + ", stream=" + ByteBufUtil.hexDump(stream), e);
                }
                terminals.add(expected.terminal());
            }
            assertThat(terminals).as("seed=" + seed).contains("complete", "TRUNCATED", "CORRUPT", "TOO_LONG");
        }

        private static byte[] stream(Random random) {
            ByteBuf stream = Unpooled.buffer();
            int frames = random.nextInt(5);
            for (int i = 0; i < frames; i++) {
                byte[] payload = new byte[random.nextInt(25)];
                for (int at = 0; at < payload.length; at++) {
                    payload[at] = (byte) Math.max(0, random.nextInt(10) - 3);
                }
                COBS.encode(Unpooled.wrappedBuffer(payload), stream);
            }
            if (random.nextInt(3) == 0 && stream.isReadable()) {
                stream.setByte(random.nextInt(stream.readableBytes()), random.nextInt(8));
            }
            if (random.nextInt(3) == 0) {
                stream.writerIndex(random.nextInt(stream.readableBytes() + 1));
            }
            return RoundTrip.bytes(stream);
        }

        private static Outcome reference(byte[] stream, int limit, boolean discards) {
            List<byte[]> frames = new ArrayList<>();
            long discarded = 0;
            int at = 0;
            while (at < stream.length) {
                if (stream[at] == 0) {
                    at++;
                    continue;
                }
                ByteArrayOutputStream payload = new ByteArrayOutputStream();
                boolean zeroDue = false;
                int left = 0;
                while (at < stream.length && (left > 0 || stream[at] != 0)) {
                    int value = stream[at++] & 0xff;
                    int before = payload.size();
                    if (left > 0) {
                        if (value == 0) {
                            return outcome(discarded, "CORRUPT", frames.toArray(byte[][]::new));
                        }
                        payload.write(value);
                        left--;
                    } else {
                        if (zeroDue) {
                            payload.write(0);
                        }
                        left = value - 1;
                        zeroDue = value < 255;
                    }
                    if (before == limit && payload.size() > limit) {
                        if (!discards) {
                            return outcome("TOO_LONG", frames.toArray(byte[][]::new));
                        }
                        discarded++;
                    }
                }
                if (at == stream.length) {
                    return outcome(discarded, "TRUNCATED", frames.toArray(byte[][]::new));
                }
                if (payload.size() <= limit) {
                    frames.add(payload.toByteArray());
                }
            }
            return outcome(discarded, "complete", frames.toArray(byte[][]::new));
        }
    }

    @Nested
    class Encoding {
        @ParameterizedTest
        @CsvSource({
            "'', 0100",
            "00, 010100",
            "0000, 01010100",
            "61, 026100",
            "6100, 02610100",
            "0061, 01026100",
            "11220033, 031122023300",
            "11000000, 0211010101 00"
        })
        void writesStuffedPayloadAndZero(String payload, String frame) {
            assertThat(encode(payload)).isEqualTo(frame.replace(" ", ""));
        }

        @Test
        void writesNoGroupBehindFullOneThatEndsThePayload() {
            assertThat(encode(FULL)).isEqualTo("ff" + FULL + "00");
            assertThat(encode(FULL + "62")).isEqualTo("ff" + FULL + "026200");
            assertThat(encode(FULL + "00")).isEqualTo("ff" + FULL + "010100");
            assertThat(encode(FULL + FULL)).isEqualTo("ff" + FULL + "ff" + FULL + "00");
            assertThat(encode("00" + FULL)).isEqualTo("01ff" + FULL + "00");
            assertThat(encode(FULL.substring(2) + "00")).isEqualTo("fe" + FULL.substring(2) + "0100");
        }

        @Test
        void takesPayloadsUpToTheLimit() {
            Random random = new Random(81);
            CobsFraming framing = CobsFraming.builder().maxPayloadLength(600).build();
            for (int length = 0; length < 700; length += 1 + length / 20) {
                byte[] payload = new byte[length];
                random.nextBytes(payload);
                assertThat(RoundTrip.verify(framing, payload)).isEqualTo(length <= 600);
            }
        }

        @Test
        void refusesLongPayload() {
            refuses(
                    CobsFraming.builder().maxPayloadLength(1).build(),
                    hex("6162"),
                    "payload too long: payloadLength=2, maxPayloadLength=1");
        }

        private static String encode(String payload) {
            ByteBuf target = Unpooled.buffer(0);
            COBS.encode(Unpooled.wrappedBuffer(hex(payload)), target);
            assertThat(RoundTrip.verify(COBS, hex(payload))).isTrue();
            return ByteBufUtil.hexDump(target);
        }
    }

    @Test
    void hasDefaultsAndRefusesSettingsOutOfRange() {
        assertThat(COBS.toString()).isEqualTo("CobsFraming{maxPayloadLength=1048576, oversize=FAIL}");
        assertThat(COBS.maxPayloadLength()).isEqualTo(1048576);
        assertThatThrownBy(() -> CobsFraming.builder().maxPayloadLength(-1).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxPayloadLength below zero: maxPayloadLength=-1, limit=0");
        assertThatThrownBy(() -> CobsFraming.builder().oversize(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("oversize");
    }

    private static CobsFraming discarding(int maxPayloadLength) {
        return CobsFraming.builder()
                .maxPayloadLength(maxPayloadLength)
                .oversize(Oversize.DISCARD)
                .build();
    }
}
