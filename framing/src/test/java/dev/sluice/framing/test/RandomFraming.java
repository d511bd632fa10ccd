package dev.sluice.framing.test;

import dev.sluice.framing.Framing;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.Oversize;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The framings that random tests try; a new one adds an entry to {@link #ALL}.
 *
 * @param name for messages
 * @param options makes one with random options
 */
record RandomFraming(String name, Function<Random, Sample> options) {

    static final List<RandomFraming> ALL = List.of(new RandomFraming("lengthField", RandomFraming::lengthField));

    /**
     * A framing with its options.
     *
     * @param naive the frame as it would be, checked for nothing; {@code null} if there is none: what decodes from
     *     this is what an encoder must take
     * @param payloads makes a payload that it may carry
     */
    record Sample(Framing framing, Function<byte[], byte[]> naive, Function<Random, byte[]> payloads) {
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

    // ---- by a length

    private static Sample lengthField(Random random) {
        int offset = random.nextInt(4);
        int fieldLength = 1 + random.nextInt(8);
        int header = offset + fieldLength;
        int adjustment = random.nextBoolean() ? 0 : random.nextInt(25) - 12;
        boolean littleEndian = random.nextBoolean();
        int strip = random.nextInt(3) == 0 ? random.nextInt(header + 3) : header;
        byte[] prefix = random.nextBoolean() ? new byte[0] : anyBytes(random, offset);
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
        Function<Integer, byte[]> headers = payloadLength -> {
            byte[] bytes = Arrays.copyOf(prefix, header);
            for (int i = 0; i < fieldLength; i++) {
                int shift = 8 * (littleEndian ? i : fieldLength - 1 - i);
                bytes[offset + i] = (byte) (((long) payloadLength - adjustment) >> shift);
            }
            return bytes;
        };
        return withDeliveredHeader(framing, header, strip, headers);
    }

    /** The message begins behind {@code strip} bytes of the header. */
    private static Sample withDeliveredHeader(
            Framing framing, int header, int strip, Function<Integer, byte[]> headers) {
        return new Sample(
                framing,
                message -> {
                    int payloadLength = message.length - (header - strip);
                    return strip > header || payloadLength < 0
                            ? null
                            : join(Arrays.copyOf(headers.apply(payloadLength), strip), message);
                },
                random -> {
                    byte[] payload = anyBytes(random);
                    byte[] frame = join(headers.apply(payload.length), payload);
                    return Arrays.copyOfRange(frame, Math.min(strip, frame.length), frame.length);
                });
    }

    // ---- options and payloads

    private static int limit(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> random.nextInt(4);
            case 1 -> random.nextInt(40);
            case 2 -> Integer.MAX_VALUE;
            default -> 1 << 20;
        };
    }

    private static Oversize oversize(Random random) {
        return random.nextBoolean() ? Oversize.FAIL : Oversize.DISCARD;
    }

    private static byte[] anyBytes(Random random) {
        int bound = random.nextInt(16);
        return anyBytes(random, random.nextInt(bound == 0 ? 600 : bound == 1 ? 150 : 12));
    }

    private static byte[] anyBytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] join(byte[]... parts) {
        return Cut.join(List.of(parts));
    }
}
