package dev.sluice.framing.test;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.framing.AsciiLengthFraming;
import dev.sluice.framing.CobsFraming;
import dev.sluice.framing.DelimiterFraming;
import dev.sluice.framing.FixedLengthFraming;
import dev.sluice.framing.Framing;
import dev.sluice.framing.JsonFraming;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.LineFraming;
import dev.sluice.framing.OpenLast;
import dev.sluice.framing.Oversize;
import dev.sluice.framing.SlipFraming;
import dev.sluice.framing.VarintFraming;
import java.io.ByteArrayOutputStream;
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

    static final List<RandomFraming> ALL = List.of(
            new RandomFraming("lengthField", RandomFraming::lengthField),
            new RandomFraming("varint", RandomFraming::varint),
            new RandomFraming("delimiter", RandomFraming::delimiter),
            new RandomFraming("line", RandomFraming::line),
            new RandomFraming("fixed", RandomFraming::fixed),
            new RandomFraming("asciiLength", RandomFraming::asciiLength),
            new RandomFraming("json", RandomFraming::json),
            new RandomFraming("slip", RandomFraming::slip),
            new RandomFraming("cobs", RandomFraming::cobs));

    /**
     * A framing with its options.
     *
     * @param naive the frame as it would be, checked for nothing; {@code null} if there is none: what decodes from this
     *     is what an encoder must take
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

    private static Sample varint(Random random) {
        int offset = random.nextInt(4);
        boolean delivered = random.nextInt(4) == 0;
        int strip = random.nextInt(offset + 1);
        byte[] prefix = random.nextBoolean() ? new byte[offset] : anyBytes(random, offset);
        VarintFraming.Builder builder = VarintFraming.builder()
                .lengthFieldOffset(offset)
                .maxLengthBytes(1 + random.nextInt(5))
                .headerPrefix(prefix)
                .maxPayloadLength(limit(random))
                .oversize(oversize(random));
        if (!delivered) {
            return new Sample(
                    builder.build(), payload -> join(prefix, groups(payload.length), payload), RandomFraming::anyBytes);
        }
        return new Sample(
                builder.initialBytesToStrip(strip).build(), // what is delivered has its own varint, and may be longer
                message -> join(Arrays.copyOf(prefix, strip), message),
                source -> {
                    byte[] payload = anyBytes(source);
                    return join(anyBytes(source, offset - strip), groups(payload.length), payload);
                });
    }

    private static byte[] groups(int value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int rest = value;
        for (; rest > 0x7f; rest >>>= 7) {
            out.write(0x80 | rest);
        }
        out.write(rest);
        return out.toByteArray();
    }

    private static Sample fixed(Random random) {
        int length = 1 + random.nextInt(20);
        return new Sample(FixedLengthFraming.of(length), payload -> payload, source -> anyBytes(source, length));
    }

    private static Sample asciiLength(Random random) {
        int base = random.nextBoolean() ? 10 : 16;
        byte terminator = "\n :,\u0080".getBytes(ISO_8859_1)[random.nextInt(5)];
        byte[] trailer = anyBytes(random, random.nextInt(3));
        Framing framing = AsciiLengthFraming.builder()
                .base(base)
                .terminator(terminator & 0xff)
                .trailer(trailer)
                .maxPayloadLength(limit(random))
                .oversize(oversize(random))
                .build();
        return new Sample(
                framing,
                payload -> join(
                        Integer.toString(payload.length, base).getBytes(US_ASCII),
                        new byte[] {terminator},
                        payload,
                        trailer),
                RandomFraming::anyBytes);
    }

    // ---- by an end

    private static Sample line(Random random) {
        boolean strict = random.nextBoolean();
        boolean crLf = random.nextBoolean();
        Framing framing = LineFraming.builder()
                .strict(strict)
                .crLf(crLf)
                .skipEmpty(random.nextBoolean())
                .maxPayloadLength(limit(random))
                .oversize(oversize(random))
                .openLast(openLast(random))
                .build();
        byte[] end = (strict || crLf ? "\r\n" : "\n").getBytes(US_ASCII);
        return new Sample(framing, payload -> join(payload, end), RandomFraming::anyBytes);
    }

    private static Sample delimiter(Random random) {
        boolean strip = random.nextInt(3) > 0;
        byte[][] delimiters = new byte[1 + random.nextInt(3)][];
        for (int i = 0; i < delimiters.length; i++) {
            delimiters[i] = "\r\n\0a"
                    .repeat(2)
                    .substring(random.nextInt(4))
                    .substring(0, 1 + random.nextInt(3))
                    .getBytes(US_ASCII);
        }
        Framing framing;
        try {
            framing = DelimiterFraming.builder()
                    .delimiters(delimiters)
                    .stripDelimiter(strip)
                    .maxPayloadLength(limit(random))
                    .oversize(oversize(random))
                    .openLast(openLast(random))
                    .build();
        } catch (IllegalArgumentException e) {
            return delimiter(random); // one stands inside another
        }
        return new Sample(
                framing,
                message -> strip ? join(message, delimiters[0]) : message,
                source -> strip
                        ? anyBytes(source)
                        : join(anyBytes(source), delimiters[source.nextInt(delimiters.length)]));
    }

    private static Sample slip(Random random) {
        Framing framing = SlipFraming.builder()
                .maxPayloadLength(limit(random))
                .oversize(oversize(random))
                .build();
        return new Sample(
                framing,
                payload -> {
                    ByteArrayOutputStream out = new ByteArrayOutputStream();
                    for (byte value : payload) {
                        switch (value) {
                            case (byte) 0xc0 -> out.writeBytes(new byte[] {(byte) 0xdb, (byte) 0xdc});
                            case (byte) 0xdb -> out.writeBytes(new byte[] {(byte) 0xdb, (byte) 0xdd});
                            default -> out.write(value);
                        }
                    }
                    out.write(0xc0);
                    return out.toByteArray();
                },
                RandomFraming::anyBytes);
    }

    private static Sample cobs(Random random) {
        Framing framing = CobsFraming.builder()
                .maxPayloadLength(limit(random))
                .oversize(oversize(random))
                .build();
        return new Sample(framing, RandomFraming::stuffed, RandomFraming::anyBytes);
    }

    private static byte[] stuffed(byte[] payload) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int begin = 0;
        boolean groupIsDue = true;
        while (groupIsDue) {
            int end = begin;
            while (end < payload.length && payload[end] != 0 && end - begin < 254) {
                end++;
            }
            out.write(end - begin + 1);
            out.write(payload, begin, end - begin);
            boolean zero = end < payload.length && payload[end] == 0 && end - begin < 254;
            begin = zero ? end + 1 : end;
            groupIsDue = zero || begin < payload.length;
        }
        out.write(0);
        return out.toByteArray();
    }

    // ---- by structure

    private static Sample json(Random random) {
        boolean elements = random.nextInt(4) == 0;
        Framing framing = JsonFraming.builder()
                .arrayElements(elements)
                .maxPayloadLength(limit(random))
                .maxDepth(1 + random.nextInt(5))
                .build();
        return new Sample(framing, payload -> elements ? null : payload, source -> {
            StringBuilder text = new StringBuilder();
            value(text, source, 1 + source.nextInt(4));
            return text.toString().getBytes(UTF_8);
        });
    }

    private static void value(StringBuilder text, Random random, int depth) {
        boolean object = random.nextBoolean();
        text.append(object ? '{' : '[');
        for (int i = random.nextInt(4); i > 0; i--) {
            text.append(object ? "\"k\\\"}\": " : "");
            switch (random.nextInt(depth > 1 ? 5 : 3)) {
                case 0 -> text.append(random.nextInt(1000) - 500);
                case 1 -> text.append("\"ä]\\\\\"");
                case 2 -> text.append("null");
                default -> value(text, random, depth - 1);
            }
            text.append(i > 1 ? "," : "");
        }
        text.append(object ? '}' : ']');
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

    private static OpenLast openLast(Random random) {
        return random.nextBoolean() ? OpenLast.FAIL : OpenLast.EMIT;
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
