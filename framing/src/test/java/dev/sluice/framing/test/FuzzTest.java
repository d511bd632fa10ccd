package dev.sluice.framing.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.framing.Codec;
import dev.sluice.framing.Framing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random bytes, and random mutations of valid streams, against every framing with random options: whatever comes in,
 * nothing is thrown but a {@link dev.sluice.framing.FramingException}, nothing leaks, nothing goes on for ever, and
 * what comes out is the same at every cut.
 *
 * <p>A failure tells its seed. {@code -Dsluice.fuzz.seed=<seed>} runs that one alone, in each framing; {@code
 * -Dsluice.fuzz.rounds=<rounds>} runs more than CI does.
 */
class FuzzTest {
    private static final int ROUNDS = Integer.getInteger("sluice.fuzz.rounds", 1500);
    private static final Long SEED = Long.getLong("sluice.fuzz.seed");
    private static final int LONGEST = 200;

    @ParameterizedTest
    @MethodSource("dev.sluice.framing.test.RandomFraming#all")
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void givesSameOutcomeAtEveryCut(RandomFraming framing) {
        LongStream seeds = SEED != null ? LongStream.of(SEED) : LongStream.rangeClosed(1, ROUNDS);
        seeds.forEach(seed -> round(framing, seed));
    }

    /** Streams that all fail at their first byte would prove little. */
    @ParameterizedTest
    @MethodSource("dev.sluice.framing.test.RandomFraming#all")
    void triesStreamsOfEveryOutcome(RandomFraming framing) {
        List<Result> results = LongStream.rangeClosed(1, 400)
                .mapToObj(seed -> {
                    Random random = new Random(seed);
                    RandomFraming.Sample sample = framing.options().apply(random);
                    return run(sample.framing(), whole(stream(sample, random)), true);
                })
                .toList();

        assertThat(results).filteredOn(result -> result.messages().size() > 1).hasSizeGreaterThan(40);
        assertThat(results).filteredOn(result -> result.failure() == null).hasSizeGreaterThan(20);
        assertThat(results).filteredOn(result -> result.failure() != null).hasSizeGreaterThan(20);
    }

    @Test
    void tellsSeedOptionsAndBytesOfFailure() {
        Framing forgetful = new Framing() {
            @Override
            public dev.sluice.framing.Framer newFramer() {
                return (in, answer) -> answer.frame(in.readableBytes(), 0, in.readableBytes());
            }

            @Override
            public void encode(ByteBuf payload, ByteBuf target) {
                target.writeBytes(payload.duplicate());
            }

            @Override
            public String toString() {
                return "Forgetful{option=1}";
            }
        };
        RandomFraming framing = new RandomFraming(
                "forgetful", random -> new RandomFraming.Sample(forgetful, payload -> payload, source -> new byte[9]));

        assertThatThrownBy(() -> round(framing, 5))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("  again:   -Dtest=FuzzTest -Dsluice.fuzz.seed=5\n")
                .hasMessageContaining("  framing: forgetful, Forgetful{option=1}\n")
                .hasMessageContaining("  bytes:   0");
    }

    private static void round(RandomFraming kind, long seed) {
        Random random = new Random(seed);
        RandomFraming.Sample sample = kind.options().apply(random);
        Framing framing = sample.framing();
        byte[] stream = stream(sample, random);
        boolean ends = random.nextInt(4) > 0;
        Way way = whole(stream);
        try {
            Result whole = run(framing, way, ends);
            for (Cut cut : cuts(stream, random)) {
                way = way(cut, random);
                Result result = run(framing, way, ends);
                if (!result.isSameAs(whole)) {
                    throw new AssertionError("another outcome than in one chunk: expected=" + whole
                            + " with frames that end at " + whole.frameEnds() + ", got=" + result
                            + " with frames that end at " + result.frameEnds());
                }
            }
        } catch (Throwable e) {
            throw new AssertionError(
                    e + "\n  again:   -Dtest=FuzzTest -Dsluice.fuzz.seed=" + seed + "\n  framing: " + kind + ", "
                            + framing + "\n  way:     " + way + ", ends=" + ends + "\n  bytes:   "
                            + ByteBufUtil.hexDump(stream),
                    e);
        }
    }

    private static byte[] stream(RandomFraming.Sample sample, Random random) {
        if (random.nextInt(5) == 0) {
            byte[] bytes = new byte[random.nextInt(LONGEST)];
            random.nextBytes(bytes);
            return bytes;
        }
        if (random.nextInt(5) == 0) {
            return Mutation.telling(random.nextInt(LONGEST), random);
        }
        ByteBuf valid = Unpooled.buffer();
        for (int i = random.nextInt(12); i >= 0; i--) {
            try {
                sample.framing().encode(Unpooled.wrappedBuffer(sample.payloads().apply(random)), valid);
            } catch (IllegalArgumentException e) {
                valid.writeBytes(Mutation.telling(random.nextInt(4), random)); // not carried with these options
            }
        }
        return Mutation.applyRandom(ByteBufUtil.getBytes(valid), random.nextInt(4), random);
    }

    private static List<Cut> cuts(byte[] stream, Random random) {
        return List.of(
                Cut.every(stream, 1),
                Cut.at(stream, random.nextInt(stream.length + 1)),
                Cut.at(stream, random.nextInt(stream.length + 1)),
                Cut.random(stream, random.nextLong(), 3),
                Cut.random(stream, random.nextLong(), 10),
                Cut.random(stream, random.nextLong(), 100));
    }

    private static Way way(Cut cut, Random random) {
        Memory[] memories = Memory.values();
        Way.Reading[] readings = Way.Reading.values();
        return new Way(
                cut,
                memories[random.nextInt(memories.length)],
                random.nextBoolean(),
                readings[random.nextInt(readings.length)]);
    }

    private static Way whole(byte[] stream) {
        return new Way(Cut.none(stream), Memory.HEAP, false, Way.Reading.AT_ONCE);
    }

    private static Result run(Framing framing, Way way, boolean ends) {
        return Run.of(Codec.slices(framing), way, List.of(), ends, result -> {});
    }
}
