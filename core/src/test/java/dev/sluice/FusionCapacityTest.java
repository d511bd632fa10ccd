package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How much is decoded for a subscriber that polls: the prefetch, and what it has demanded and not polled, up to 1,024
 * messages and 4 MiB.
 */
class FusionCapacityTest {
    private static final int SIXTEENTH_OF_A_MEBIBYTE = 64 * 1024;

    @ParameterizedTest
    @CsvSource({"0, 64", "1, 65", "10, 74", "192, 256", "256, 320", "1023, 1087", "1024, 1088", "2000, 1088"})
    void decodesThePrefetchBeyondWhatIsDemanded(long requested, int decoded) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Poller<Integer> poller = subscribe(wire, requested);
            wire.feed(Frames.numbers(0, 5_000));
            assertThat(wire.stats().messagesIn()).isEqualTo(decoded);
            assertThat(poller.queue().size()).isEqualTo(decoded);
            assertThat(wire.stats().heldMessages()).isEqualTo(decoded);
        }
    }

    @Test
    void decodesAtMostSoMuchHoweverMuchIsDemanded() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            subscribe(wire, Long.MAX_VALUE);
            wire.feed(Frames.numbers(0, 5_000));
            assertThat(wire.stats().messagesIn()).isEqualTo(64 + 1_024);
        }
    }

    /** 4 messages are the prefetch, 64 the 4 MiB. */
    @ParameterizedTest
    @CsvSource({"0, 4", "1, 5", "10, 14", "64, 68", "66, 68", "100, 68", "2000, 68"})
    void countsTheBytesOfLargeMessages(long requested, int decoded) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            subscribe(wire, requested);
            feedLarge(wire, 120);
            assertThat(wire.stats().messagesIn()).isEqualTo(decoded);
        }
    }

    @Test
    void letsOneMessageOfAnySizePass() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Poller<Integer> poller = subscribe(wire, 0);
            for (int i = 0; i < 5; i++) {
                wire.feed(Frames.numbers(i, i + 1, 1024 * 1024));
            }
            for (int i = 0; i < 5; i++) {
                assertThat(wire.stats().messagesIn()).isEqualTo(i + 1);
                assertThat(poller.poll()).isEqualTo(i);
            }
        }
    }

    /** Half of the capacity of the moment: what is polled is no longer demanded. */
    @ParameterizedTest
    @CsvSource({"0, 32, 96", "10, 42, 106", "192, 224, 288", "2000, 544, 1632"})
    void decodesOnAtLowTide(long requested, int polls, int decodedThen) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Poller<Integer> poller = subscribe(wire, requested);
            wire.feed(Frames.numbers(0, 5_000));
            long decoded = wire.stats().messagesIn();
            assertThat(poller.pollSome(polls - 1)).hasSize(polls - 1);
            assertThat(wire.stats().messagesIn()).isEqualTo(decoded);
            assertThat(poller.poll()).isEqualTo(polls - 1);
            assertThat(wire.stats().messagesIn()).isEqualTo(decodedThen);
        }
    }

    @Test
    void decodesOnAtLowTideOfTheBytes() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Poller<Integer> poller = subscribe(wire, 0);
            feedLarge(wire, 20);
            poller.poll();
            assertThat(wire.stats().messagesIn()).isEqualTo(4);
            poller.poll();
            assertThat(wire.stats().messagesIn()).isEqualTo(6);
        }
    }

    @Test
    void looksAtLowTideAgainWhenMoreIsRequested() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Poller<Integer> poller = subscribe(wire, 10);
            wire.feed(Frames.numbers(0, 5_000));
            poller.request(20); // 74 held of 94 possible
            assertThat(wire.stats().messagesIn()).isEqualTo(74);
            poller.request(54); // 74 of 148
            assertThat(wire.stats().messagesIn()).isEqualTo(148);
            int signals = poller.signals();
            poller.request(1_000);
            assertThat(wire.stats().messagesIn()).isEqualTo(64 + 1_024);
            assertThat(poller.signals()).isGreaterThan(signals);
            assertThat(poller.pollAll()).isEqualTo(Frames.range(0, 5_000));
        }
    }

    /** Reading stops with decoding, and goes on only when nothing whole is left at hand. */
    @Test
    void readsNothingWhileFull() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Poller<Integer> poller = subscribe(wire, 0);
            int reads = wire.reads();
            wire.feed(Frames.numbers(0, 63));
            assertThat(wire.reads()).isEqualTo(reads + 1);
            wire.feed(Frames.numbers(63, 64));
            assertThat(wire.reads()).isEqualTo(reads + 1);
            assertThat(wire.stats().pauses()).isEqualTo(1);
            poller.pollSome(31);
            assertThat(wire.reads()).isEqualTo(reads + 1);
            poller.pollSome(1);
            assertThat(wire.reads()).isEqualTo(reads + 2);
        }
    }

    @Test
    void decodesNothingOnDemandThatIsNotDemanded() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(Prefetch.onDemand())) {
            Poller<Integer> poller = subscribe(wire, 0);
            wire.feed(Frames.numbers(0, 20));
            assertThat(wire.stats().messagesIn()).isZero();
            assertThat(poller.poll()).isNull();
            poller.request(3);
            assertThat(wire.stats().messagesIn()).isEqualTo(3);
            assertThat(poller.pollAll()).isEqualTo(Frames.range(0, 3));
            assertThat(wire.stats().messagesIn()).isEqualTo(3);
            for (int i = 3; i < 20; i++) {
                poller.request(1);
                assertThat(wire.stats().messagesIn()).isEqualTo(i + 1);
                assertThat(poller.pollAll()).containsExactly(i);
            }
        }
    }

    /** Only a read shows the peer's end. */
    @ParameterizedTest
    @ValueSource(longs = {0, 5, 100})
    void readsOnDemandWhileNoWholeFrameIsAtHand(long requested) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(Prefetch.onDemand())) {
            Poller<Integer> poller = subscribe(wire, requested);
            int reads = wire.reads();
            assertThat(reads).isPositive();
            wire.feed(Frames.numbers(0, (int) requested));
            assertThat(wire.reads()).isEqualTo(++reads);
            wire.feed(new byte[] {0, 0});
            assertThat(wire.reads()).isEqualTo(++reads);
            wire.feed(new byte[] {0, 4, 0, 0, 0, 0}); // whole now, and not demanded
            assertThat(wire.reads()).isEqualTo(reads);
            poller.request(1);
            assertThat(poller.pollAll()).hasSize((int) requested + 1);
            wire.end();
            assertThat(poller.isTerminated()).isTrue();
        }
    }

    @Test
    void holdsOneWithTheSmallestPrefetch() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(new Prefetch(1, 1))) {
            Poller<Integer> poller = subscribe(wire, 0);
            wire.feed(Frames.numbers(0, 100));
            for (int i = 0; i < 50; i++) {
                assertThat(wire.stats().messagesIn()).isEqualTo(i + 1);
                assertThat(poller.poll()).isEqualTo(i);
            }
            poller.request(60);
            assertThat(poller.pollAll()).isEqualTo(Frames.range(50, 100));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10_000, 1 << 30, Integer.MAX_VALUE})
    void servesAnyPrefetch(int messages) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(new Prefetch(messages, Long.MAX_VALUE / 2))) {
            Poller<Integer> poller = subscribe(wire, 100);
            wire.feed(Frames.numbers(0, 12_000));
            assertThat(wire.stats().messagesIn()).isGreaterThanOrEqualTo(10_100);
            assertThat(poller.pollAll()).isEqualTo(Frames.range(0, 12_000));
        }
    }

    @Test
    void followsPrefetchThatChanges() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Poller<Integer> poller = subscribe(wire, 0);
            wire.feed(Frames.numbers(0, 2_000));
            wire.connection.prefetch(new Prefetch(200, 256 * 1024));
            assertThat(wire.stats().messagesIn()).isEqualTo(200);
            wire.connection.prefetch(new Prefetch(4, 256 * 1024));
            assertThat(poller.pollSome(197)).isEqualTo(Frames.range(0, 197));
            assertThat(wire.stats().messagesIn()).isEqualTo(200);
            assertThat(poller.poll()).isEqualTo(197); // 2 are left
            assertThat(wire.stats().messagesIn()).isEqualTo(202);
            assertThat(poller.pollAll()).isEqualTo(Frames.range(198, 2_000));
        }
    }

    /** The first ring has far fewer slots than the new prefetch asks for. */
    @Test
    void followsPrefetchThatOutgrowsTheRing() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(new Prefetch(4, 1_000_000))) {
            Poller<Integer> poller = subscribe(wire, 0);
            wire.feed(Frames.numbers(0, 3), Frames.numbers(3, 20_000));
            assertThat(wire.stats().messagesIn()).isEqualTo(4);
            assertThat(poller.pollSome(3)).isEqualTo(Frames.range(0, 3));
            wire.connection.prefetch(new Prefetch(9_000, 1_000_000));
            wire.settle();
            assertThat(wire.stats().heldMessages()).isEqualTo(9_000);
            assertThat(poller.pollSome(10)).isEqualTo(Frames.range(3, 13));
            wire.connection.prefetch(new Prefetch(20_000, 1_000_000));
            wire.settle();
            assertThat(wire.stats().heldMessages()).isEqualTo(20_000 - 13);
            List<Integer> rest = new ArrayList<>();
            for (List<Integer> some = poller.pollAll(); !some.isEmpty(); some = poller.pollAll()) {
                rest.addAll(some);
                wire.settle();
            }
            assertThat(rest).isEqualTo(Frames.range(13, 20_000));
        }
    }

    @Test
    void tellsOfMessagesThatWereMoved() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(new Prefetch(4, 1_000_000))) {
            Poller<Integer> poller = subscribe(wire, 0);
            wire.feed(Frames.numbers(0, 4));
            int signals = poller.signals();
            wire.connection.prefetch(new Prefetch(9_000, 1_000_000));
            assertThat(poller.signals()).isEqualTo(signals + 1);
        }
    }

    @Test
    void givesRingThatHasGrownBackToTheNextReceiver() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(new Prefetch(4, 1_000_000))) {
            Poller<Integer> poller = subscribe(wire, 0);
            wire.connection.prefetch(new Prefetch(9_000, 1_000_000));
            wire.feed(Frames.numbers(0, 10_000));
            assertThat(poller.pollSome(100)).isEqualTo(Frames.range(0, 100));
            poller.cancel();
            Probe<Integer> next = Probe.unbounded();
            wire.connection.receive().subscribe(next);
            assertThat(next.values()).isEqualTo(Frames.range(100, 10_000));
        }
    }

    /** Any few polls and requests bring it on, on one thread and without further input. */
    @Test
    void neverStallsForSlowPolling() {
        long seed = 7;
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            Prefetch prefetch = new Prefetch(1 + random.nextInt(80), 1 + random.nextInt(400));
            try (Wire<Integer, Integer> wire = Wire.ofNumbers(prefetch)) {
                Poller<Integer> poller = subscribe(wire, random.nextInt(50));
                wire.feed(Frames.numbers(0, 1_500));
                wire.end();
                List<Integer> polled = new ArrayList<>();
                while (!poller.isTerminated()) {
                    if (random.nextInt(10) == 0) {
                        poller.request(1 + random.nextInt(300));
                    }
                    List<Integer> some = poller.pollSome(1 + random.nextInt(20));
                    assertThat(some.isEmpty() && !poller.isTerminated())
                            .as("stall behind %d, round %d of seed %d", polled.size(), round, seed)
                            .isFalse();
                    polled.addAll(some);
                }
                assertThat(polled).as("round %d of seed %d", round, seed).isEqualTo(Frames.range(0, 1_500));
            }
        }
    }

    private static Poller<Integer> subscribe(Wire<Integer, Integer> wire, long requested) {
        Poller<Integer> poller = Poller.create();
        wire.connection.receive().subscribe(poller);
        if (requested > 0) {
            poller.request(requested);
        }
        return poller;
    }

    private static void feedLarge(Wire<Integer, Integer> wire, int count) {
        for (int i = 0; i < count; i++) {
            wire.feed(Frames.numbers(i, i + 1, SIXTEENTH_OF_A_MEBIBYTE));
        }
    }
}
