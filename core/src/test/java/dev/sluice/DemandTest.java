package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

/** What is demanded is delivered, no more, and without waiting for further input. */
class DemandTest {

    @ParameterizedTest
    @EnumSource
    void givesNothingWithoutDemand(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> probe = subscribe(wire, way, Probe.demanding(0));

            wire.feed(Frames.numbers(0, 10));
            assertThat(probe.values()).isEmpty();
            assertThat(wire.stats().heldMessages()).isEqualTo(10);

            probe.request(Long.MAX_VALUE);
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 10));
            assertThat(wire.stats().heldMessages()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("waysAndDemands")
    void givesAsManySignalsAsWereDemandedBeforeTheRead(Way way, int demand) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> probe = subscribe(wire, way, Probe.demanding(demand));

            wire.feed(Frames.numbers(0, 400));

            assertThat(probe.count()).isEqualTo(Math.min(demand, signals(400, way)));
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, Math.min(400, demand * way.signalSize())));
            probe.request(Long.MAX_VALUE);
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 400));
        }
    }

    @ParameterizedTest
    @MethodSource("waysAndDemands")
    void givesAsManySignalsAsAreDemandedBehindTheRead(Way way, int demand) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> probe = subscribe(wire, way, Probe.demanding(0));
            wire.feed(Frames.numbers(0, 400));

            probe.request(demand);

            assertThat(probe.count()).isEqualTo(Math.min(demand, signals(400, way)));
            probe.request(Long.MAX_VALUE);
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 400));
        }
    }

    @ParameterizedTest
    @EnumSource
    void givesOneByOneWithoutFurtherInput(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> probe = subscribe(wire, way, Probe.demanding(0));
            wire.feed(Frames.numbers(0, 300));

            for (int n = 1; n <= signals(300, way); n++) {
                probe.request(1);
                assertThat(probe.count()).isEqualTo(n);
            }
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 300));
        }
    }

    @ParameterizedTest
    @EnumSource
    void givesOneByOneWhenRequestedFromOnNext(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> probe = Probe.demanding(1);
            subscribe(wire, way, probe.whenNext(signal -> probe.request(1)));

            wire.feed(Frames.numbers(0, 1000));
            wire.feed(Frames.numbers(1000, 2000));

            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 2000));
        }
    }

    /** A signal inside a signal would end in a stack of 100,000 calls. */
    @ParameterizedTest
    @EnumSource
    void deliversOneHundredThousandEmptyFramesOfOneRead(Way way) {
        try (Wire<byte[], byte[]> wire = Wire.of(Frames.BYTES)) {
            Probe<List<byte[]>> probe = Probe.demanding(1);
            way.signals(wire.connection).subscribe(probe.whenNext(signal -> probe.request(1)));

            wire.feed(Frames.empty(100_000));

            assertThat(Way.flat(probe))
                    .hasSize(100_000)
                    .allSatisfy(payload -> assertThat(payload).isEmpty());
            assertThat(wire.stats().messagesIn()).isEqualTo(100_000);
        }
    }

    @ParameterizedTest
    @EnumSource
    void deliversOneHundredThousandEmptyFramesOfOneDrain(Way way) {
        try (Wire<byte[], byte[]> wire = Wire.of(Frames.BYTES)) {
            Probe<List<byte[]>> probe = Probe.unbounded();
            way.signals(wire.connection).subscribe(probe);
            byte[] frames = Frames.empty(100_000);
            byte[][] chunks = IntStream.range(0, 100_000 / 160)
                    .mapToObj(i -> Arrays.copyOfRange(frames, i * 640, (i + 1) * 640))
                    .toArray(byte[][]::new);

            wire.feed(chunks);

            assertThat(Way.flat(probe)).hasSize(100_000);
            assertThat(probe.count()).isEqualTo(signals(100_000, way));
            assertThat(wire.stats().wakeUps()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void deliversEachCountAroundThePrefetch(Way way) {
        for (int n = 63; n <= 129; n++) {
            try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
                Probe<List<Integer>> probe = subscribe(wire, way, Probe.unbounded());
                wire.feed(Frames.numbers(0, n));
                assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, n));
                assertThat(probe.count()).isEqualTo(signals(n, way));
                wire.end();
                assertThat(probe.isCompleted()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void deliversEachCountAroundThePrefetchToLateDemand(Way way) {
        for (int n = 63; n <= 129; n++) {
            try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
                Probe<List<Integer>> probe = subscribe(wire, way, Probe.demanding(0));
                wire.feed(Frames.numbers(0, n));
                wire.end();
                assertThat(probe.isTerminated()).isFalse();
                probe.request(Long.MAX_VALUE);
                assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, n));
                assertThat(probe.isCompleted()).isTrue();
            }
        }
    }

    /** Law 4: the order of requests and reads does not matter. */
    @ParameterizedTest
    @EnumSource
    void neverStallsHoweverRequestsAndReadsMeet(Way way) {
        Random random = new Random(4711);
        for (int round = 0; round < 300; round++) {
            try (Wire<Integer, Integer> wire =
                    Wire.ofNumbers(new Prefetch(1 + random.nextInt(8), 1 + random.nextInt(64)))) {
                Probe<List<Integer>> probe = subscribe(wire, way, Probe.demanding(0));
                int fed = 0;
                long requested = 0;
                for (int step = 0; step < 20; step++) {
                    if (random.nextBoolean()) {
                        int more = random.nextInt(10);
                        wire.feed(Frames.numbers(fed, fed + more));
                        fed += more;
                    } else {
                        int more = 1 + random.nextInt(10);
                        requested += more;
                        probe.request(more);
                    }
                    int messages = Way.flat(probe).size();
                    assertThat(probe.count() == requested || messages == fed)
                            .as(
                                    "round %d of seed 4711: fed=%d, messages=%d, requested=%d, signals=%d",
                                    round, fed, messages, requested, probe.count())
                            .isTrue();
                }
                probe.request(Long.MAX_VALUE);
                assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, fed));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void addsUpDemandToUnbounded(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> probe = subscribe(wire, way, Probe.demanding(0));
            probe.request(Long.MAX_VALUE - 1);
            probe.request(Long.MAX_VALUE - 1);
            wire.feed(Frames.numbers(0, 100));
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 100));
        }
    }

    @ParameterizedTest
    @MethodSource("waysAndBadRequests")
    void failsSubscriberThatRequestsLessThanOne(Way way, long n) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> probe = subscribe(wire, way, Probe.demanding(1));
            probe.requestRaw(n);

            assertThat(probe.error())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("request is not positive (rule 3.9): n=" + n + ", limit=1");
            wire.feed(Frames.numbers(0, 10));
            assertThat(probe.values()).isEmpty();

            Probe<List<Integer>> next = subscribe(wire, way, Probe.unbounded());
            assertThat(Way.flat(next)).isEqualTo(Frames.range(0, 10));
        }
    }

    @ParameterizedTest
    @MethodSource("waysAndBadRequests")
    void failsSubscriberThatRequestsLessThanOneInOnSubscribe(Way way, long n) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 10));
            Probe<List<Integer>> probe = Probe.demanding(0);
            subscribe(wire, way, probe.whenSubscribed(self -> self.requestRaw(n)));

            assertThat(probe.error()).isInstanceOf(IllegalArgumentException.class);
            assertThat(probe.values()).isEmpty();
            assertThat(Way.flat(subscribe(wire, way, Probe.unbounded()))).isEqualTo(Frames.range(0, 10));
        }
    }

    @ParameterizedTest
    @MethodSource("waysAndBadRequests")
    void failsSubscriberThatRequestsLessThanOneInOnNext(Way way, long n) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> probe = Probe.unbounded();
            subscribe(wire, way, probe.whenNext(signal -> probe.requestRaw(n)));
            wire.feed(Frames.numbers(0, 100));

            assertThat(probe.error()).isInstanceOf(IllegalArgumentException.class);
            List<Integer> all = new ArrayList<>(Way.flat(probe));
            all.addAll(Way.flat(subscribe(wire, way, Probe.unbounded())));
            assertThat(all).isEqualTo(Frames.range(0, 100));
            assertThat(wire.channel.isOpen()).isTrue();
        }
    }

    @Test
    void ignoresRequestsBehindTheEnd() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.demanding(1);
            wire.connection.receive().subscribe(probe);
            wire.end();
            probe.request(5);
            probe.requestRaw(0);
            probe.cancel();
            assertThat(probe.isCompleted()).isTrue();
            assertThat(probe.values()).isEmpty();
        }
    }

    private static Probe<List<Integer>> subscribe(Wire<Integer, Integer> wire, Way way, Probe<List<Integer>> probe) {
        Flux<List<Integer>> signals = way.signals(wire.connection);
        signals.subscribe(probe);
        return probe;
    }

    private static int signals(int messages, Way way) {
        return (messages + way.signalSize() - 1) / way.signalSize();
    }

    private static Stream<Arguments> waysAndDemands() {
        return Stream.of(Way.values())
                .flatMap(way -> Stream.of(1, 2, 63, 64, 65, 128, 129, 1000).map(n -> Arguments.of(way, n)));
    }

    private static Stream<Arguments> waysAndBadRequests() {
        return Stream.of(Way.values())
                .flatMap(way -> Stream.of(0L, -1L, Long.MIN_VALUE).map(n -> Arguments.of(way, n)));
    }
}
