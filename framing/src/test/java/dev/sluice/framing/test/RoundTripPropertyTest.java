package dev.sluice.framing.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.Codec;
import dev.sluice.framing.Framing;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.statistics.Statistics;

/**
 * The law of both directions for every framing with random options and payloads. Buffers are counted by the runs
 * themselves.
 */
class RoundTripPropertyTest {
    private static final int TRIES_PER_FRAMING = 400;

    /**
     * A payload.
     *
     * @param name the framing's
     */
    record Case(String name, RandomFraming.Sample sample, byte[] payload) {
        @Override
        public String toString() {
            return name + ", " + sample + ", payload=" + ByteBufUtil.hexDump(payload);
        }
    }

    @Property(tries = 9 * TRIES_PER_FRAMING, shrinking = ShrinkingMode.OFF)
    void decodesWhatItEncodes(@ForAll("cases") Case each) {
        boolean taken = RoundTrip.verify(each.sample().framing(), each.payload()) == null;

        Statistics.label("taken by").collect(each.name(), taken);
        Statistics.label("framing")
                .collect(each.name())
                .coverage(coverage -> RandomFraming.all()
                        .forEach(framing ->
                                coverage.check(framing.name()).count(count -> count >= TRIES_PER_FRAMING / 2)));
    }

    /** What is refused could not have been decoded; what is taken is encoded in the simplest way. */
    @Property(tries = 9 * TRIES_PER_FRAMING, shrinking = ShrinkingMode.OFF)
    void refusesExactlyWhatCannotBeDecoded(@ForAll("cases") Case each) {
        Framing framing = each.sample().framing();
        byte[] naive = each.sample().naive().apply(each.payload());
        var target = Unpooled.buffer();
        boolean taken = true;
        try {
            framing.encode(Unpooled.wrappedBuffer(each.payload()), target);
        } catch (IllegalArgumentException e) {
            taken = false;
        }

        assertThat(taken).as("is taken").isEqualTo(naive != null && isDecodedTo(framing, naive, each.payload()));
        if (taken) {
            assertThat(ByteBufUtil.hexDump(target)).as("frame").isEqualTo(ByteBufUtil.hexDump(naive));
        }
        Statistics.label("taken").collect(taken).coverage(coverage -> {
            coverage.check(true).percentage(share -> share > 20);
            coverage.check(false).percentage(share -> share > 5);
        });
    }

    private static boolean isDecodedTo(Framing framing, byte[] frame, byte[] payload) {
        Way way = new Way(Cut.none(frame), Memory.HEAP, false, Way.Reading.AT_ONCE);
        Result result = Run.of(Codec.bytes(framing), way, List.of(), false, judged -> {});
        return result.failure() == null
                && result.discarded() == 0
                && result.frameEnds().equals(List.of((long) frame.length))
                && result.messages().equals(List.of(Content.of(payload)));
    }

    @Provide
    Arbitrary<Case> cases() {
        return Arbitraries.of(RandomFraming.ALL).flatMap(RoundTripPropertyTest::cases);
    }

    private static Arbitrary<Case> cases(RandomFraming framing) {
        return Arbitraries.randomValue(random -> {
            RandomFraming.Sample sample = framing.options().apply(random);
            byte[] payload = random.nextInt(4) == 0
                    ? Mutation.telling(random.nextInt(20), random)
                    : sample.payloads().apply(random);
            return new Case(framing.name(), sample, payload);
        });
    }
}
