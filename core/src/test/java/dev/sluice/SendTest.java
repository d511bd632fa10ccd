package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Sending on the event loop: order, flushes, replies, failures of single messages. */
class SendTest {
    private static final IllegalStateException BROKEN = new IllegalStateException("broken");

    /** Encodes all numbers but 2, in the middle of whose bytes it throws. */
    private static final Codec<Integer, Integer> THROWS_ON_2 =
            Codec.of(Frames.FRAMING, ByteBuf::readInt, (number, out) -> {
                out.buffer().writeInt(number);
                if (number == 2) {
                    throw BROKEN;
                }
            });

    @Test
    void sendsInOrderOfSubscriptions() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            List<Mono<Void>> sends =
                    Frames.range(0, 5).stream().map(wire.connection::send).toList();
            assertThat(wire.sent()).as("cold").isEmpty();
            for (int i = 4; i >= 0; i--) {
                sends.get(i).subscribe();
            }
            assertThat(wire.sentNumbers()).containsExactly(4, 3, 2, 1, 0);
        }
    }

    @Test
    void sendsOnceForEachSubscription() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Mono<Void> send = wire.connection.send(7);
            send.subscribe();
            send.subscribe();
            assertThat(wire.sentNumbers()).containsExactly(7, 7);
            assertThat(wire.stats().messagesOut()).isEqualTo(2);
            assertThat(wire.stats().bytesOut()).isEqualTo(16);
        }
    }

    @Test
    void repliesInOrderOfSends() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            List<Integer> replies = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                int number = i;
                wire.connection.send(i).doOnSuccess(done -> replies.add(number)).subscribe();
            }
            assertThat(replies).isEmpty();
            wire.settle();
            assertThat(replies).isEqualTo(Frames.range(0, 100));
            assertThat(wire.sentNumbers()).hasSize(100);
        }
    }

    /** The writes of a flush complete inside it, so the second send is made when the drain's own flush has passed. */
    @Test
    void sendsFromReplyToWhatWasSentInsideTheDrain() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.connection
                    .receive()
                    .next()
                    .flatMapMany(first -> Flux.just(1, 2, 3))
                    .concatMap(wire.connection::send)
                    .subscribe();
            wire.feed(Frames.numbers(7, 8));
            assertThat(wire.sentNumbers()).containsExactly(1, 2, 3);
        }
    }

    @Test
    void flushesOnceForAllThatOneCallbackSends() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            for (int i = 0; i < 1000; i++) {
                wire.connection.send(i).subscribe();
            }
            assertThat(wire.flushes()).isZero();
            assertThat(wire.sentNumbers()).isEqualTo(Frames.range(0, 1000));
            assertThat(wire.flushes()).isEqualTo(1);
            assertThat(wire.stats().flushes()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void flushesOnceForAllThatIsSentFromOnNextOfOneDrain(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> probe = Probe.unbounded();
            way.signals(wire.connection)
                    .subscribe(probe.whenNext(numbers -> numbers.forEach(
                            number -> wire.connection.send(number).subscribe())));
            for (int drain = 0; drain < 5; drain++) {
                wire.feed(
                        Frames.numbers(drain * 200, drain * 200 + 120),
                        Frames.numbers(drain * 200 + 120, drain * 200 + 200));
                assertThat(wire.flushes()).isEqualTo(drain + 1);
            }
            assertThat(wire.sentNumbers()).isEqualTo(Frames.range(0, 1000));
            assertThat(wire.stats().flushes()).isEqualTo(5);
        }
    }

    @Test
    void flushesNothingInADrainThatSendsNothing() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.connection.receive().subscribe();
            wire.feed(Frames.numbers(0, 100));
            assertThat(wire.flushes()).isZero();
        }
    }

    /** Requesting the next message in the reply to the last: the usual echo. */
    @Test
    void echoesOneByOneByConcatMap() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Void> probe = Probe.unbounded();
            wire.connection.receive().concatMap(wire.connection::send).subscribe(probe);
            wire.feed(Frames.numbers(0, 300));
            wire.feed(Frames.numbers(300, 400));
            wire.end();
            wire.settle();
            assertThat(wire.sentNumbers()).isEqualTo(Frames.range(0, 400));
            assertThat(probe.isCompleted()).isTrue();
        }
    }

    @Test
    void sendsFromReplyCallback() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Void> probe = Probe.unbounded();
            wire.connection
                    .send(0)
                    .then(wire.connection.send(1))
                    .then(wire.connection.send(2))
                    .subscribe(probe);
            wire.settle();
            assertThat(probe.isCompleted()).isTrue();
            assertThat(wire.sentNumbers()).containsExactly(0, 1, 2);
        }
    }

    @Test
    void failsOnlyTheMessageWhoseEncoderThrows() {
        try (Wire<Integer, Integer> wire = Wire.of(THROWS_ON_2)) {
            List<Object> replies = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                int number = i;
                wire.connection.send(i).subscribe(done -> {}, replies::add, () -> replies.add(number));
            }
            assertThat(wire.sentNumbers()).containsExactly(0, 1, 3, 4);
            assertThat(replies).as("in turn").containsExactly(0, 1, BROKEN, 3, 4);
            assertThat(wire.stats().messagesOut()).isEqualTo(4);
        }
    }

    /** With nothing to write there is no write whose end could bring the reply. */
    @Test
    void failsMessageWhoseEncoderThrowsWhenItIsAlone() {
        try (Wire<Integer, Integer> wire = Wire.of(THROWS_ON_2)) {
            Probe<Void> reply = Probe.unbounded();
            wire.connection.send(2).subscribe(reply);
            wire.settle();
            assertThat(reply.error()).isSameAs(BROKEN);
            assertThat(wire.sent()).isEmpty();
        }
    }

    @Test
    void failsPayloadThatTheFramingRefusesAndReleasesIt() {
        Codec<ByteBuf, ByteBuf> codec =
                Codec.slices(LengthFieldFraming.builder().maxPayloadLength(4).build());
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(codec)) {
            ByteBuf tooLong = Unpooled.buffer().writeZero(5);
            Probe<Void> refused = Probe.unbounded();
            Probe<Void> sent = Probe.unbounded();
            wire.connection.send(tooLong).subscribe(refused);
            wire.connection.send(Unpooled.buffer().writeInt(3)).subscribe(sent);
            assertThat(wire.sentNumbers()).containsExactly(3);
            assertThat(refused.error()).isInstanceOf(IllegalArgumentException.class);
            assertThat(sent.isCompleted()).isTrue();
            assertThat(tooLong.refCnt()).isZero();
        }
    }

    @Test
    void leavesMessageOfSendThatIsNeverSubscribedToTheCaller() {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            ByteBuf message = Unpooled.buffer().writeInt(1);
            Mono<Void> send = wire.connection.send(message);
            wire.settle();
            assertThat(send).isNotNull();
            assertThat(message.refCnt()).isEqualTo(1);
            message.release();
        }
    }

    @Test
    void releasesMessageThatWasSent() {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            ByteBuf small = Unpooled.buffer().writeInt(1);
            ByteBuf large = Unpooled.buffer().writeInt(2).writeZero(100_000);
            wire.connection.send(small).subscribe();
            wire.connection.send(large).subscribe();
            assertThat(wire.sentNumbers()).containsExactly(1, 2);
            assertThat(small.refCnt()).isZero();
            assertThat(large.refCnt()).isZero();
        }
    }

    @Test
    void releasesAtOnceWhatIsSentAfterDispose() {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            wire.connection.dispose();
            ByteBuf message = Unpooled.buffer().writeInt(1);
            StepVerifier.create(wire.connection.send(message))
                    .verifyErrorSatisfies(e -> assertThat(e)
                            .isInstanceOf(ConnectionClosedException.class)
                            .hasMessage("connection is closed: reason=DISPOSED"));
            assertThat(message.refCnt()).isZero();
        }
    }

    @Test
    void sendsUnframedMessagesAndAppendedPayloads() {
        Codec<Integer, ByteBuf> codec = Codec.of(Frames.FRAMING, ByteBuf::readInt, (message, out) -> {
            if (message.getByte(message.readerIndex()) == 'U') {
                out.unframed();
            }
            out.buffer().writeByte('<');
            out.append(message.retainedSlice());
            out.buffer().writeByte('>');
        });
        try (Wire<Integer, ByteBuf> wire = Wire.of(codec)) {
            wire.connection.send(Unpooled.wrappedBuffer(new byte[] {'U'})).subscribe();
            wire.connection.send(Unpooled.wrappedBuffer(new byte[] {'F'})).subscribe();
            wire.connection
                    .send(Unpooled.buffer().writeByte('U').writeZero(5000))
                    .subscribe();
            String hex = ByteBufUtil.hexDump(wire.sent());
            assertThat(hex).isEqualTo("3c553e" + "000000033c463e" + "3c55" + "00".repeat(5000) + "3e");
        }
    }

    @Test
    void withdrawsMessageWhenCancelledInOnSubscribe() {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            ByteBuf message = Unpooled.buffer().writeInt(1);
            Probe<Void> probe = Probe.unbounded();
            wire.connection.send(message).subscribe(probe.whenSubscribed(Probe::cancel));
            assertThat(wire.sent()).isEmpty();
            assertThat(message.refCnt()).isZero();
            assertThat(probe.isTerminated()).isFalse();
        }
    }

    /** Encoded already: it goes out, and nobody is told. */
    @Test
    void sendsMessageThatIsCancelledTooLate() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Void> probe = Probe.unbounded();
            wire.connection.send(1).subscribe(probe);
            probe.cancel();
            assertThat(wire.sentNumbers()).containsExactly(1);
            assertThat(probe.isTerminated()).isFalse();
        }
    }

    @Test
    void goesOnWithRepliesWhenOneThrows() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            List<Throwable> dropped = new ArrayList<>();
            Hooks.onErrorDropped(dropped::add);
            Probe<Void> throwing = Probe.unbounded();
            Probe<Void> next = Probe.unbounded();
            wire.connection.send(1).subscribe(throwing.whenTerminated(error -> {
                throw BROKEN;
            }));
            wire.connection.send(2).subscribe(next);
            wire.settle();
            assertThat(dropped).containsExactly(BROKEN);
            assertThat(next.isCompleted()).isTrue();
            assertThat(wire.sentNumbers()).containsExactly(1, 2);
        } finally {
            Hooks.resetOnErrorDropped();
        }
    }
}
