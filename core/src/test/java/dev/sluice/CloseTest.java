package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** {@code close()}, {@code dispose()} and {@link CancelPolicy#CLOSE} on this side. */
@Tag("paranoid")
class CloseTest {

    @ParameterizedTest
    @EnumSource
    void disposeFailsTheReceiverAtOnceAndReleasesWhatIsHeld(Way way) {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            Probe<List<ByteBuf>> probe = Probe.demanding(0);
            way.signals(wire.connection).subscribe(probe);
            wire.feed(Frames.numbers(0, 100));
            wire.connection.dispose();
            assertClosed(probe.error(), CloseReason.DISPOSED);
            assertThat(probe.values()).isEmpty();
            assertThat(wire.stats().droppedMessages()).isEqualTo(64);
            assertThat(wire.stats().heldMessages()).isZero();
            assertThat(wire.stats().bytesAtHand()).isZero();
            assertThat(wire.connection.isDisposed()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void disposeInsideOnNextEndsTheStreamThere(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> probe = Probe.unbounded();
            way.signals(wire.connection).subscribe(probe.whenNext(signal -> wire.connection.dispose()));
            wire.feed(Frames.numbers(0, 200));
            assertClosed(probe.error(), CloseReason.DISPOSED);
            assertThat(Way.flat(probe).size()).isLessThan(200);
            assertThat(wire.stats().bytesAtHand()).isZero();
        }
    }

    @Test
    void failsReceiverThatComesAfterDispose() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 3));
            wire.connection.dispose();
            wire.connection.dispose();
            StepVerifier.create(wire.connection.receive(), 0)
                    .verifyErrorSatisfies(e -> assertClosed(e, CloseReason.DISPOSED));
            StepVerifier.create(wire.connection.receiveBatches())
                    .verifyErrorSatisfies(e -> assertClosed(e, CloseReason.DISPOSED));
            assertThat(wire.connection.onClose().block()).isEqualTo(CloseReason.DISPOSED);
            wire.connection.onDispose().block();
        }
    }

    /** The stream had ended already: dispose does not change how. */
    @Test
    void keepsTheEndThatWasToldBeforeDispose() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.end();
            StepVerifier.create(wire.connection.receive()).verifyComplete();
            wire.connection.dispose();
            StepVerifier.create(wire.connection.receive()).verifyComplete();
            assertThat(wire.connection.onClose().block()).isEqualTo(CloseReason.PEER_CLOSED);
        }
    }

    @Test
    void closeIsColdAndHappensOnce() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Mono<Void> close = wire.connection.close();
            wire.settle();
            assertThat(wire.channel.isOpen()).isTrue();
            Probe<Void> first = Probe.unbounded();
            Probe<Void> second = Probe.unbounded();
            close.subscribe(first);
            wire.connection.close().subscribe(second);
            wire.settle();
            wire.end();
            assertThat(first.isCompleted()).isTrue();
            assertThat(second.isCompleted()).isTrue();
            assertThat(wire.channel.isOpen()).isFalse();
            wire.connection.close().block();
            assertThat(wire.connection.onClose().block()).isEqualTo(CloseReason.CLOSED);
        }
    }

    @Test
    void cancelDoesNotStopClose() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Disposable subscription = wire.connection.close().subscribe();
            subscription.dispose();
            wire.settle();
            wire.end();
            assertThat(wire.channel.isOpen()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void closeLeavesHeldMessagesToTheReceiver(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> probe = Probe.demanding(0);
            way.signals(wire.connection).subscribe(probe);
            wire.feed(Frames.numbers(0, 100));
            wire.connection.close().subscribe();
            wire.settle();
            assertThat(probe.isTerminated()).isFalse();
            probe.request(1);
            probe.request(Long.MAX_VALUE);
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 64));
            assertClosed(probe.error(), CloseReason.CLOSED);
        }
    }

    @Test
    void closeLeavesHeldMessagesToALateReceiver() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 5));
            wire.connection.close().subscribe();
            wire.settle();
            wire.end();
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            assertThat(probe.values()).isEqualTo(Frames.range(0, 5));
            assertClosed(probe.error(), CloseReason.CLOSED);
        }
    }

    @Test
    void closeFailsReceiverAtOnceWhenNothingIsHeld() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.demanding(0);
            wire.connection.receive().subscribe(probe);
            wire.connection.close().subscribe();
            wire.settle();
            assertClosed(probe.error(), CloseReason.CLOSED);
        }
    }

    /** The peer had ended its stream and all was decoded: closing then changes nothing for the receiver. */
    @Test
    void closeBehindThePeersEndCompletesTheReceiver() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 3));
            wire.end();
            wire.connection.close().subscribe();
            wire.settle();
            assertThat(wire.channel.isOpen()).isFalse();
            StepVerifier.create(wire.connection.receive()).expectNext(0, 1, 2).verifyComplete();
        }
    }

    @Test
    void closeSendsWhatWasAcceptedAndRefusesTheRest() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Void> accepted = Probe.unbounded();
            wire.connection.send(1).subscribe(accepted);
            wire.connection.close().subscribe();
            Probe<Void> refused = Probe.unbounded();
            wire.connection.send(2).subscribe(refused);
            assertClosed(refused.error(), CloseReason.CLOSED);
            assertThat(wire.sentNumbers()).containsExactly(1);
            assertThat(accepted.isCompleted()).isTrue();
        }
    }

    @Test
    void closeInsideOnNextDecodesNothingMore() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection
                    .receive()
                    .subscribe(probe.whenNext(number -> wire.connection.close().subscribe()));
            wire.feed(Frames.numbers(0, 10));
            wire.settle();
            assertClosed(probe.error(), CloseReason.CLOSED);
            assertThat(probe.values()).isEqualTo(Frames.range(0, probe.count()));
            assertThat(probe.count()).isLessThanOrEqualTo(10);
        }
    }

    @ParameterizedTest
    @EnumSource
    void cancelDisposesByPolicy(Way way) {
        ConnectionOptions options = ConnectionOptions.DEFAULT.cancelPolicy(CancelPolicy.CLOSE);
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES, options)) {
            Probe<List<ByteBuf>> probe = Probe.demanding(0);
            way.signals(wire.connection).subscribe(probe);
            wire.feed(Frames.numbers(0, 100));
            probe.cancel();
            wire.settle();
            assertThat(wire.channel.isOpen()).isFalse();
            assertThat(wire.connection.onClose().block()).isEqualTo(CloseReason.DISPOSED);
            assertThat(wire.stats().heldMessages()).isZero();
            assertThat(probe.isTerminated()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void cancelInsideOnNextDisposesByPolicy(Way way) {
        ConnectionOptions options = ConnectionOptions.DEFAULT.cancelPolicy(CancelPolicy.CLOSE);
        try (Wire<Integer, Integer> wire = Wire.of(Frames.NUMBERS, options)) {
            Probe<List<Integer>> probe = Probe.unbounded();
            way.signals(wire.connection).subscribe(probe.whenNext(signal -> probe.cancel()));
            wire.feed(Frames.numbers(0, 100));
            wire.settle();
            assertThat(probe.count()).isEqualTo(1);
            assertThat(wire.channel.isOpen()).isFalse();
        }
    }

    @Test
    void cancelInsideOnSubscribeDisposesByPolicy() {
        ConnectionOptions options = ConnectionOptions.DEFAULT.cancelPolicy(CancelPolicy.CLOSE);
        try (Wire<Integer, Integer> wire = Wire.of(Frames.NUMBERS, options)) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe.whenSubscribed(Probe::cancel));
            wire.settle();
            assertThat(wire.channel.isOpen()).isFalse();
        }
    }

    @Test
    void cancelBehindTheTerminalDisposesNothing() {
        ConnectionOptions options = ConnectionOptions.DEFAULT.cancelPolicy(CancelPolicy.CLOSE);
        try (Wire<Integer, Integer> wire = Wire.of(Frames.NUMBERS, options)) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.end();
            assertThat(probe.isCompleted()).isTrue();
            probe.cancel();
            wire.settle();
            assertThat(wire.channel.isOpen()).isTrue();
        }
    }

    @Test
    void refusedReceiverDoesNotDisposeByPolicy() {
        ConnectionOptions options = ConnectionOptions.DEFAULT.cancelPolicy(CancelPolicy.CLOSE);
        try (Wire<Integer, Integer> wire = Wire.of(Frames.NUMBERS, options)) {
            Probe<Integer> first = Probe.unbounded();
            wire.connection.receive().subscribe(first);
            Probe<Integer> second = Probe.unbounded();
            wire.connection.receive().subscribe(second);
            second.cancel();
            wire.feed(Frames.numbers(0, 1));
            assertThat(first.values()).containsExactly(0);
        }
    }

    @Test
    void closesAtTheDeadlineWhenThePeerDoesNotEndItsStream() {
        ConnectionOptions options = ConnectionOptions.DEFAULT.closeTimeout(Duration.ofSeconds(3));
        try (Transportless link = new Transportless(options)) {
            link.wire.connection.close().subscribe();
            link.wire.settle();
            link.wire.channel.advanceTimeBy(2_999, TimeUnit.MILLISECONDS);
            link.wire.channel.runScheduledPendingTasks();
            assertThat(link.wire.channel.isOpen()).isTrue();
            link.wire.channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
            link.wire.channel.runScheduledPendingTasks();
            assertThat(link.wire.channel.isOpen()).isFalse();
        }
    }

    @Test
    void tellsThatTheChannelWasClosedFromOutside() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            List<CloseReason> reasons = new ArrayList<>();
            wire.connection.onClose().subscribe(reasons::add);
            assertThat(reasons).isEmpty();
            wire.closeChannel();
            assertThat(reasons).hasSize(1);
            assertThat(wire.connection.isDisposed()).isTrue();
        }
    }

    private static void assertClosed(Throwable error, CloseReason reason) {
        assertThat(error)
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessage("connection is closed: reason=" + reason);
        assertThat(((ConnectionClosedException) error).reason()).isEqualTo(reason);
    }

    /** An embedded channel has no half-close; a write that does not complete stands for it. */
    private static final class Transportless implements AutoCloseable {
        final Wire<Integer, Integer> wire;

        Transportless(ConnectionOptions options) {
            wire = Wire.of(Frames.NUMBERS, options);
            wire.channel.freezeTime();
            wire.holdWrites();
            wire.connection.send(1).subscribe();
            wire.settle();
        }

        @Override
        public void close() {
            wire.releaseWrites();
            wire.close();
        }
    }
}
