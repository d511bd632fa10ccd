package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.framing.Codec;
import dev.sluice.framing.CorruptFrameException;
import dev.sluice.framing.FrameListener;
import dev.sluice.framing.FrameTooLongException;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.Oversize;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.BaseSubscriber;
import reactor.test.StepVerifier;
import reactor.util.context.Context;

/** Decoders, framings, listeners and subscribers that throw. */
@Tag("paranoid")
class FailureTest {
    private static final IllegalStateException BROKEN = new IllegalStateException("broken");

    /** Decodes all numbers but 2. */
    private static final Codec<Integer, Integer> THROWS_ON_2 = Codec.of(
            Frames.FRAMING,
            payload -> {
                int number = payload.readInt();
                if (number == 2) {
                    throw BROKEN;
                }
                return number;
            },
            (number, out) -> out.buffer().writeInt(number));

    @ParameterizedTest
    @EnumSource
    void givesMessagesBeforeTheDecodersFailureAndThenThatVeryException(Way way) {
        try (Wire<Integer, Integer> wire = Wire.of(THROWS_ON_2)) {
            Probe<List<Integer>> probe = Probe.unbounded();
            way.signals(wire.connection).subscribe(probe);
            wire.feed(Frames.numbers(1, 4));
            assertThat(Way.flat(probe)).containsExactly(1);
            assertThat(probe.error()).isSameAs(BROKEN);
            assertFailedButSends(wire);
        }
    }

    @ParameterizedTest
    @EnumSource
    void givesMessagesBeforeTheDecodersFailureToLateDemand(Way way) {
        try (Wire<Integer, Integer> wire = Wire.of(THROWS_ON_2)) {
            Probe<List<Integer>> probe = Probe.demanding(0);
            way.signals(wire.connection).subscribe(probe);
            wire.feed(Frames.numbers(1, 4));
            assertThat(probe.isTerminated()).isFalse();
            probe.request(1);
            assertThat(Way.flat(probe)).containsExactly(1);
            assertThat(probe.error()).isSameAs(BROKEN);
            assertFailedButSends(wire);
        }
    }

    @ParameterizedTest
    @EnumSource
    void givesMessagesBeforeTheDecodersFailureToLateReceiver(Way way) {
        try (Wire<Integer, Integer> wire = Wire.of(THROWS_ON_2)) {
            wire.feed(Frames.numbers(0, 4));
            wire.end();
            Probe<List<Integer>> probe = Probe.unbounded();
            way.signals(wire.connection).subscribe(probe);
            assertThat(Way.flat(probe)).containsExactly(0, 1);
            assertThat(probe.error()).isSameAs(BROKEN);
            assertFailedButSends(wire);
        }
    }

    private static void assertFailedButSends(Wire<Integer, Integer> wire) {
        StepVerifier.create(wire.connection.receive()).verifyErrorMatches(e -> e == BROKEN);
        wire.feed(Frames.numbers(5, 6));
        assertThat(wire.stats().messagesIn()).isLessThanOrEqualTo(2);
        assertThat(wire.channel.isOpen()).isTrue();
        Probe<Void> reply = Probe.unbounded();
        wire.connection.send(77).subscribe(reply);
        assertThat(wire.sentNumbers()).containsExactly(77);
        assertThat(reply.isCompleted()).isTrue();
        wire.connection.dispose();
        wire.settle();
        assertThat(wire.connection.onClose().block()).isEqualTo(CloseReason.PROTOCOL_ERROR);
    }

