package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.Oversize;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Time limits of reading, on a clock that the test turns. A limit is found passed by a second look, 1 ms later. */
class ReadDeadlinesTest {
    private static final ConnectionOptions IDLE = ConnectionOptions.DEFAULT.readIdleTimeout(Duration.ofSeconds(10));
    private static final ConnectionOptions FRAME = ConnectionOptions.DEFAULT.frameTimeout(Duration.ofSeconds(10));

    @Test
    void closesWhenThePeerIsSilent() {
        try (Wire<Integer, Integer> wire = wire(IDLE)) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            pass(wire, 9_999);
            wire.feed(Frames.numbers(0, 3));
            pass(wire, 9_999);
            assertThat(probe.isTerminated()).isFalse();
            pass(wire, 2);
            assertThat(probe.values()).containsExactly(0, 1, 2);
            assertClosed(wire, probe, CloseReason.READ_IDLE);
        }
    }

    @Test
    void anyByteEndsTheSilence() {
        try (Wire<Integer, Integer> wire = wire(IDLE)) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            byte[] frames = Frames.numbers(0, 2);
            for (byte one : frames) {
                pass(wire, 9_000);
                wire.feed(new byte[] {one});
            }
            assertThat(probe.values()).containsExactly(0, 1);
            assertThat(probe.isTerminated()).isFalse();
        }
    }

    @Test
    void isSilentFromTheBeginning() {
        try (Wire<Integer, Integer> wire = wire(IDLE)) {
            pass(wire, 10_001);
            Probe<Integer> late = Probe.demanding(0);
            wire.connection.receive().subscribe(late);
            assertClosed(wire, late, CloseReason.READ_IDLE);
        }
    }

    /** The time that this side does not read is not the peer's. */
    @Test
    void silenceStandsStillWhileThePrefetchIsFull() {
        try (Wire<Integer, Integer> wire = wire(IDLE.prefetch(new Prefetch(4, 1_000)))) {
            Probe<Integer> probe = Probe.demanding(0);
            wire.connection.receive().subscribe(probe);
            pass(wire, 4_000);
            wire.feed(Frames.numbers(0, 3));
            pass(wire, 4_000);
            wire.feed(Frames.numbers(3, 4));
            pass(wire, 3_600_000);
            assertThat(probe.isTerminated()).isFalse();
            probe.request(4);
            pass(wire, 9_998);
            assertThat(probe.isTerminated()).isFalse();
            pass(wire, 3);
            assertThat(probe.values()).containsExactly(0, 1, 2, 3);
            assertClosed(wire, probe, CloseReason.READ_IDLE);
        }
    }

    @Test
    void silenceStandsStillWhileAFusedRingIsFull() {
        try (Wire<Integer, Integer> wire = wire(IDLE.prefetch(new Prefetch(4, 1_000)))) {
            Poller<Integer> poller = Poller.create();
            wire.connection.receive().subscribe(poller);
            wire.feed(Frames.numbers(0, 100));
            pass(wire, 3_600_000);
            assertThat(poller.isTerminated()).isFalse();
            assertThat(poller.pollAll()).isEqualTo(Frames.range(0, 100));
            pass(wire, 10_002);
            assertThat(poller.error())
                    .isInstanceOf(ConnectionClosedException.class)
                    .hasMessage("connection is closed: reason=READ_IDLE");
        }
    }

    @Test
    void silenceStandsStillWhileNothingIsDemandedOfWhatIsAtHand() {
        try (Wire<Integer, Integer> wire = wire(IDLE.prefetch(Prefetch.onDemand()))) {
            Probe<Integer> probe = Probe.demanding(0);
            wire.connection.receive().subscribe(probe);
            wire.feed(Frames.numbers(0, 1));
            pass(wire, 3_600_000);
            assertThat(probe.isTerminated()).isFalse();
            probe.request(1);
            pass(wire, 10_002);
            assertClosed(wire, probe, CloseReason.READ_IDLE);
        }
    }

    @Test
    void silenceStandsStillWhileDecodingIsPaused() {
        try (Wire<Integer, Integer> wire = wire(Frames.NUMBERS.pauseAfter(number -> number == 1), IDLE)) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(Frames.numbers(0, 2));
            pass(wire, 3_600_000);
            assertThat(probe.isTerminated()).isFalse();
            wire.connection.resumeDecoding();
            pass(wire, 10_002);
            assertThat(probe.values()).containsExactly(0, 1);
            assertClosed(wire, probe, CloseReason.READ_IDLE);
        }
    }

    /** Though it begins where the frame before the switch had begun, by the count of its own reader. */
    @Test
    void firstFrameBehindASwitchHasItsOwnTime() {
        try (Wire<Integer, Integer> wire = wire(Frames.NUMBERS.pauseAfter(number -> number == 0), FRAME)) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(new byte[] {0, 0});
            pass(wire, 9_000);
            wire.feed(new byte[] {0, 4, 0, 0, 0, 0});
            wire.connection.switchTo(Frames.NUMBERS);
            wire.feed(new byte[] {0});
            pass(wire, 9_998);
            assertThat(probe.isTerminated()).isFalse();
            pass(wire, 3);
            assertThat(probe.values()).containsExactly(0);
            assertClosed(wire, probe, CloseReason.FRAME_TIMEOUT);
        }
    }

    @Test
    void timeSpentInASubscriberIsNotThePeers() {
        try (Wire<Integer, Integer> wire = wire(IDLE.frameTimeout(Duration.ofSeconds(5)))) {
            Probe<Integer> probe =
                    Probe.<Integer>unbounded().whenNext(number -> wire.channel.advanceTimeBy(1, TimeUnit.HOURS));
            wire.connection.receive().subscribe(probe);
            wire.feed(Frames.numbers(0, 3), new byte[] {0});
            wire.channel.runScheduledPendingTasks();
            pass(wire, 1_000);
            wire.feed(new byte[] {0, 0, 4});
            pass(wire, 3_000);
            assertThat(probe.isTerminated()).isFalse();
        }
    }

    /** Another callback may have kept the loop, while what the peer had sent in time was in the kernel. */
    @Test
    void readsWhatCameInTimeBeforeItCloses() {
        try (Wire<Integer, Integer> wire = wire(IDLE)) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.channel.advanceTimeBy(1, TimeUnit.HOURS);
            wire.channel.runScheduledPendingTasks();
            wire.feed(Frames.numbers(0, 1));
            pass(wire, 9_000);
            assertThat(probe.values()).containsExactly(0);
            assertThat(probe.isTerminated()).isFalse();
        }
    }

    @Test
    void closesWhenAFrameTakesTooLong() {
        try (Wire<Integer, Integer> wire = wire(FRAME)) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            pass(wire, 3_600_000);
            wire.feed(Frames.numbers(0, 2), new byte[] {0});
            for (int i = 0; i < 9; i++) {
                pass(wire, 1_000);
                wire.feed(i < 2 ? new byte[] {0} : i == 2 ? new byte[] {100} : new byte[] {7});
            }
            pass(wire, 999);
            assertThat(probe.isTerminated()).isFalse();
            pass(wire, 2);
            assertThat(probe.values()).containsExactly(0, 1);
            assertClosed(wire, probe, CloseReason.FRAME_TIMEOUT);
        }
    }

    /** Each has its own time, though some frame is torn at each end of a read. */
    @Test
    void eachFrameHasItsTime() {
        try (Wire<Integer, Integer> wire = wire(FRAME)) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            byte[] frames = Frames.numbers(0, 50);
            int at = 0;
            for (int next = 5; next < frames.length; next += 8) {
                wire.feed(Arrays.copyOfRange(frames, at, next));
                at = next;
                pass(wire, 9_000);
            }
            assertThat(probe.values()).isEqualTo(Frames.range(0, 49));
            assertThat(probe.isTerminated()).isFalse();
        }
    }

    @Test
    void frameStandsStillWhileThePrefetchIsFull() {
        try (Wire<Integer, Integer> wire = wire(FRAME.prefetch(new Prefetch(4, 1_000)))) {
            Probe<Integer> probe = Probe.demanding(0);
            wire.connection.receive().subscribe(probe);
            wire.feed(Frames.numbers(0, 3), new byte[] {0, 0});
            pass(wire, 6_000);
            wire.feed(new byte[] {0, 4, 0, 0, 0, 3, 0}); // the fourth, and the first byte of another
            pass(wire, 3_600_000);
            assertThat(probe.isTerminated()).isFalse();
            probe.request(4);
            pass(wire, 9_999);
            assertThat(probe.isTerminated()).isFalse();
            pass(wire, 2);
            assertThat(probe.values()).containsExactly(0, 1, 2, 3);
            assertClosed(wire, probe, CloseReason.FRAME_TIMEOUT);
        }
    }

    @Test
    void countsOversizeFramesThatAreSkipped() {
        Codec<byte[], byte[]> codec = Codec.bytes(LengthFieldFraming.builder()
                .maxPayloadLength(10)
                .oversize(Oversize.DISCARD)
                .build());
        try (Wire<byte[], byte[]> wire = Wire.of(codec, FRAME)) {
            wire.channel.freezeTime();
            Probe<byte[]> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(new byte[] {0, 0, 100, 0});
            for (int i = 0; i < 9; i++) {
                pass(wire, 1_000);
                wire.feed(new byte[10]);
            }
            assertThat(wire.stats().discardedFrames()).isEqualTo(1);
            pass(wire, 1_001);
            assertClosed(wire, probe, CloseReason.FRAME_TIMEOUT);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1_000, 100_000})
    void hasOneTaskHoweverManyReads(int frames) {
        try (Wire<Integer, Integer> wire = wire(IDLE.frameTimeout(Duration.ofSeconds(3)))) {
            wire.connection.receive().subscribe(Probe.unbounded());
            byte[] bytes = Frames.numbers(0, 1);
            for (int i = 0; i < frames; i++) {
                wire.feed(bytes);
            }
            assertThat(scheduled(wire)).isEqualTo(1);
        }
    }

    @Test
    void hasNoTaskWhenNoTimeIsLimited() {
        try (Wire<Integer, Integer> wire = wire(ConnectionOptions.DEFAULT)) {
            wire.connection.receive().subscribe(Probe.unbounded());
            wire.feed(Frames.numbers(0, 10), new byte[] {0});
            assertThat(scheduled(wire)).isZero();
        }
    }

    @Test
    void leavesNoTaskBehindTheEnd() {
        try (Wire<Integer, Integer> wire = wire(IDLE)) {
            wire.feed(Frames.numbers(0, 10));
            assertThat(scheduled(wire)).isEqualTo(1);
            wire.end();
            assertThat(scheduled(wire)).isZero();
            pass(wire, 3_600_000);
            assertThat(wire.channel.isOpen()).as("the end is not silence").isTrue();
        }
    }

    @Test
    void leavesNoTaskBehindAFailure() {
        try (Wire<Integer, Integer> wire = wire(IDLE)) {
            wire.feed(Frames.hex("ffffffff"));
            assertThat(scheduled(wire)).isZero();
            assertThat(wire.channel.isOpen()).isTrue();
        }
    }

    @Test
    void failsLaterSends() {
        try (Wire<Integer, Integer> wire = wire(IDLE)) {
            pass(wire, 10_001);
            assertThat(Await.error(wire.connection.send(1)))
                    .isInstanceOf(ConnectionClosedException.class)
                    .hasMessage("connection is closed: reason=READ_IDLE");
        }
    }

    /** What was read stays for a receiver that comes late. */
    @Test
    void keepsHeldMessages() {
        try (Wire<Integer, Integer> wire = wire(IDLE)) {
            wire.feed(Frames.numbers(0, 10));
            pass(wire, 10_001);
            assertThat(wire.channel.isOpen()).isFalse();
            Probe<Integer> late = Probe.demanding(9);
            wire.connection.receive().subscribe(late);
            assertThat(late.isTerminated()).isFalse();
            late.request(1);
            assertThat(late.values()).isEqualTo(Frames.range(0, 10));
            assertThat(late.awaitError()).hasMessage("connection is closed: reason=READ_IDLE");
        }
    }

    private static Wire<Integer, Integer> wire(ConnectionOptions options) {
        return wire(Frames.NUMBERS, options);
    }

    private static Wire<Integer, Integer> wire(Codec<Integer, Integer> codec, ConnectionOptions options) {
        Wire<Integer, Integer> wire = Wire.of(codec, options.holdTimeout(Duration.ofDays(1)));
        wire.channel.freezeTime();
        return wire;
    }

    /** Lets time pass in steps of a millisecond at the end, so that a second look has its turn. */
    private static void pass(Wire<?, ?> wire, long millis) {
        wire.channel.advanceTimeBy(millis - 1, TimeUnit.MILLISECONDS);
        wire.channel.runScheduledPendingTasks();
        wire.channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
        wire.channel.runScheduledPendingTasks();
        wire.settle();
    }

    /** Tasks of the loop that wait for their time. */
    private static int scheduled(Wire<?, ?> wire) {
        try {
            Field queue = AbstractScheduledEventExecutor.class.getDeclaredField("scheduledTaskQueue");
            queue.setAccessible(true);
            Queue<?> tasks = (Queue<?>) queue.get(wire.channel.eventLoop());
            return tasks == null ? 0 : tasks.size();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("Netty keeps its scheduled tasks elsewhere", e);
        }
    }

    private static void assertClosed(Wire<?, ?> wire, Probe<?> probe, CloseReason reason) {
        assertThat(probe.awaitError())
                .isInstanceOfSatisfying(
                        ConnectionClosedException.class,
                        e -> assertThat(e.reason()).isEqualTo(reason));
        assertThat(wire.channel.isOpen()).isFalse();
        assertThat(wire.connection.onClose().block()).isEqualTo(reason);
    }
}
