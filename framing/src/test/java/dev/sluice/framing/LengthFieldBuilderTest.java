package dev.sluice.framing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LengthFieldBuilderTest {

    @Test
    void hasDefaults() {
        LengthFieldFraming framing = LengthFieldFraming.builder().build();

        assertThat(framing)
                .hasToString("LengthFieldFraming{lengthFieldOffset=0, lengthFieldLength=4, lengthAdjustment=0,"
                        + " byteOrder=BIG_ENDIAN, initialBytesToStrip=4, maxPayloadLength=1048576, oversize=FAIL,"
                        + " fillLengthField=false}");
        assertThat(framing.maxPayloadLength()).isEqualTo(1024 * 1024);
    }

    @Test
    void stripsHeaderUnlessToldOtherwise() {
        assertThat(LengthFieldFraming.builder()
                        .lengthFieldOffset(3)
                        .lengthFieldLength(2)
                        .build()
                        .toString())
                .contains("initialBytesToStrip=5");
        assertThat(LengthFieldFraming.builder()
                        .lengthFieldOffset(3)
                        .initialBytesToStrip(0)
                        .build()
                        .toString())
                .contains("initialBytesToStrip=0");
    }

    @Test
    void builtFramingStaysWhenBuilderGoesOn() {
        LengthFieldFraming.Builder builder = LengthFieldFraming.builder().lengthFieldLength(2);
        LengthFieldFraming two = builder.build();
        builder.lengthFieldLength(3).maxPayloadLength(1).build();

        assertThat(two.toString()).contains("lengthFieldLength=2").contains("maxPayloadLength=1048576");
    }

    @Test
    void refusesSettingsOutOfRange() {
        assertRefused(b -> b.lengthFieldOffset(-1), "lengthFieldOffset below zero: lengthFieldOffset=-1, limit=0");
        assertRefused(b -> b.lengthFieldLength(0), "length field too short: lengthFieldLength=0, limit=1");
        assertRefused(b -> b.lengthFieldLength(9), "length field too long: lengthFieldLength=9, limit=8");
        assertRefused(
                b -> b.initialBytesToStrip(-1), "initialBytesToStrip below zero: initialBytesToStrip=-1, limit=0");
        assertRefused(b -> b.maxPayloadLength(-1), "maxPayloadLength below zero: maxPayloadLength=-1, limit=0");
        assertRefused(
                b -> b.lengthFieldOffset(Integer.MAX_VALUE - 3),
                "header too long: lengthFieldOffset=2147483644, limit=2147483643");
        assertRefused(
                b -> b.headerPrefix((byte) 1),
                "headerPrefix is not what stands before the field: headerPrefix.length=1, limit=0");
        assertRefused(
                b -> b.lengthFieldOffset(2).headerPrefix((byte) 1),
                "headerPrefix is not what stands before the field: headerPrefix.length=1, limit=2");
    }

    @Test
    void refusesNull() {
        assertThatThrownBy(() -> LengthFieldFraming.builder().byteOrder(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("byteOrder");
        assertThatThrownBy(() -> LengthFieldFraming.builder().oversize(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("oversize");
    }

    /** Nothing of the header's length may be reserved before its bytes come. */
    @Test
    void buildsLongestHeader() {
        assertThat(LengthFieldFraming.builder()
                        .lengthFieldOffset(Integer.MAX_VALUE - 4)
                        .build()
                        .headerLength(0))
                .isEqualTo(Integer.MAX_VALUE);
    }

    /** Random settings and random messages: the law of both directions, by brute force. */
    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void decodesExactlyWhatItEncodesWithRandomSettings(long seed) {
        Random random = new Random(seed);
        int taken = 0;
        for (int i = 0; i < 300; i++) {
            LengthFieldFraming framing = randomFraming(random);
            for (int j = 0; j < 5; j++) {
                byte[] message = randomMessage(random);
                try {
                    taken += RoundTrip.verify(framing, message) ? 1 : 0;
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError(
                            "seed=" + seed + ", " + framing + ", message=" + ByteBufUtil.hexDump(message), e);
                }
            }
        }
        assertThat(taken).as("messages that were taken, seed=" + seed).isBetween(100, 1400);
    }

    /** Messages that are right for settings that deliver the header: made by decoding, so every one is to be taken. */
    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23, 24, 25})
    void takesWhatItHasDelivered(long seed) {
        Random random = new Random(seed);
        int delivered = 0;
        while (delivered < 200) {
            LengthFieldFraming framing = randomFraming(random);
            byte[] stream = new byte[40];
            random.nextBytes(stream);
            for (int i = 0; i < 8; i++) { // so that many lengths are small
                stream[i] = (byte) (random.nextInt(4) == 0 ? random.nextInt(20) : 0);
            }
            try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(framing))) {
                reader.feed(Unpooled.wrappedBuffer(stream));
                byte[] message = reader.read();
                if (message != null && !decodesOnly(framing)) {
                    assertThat(RoundTrip.verify(framing, message))
                            .as("seed=" + seed + ", " + framing + ", message=" + ByteBufUtil.hexDump(message))
                            .isTrue();
                    delivered++;
                }
            } catch (FramingException e) {
                assertThat(e.streamOffset()).as("a stream that is no frame").isNotNegative();
            }
        }
    }

    private static boolean decodesOnly(LengthFieldFraming framing) {
        try {
            framing.encode(Unpooled.EMPTY_BUFFER, Unpooled.buffer());
            return false;
        } catch (IllegalArgumentException e) {
            return e.getMessage().contains("only decodes");
        }
    }

    private static LengthFieldFraming randomFraming(Random random) {
        int offset = random.nextInt(3) == 0 ? random.nextInt(5) : 0;
        int length = 1 + random.nextInt(8);
        LengthFieldFraming.Builder builder = LengthFieldFraming.builder()
                .lengthFieldOffset(offset)
                .lengthFieldLength(length)
                .byteOrder(random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN)
                .oversize(random.nextBoolean() ? Oversize.FAIL : Oversize.DISCARD);
        if (random.nextInt(3) == 0) {
            builder.lengthAdjustment(random.nextInt(21) - 10);
        }
        if (random.nextInt(2) == 0) {
            builder.initialBytesToStrip(random.nextInt(offset + length + 2));
        }
        if (random.nextInt(4) == 0) {
            builder.maxPayloadLength(random.nextInt(30));
        }
        if (random.nextInt(2) == 0) {
            byte[] prefix = new byte[offset];
            random.nextBytes(prefix);
            builder.headerPrefix(prefix);
        }
        return builder.build();
    }

    private static byte[] randomMessage(Random random) {
        byte[] message = new byte[random.nextInt(20) == 0 ? 250 + random.nextInt(10) : random.nextInt(30)];
        if (random.nextInt(3) == 0) {
            random.nextBytes(message); // otherwise zeros, which are right length bytes more often
        }
        if (message.length > 0 && random.nextInt(3) == 0) {
            message[random.nextInt(Math.min(8, message.length))] = (byte) (message.length - random.nextInt(10));
        }
        return message;
    }

    private static void assertRefused(UnaryOperator<LengthFieldFraming.Builder> settings, String message) {
        LengthFieldFraming.Builder builder = settings.apply(LengthFieldFraming.builder());
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
