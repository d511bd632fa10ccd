package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is decoded ahead of demand, and when reading stops and goes on. */
class PrefetchLimitTest {
    private static final int MIB = 1024 * 1024;

    @ParameterizedTest
    @EnumSource
    void decodesAtMostThePrefetchAhead(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> probe = Probe.demanding(0);
            way.signals(wire.connection).subscribe(probe);
            wire.feed(Frames.numbers(0, 1000));
            assertThat(wire.stats().messagesIn()).isEqualTo(64);
            assertThat(wire.stats().heldMessages()).isEqualTo(64);
            assertThat(wire.stats().bytesAtHand()).isEqualTo((1000 - 64) * 8);
            probe.request(Long.MAX_VALUE);
            assertThat(wire.stats().heldMessagesMax()).isLessThanOrEqualTo(65);
        }
    }

    @Test
    void decodesThePrefetchAheadWithoutAReceiver() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 63));
            assertThat(wire.stats().heldMessages()).isEqualTo(63);
            wire.feed(Frames.numbers(63, 1000));
            assertThat(wire.stats().heldMessages()).isEqualTo(64);
        }
    }

    @Test
    void decodesAheadAgainAtLowTide() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.demanding(0);
            wire.connection.receive().subscribe(probe);
            wire.feed(Frames.numbers(0, 1000));
            probe.request(31);
            assertThat(wire.stats().messagesIn()).isEqualTo(64);
            assertThat(wire.stats().heldMessages()).isEqualTo(33);
            probe.request(1);
            assertThat(wire.stats().messagesIn()).isEqualTo(96);
            assertThat(wire.stats().heldMessages()).isEqualTo(64);
        }
    }

    @Test
    void readsOnlyWhileNotFullAndNoFrameIsAtHand() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(new Prefetch(4, 1000))) {
            int atFirst = wire.reads();
            assertThat(atFirst).isPositive();
            wire.feed(Frames.numbers(0, 3));
            assertThat(wire.reads()).isEqualTo(atFirst + 1);
            wire.feed(Frames.numbers(3, 4));
            assertThat(wire.reads()).as("full").isEqualTo(atFirst + 1);
            assertThat(wire.stats().pauses()).isEqualTo(1);

            Probe<Integer> probe = Probe.demanding(0);
            wire.connection.receive().subscribe(probe);
            probe.request(1);
            assertThat(wire.reads()).as("above low tide").isEqualTo(atFirst + 1);
            probe.request(1);
            assertThat(wire.reads()).as("low tide").isGreaterThan(atFirst + 1);
        }
    }

    @Test
    void readsWithoutReceiverAndWithoutDemand() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(Prefetch.onDemand())) {
            assertThat(wire.reads()).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource
    void passesFrameLargerThanTheBoundOfBytes(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> probe = Probe.demanding(0);
            way.signals(wire.connection).subscribe(probe);
            byte[] frames = Frames.numbers(0, 5, MIB);
            for (int at = 0; at < frames.length; at += 65_536) {
                wire.feed(Arrays.copyOfRange(frames, at, Math.min(frames.length, at + 65_536)));
            }
            assertThat(wire.stats().heldMessages()).as("one overshoots").isEqualTo(1);
            for (int n = 1; n <= 5; n++) {
                probe.request(1);
                assertThat(Way.flat(probe)).hasSizeGreaterThanOrEqualTo(n);
            }
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 5));
            assertThat(wire.stats().heldMessagesMax()).isLessThanOrEqualTo(way.signalSize() + 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void holdsOneOfOne(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(new Prefetch(1, 1))) {
            Probe<List<Integer>> probe = Probe.demanding(0);
            way.signals(wire.connection).subscribe(probe);
            wire.feed(Frames.numbers(0, 10));
            assertThat(wire.stats().heldMessages()).isEqualTo(1);
            assertThat(wire.stats().messagesIn()).isEqualTo(1);
            while (Way.flat(probe).size() < 10) {
                int before = probe.count();
                probe.request(1);
                assertThat(probe.count()).isEqualTo(before + 1);
            }
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 10));
        }
    }

    @ParameterizedTest
    @EnumSource
    void decodesNothingOnDemandThatIsNotDemanded(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(Prefetch.onDemand())) {
            Probe<List<Integer>> probe = Probe.demanding(0);
            way.signals(wire.connection).subscribe(probe);
            wire.feed(Frames.numbers(0, 200));
            assertThat(wire.stats().messagesIn()).isZero();
            probe.request(1);
            assertThat(wire.stats().messagesIn()).isEqualTo(way.signalSize());
            assertThat(wire.stats().heldMessages()).isZero();
            probe.request(Long.MAX_VALUE);
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 200));
        }
    }

    @Test
    void seesTheEndOnDemand() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(Prefetch.onDemand())) {
            Probe<Integer> probe = Probe.demanding(0);
            wire.connection.receive().subscribe(probe);
            wire.feed(Frames.numbers(0, 1));
            wire.end();
            assertThat(probe.isTerminated()).isFalse();
            probe.request(1);
            assertThat(probe.values()).containsExactly(0);
            assertThat(probe.isCompleted()).isTrue();
        }
    }

    @Test
    void changesOnALiveConnection() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(new Prefetch(4, 1000))) {
            wire.feed(Frames.numbers(0, 100));
            assertThat(wire.stats().heldMessages()).isEqualTo(4);
            assertThat(wire.connection.prefetch(new Prefetch(30, 1000))).isSameAs(wire.connection);
            assertThat(wire.stats().heldMessages()).as("larger").isEqualTo(30);
            wire.connection.prefetch(new Prefetch(2, 1000));
            Probe<Integer> probe = Probe.demanding(28);
            wire.connection.receive().subscribe(probe);
            assertThat(wire.stats().messagesIn())
                    .as("smaller: 2 held are above low tide")
                    .isEqualTo(30);
            probe.request(1);
            assertThat(wire.stats().heldMessages()).isEqualTo(2);
            wire.connection.prefetch(Prefetch.onDemand());
            probe.request(2);
            assertThat(wire.stats().heldMessages()).isZero();
            probe.request(5);
            assertThat(wire.stats().heldMessages()).isZero();
            assertThat(wire.stats().messagesIn()).isEqualTo(36);
            wire.connection.prefetch(Prefetch.DEFAULT);
            assertThat(wire.stats().heldMessages()).isEqualTo(64);
            probe.request(Long.MAX_VALUE);
            assertThat(probe.values()).isEqualTo(Frames.range(0, 100));
        }
    }

    /** Law 2, with random demand, sizes and bounds. */
    @ParameterizedTest
    @EnumSource
    void neverHoldsMoreThanThePrefetchAndOneMessage(Way way) {
        Random random = new Random(99);
        for (int round = 0; round < 100; round++) {
            Prefetch prefetch = new Prefetch(1 + random.nextInt(20), 1 + random.nextInt(400));
            try (Wire<Integer, Integer> wire = Wire.ofNumbers(prefetch)) {
                Probe<List<Integer>> probe = Probe.demanding(0);
                way.signals(wire.connection).subscribe(probe);
                int fed = 0;
                while (fed < 400) {
                    int more = 1 + random.nextInt(60);
                    wire.feed(Frames.numbers(fed, fed + more, 4 + random.nextInt(40)));
                    fed += more;
                    assertThat(wire.stats().heldMessages())
                            .as("round %d of seed 99, %s", round, prefetch)
                            .isLessThanOrEqualTo(prefetch.messages());
                    if (random.nextBoolean()) {
                        probe.request(1 + random.nextInt(10));
                    }
                }
                assertThat(wire.stats().heldMessagesMax())
                        .isLessThanOrEqualTo(Math.max(prefetch.messages(), way.signalSize()) + 1);
                probe.request(Long.MAX_VALUE);
                assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, fed));
            }
        }
    }
}
