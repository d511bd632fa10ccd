package dev.sluice.framing;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.Chunking;
import dev.sluice.testing.Delivery;
import dev.sluice.testing.End;
import dev.sluice.testing.Outcome;
import dev.sluice.testing.ReaderRun;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random settings and random streams, against the rules written down once more in their plainest form: over all bytes at
 * once, and for each beginning of the stream, so that what is told too late or too early shows.
 */
class LengthFramingsRandomTest {
    private static final int ROUNDS = 50;

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void varintFollowsItsRules(long seed) {
        Random random = new Random(seed);
        long frames = 0;
        for (int i = 0; i < ROUNDS; i++) {
            VarintRules rules = VarintRules.random(random);
            byte[] stream = rules.randomStream(random);
            frames += verify(rules, stream, random, "seed=" + seed + ", round=" + i);
        }
        assertThat(frames).as("frames, seed=" + seed).isGreaterThan(2 * ROUNDS);
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 4})
    void asciiLengthFollowsItsRules(long seed) {
        Random random = new Random(seed);
        long frames = 0;
        for (int i = 0; i < ROUNDS; i++) {
            AsciiRules rules = AsciiRules.random(random);
            byte[] stream = rules.randomStream(random);
            frames += verify(rules, stream, random, "seed=" + seed + ", round=" + i);
        }
        assertThat(frames).as("frames, seed=" + seed).isGreaterThan(2 * ROUNDS);
    }

    /** The law of both directions; and what decoding delivers is taken, but where a header is stripped it cannot know. */
    @ParameterizedTest
    @ValueSource(longs = {5, 6})
    void encodesWhatDecodingDelivers(long seed) {
        Random random = new Random(seed);
        int taken = 0;
        for (int i = 0; i < 2 * ROUNDS; i++) {
            Rules rules = random.nextBoolean() ? VarintRules.random(random) : AsciiRules.random(random);
            Framing framing = rules.framing();
            for (String hex :
                    rules.outcome(rules.randomStream(random), End.OPEN).frames()) {
                boolean was = RoundTrip.verify(framing, ByteBufUtil.decodeHexDump(hex));
                assertThat(was || rules.mayRefuseWhatItDelivers())
                        .as("seed=%d, %s, message=%s", seed, framing, hex)
                        .isTrue();
                taken += was ? 1 : 0;
            }
            byte[] message = new byte[random.nextInt(140)];
            random.nextBytes(message);
            RoundTrip.verify(framing, message);
        }
        assertThat(taken).as("messages that were taken, seed=" + seed).isGreaterThan(ROUNDS);
    }

    /** Filling leaves what was delivered as it is, and makes any message one that decoding gives back. */
    @ParameterizedTest
    @ValueSource(longs = {7, 8})
    void fillsInWhatDecodingGivesBack(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 20 * ROUNDS; i++) {
            int offset = random.nextInt(4);
            Framing framing = random.nextBoolean()
                    ? VarintFraming.builder()
                            .lengthFieldOffset(offset)
                            .initialBytesToStrip(random.nextInt(offset + 1))
                            .fillLengthField(true)
                            .build()
                    : LengthFieldFraming.builder()
                            .lengthFieldOffset(offset)
                            .lengthFieldLength(1 + random.nextInt(8))
                            .initialBytesToStrip(random.nextInt(offset + 2))
                            .lengthAdjustment(-random.nextInt(9))
                            .fillLengthField(true)
                            .build();
            byte[] message = new byte[12 + random.nextInt(200)];
            random.nextBytes(message);
            ByteBuf frame = Unpooled.buffer();
            try {
                framing.encode(Unpooled.wrappedBuffer(message), frame);
            } catch (IllegalArgumentException e) {
                assertThat(e.getMessage()).containsAnyOf("does not fit", "does not end within its header");
                continue;
            }
            List<byte[]> delivered = RoundTrip.decode(framing, frame);
            assertThat(delivered).hasSize(1);
            assertThat(RoundTrip.verify(framing, delivered.get(0))).isTrue();
            assertThat(Arrays.copyOfRange(delivered.get(0), delivered.get(0).length - 1, delivered.get(0).length))
                    .isEqualTo(Arrays.copyOfRange(message, message.length - 1, message.length));
        }
    }

    /** Returns the number of frames. */
    private static long verify(Rules rules, byte[] stream, Random random, String where) {
        Framing framing = rules.framing();
        try {
            Wires.verify(framing, stream, End.COMPLETE, rules.outcome(stream, End.COMPLETE));
            for (int end = 0; end < stream.length; end++) {
                byte[] beginning = Arrays.copyOf(stream, end);
                Stream<Delivery> deliveries = Stream.of(
                                Chunking.whole(List.of(beginning)),
                                Chunking.random(List.of(beginning), random.nextLong(), 5))
                        .flatMap(chunking -> Delivery.oneAxisAtATime(chunking).limit(1));
                ReaderRun.verify(framing, deliveries, End.OPEN, rules.outcome(beginning, End.OPEN));
            }
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(where + ", " + framing + ", stream=" + ByteBufUtil.hexDump(stream), e);
        }
        return rules.outcome(stream, End.OPEN).frames().size();
    }

    private interface Rules {
        Framing framing();

        byte[] randomStream(Random random);

        Outcome outcome(byte[] stream, End end);

        /** What is stripped is not known from what is delivered. */
        boolean mayRefuseWhatItDelivers();

        static Outcome outcome(List<String> frames, String terminal, long discarded) {
            return new Outcome(List.copyOf(frames), terminal, discarded);
        }

        static String inside(End end) {
            return end == End.COMPLETE ? "TRUNCATED" : "none";
        }

        static String between(End end) {
            return end == End.COMPLETE ? "complete" : "none";
        }
    }

    private record VarintRules(int offset, int maxLengthBytes, int strip, int limit, boolean discard) implements Rules {
        static VarintRules random(Random random) {
            int offset = random.nextInt(3) == 0 ? random.nextInt(3) : 0;
            return new VarintRules(
                    offset,
                    random.nextInt(3) == 0 ? 1 + random.nextInt(5) : 5,
                    random.nextBoolean() ? -1 : random.nextInt(offset + 4),
                    random.nextInt(3) == 0 ? random.nextInt(10) : 200,
                    random.nextBoolean());
        }

        @Override
        public Framing framing() {
            VarintFraming.Builder builder = VarintFraming.builder()
                    .lengthFieldOffset(offset)
                    .maxLengthBytes(maxLengthBytes)
                    .maxPayloadLength(limit)
                    .oversize(discard ? Oversize.DISCARD : Oversize.FAIL);
            return (strip < 0 ? builder : builder.initialBytesToStrip(strip)).build();
        }

        @Override
        public byte[] randomStream(Random random) {
            ByteArrayOutputStream stream = new ByteArrayOutputStream();
            for (int i = 0; i < 6; i++) {
                int length = random.nextInt(6) == 0 ? 120 + random.nextInt(16) : random.nextInt(12);
                stream.writeBytes(new byte[offset]);
                int left = length;
                int padding = random.nextInt(4) == 0 ? random.nextInt(4) : 0;
                while (left > 0x7f || padding-- > 0) {
                    stream.write((left & 0x7f) | 0x80);
                    left >>>= 7;
                }
                stream.write(left);
                byte[] payload = new byte[length];
                random.nextBytes(payload);
                stream.writeBytes(payload);
            }
            return stream.toByteArray();
        }

        @Override
        public Outcome outcome(byte[] stream, End end) {
            List<String> frames = new ArrayList<>();
            long discarded = 0;
            int at = 0;
            while (at < stream.length) {
                long length = 0;
                int group = 0;
                boolean goesOn = true;
                while (goesOn) {
                    if (group == maxLengthBytes) {
                        return Rules.outcome(frames, "CORRUPT", discarded);
                    }
                    if (at + offset + group >= stream.length) {
                        return Rules.outcome(frames, Rules.inside(end), discarded);
                    }
                    byte next = stream[at + offset + group];
                    length += (long) (next & 0x7f) << (7 * group);
                    goesOn = next < 0;
                    group++;
                }
                if (length >> 32 != 0) {
                    return Rules.outcome(frames, "CORRUPT", discarded);
                }
                long next = at + offset + group + length;
                if (length > limit) {
                    if (!discard) {
                        return Rules.outcome(frames, "TOO_LONG", discarded);
                    }
                    discarded++;
                } else if (strip > next - at) {
                    return Rules.outcome(frames, "CORRUPT", discarded);
                }
                if (next > stream.length) {
                    return Rules.outcome(frames, Rules.inside(end), discarded);
                }
                if (length <= limit) {
                    int begin = strip < 0 ? at + offset + group : at + strip;
                    frames.add(ByteBufUtil.hexDump(stream, begin, (int) next - begin));
                }
                at = (int) next;
            }
            return Rules.outcome(frames, Rules.between(end), discarded);
        }

        @Override
        public boolean mayRefuseWhatItDelivers() {
            return strip > offset;
        }
    }

    private record AsciiRules(int base, byte[] trailer, int limit, boolean discard) implements Rules {
        static AsciiRules random(Random random) {
            return new AsciiRules(
                    random.nextBoolean() ? 10 : 16,
                    new byte[][] {{}, {','}, {'\r', '\n'}, {'a', 'b', 'c'}}[random.nextInt(4)],
                    random.nextInt(3) == 0 ? random.nextInt(12) : 200,
                    random.nextBoolean());
        }

        @Override
        public Framing framing() {
            return AsciiLengthFraming.builder()
                    .base(base)
                    .terminator(':')
                    .trailer(trailer)
                    .maxPayloadLength(limit)
                    .oversize(discard ? Oversize.DISCARD : Oversize.FAIL)
                    .build();
        }

        @Override
        public byte[] randomStream(Random random) {
            ByteArrayOutputStream stream = new ByteArrayOutputStream();
            for (int i = 0; i < 6; i++) {
                int length = random.nextInt(6) == 0 ? 120 + random.nextInt(16) : random.nextInt(20);
                String digits = Integer.toString(length, base);
                stream.writeBytes((digits + ":").getBytes(US_ASCII));
                byte[] payload = new byte[length];
                random.nextBytes(payload);
                stream.writeBytes(payload);
                stream.writeBytes(trailer);
            }
            byte[] bytes = stream.toByteArray();
            if (random.nextInt(4) == 0) {
                bytes[random.nextInt(bytes.length)] = (byte) "0:9a,\r".charAt(random.nextInt(6));
            }
            return bytes;
        }

        @Override
        public Outcome outcome(byte[] stream, End end) {
            List<String> frames = new ArrayList<>();
            long discarded = 0;
            int at = 0;
            while (at < stream.length) {
                BigInteger length = BigInteger.ZERO;
                boolean over = false;
                int digits = 0;
                for (; ; digits++) {
                    if (at + digits == stream.length) {
                        return Rules.outcome(frames, Rules.inside(end), discarded);
                    }
                    char next = (char) (stream[at + digits] & 0xff);
                    if (next == ':' && digits > 0) {
                        break;
                    }
                    int digit = next < 128 ? Character.digit(next, base) : -1;
                    if (digit < 0 || (digits == 1 && length.signum() == 0)) {
                        return Rules.outcome(frames, "CORRUPT", discarded);
                    }
                    length = length.multiply(BigInteger.valueOf(base)).add(BigInteger.valueOf(digit));
                    if (!over && length.compareTo(BigInteger.valueOf(limit)) > 0) {
                        if (!discard) {
                            return Rules.outcome(frames, "TOO_LONG", discarded);
                        }
                        over = true;
                        discarded++;
                    }
                    if (length.bitLength() > 63) {
                        return Rules.outcome(frames, Rules.inside(end), discarded);
                    }
                }
                int begin = at + digits + 1;
                if (length.compareTo(BigInteger.valueOf(stream.length - begin)) > 0) {
                    return Rules.outcome(frames, Rules.inside(end), discarded);
                }
                int next = begin + length.intValue();
                for (byte due : trailer) {
                    if (next == stream.length) {
                        return Rules.outcome(frames, Rules.inside(end), discarded);
                    }
                    if (stream[next] != due) {
                        return Rules.outcome(frames, "CORRUPT", discarded);
                    }
                    next++;
                }
                if (!over) {
                    frames.add(ByteBufUtil.hexDump(stream, begin, length.intValue()));
                }
                at = next;
            }
            return Rules.outcome(frames, Rules.between(end), discarded);
        }

        @Override
        public boolean mayRefuseWhatItDelivers() {
            return false;
        }
    }
}
