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
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlipFramingTest {
    private static final SlipFraming SLIP = SlipFraming.create();

    @Nested
    class Decoding {
        @Test
        void unescapesEachByteAtEachPlaceOfWords() {
            for (int before = 0; before < 18; before++) {
                String plain = "61".repeat(before);
                byte[] payload = hex(plain + "c0dbdc dd62");
                byte[] frame = hex(plain + "dbdc dbdd dcdd62 c0");
                verifyInFew(SLIP, frame, End.OPEN, outcome("none", payload), before);
            }
        }

        @Test
        void deliversEveryByteValue() {
            for (int value = 0; value < 256; value++) {
                byte[] payload = {(byte) value, 'x', (byte) value};
                ByteBuf frame = Unpooled.buffer();
                SLIP.encode(Unpooled.wrappedBuffer(payload), frame);
                verifyInFew(SLIP, RoundTrip.bytes(frame), End.OPEN, outcome("none", payload), value);
            }
        }

        @Test
        void refusesEveryOtherByteBehindEsc() {
            for (int value = 0; value < 256; value++) {
                if (value != SlipFraming.ESCAPED_END && value != SlipFraming.ESCAPED_ESC) {
                    failsAtLastByte(SLIP, new byte[] {'a', (byte) 0xdb, (byte) value}, outcome("CORRUPT"));
                    failsAtLastByte(discarding(0), new byte[] {'a', (byte) 0xdb, (byte) value}, outcome(1, "CORRUPT"));
                }
            }
        }

        @ParameterizedTest
        @CsvSource({"'', complete", "c0c0c0, complete", "61, TRUNCATED", "db, TRUNCATED", "c0dbdc, TRUNCATED"})
        void judgesEndOfInput(String stream, String terminal) {
            verify(SLIP, hex(stream), End.COMPLETE, outcome(terminal));
            verify(SLIP, hex("62c0" + stream), End.COMPLETE, outcome(terminal, hex("62")));
        }

        @ParameterizedTest
        @CsvSource({
            "3, 61626364",
            "3, 616263dbdc",
            "3, dbdcdbdddbdcdbdd",
            "8, 616161616161616161",
            "16, 6161616161616161616161616161616161",
            "1, dbdc61",
            "0, 61",
            "0, dbdd",
            "0, c0c061"
        })
        void failsAtFirstByteBeyondLimit(int maxPayloadLength, String stream) {
            SlipFraming framing =
                    SlipFraming.builder().maxPayloadLength(maxPayloadLength).build();
            failsAtLastByte(framing, hex(stream), outcome("TOO_LONG"));
        }

        @Test
        void prefersCorruptAtTheByteThatWouldBeBeyond() {
            SlipFraming framing = SlipFraming.builder().maxPayloadLength(1).build();
            failsAtLastByte(framing, hex("61db61"), outcome("CORRUPT"));
            failsAtLastByte(framing, hex("61dbdc"), outcome("TOO_LONG"));
        }

        @Test
        void passesAtExactlyTheLimit() {
            for (int length = 1; length < 30; length++) {
                SlipFraming framing =
                        SlipFraming.builder().maxPayloadLength(length).build();
                String rest = "61".repeat(length - 1);
                byte[] stream = hex("dbdc" + rest + "c0" + rest + "dbddc0");
                Outcome expected = outcome("none", hex("c0" + rest), hex(rest + "db"));
                verifyInFew(framing, stream, End.OPEN, expected, length);
            }
        }

        @Test
        void discardsExactlyOneFrame() {
            byte[] stream = hex("61c0 6162636465666768696a6b6c6d6e6fdbdcdbdd c0 c0 62dbdcc0");
            verify(discarding(3), stream, End.COMPLETE, outcome(1, "complete", hex("61"), hex("62c0")));
            verify(discarding(0), stream, End.COMPLETE, outcome(3, "complete"));
        }

        @Test
        void discardsFrameThatIsOneByteTooLong() {
            byte[] stream = hex("616263c0 6162dbdcc0 6162c0");
            verify(discarding(2), stream, End.OPEN, outcome(2, "none", hex("6162")));
        }

        @ParameterizedTest
        @ValueSource(strings = {"616263", "616263db", "616263646566676869", "6162dbdc"})
        void isTruncatedInsideDiscardedFrame(String stream) {
            verify(discarding(2), hex(stream), End.COMPLETE, outcome(1, "TRUNCATED"));
            verify(discarding(2), hex(stream), End.ERROR, outcome(1, "SOURCE_ERROR"));
            verify(discarding(2), hex(stream), End.OPEN, outcome(1, "none"));
        }

        @Test
        void checksDiscardedFrame() {
            failsAtLastByte(discarding(2), hex("61c0 6162636465 db61"), outcome(1, "CORRUPT", hex("61")));
        }

        @Test
        void saysWhatIsWrongAndWhere() {
            failsWith(
                    SLIP,
                    hex("c061c06162dbc0"),
                    CorruptFrameException.class,
                    "no byte to escape: byteBehindEsc=0xc0, frameOffset=3, streamOffset=3, firstBytes=6162dbc0");
            failsWith(
                    SlipFraming.builder().maxPayloadLength(1).build(),
                    hex("c06162"),
                    FrameTooLongException.class,
                    "payload too long: payloadLength=2, maxPayloadLength=1, streamOffset=1, firstBytes=6162");
            failsWith(
                    SLIP,
                    hex("6162"),
                    TruncatedFrameException.class,
                    "input ended before the END of a frame: bytesAtHand=2, discarding=false, streamOffset=0,"
                            + " firstBytes=6162");
        }

        /** Random frames with many escapes, against the rules written down once more. */
        @ParameterizedTest
        @ValueSource(longs = {51, 52, 53, 54, 55, 56})
        void decodesAsTheRulesSay(long seed) {
            Random random = new Random(seed);
            int[] values = {0xc0, 0xdb, 0xdb, 0xdc, 0xdd, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67};
            List<String> terminals = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                byte[] stream = new byte[random.nextInt(60)];
                boolean right = random.nextInt(3) > 0;
                for (int at = 0; at < stream.length; at++) {
                    boolean behindEsc = right && at > 0 && stream[at - 1] == (byte) 0xdb;
                    stream[at] = (byte) (behindEsc ? 0xdc + random.nextInt(2) : values[random.nextInt(values.length)]);
                }
                int limit = random.nextInt(20);
                boolean discards = random.nextBoolean();
                Outcome expected = reference(stream, limit, discards);
                SlipFraming framing = discards
                        ? discarding(limit)
                        : SlipFraming.builder().maxPayloadLength(limit).build();
                try {
                    verifyInFew(framing, stream, End.COMPLETE, expected, random.nextLong());
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("seed=" + seed + ", stream=" + ByteBufUtil.hexDump(stream), e);
                }
                terminals.add(expected.terminal());
            }
            assertThat(terminals).as("seed=" + seed).contains("complete", "TRUNCATED", "CORRUPT", "TOO_LONG");
        }

        private static Outcome reference(byte[] stream, int limit, boolean discards) {
            List<byte[]> frames = new ArrayList<>();
            ByteArrayOutputStream payload = new ByteArrayOutputStream();
            long discarded = 0;
            boolean begun = false;
            for (int at = 0; at < stream.length; at++) {
                int value = stream[at] & 0xff;
                if (value == 0xc0) {
                    if (begun && payload.size() <= limit) {
                        frames.add(payload.toByteArray());
                    }
                    payload.reset();
                    begun = false;
                    continue;
                }
                begun = true;
                if (value == 0xdb) {
                    at++;
                    if (at == stream.length) {
                        break;
                    }
                    if ((stream[at] & 0xfe) != 0xdc) {
                        return outcome(discarded, "CORRUPT", frames.toArray(byte[][]::new));
                    }
                    value = stream[at] == (byte) 0xdc ? 0xc0 : 0xdb;
                }
                payload.write(value);
                if (payload.size() == limit + 1) {
                    if (!discards) {
                        return outcome("TOO_LONG", frames.toArray(byte[][]::new));
                    }
                    discarded++;
                }
            }
            return outcome(discarded, begun ? "TRUNCATED" : "complete", frames.toArray(byte[][]::new));
        }
    }

    @Nested
    class Encoding {
        @ParameterizedTest
        @CsvSource({
            "61, 61c0",
            "c0, dbdcc0",
            "db, dbddc0",
            "61c062db63, 61dbdc62dbdd63c0",
            "dcdd, dcddc0",
            "61626364656667, 61626364656667c0",
            "6162636465666768, 6162636465666768c0",
            "61626364656667c0, 61626364656667dbdcc0",
            "6162636465666768dbc0, 6162636465666768dbdddbdcc0"
        })
        void writesEscapedPayloadAndEnd(String payload, String frame) {
            ByteBuf target = Unpooled.buffer(0);
            SLIP.encode(Unpooled.wrappedBuffer(hex(payload)), target);

            assertThat(ByteBufUtil.hexDump(target)).isEqualTo(frame);
            assertThat(RoundTrip.verify(SLIP, hex(payload))).isTrue();
        }

        @Test
        void takesRandomPayloadsUpToTheLimit() {
            Random random = new Random(61);
            SlipFraming framing = SlipFraming.builder().maxPayloadLength(40).build();
            for (int length = 0; length < 50; length++) {
                byte[] payload = new byte[length];
                random.nextBytes(payload);
                Arrays.fill(payload, length / 3, length / 2, (byte) (random.nextBoolean() ? 0xc0 : 0xdb));
                assertThat(RoundTrip.verify(framing, payload)).isEqualTo(length > 0 && length <= 40);
            }
        }

        @Test
        void refusesEmptyAndLongPayload() {
            refuses(SLIP, hex(""), "payload empty: payloadLength=0, limit=1");
            refuses(
                    SlipFraming.builder().maxPayloadLength(1).build(),
                    hex("6162"),
                    "payload too long: payloadLength=2, maxPayloadLength=1");
        }
    }

    @Test
    void hasDefaultsAndRefusesSettingsOutOfRange() {
        assertThat(SLIP.toString()).isEqualTo("SlipFraming{maxPayloadLength=1048576, oversize=FAIL}");
        assertThat(SLIP.maxPayloadLength()).isEqualTo(1048576);
        assertThatThrownBy(() -> SlipFraming.builder().maxPayloadLength(-1).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxPayloadLength below zero: maxPayloadLength=-1, limit=0");
        assertThatThrownBy(() -> SlipFraming.builder().oversize(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("oversize");
    }

    private static SlipFraming discarding(int maxPayloadLength) {
        return SlipFraming.builder()
                .maxPayloadLength(maxPayloadLength)
                .oversize(Oversize.DISCARD)
                .build();
    }
}