    @Test
    void freesThePlaceOfASubscriberThatThrowsInOnSubscribe() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.feed(Frames.numbers(0, 3));
            CoreSubscriber<Object> throwsAtOnce = new ThrowsInOnSubscribe();
            assertThatThrownBy(() -> wire.connection.receive().subscribe(throwsAtOnce))
                    .isSameAs(BROKEN);
            assertThatThrownBy(() -> wire.connection.receiveBatches().subscribe(throwsAtOnce))
                    .isSameAs(BROKEN);
            Probe<Integer> next = Probe.unbounded();
            wire.connection.receive().subscribe(next);
            assertThat(next.values()).isEqualTo(Frames.range(0, 3));
        }
    }

    @Test
    void readsNoMoreBehindAFailure() {
        try (Wire<Integer, Integer> wire = Wire.of(THROWS_ON_2)) {
            wire.feed(Frames.numbers(0, 1));
            int before = wire.reads();
            wire.feed(Frames.numbers(1, 4));
            assertThat(wire.reads()).isEqualTo(before);
        }
    }

    @Test
    void namesTheDecoderThatReturnsNull() {
        Codec<Integer, Integer> codec = Codec.of(Frames.FRAMING, payload -> null, (number, out) -> {});
        try (Wire<Integer, Integer> wire = Wire.of(codec)) {
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(Frames.numbers(0, 1));
            assertThat(probe.error())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("decoder returned null: decoder=" + FailureTest.class.getName())
                    .hasMessageEndingWith("streamOffset=0");
        }
    }

    @Test
    void failsBehindMessagesBeforeACorruptFrame() {
        LengthFieldFraming framing =
                LengthFieldFraming.builder().lengthAdjustment(-4).build();
        try (Wire<byte[], byte[]> wire = Wire.of(Codec.bytes(framing))) {
            Probe<byte[]> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(Frames.hex("00000005 aa 00000003 bbbb"));
            assertThat(probe.values()).hasSize(1);
            assertThat(probe.error())
                    .isInstanceOf(CorruptFrameException.class)
                    .hasMessage("payload length below zero: payloadLength=-1, lengthField=3, lengthAdjustment=-4"
                            + ", streamOffset=5, firstBytes=00000003bbbb");
        }
    }

    @Test
    void failsBehindMessagesBeforeATooLongFrame() {
        LengthFieldFraming framing =
                LengthFieldFraming.builder().maxPayloadLength(4).build();
        try (Wire<byte[], byte[]> wire = Wire.of(Codec.bytes(framing))) {
            Probe<byte[]> probe = Probe.demanding(0);
            wire.connection.receive().subscribe(probe);
            wire.feed(Frames.numbers(0, 1), Frames.hex("00000005"));
            assertThat(probe.isTerminated()).isFalse();
            probe.request(1);
            assertThat(probe.values()).hasSize(1);
            assertThat(probe.error())
                    .isInstanceOf(FrameTooLongException.class)
                    .hasMessage(
                            "payload too long: payloadLength=5, maxPayloadLength=4, streamOffset=8, firstBytes=00000005");
        }
    }

    @Test
    void countsDiscardedFramesAndTellsTheListener() {
        List<Long> reports = new ArrayList<>();
        try (Wire<byte[], byte[]> wire =
                Wire.of(discarding((streamOffset, payloadLength, limit) -> reports.add(payloadLength)))) {
            Probe<byte[]> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(Frames.numbers(0, 1), Frames.numbers(1, 2, 100), Frames.numbers(2, 3), Frames.hex("00000009 00"));
            assertThat(probe.values()).hasSize(2);
            assertThat(reports).containsExactly(100L, 9L);
            assertThat(wire.stats().discardedFrames()).isEqualTo(2);
            assertThat(probe.isTerminated()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void failsWithWhatTheListenerThrows(Way way) {
        Codec<byte[], byte[]> codec = discarding((streamOffset, payloadLength, limit) -> {
            throw BROKEN;
        });
        try (Wire<byte[], byte[]> wire = Wire.of(codec)) {
            Probe<List<byte[]>> probe = Probe.unbounded();
            way.signals(wire.connection).subscribe(probe);
            wire.feed(Frames.numbers(0, 1), Frames.numbers(1, 2, 100), Frames.numbers(2, 3));
            assertThat(Way.flat(probe)).hasSize(1);
            assertThat(probe.error()).isSameAs(BROKEN);
        }
    }

    private static Codec<byte[], byte[]> discarding(FrameListener listener) {
        return Codec.bytes(LengthFieldFraming.builder()
                        .maxPayloadLength(8)
                        .oversize(Oversize.DISCARD)
                        .build())
                .listener(listener);
    }

    @Test
    void goesOnWithTheNextReceiverWhenOneThrowsInOnNext() {
        List<Throwable> dropped = new ArrayList<>();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.connection.receive().subscribe(new ThrowingSubscriber<>(1, dropped));
            wire.feed(Frames.numbers(0, 100));
            assertThat(dropped).containsExactly(BROKEN);

            Probe<Integer> next = Probe.unbounded();
            wire.connection.receive().subscribe(next);
            assertThat(next.values()).isEqualTo(Frames.range(2, 100));
            assertThat(wire.channel.isOpen()).isTrue();
        }
    }

    @Test
    void goesOnWithTheNextReceiverWhenOneThrowsOnABatch() {
        List<Throwable> dropped = new ArrayList<>();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.connection.receiveBatches(10).subscribe(new ThrowingSubscriber<>(1, dropped));
            wire.feed(Frames.numbers(0, 100));
            assertThat(dropped).containsExactly(BROKEN);

            Probe<Integer> next = Probe.unbounded();
            wire.connection.receive().subscribe(next);
            assertThat(next.values()).isEqualTo(Frames.range(20, 100));
        }
    }

    @Test
    void dropsWhatASubscriberThrowsInOnComplete() {
        List<Throwable> dropped = new ArrayList<>();
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.connection.receive().subscribe(new ThrowingSubscriber<>(-1, dropped));
            wire.end();
            assertThat(dropped).containsExactly(BROKEN);
            StepVerifier.create(wire.connection.receive()).verifyComplete();
        }
    }

    @Test
    void dropsWhatASubscriberThrowsInOnError() {
        List<Throwable> dropped = new ArrayList<>();
        RuntimeException lost = new RuntimeException("lost");
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.connection.receive().subscribe(new ThrowingSubscriber<>(-1, dropped));
            wire.fail(lost);
            assertThat(dropped).containsExactly(BROKEN);
            StepVerifier.create(wire.connection.receive()).verifyErrorMatches(e -> e == lost);
        }
    }

    @Test
    void keepsSlicesForTheNextReceiverWhenOneThrows() {
        List<Throwable> dropped = new ArrayList<>();
        List<ByteBuf> taken = new ArrayList<>();
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            wire.connection.receive().doOnNext(taken::add).subscribe(new ThrowingSubscriber<>(1, dropped));
            wire.feed(Frames.numbers(0, 10));
            wire.connection.receive().subscribe(taken::add);
            assertThat(taken.stream().map(Frames::take)).isEqualTo(Frames.range(0, 10));
        }
    }

    /** Throws on the signal of this index, and on every terminal. */
    private static final class ThrowingSubscriber<T> extends BaseSubscriber<T> {
        private final int throwsAt;
        private final List<Throwable> dropped;
        private int count;

        ThrowingSubscriber(int throwsAt, List<Throwable> dropped) {
            this.throwsAt = throwsAt;
            this.dropped = dropped;
        }

        @Override
        public Context currentContext() {
            return Context.of("reactor.onErrorDropped.local", (Consumer<Throwable>) dropped::add);
        }

        @Override
        protected void hookOnNext(T value) {
            if (count++ == throwsAt) {
                throw BROKEN;
            }
        }

        @Override
        protected void hookOnComplete() {
            throw BROKEN;
        }

        @Override
        protected void hookOnError(Throwable error) {
            throw BROKEN;
        }
    }

    private static final class ThrowsInOnSubscribe implements CoreSubscriber<Object> {
        @Override
        public void onSubscribe(Subscription s) {
            throw BROKEN;
        }

        @Override
        public void onNext(Object value) {
            throw new AssertionError(value);
        }

        @Override
        public void onError(Throwable error) {
            throw new AssertionError(error);
        }

        @Override
        public void onComplete() {
            throw new AssertionError();
        }
    }
}
