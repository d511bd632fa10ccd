package dev.sluice.framing.test;

import dev.sluice.framing.Framing;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.Oversize;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The framings that random tests try, each with random options and random payloads; a new one adds an entry to {@link
 * #ALL}.
 *
 * @param name for messages, and to choose it
 * @param options makes one with random options
 * @param payloads makes a payload that it may carry
 */
record RandomFraming(String name, Function<Random, Sample> options, BiFunction<Framing, Random, byte[]> payloads) {

    static final List<RandomFraming> ALL =
            List.of(new RandomFraming("lengthField", RandomFraming::lengthField, RandomFraming::anyBytes));

    /**
     * A framing.
     *
     * @param naive the frame as it would be, checked for nothing; {@code null} if there is none: an encoder that may take
     *     exactly what decodes from this is an oracle for the one that is tested
     */
    record Sample(Framing framing, Function<byte[], byte[]> naive) {
        @Override
        public String toString() {
            return framing.toString();
        }
    }

    static Stream<RandomFraming> all() {
        return ALL.stream();
    }

    @Override
    public String toString() {
        return name;
    }

    // ---- options

    private static Sample lengthField(Random random) {
        int offset = random.nextInt(4);
        int fieldLength = 1 + random.nextInt(8);
        int header = offset + fieldLength;
        int adjustment = random.nextBoolean() ? 0 : random.nextInt(25) - 12;
        boolean littleEndian = random.nextBoolean();
        int strip = random.nextInt(3) == 0 ? random.nextInt(header + 3) : header;
        byte[] prefix = new byte[random.nextBoolean() ? 0 : offset];
        random.nextBytes(prefix);
        Framing framing = LengthFieldFraming.builder()
                .lengthFieldOffset(offset)
                .lengthFieldLength(fieldLength)
                .lengthAdjustment(adjustment)
                .byteOrder(littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN)
                .initialBytesToStrip(strip)
                .headerPrefix(prefix)
                .maxPayloadLength(limit(random))
                .oversize(oversize(random))
                .build();
        return new Sample(framing, message -> {
            int payloadLength = message.length - (header - strip);
            if (strip > header || payloadLength < 0) {
                return null;
            }
            byte[] frame = new byte[header + payloadLength];
            System.arraycopy(prefix, 0, frame, 0, prefix.length);
            for (int i = 0; i < fieldLength; i++) {
                int shift = 8 * (littleEndian ? i : fieldLength - 1 - i);
                frame[offset + i] = (byte) ((long) payloadLength - adjustment >> shift);
            }
            System.arraycopy(message, 0, frame, strip, message.length);
            return frame;
        });
    }

    private static int limit(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(4);
            case 1 -> random.nextInt(40);
            case 2 -> 1 << 20;
            default -> Integer.MAX_VALUE;
        };
    }

    private static Oversize oversize(Random random) {
        return random.nextBoolean() ? Oversize.FAIL : Oversize.DISCARD;
    }

    // ---- payloads

    private static byte[] anyBytes(Framing framing, Random random) {
        byte[] payload = new byte[random.nextInt(random.nextInt(8) == 0 ? 300 : 12)];
        random.nextBytes(payload);
        return payload;
    }
}
