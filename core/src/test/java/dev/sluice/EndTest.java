package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.TruncatedFrameException;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

/** The end comes once, behind every message read before it, and to each later receiver again. */
class EndTest {

    @ParameterizedTest
    @EnumSource
    void completesBehindAllMessages(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> probe = Probe.unbounded();
            way.signals(wire.connection).subscribe(probe);
            wire.feed(Frames.numbers(0, 100));
            assertThat(probe.isTerminated()).isFalse();
            wire.end();
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 100));
            assertThat(probe.isCompleted()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void completesWithoutDemandWhenNothingIsLeft(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> probe = Probe.demanding(0);
            way.signals(wire.connection).subscribe(probe);
            wire.end();
            assertThat(probe.isCompleted()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void completesOnlyWhenHeldMessagesWereTaken(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> probe = Probe.demanding(0);
            way.signals(wire.connection).subscribe(probe);
            int messages = 2 * way.signalSize();
            wire.feed(Frames.numbers(0, messages));
            wire.end();
            probe.request(1);
            assertThat(probe.isTerminated()).isFalse();
            probe.request(1);
            assertThat(probe.isCompleted()).isTrue();
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, messages));
        }
    }

    /** Exactly as much demand as there are messages: the end needs none. */
    @Test
    void completesRightBehindTheLastDemandedMessage() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 200));
            wire.end();
            StepVerifier.create(wire.connection.receive(), 0)
                    .thenRequest(199)
                    .expectNextCount(199)
                    .thenRequest(1)
                    .expectNext(199)
                    .verifyComplete();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 7})
    void failsBehindWholeMessagesWhenTruncated(int bytesOfTornFrame) {
        for (Way way : Way.values()) {
            try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
                Probe<List<Integer>> probe = Probe.demanding(0);
                way.signals(wire.connection).subscribe(probe);
                wire.feed(Arrays.copyOf(Frames.numbers(0, 4), 3 * 8 + bytesOfTornFrame));
                wire.end();
                assertThat(probe.isTerminated()).isFalse();
                probe.request(3);
                assertThat(Way.flat(probe)).containsExactly(0, 1, 2);
                assertThat(probe.error())
                        .isInstanceOf(TruncatedFrameException.class)
                        .hasMessage("input ended inside a frame: bytesAtHand=" + bytesOfTornFrame + ", bytesNeeded="
                                + (bytesOfTornFrame < 4 ? 4 : 8) + ", streamOffset=24, firstBytes="
                                + "0000000400000003".substring(0, 2 * bytesOfTornFrame));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void passesErrorOfTheChannelBehindAllMessages(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            IOException reset = new IOException("reset");
            Probe<List<Integer>> probe = Probe.demanding(0);
            way.signals(wire.connection).subscribe(probe);
            wire.feed(Frames.numbers(0, 300));
            wire.fail(reset);
            assertThat(probe.isTerminated()).isFalse();
            probe.request(Long.MAX_VALUE);
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 300));
            assertThat(probe.error()).isSameAs(reset);
            assertThat(wire.connection.onClose().block()).isEqualTo(CloseReason.CONNECTION_LOST);
        }
    }

    /** A torn frame does not turn a reset into a truncation. */
    @Test
    void passesErrorOfTheChannelInsideAFrame() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            IOException reset = new IOException("reset");
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(new byte[] {0, 0});
            wire.fail(reset);
            assertThat(probe.error()).isSameAs(reset);
        }
    }

    @ParameterizedTest
    @EnumSource
    void givesLateReceiverWhatIsLeftAndThenTheEnd(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 200));
            wire.end();
            Probe<List<Integer>> probe = Probe.unbounded();
            way.signals(wire.connection).subscribe(probe);
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 200));
            assertThat(probe.isCompleted()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void givesLateReceiverWhatIsLeftWhenTheChannelHasClosed(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 200));
            wire.end();
            wire.channel.close();
            wire.settle();
            Probe<List<Integer>> probe = Probe.demanding(1);
            way.signals(wire.connection).subscribe(probe);
            assertThat(probe.count()).isEqualTo(1);
            probe.request(Long.MAX_VALUE);
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 200));
            assertThat(probe.isCompleted()).isTrue();
        }
    }

    @Test
    void keepsTheEndForLaterReceivers() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            IOException reset = new IOException("reset");
            wire.feed(Frames.numbers(0, 2));
            wire.fail(reset);
            assertThat(wire.connection.receive().next().block()).isEqualTo(0);
            StepVerifier.create(wire.connection.receive()).expectNext(1).verifyErrorMatches(e -> e == reset);
            StepVerifier.create(wire.connection.receive()).verifyErrorMatches(e -> e == reset);
            StepVerifier.create(wire.connection.receiveBatches()).verifyErrorMatches(e -> e == reset);
        }
    }

    @Test
    void keepsCompletionForLaterReceivers() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.end();
            StepVerifier.create(wire.connection.receive()).verifyComplete();
            StepVerifier.create(wire.connection.receiveBatches(), 0).verifyComplete();
        }
    }

    @ParameterizedTest
    @EnumSource
    void givesAllWhenTheEndComesWhileThePrefetchIsFull(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(new Prefetch(4, 1000))) {
            Probe<List<Integer>> probe = Probe.demanding(0);
            way.signals(wire.connection).subscribe(probe);
            wire.feed(Frames.numbers(0, 50));
            assertThat(wire.stats().heldMessages()).isEqualTo(4);
            wire.end();
            while (!probe.isTerminated()) {
                int before = probe.count();
                probe.request(1);
                assertThat(probe.count()).isEqualTo(before + 1);
            }
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 50));
            assertThat(probe.isCompleted()).isTrue();
        }
    }

    @Test
    void terminatesOnceWhateverFollows() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.end();
            wire.end();
            wire.feed(Frames.numbers(0, 3));
            wire.fail(new IOException("late"));
            wire.connection.dispose();
            assertThat(probe.isCompleted()).isTrue();
            assertThat(probe.values()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void subscribesAnewInsideOnComplete(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> second = Probe.unbounded();
            Probe<List<Integer>> first = Probe.unbounded();
            way.signals(wire.connection)
                    .subscribe(first.whenTerminated(
                            error -> wire.connection.receive().subscribe(second)));
            wire.end();
            assertThat(first.isCompleted()).isTrue();
            assertThat(second.isCompleted()).isTrue();
        }
    }

    @Test
    void releasesAndCountsWhatNobodyReceivesAfterTheHoldTimeout() {
        ConnectionOptions options = ConnectionOptions.DEFAULT.holdTimeout(Duration.ofSeconds(5));
        try (Wire<ByteBuf, ?> wire = Wire.of(Frames.SLICES, options)) {
            wire.channel.freezeTime();
            wire.feed(Frames.numbers(0, 100));
            wire.end();
            wire.closeChannel();
            wire.channel.advanceTimeBy(4_999, TimeUnit.MILLISECONDS);
            wire.channel.runScheduledPendingTasks();
            assertThat(wire.stats().droppedMessages()).isZero();
            assertThat(wire.stats().heldMessages()).isEqualTo(64);

            wire.channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
            wire.channel.runScheduledPendingTasks();
            assertThat(wire.stats().droppedMessages()).isEqualTo(100);
            assertThat(wire.stats().heldMessages()).isZero();
            assertThat(wire.stats().bytesAtHand()).isZero();
            StepVerifier.create(wire.connection.receive()).verifyComplete();
        }
    }

    @Test
    void holdsForAReceiverThatCameInTime() {
        ConnectionOptions options = ConnectionOptions.DEFAULT.holdTimeout(Duration.ofSeconds(5));
        try (Wire<Integer, Integer> wire = Wire.of(Frames.NUMBERS, options)) {
            wire.channel.freezeTime();
            wire.feed(Frames.numbers(0, 100));
            wire.end();
            wire.closeChannel();
            Probe<Integer> probe = Probe.demanding(0);
            wire.connection.receive().subscribe(probe);
            wire.channel.advanceTimeBy(1, TimeUnit.HOURS);
            wire.channel.runScheduledPendingTasks();
            probe.request(Long.MAX_VALUE);
            assertThat(probe.values()).isEqualTo(Frames.range(0, 100));
            assertThat(probe.isCompleted()).isTrue();
        }
    }

    @Test
    void releasesWhatAReceiverLeftAfterTheHoldTimeout() {
        ConnectionOptions options = ConnectionOptions.DEFAULT.holdTimeout(Duration.ofSeconds(5));
        try (Wire<Integer, Integer> wire = Wire.of(Frames.NUMBERS, options)) {
            wire.channel.freezeTime();
            wire.feed(Frames.numbers(0, 10));
            wire.end();
            wire.closeChannel();
            wire.channel.advanceTimeBy(4, TimeUnit.SECONDS);
            assertThat(wire.connection.receive().take(3).collectList().block()).containsExactly(0, 1, 2);
            wire.channel.runScheduledPendingTasks();
            assertThat(wire.stats().heldMessages()).isEqualTo(7);
            wire.channel.advanceTimeBy(5, TimeUnit.SECONDS);
            wire.channel.runScheduledPendingTasks();
            assertThat(wire.stats().droppedMessages()).isEqualTo(7);
        }
    }

    @Test
    void doesNotDropWhileTheChannelIsOpen() {
        ConnectionOptions options = ConnectionOptions.DEFAULT.holdTimeout(Duration.ZERO);
        try (Wire<Integer, Integer> wire = Wire.of(Frames.NUMBERS, options)) {
            wire.channel.freezeTime();
            wire.feed(Frames.numbers(0, 10));
            wire.end();
            wire.channel.advanceTimeBy(1, TimeUnit.HOURS);
            wire.channel.runScheduledPendingTasks();
            assertThat(wire.stats().heldMessages()).isEqualTo(10);
        }
    }
}
