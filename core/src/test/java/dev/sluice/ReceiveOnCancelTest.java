package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.scheduler.Schedulers;

/** The hop has no queue of its own to drop: what it has not given when it is cancelled is the next receiver's. */
class ReceiveOnCancelTest {
    private static final int MESSAGES = 150;

    @ParameterizedTest
    @EnumSource
    void handsOverExactlyTheRestWhereverItIsCancelled(FusedCancelTest.Next next) {
        for (int k = 1; k <= MESSAGES; k++) {
            int cancelAt = k;
            CountingScheduler scheduler = CountingScheduler.byHand();
            try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
                List<Integer> taken = new ArrayList<>();
                Probe<ByteBuf> before = Probe.unbounded();
                wire.connection.receiveOn(scheduler, 30).subscribe(before.whenNext(message -> {
                    taken.add(Frames.take(message));
                    if (before.count() == cancelAt) {
                        before.cancel();
                    }
                }));
                wire.feed(Frames.numbers(0, MESSAGES));
                scheduler.runAll();
                assertThat(before.count()).isEqualTo(k);
                next.take(wire.connection, message -> taken.add(Frames.take(message)));
                wire.feed(Frames.numbers(MESSAGES, MESSAGES + 5));
                assertThat(taken).as("cancelled at %d", k).isEqualTo(Frames.range(0, MESSAGES + 5));
                assertThat(before.isTerminated()).isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("paranoid")
    void handsOverAllWhenCancelledBeforeItsTaskHasRun(FusedCancelTest.Next next) {
        CountingScheduler scheduler = CountingScheduler.byHand();
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            List<Integer> taken = new ArrayList<>();
            Probe<ByteBuf> before = Probe.unbounded();
            wire.connection.receiveOn(scheduler).subscribe(before);
            wire.feed(Frames.numbers(0, MESSAGES));
            before.cancel();
            next.take(wire.connection, message -> taken.add(Frames.take(message)));
            scheduler.runAll();
            assertThat(taken).isEqualTo(Frames.range(0, MESSAGES));
            assertThat(before.values()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void subscribesNextReceiverInsideOnNextBehindItsCancel(FusedCancelTest.Next next) {
        CountingScheduler scheduler = CountingScheduler.byHand();
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            List<Integer> taken = new ArrayList<>();
            Probe<ByteBuf> before = Probe.unbounded();
            wire.connection.receiveOn(scheduler).subscribe(before.whenNext(message -> {
                taken.add(Frames.take(message));
                before.cancel();
                next.take(wire.connection, rest -> taken.add(Frames.take(rest)));
            }));
            wire.feed(Frames.numbers(0, MESSAGES));
            scheduler.runAll();
            assertThat(taken).isEqualTo(Frames.range(0, MESSAGES));
            assertThat(before.count()).isEqualTo(1);
        }
    }

    @Test
    void takesOverFromOneHopToAnotherAtEachMessage() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            List<Integer> taken = new ArrayList<>();
            wire.feed(Frames.numbers(0, 60));
            for (int i = 0; i < 60; i++) {
                wire.connection.receiveOn(Schedulers.immediate()).next().subscribe(taken::add);
            }
            assertThat(taken).isEqualTo(Frames.range(0, 60));
        }
    }

    @Test
    @Tag("paranoid")
    void releasesWhatItHasNotGivenWhenTheConnectionIsDisposed() {
        CountingScheduler scheduler = CountingScheduler.byHand();
        Probe<ByteBuf> probe = Probe.<ByteBuf>demanding(10).whenNext(ByteBuf::release);
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            wire.connection.receiveOn(scheduler).subscribe(probe);
            wire.feed(Frames.numbers(0, 100));
            scheduler.runAll();
            wire.connection.dispose();
            wire.settle();
            scheduler.runAll();
            assertThat(probe.values()).hasSize(10);
            assertThat(probe.error()).isInstanceOf(ConnectionClosedException.class);
            assertThat(wire.stats().droppedMessages()).isPositive();
        }
    }

    @Test
    void closesTheConnectionIfThePolicySaysSo() {
        CountingScheduler scheduler = CountingScheduler.byHand();
        ConnectionOptions closing = ConnectionOptions.DEFAULT.cancelPolicy(CancelPolicy.CLOSE);
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES, closing)) {
            Probe<ByteBuf> probe = Probe.demanding(10);
            wire.connection.receiveOn(scheduler).subscribe(probe);
            wire.feed(Frames.numbers(0, 100));
            probe.cancel();
            wire.settle();
            scheduler.runAll();
            assertThat(wire.channel.isOpen()).isFalse();
            assertThat(probe.isTerminated()).isFalse();
        }
    }
}
