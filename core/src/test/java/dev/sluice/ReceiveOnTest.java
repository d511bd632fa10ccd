package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Hooks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The hop to a worker, one step at a time: its tasks run when the test says so. */
class ReceiveOnTest {

    @Test
    void givesOnTheWorkerAlone() {
        CountingScheduler scheduler = CountingScheduler.byHand();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receiveOn(scheduler).subscribe(probe);
            wire.feed(Frames.numbers(0, 10));
            assertThat(probe.count()).isZero();
            scheduler.runAll();
            assertThat(probe.values()).isEqualTo(Frames.range(0, 10));
            wire.end();
            assertThat(probe.isTerminated()).isFalse();
            scheduler.runAll();
            assertThat(probe.isCompleted()).isTrue();
        }
    }

    @Test
    void schedulesOneTaskForAllThatComesBeforeItRuns() {
        CountingScheduler scheduler = CountingScheduler.byHand();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receiveOn(scheduler).subscribe(probe);
            for (int i = 0; i < 5; i++) {
                wire.feed(Frames.numbers(10 * i, 10 * i + 5), Frames.numbers(10 * i + 5, 10 * i + 10));
            }
            wire.end();
            assertThat(scheduler.tasks()).isEqualTo(1);
            scheduler.runAll();
            assertThat(probe.values()).isEqualTo(Frames.range(0, 50));
            assertThat(probe.isCompleted()).isTrue();
            assertThat(scheduler.tasks()).isLessThanOrEqualTo(2);
            assertThat(wire.stats().wakeUps()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 64", "0, 100, 64", "5, 1, 65", "5, 3, 67", "5, 100, 69", "500, 100, 164", "9999, 1024, 1088"})
    void decodesThePrefetchAndWhatMayBeInFlight(long requested, int maxInFlight, int decoded) {
        CountingScheduler scheduler = CountingScheduler.byHand();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.demanding(requested);
            wire.connection.receiveOn(scheduler, maxInFlight).subscribe(probe);
            wire.feed(Frames.numbers(0, 3_000));
            assertThat(wire.stats().messagesIn()).isEqualTo(decoded);
            scheduler.runAll();
            assertThat(probe.values()).isEqualTo(Frames.range(0, (int) Math.min(requested, 3_000)));
            probe.request(Long.MAX_VALUE);
            scheduler.runAll();
            assertThat(probe.values()).isEqualTo(Frames.range(0, 3_000));
        }
    }

    @Test
    void holdsAtMost1024InFlightByDefault() {
        CountingScheduler scheduler = CountingScheduler.byHand();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.connection.receiveOn(scheduler).subscribe(Probe.unbounded());
            wire.feed(Frames.numbers(0, 3_000));
            assertThat(wire.stats().messagesIn()).isEqualTo(64 + 1_024);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {100_000, Integer.MAX_VALUE})
    void takesAnyBound(int maxInFlight) {
        CountingScheduler scheduler = CountingScheduler.byHand();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receiveOn(scheduler, maxInFlight).subscribe(probe);
            wire.feed(Frames.numbers(0, 40_000));
            assertThat(wire.stats().messagesIn()).isEqualTo(64 + 32_768);
            scheduler.runAll();
            wire.channel.runPendingTasks(); // a resumed run of the drain ends after 4,096 messages
            scheduler.runAll();
            assertThat(probe.values()).isEqualTo(Frames.range(0, 40_000));
        }
    }

    @Test
    void refusesBoundBelowOne() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            assertThatThrownBy(() -> wire.connection.receiveOn(Schedulers.immediate(), 0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("no message may be in flight: maxInFlight=0, limit=1");
        }
    }

    @Test
    void decodesOnAtLowTide() {
        CountingScheduler scheduler = CountingScheduler.byHand();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(new Prefetch(10, 1_000))) {
            Probe<Integer> probe = Probe.demanding(20);
            wire.connection.receiveOn(scheduler, 100).subscribe(probe.whenNext(number -> {
                // 30 - n - 1 held behind it, of 10 + 20 - n - 1 that may be
                assertThat(wire.stats().messagesIn()).isEqualTo(30);
            }));
            wire.feed(Frames.numbers(0, 200));
            scheduler.runAll();
            assertThat(probe.values()).isEqualTo(Frames.range(0, 20));
            probe.request(4);
            scheduler.runAll();
            assertThat(wire.stats().messagesIn()).isEqualTo(30);
        }
    }

    @Test
    void givesOneByOneWhenRequestedInOnNext() {
        CountingScheduler scheduler = CountingScheduler.byHand();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.demanding(1);
            wire.connection.receiveOn(scheduler).subscribe(probe.whenNext(number -> probe.request(1)));
            wire.feed(Frames.numbers(0, 5_000));
            scheduler.runAll();
            assertThat(probe.values()).isEqualTo(Frames.range(0, 5_000));
            assertThat(scheduler.tasks()).isLessThan(200);
        }
    }

    /** Whatever was demanded: the end needs no demand of its own, and comes when nothing is left. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 63, 64, 65, 500})
    void tellsTheEndBehindTheLastMessageAtOnce(int messages) {
        for (boolean fails : new boolean[] {false, true}) {
            for (boolean endsFirst : new boolean[] {false, true}) {
                CountingScheduler scheduler = CountingScheduler.byHand();
                try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
                    Probe<Integer> probe = Probe.demanding(messages);
                    wire.connection.receiveOn(scheduler).subscribe(probe);
                    wire.feed(Frames.numbers(0, messages));
                    if (!endsFirst) {
                        scheduler.runAll();
                        assertThat(probe.values()).isEqualTo(Frames.range(0, messages));
                    }
                    if (fails) {
                        wire.fail(new IOException("reset"));
                    } else {
                        wire.end();
                    }
                    scheduler.runAll();
                    assertThat(probe.values()).isEqualTo(Frames.range(0, messages));
                    assertThat(probe.isTerminated()).isTrue();
                    assertThat(probe.isCompleted()).isEqualTo(!fails);
                    assertThat(scheduler.disposed()).isEqualTo(scheduler.created());
                }
            }
        }
    }

    @Test
    void holdsTheErrorUntilAllMessagesAreDemanded() {
        CountingScheduler scheduler = CountingScheduler.byHand();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.demanding(0);
            wire.connection.receiveOn(scheduler).subscribe(probe);
            wire.feed(Frames.numbers(0, 200));
            wire.fail(new IOException("reset"));
            for (int i = 1; i <= 200; i++) {
                scheduler.runAll();
                assertThat(probe.isTerminated()).isFalse();
                probe.request(1);
                scheduler.runAll();
                assertThat(probe.count()).isEqualTo(i);
            }
            assertThat(probe.error()).isInstanceOf(IOException.class);
            assertThat(probe.values()).isEqualTo(Frames.range(0, 200));
        }
    }

    @Test
    void disposesItsWorkerOnCancel() {
        CountingScheduler scheduler = CountingScheduler.byHand();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receiveOn(scheduler).subscribe(probe);
            assertThat(scheduler.created()).isEqualTo(1);
            assertThat(scheduler.disposed()).isZero();
            probe.cancel();
            assertThat(scheduler.disposed()).isEqualTo(1);
        }
    }

    @Test
    void makesNoWorkerForAReceiverThatIsRefused() {
        CountingScheduler scheduler = CountingScheduler.byHand();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.connection.receive().subscribe();
            Probe<Integer> second = Probe.unbounded();
            wire.connection.receiveOn(scheduler).subscribe(second);
            assertThat(second.error()).isInstanceOf(IllegalStateException.class);
            assertThat(scheduler.created()).isZero();
        }
    }

    @Test
    void treatsSubscriberThatThrowsAsOneThatCancels() {
        List<Throwable> dropped = new ArrayList<>();
        Hooks.onErrorDropped(dropped::add);
        CountingScheduler scheduler = CountingScheduler.byHand();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receiveOn(scheduler).subscribe(probe.whenNext(number -> {
                if (number == 3) {
                    throw new IllegalStateException("mine");
                }
            }));
            wire.feed(Frames.numbers(0, 10));
            scheduler.runAll();
            assertThat(probe.values()).isEqualTo(Frames.range(0, 4));
            assertThat(probe.isTerminated()).isFalse();
            assertThat(dropped).singleElement().satisfies(e -> assertThat(e).hasMessage("mine"));
            assertThat(scheduler.disposed()).isEqualTo(1);
            assertThat(wire.connection.receive().take(6).collectList().block()).isEqualTo(Frames.range(4, 10));
        } finally {
            Hooks.resetOnErrorDropped();
        }
    }

    @Test
    void failsTheSubscriberOfADisposedSchedulerAndKeepsTheMessages() {
        for (Scheduler scheduler : List.of(
                Schedulers.newSingle("gone"),
                Schedulers.newParallel("gone"),
                Schedulers.newBoundedElastic(1, 1, "gone"))) {
            scheduler.dispose();
            try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
                wire.feed(Frames.numbers(0, 10));
                Probe<Integer> probe = Probe.unbounded();
                wire.connection.receiveOn(scheduler).subscribe(probe);
                assertThat(probe.values()).isEmpty();
                assertThat(probe.error()).as(scheduler.toString()).isInstanceOf(RejectedExecutionException.class);
                assertThat(wire.connection.receive().take(10).collectList().block())
                        .isEqualTo(Frames.range(0, 10));
            }
        }
    }

    @Test
    void failsTheSubscriberWhenTheSchedulerIsDisposedLater() {
        Scheduler scheduler = Schedulers.newSingle("gone");
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receiveOn(scheduler).subscribe(probe);
            wire.feed(Frames.numbers(0, 10));
            probe.awaitCount(10);
            scheduler.dispose();
            wire.feed(Frames.numbers(10, 20));
            assertThat(probe.awaitError()).isInstanceOf(RejectedExecutionException.class);
            wire.end();
            assertThat(wire.connection.receive().collectList().block()).isEqualTo(Frames.range(10, 20));
        }
    }

    @Test
    void failsTheSubscriberOfASchedulerThatMakesNoWorker() {
        Scheduler scheduler = new Scheduler() {
            @Override
            public reactor.core.Disposable schedule(Runnable task) {
                throw new RejectedExecutionException("none");
            }

            @Override
            public Worker createWorker() {
                throw new RejectedExecutionException("none");
            }
        };
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 10));
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receiveOn(scheduler).subscribe(probe);
            assertThat(probe.error())
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessage("none");
            assertThat(wire.connection.receive().take(10).collectList().block()).isEqualTo(Frames.range(0, 10));
        }
    }

    @Test
    void failsSubscriberThatRequestsLessThanOneAndKeepsTheMessages() {
        CountingScheduler scheduler = CountingScheduler.byHand();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.demanding(3);
            wire.connection.receiveOn(scheduler).subscribe(probe);
            wire.feed(Frames.numbers(0, 10));
            scheduler.runAll();
            probe.requestRaw(-5);
            scheduler.runAll();
            assertThat(probe.values()).isEqualTo(Frames.range(0, 3));
            assertThat(probe.error())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("request is not positive (rule 3.9): n=-5, limit=1");
            assertThat(scheduler.disposed()).isEqualTo(1);
            assertThat(wire.connection.receive().take(7).collectList().block()).isEqualTo(Frames.range(3, 10));
        }
    }

    /** Any order of reads, requests and runs of the worker. */
    @Test
    void givesAllForEachDemandAndChunking() {
        long seed = 99;
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            Prefetch prefetch = random.nextInt(5) == 0
                    ? Prefetch.onDemand()
                    : new Prefetch(1 + random.nextInt(80), 1 + random.nextInt(400));
            CountingScheduler scheduler = CountingScheduler.byHand();
            try (Wire<Integer, Integer> wire = Wire.ofNumbers(prefetch)) {
                Probe<Integer> probe = Probe.demanding(random.nextInt(20));
                wire.connection.receiveOn(scheduler, 1 + random.nextInt(100)).subscribe(probe);
                byte[] frames = Frames.numbers(0, 500);
                for (int at = 0; at < frames.length; ) {
                    int end = Math.min(frames.length, at + random.nextInt(700));
                    wire.feed(java.util.Arrays.copyOfRange(frames, at, end));
                    at = end;
                    if (random.nextBoolean()) {
                        probe.request(1 + random.nextInt(60));
                    }
                    if (random.nextBoolean()) {
                        scheduler.runAll();
                    }
                }
                wire.end();
                scheduler.runAll();
                while (!probe.isTerminated()) {
                    int before = probe.count();
                    probe.request(1 + random.nextInt(60));
                    scheduler.runAll();
                    assertThat(probe.count() > before || probe.isTerminated())
                            .as("stall behind %d, round %d of seed %d", before, round, seed)
                            .isTrue();
                }
                assertThat(probe.values())
                        .as("round %d of seed %d", round, seed)
                        .isEqualTo(Frames.range(0, 500));
                assertThat(probe.isCompleted()).isTrue();
            }
        }
    }
}
