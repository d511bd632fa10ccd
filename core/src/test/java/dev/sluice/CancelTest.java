package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.test.scheduler.VirtualTimeScheduler;

/** A receiver that cancels leaves the connection open and every message that it was not given to the next. */
class CancelTest {

    @Test
    void givesFirstAndSecondMessageOfOneReadToTwoReceivers() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 3));
            assertThat(wire.connection.receive().next().block()).isEqualTo(0);
            assertThat(wire.connection.receive().next().block()).isEqualTo(1);
            assertThat(wire.channel.isOpen()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("pairsOfWays")
    void handsOverExactlyTheRestWhereverItIsCancelled(Way first, Way second) {
        int signals = (20 + first.signalSize() - 1) / first.signalSize();
        for (int k = 1; k <= signals; k++) {
            int cancelAt = k;
            try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
                Probe<List<Integer>> before = Probe.unbounded();
                first.signals(wire.connection).subscribe(before.whenNext(signal -> {
                    if (before.count() == cancelAt) {
                        before.cancel();
                    }
                }));
                wire.feed(Frames.numbers(0, 20));
                assertThat(before.count()).isEqualTo(k);

                Probe<List<Integer>> after = Probe.unbounded();
                second.signals(wire.connection).subscribe(after);
                wire.feed(Frames.numbers(20, 25));

                assertThat(concat(before, after)).as("cancelled at %d", k).isEqualTo(Frames.range(0, 25));
                wire.end();
                assertThat(after.isCompleted()).isTrue();
                assertThat(before.isTerminated()).isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void handsOverWhenCancelledBetweenReads(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> before = Probe.demanding(1);
            way.signals(wire.connection).subscribe(before);
            wire.feed(Frames.numbers(0, 200));
            before.cancel();
            Probe<List<Integer>> after = Probe.unbounded();
            way.signals(wire.connection).subscribe(after);
            assertThat(concat(before, after)).isEqualTo(Frames.range(0, 200));
        }
    }

    @ParameterizedTest
    @EnumSource
    void leavesAllMessagesWhenCancelledInOnSubscribe(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 5));
            Probe<List<Integer>> before = Probe.unbounded();
            way.signals(wire.connection).subscribe(before.whenSubscribed(Probe::cancel));
            assertThat(before.values()).isEmpty();
            assertThat(wire.connection.receive().take(5).collectList().block()).isEqualTo(Frames.range(0, 5));
        }
    }

    @ParameterizedTest
    @EnumSource
    void leavesAllMessagesWhenCancelledBeforeTheFirstRequest(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> before = Probe.demanding(0);
            way.signals(wire.connection).subscribe(before);
            wire.feed(Frames.numbers(0, 5));
            before.cancel();
            before.request(10);
            assertThat(before.values()).isEmpty();
            assertThat(wire.connection.receive().take(5).collectList().block()).isEqualTo(Frames.range(0, 5));
        }
    }

    @ParameterizedTest
    @EnumSource
    void subscribesNextReceiverInsideOnNextBehindItsCancel(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> after = Probe.unbounded();
            Probe<List<Integer>> before = Probe.unbounded();
            way.signals(wire.connection).subscribe(before.whenNext(signal -> {
                before.cancel();
                way.signals(wire.connection).subscribe(after);
            }));
            wire.feed(Frames.numbers(0, 200));
            assertThat(before.count()).isEqualTo(1);
            assertThat(concat(before, after)).isEqualTo(Frames.range(0, 200));
        }
    }

    @Test
    void takesMessagesOneReceiverAfterTheOther() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            List<Integer> taken = new ArrayList<>();
            Flux.range(0, 500).concatMap(i -> wire.connection.receive().next()).subscribe(taken::add);
            wire.feed(Frames.numbers(0, 300));
            wire.feed(Frames.numbers(300, 500));
            assertThat(taken).isEqualTo(Frames.range(0, 500));
        }
    }

    @ParameterizedTest
    @EnumSource
    void decodesNothingBehindACancelUntilWhatIsHeldIsBelowThePrefetch(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(new Prefetch(4, 1000))) {
            Probe<List<Integer>> before = Probe.demanding(0);
            way.signals(wire.connection).subscribe(before);
            wire.feed(Frames.numbers(0, 50));
            assertThat(wire.stats().messagesIn()).isEqualTo(4);
            before.cancel();
            assertThat(wire.stats().messagesIn()).isEqualTo(4);
            assertThat(wire.stats().heldMessages()).isEqualTo(4);
        }
    }

    @Test
    void leavesTheRestBehindTake() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 100));
            assertThat(wire.connection.receive().take(70).collectList().block()).isEqualTo(Frames.range(0, 70));
            assertThat(wire.connection.receive().take(30).collectList().block()).isEqualTo(Frames.range(70, 100));
            assertThat(wire.connection.receive().take(0).collectList().block()).isEmpty();
        }
    }

    @Test
    void losesNothingWhenSwitchMapChangesReceivers() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Sinks.Many<Integer> triggers = Sinks.many().unicast().onBackpressureBuffer();
            List<Integer> taken = new ArrayList<>();
            triggers.asFlux().switchMap(i -> wire.connection.receive()).subscribe(taken::add);
            for (int i = 0; i < 50; i++) {
                triggers.tryEmitNext(i);
                wire.feed(Frames.numbers(10 * i, 10 * i + 10));
            }
            assertThat(taken).isEqualTo(Frames.range(0, 500));
        }
    }

    @Test
    void leavesLaterMessagesBehindATimeout() {
        VirtualTimeScheduler clock = VirtualTimeScheduler.create();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receive().timeout(Duration.ofSeconds(1), clock).subscribe(probe);
            wire.feed(Frames.numbers(0, 1));
            clock.advanceTimeBy(Duration.ofSeconds(2));
            assertThat(probe.error()).isInstanceOf(TimeoutException.class);
            assertThat(probe.values()).containsExactly(0);

            wire.feed(Frames.numbers(1, 3));
            assertThat(wire.connection.receive().take(2).collectList().block()).containsExactly(1, 2);
        } finally {
            clock.dispose();
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesSecondReceiverAndLeavesFirstAlone(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> first = Probe.unbounded();
            way.signals(wire.connection).subscribe(first);
            Probe<Integer> second = Probe.unbounded();
            wire.connection.receive().subscribe(second);

            assertThat(second.error())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("there is a receiver already: cancel it before the next one subscribes");
            wire.feed(Frames.numbers(0, 10));
            assertThat(Way.flat(first)).isEqualTo(Frames.range(0, 10));
            wire.end();
            assertThat(first.isCompleted()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void doesNothingWhenCancelledTwiceOrLate(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> before = Probe.unbounded();
            way.signals(wire.connection).subscribe(before);
            before.cancel();
            Probe<List<Integer>> after = Probe.unbounded();
            way.signals(wire.connection).subscribe(after);
            before.cancel();
            before.request(1);
            before.requestRaw(-1);
            wire.feed(Frames.numbers(0, 10));
            assertThat(Way.flat(after)).isEqualTo(Frames.range(0, 10));
            assertThat(before.values()).isEmpty();
            assertThat(before.isTerminated()).isFalse();
        }
    }

    /** Receivers of all ways, with all demands, in any order, on a stream whose frames are torn anywhere. */
    @Test
    void losesNothingInManyRandomHandOvers() {
        long seed = 20261130;
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            try (Wire<Integer, Integer> wire =
                    Wire.ofNumbers(new Prefetch(1 + random.nextInt(70), 1 + random.nextInt(300)))) {
                byte[] frames = Frames.numbers(0, 1000);
                List<Integer> taken = new ArrayList<>();
                Probe<List<Integer>> current = null;
                for (int at = 0; at < frames.length; ) {
                    if (current == null || random.nextInt(3) == 0) {
                        if (current != null) {
                            current.cancel();
                            taken.addAll(Way.flat(current));
                        }
                        current = randomReceiver(wire, random);
                    }
                    int end = Math.min(frames.length, at + random.nextInt(600));
                    wire.feed(Arrays.copyOfRange(frames, at, end));
                    at = end;
                }
                current.cancel();
                taken.addAll(Way.flat(current));
                wire.end();
                taken.addAll(wire.connection.receive().collectList().block());
                assertThat(taken).as("round %d of seed %d", round, seed).isEqualTo(Frames.range(0, 1000));
            }
        }
    }

    private static Probe<List<Integer>> randomReceiver(Wire<Integer, Integer> wire, Random random) {
        Probe<List<Integer>> probe = Probe.demanding(random.nextInt(10));
        int cancelAt = random.nextInt(30);
        boolean requests = random.nextBoolean();
        Way.values()[random.nextInt(3)].signals(wire.connection).subscribe(probe.whenNext(signal -> {
            if (probe.count() == cancelAt) {
                probe.cancel();
            } else if (requests) {
                probe.request(1);
            }
        }));
        return probe;
    }

    private static List<Integer> concat(Probe<List<Integer>> before, Probe<List<Integer>> after) {
        List<Integer> all = new ArrayList<>(Way.flat(before));
        all.addAll(Way.flat(after));
        return all;
    }

    private static Stream<Arguments> pairsOfWays() {
        return Stream.of(Way.values())
                .flatMap(first -> Stream.of(Way.values()).map(second -> Arguments.of(first, second)));
    }
}
