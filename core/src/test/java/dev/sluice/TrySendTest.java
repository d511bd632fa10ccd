package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** {@code trySend} on the event loop: what it answers, what it replies, who owns the message. */
@Tag("paranoid")
class TrySendTest {
    private static final int KIB = 1024;
    private static final ConnectionOptions NARROW = ConnectionOptions.DEFAULT.sendPolicy(
            SendPolicy.DEFAULT.watermarks(4 * KIB, 8 * KIB).maxWaiting(2));

    private final List<@Nullable Throwable> replies = new ArrayList<>();

    @Test
    void repliesOnceForEachInOrder() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Map<Integer, String> told = new LinkedHashMap<>();
            for (int i = 0; i < 100; i++) {
                int number = i;
                if (i % 3 == 0) {
                    wire.connection
                            .send(i)
                            .subscribe(done -> {}, e -> {}, () -> told.merge(number, "s", String::concat));
                } else {
                    assertThat(wire.connection.trySend(i, error -> told.merge(number, "t" + error, String::concat)))
                            .isEqualTo(SendResult.ACCEPTED);
                }
            }
            assertThat(told).as("not before the call has returned").isEmpty();
            assertThat(wire.sentNumbers()).isEqualTo(Frames.range(0, 100));
            assertThat(new ArrayList<>(told.keySet())).isEqualTo(Frames.range(0, 100));
            assertThat(told).contains(entry(0, "s"), entry(1, "tnull"), entry(2, "tnull"));
            assertThat(wire.flushes()).isEqualTo(1);
        }
    }

    @Test
    void sendsWithoutReply() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            for (int i = 0; i < 1_000; i++) {
                assertThat(wire.connection.trySend(i)).isEqualTo(SendResult.ACCEPTED);
            }
            assertThat(wire.stats().pendingMessages()).isZero();
            wire.holdWrites();
            wire.settle();
            assertThat(wire.stats().pendingMessages()).isEqualTo(1_000);
            assertThat(wire.stats().pendingBytes()).isEqualTo(8_000);
            wire.releaseWrites();
            assertThat(wire.sentNumbers()).isEqualTo(Frames.range(0, 1_000));
            assertThat(wire.stats().pendingMessages()).isZero();
            assertThat(wire.stats().pendingBytes()).isZero();
        }
    }

    @Test
    void isBusyFromTheHighToTheLowWatermarkAndLeavesTheMessageToTheCaller() {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES, NARROW)) {
            wire.holdWrites();
            int accepted = fill(wire, KIB - Frames.HEADER);
            assertThat(accepted).isEqualTo(8);
            Probe<Void> writable = Probe.unbounded();
            wire.connection.writable().subscribe(writable);
            ByteBuf refused = Unpooled.buffer().writeInt(9);
            assertThat(wire.connection.trySend(refused, replies::add)).isEqualTo(SendResult.BUSY);
            assertThat(refused.refCnt()).isEqualTo(1);
            refused.release();
            assertThat(wire.stats().busy()).isEqualTo(2);
            wire.settle();
            assertThat(writable.isTerminated()).isFalse();

            wire.releaseWrites();
            assertThat(writable.isCompleted()).isTrue();
            assertThat(Frames.decode(wire.sent())).hasSize(8);
            assertThat(wire.connection.trySend(Unpooled.buffer().writeInt(1))).isEqualTo(SendResult.ACCEPTED);
            assertThat(replies).isEmpty();
        }
    }

    /** The kernel would take what this callback has sent; it only was not flushed. */
    @Test
    void flushesBeforeItAnswersBusy() {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES, NARROW)) {
            for (int i = 0; i < 100; i++) {
                assertThat(wire.connection.trySend(Unpooled.buffer().writeInt(i).writeZero(KIB)))
                        .isEqualTo(SendResult.ACCEPTED);
            }
            assertThat(Frames.decode(wire.sent())).isEqualTo(Frames.range(0, 100));
            assertThat(wire.stats().busy()).isZero();
        }
    }

    @Test
    void isBusyWhileASendWaits() {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES, NARROW)) {
            wire.holdWrites();
            fill(wire, 8 * KIB);
            Probe<Void> waiting = Probe.unbounded();
            ByteBuf message = Unpooled.buffer().writeInt(5);
            wire.connection.send(message).subscribe(waiting);
            assertThat(wire.stats().waitingMessages()).isEqualTo(1);
            Probe<Void> writable = Probe.unbounded();
            wire.connection.writable().subscribe(writable);
            waiting.cancel();
            assertThat(message.refCnt()).isZero();
            assertThat(wire.stats().waitingMessages())
                    .as("its room is free at once")
                    .isZero();
            wire.settle();
            assertThat(writable.isTerminated()).isFalse();
            wire.releaseWrites();
            assertThat(writable.isCompleted()).isTrue();
            assertThat(Frames.decode(wire.sent())).containsExactly(0);
        }
    }

    @Test
    void withdrawnSendsTakeNoRoomHoweverManyComeAndGo() {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES, NARROW)) {
            wire.holdWrites();
            fill(wire, 8 * KIB);
            for (int i = 0; i < 10_000; i++) {
                Probe<Void> send = Probe.unbounded();
                wire.connection.send(Unpooled.buffer().writeInt(i)).subscribe(send);
                assertThat(send.isTerminated()).isFalse();
                send.cancel();
                wire.settle();
            }
            Probe<Void> last = Probe.unbounded();
            wire.connection.send(Unpooled.buffer().writeInt(77)).subscribe(last);
            wire.releaseWrites();
            wire.settle();
            assertThat(last.isCompleted()).isTrue();
            assertThat(Frames.decode(wire.sent())).containsExactly(0, 77);
        }
    }

    @Test
    void answersClosedAndLeavesTheMessageToTheCaller() {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            wire.connection.close().subscribe();
            ByteBuf message = Unpooled.buffer().writeInt(1);
            assertThat(wire.connection.trySend(message)).isEqualTo(SendResult.CLOSED);
            assertThat(wire.connection.trySend(message, replies::add)).isEqualTo(SendResult.CLOSED);
            assertThat(message.refCnt()).isEqualTo(1);
            message.release();
            assertThat(Await.error(wire.connection.writable())).isInstanceOf(ConnectionClosedException.class);
            wire.settle();
            assertThat(replies).isEmpty();
        }
    }

    @Test
    void failsWhoeverWaitsForRoomWhenTheConnectionCloses() {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES, NARROW)) {
            wire.holdWrites();
            fill(wire, 8 * KIB);
            Probe<Void> writable = Probe.unbounded();
            wire.connection.writable().subscribe(writable);
            wire.closeChannel();
            assertThat(writable.error()).isInstanceOf(ConnectionClosedException.class);
            assertThat(wire.stats().pendingMessages()).isZero();
            assertThat(wire.stats().pendingBytes()).isZero();
        }
    }

    @Test
    void repliesWithTheErrorOfTheMessage() {
        Codec<ByteBuf, ByteBuf> codec =
                Codec.slices(LengthFieldFraming.builder().maxPayloadLength(4).build());
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(codec)) {
            ByteBuf tooLong = Unpooled.buffer().writeZero(5);
            assertThat(wire.connection.trySend(tooLong, replies::add)).isEqualTo(SendResult.ACCEPTED);
            assertThat(wire.connection.trySend(Unpooled.buffer().writeZero(5))).isEqualTo(SendResult.ACCEPTED);
            assertThat(wire.connection.trySend(Unpooled.buffer().writeInt(3), replies::add))
                    .isEqualTo(SendResult.ACCEPTED);
            assertThat(replies).as("in turn").isEmpty();
            assertThat(wire.sentNumbers()).containsExactly(3);
            assertThat(replies).hasSize(2).last().isNull();
            assertThat(replies.get(0)).isInstanceOf(IllegalArgumentException.class);
            assertThat(tooLong.refCnt()).isZero();
            assertThat(wire.stats().pendingMessages()).isZero();
        }
    }

    @Test
    void goesOnWhenAReplyThrows() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.connection.trySend(1, error -> {
                throw new IllegalStateException("thrown by a reply, on purpose");
            });
            wire.connection.trySend(2, replies::add);
            assertThat(wire.sentNumbers()).containsExactly(1, 2);
            assertThat(replies).containsExactly((Throwable) null);
        }
    }

    @Test
    void failsTheRestInOrderWhenAReplyCloses() {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES, NARROW)) {
            wire.holdWrites();
            List<Integer> order = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                int number = i;
                wire.connection.trySend(Unpooled.buffer().writeInt(i).writeZero(KIB), error -> {
                    order.add(number);
                    replies.add(error);
                    if (number == 0) {
                        wire.channel.pipeline().remove("sluice.connection");
                        assertThat(order).containsExactly(0);
                    }
                });
            }
            for (int i = 8; i < 10; i++) {
                int number = i;
                wire.connection.send(Unpooled.buffer().writeInt(i)).subscribe(done -> {}, error -> order.add(number));
            }
            wire.settle();
            wire.releaseWrites();
            wire.settle();
            assertThat(order).isEqualTo(Frames.range(0, 10));
            assertThat(replies.get(7)).isInstanceOf(ConnectionClosedException.class);
        }
    }

    /** An encoder that sends: behind its own message, since that is being written. */
    @Test
    void sendsFromAnEncoderBehindItsMessage() {
        List<Wire<Integer, Integer>> holder = new ArrayList<>();
        Codec<Integer, Integer> codec = Codec.of(Frames.FRAMING, ByteBuf::readInt, (number, out) -> {
            if (number < 3) {
                holder.get(0).connection.trySend(number + 1);
            }
            out.buffer().writeInt(number);
        });
        try (Wire<Integer, Integer> wire = Wire.of(codec)) {
            holder.add(wire);
            wire.connection.trySend(0);
            assertThat(wire.sentNumbers()).containsExactly(0, 1, 2, 3);
        }
    }

    @Test
    void encodesWhatWasAcceptedByTheCodecOfThatTime() {
        Codec<Integer, Integer> negated = Codec.of(
                LengthFieldFraming.builder().lengthFieldLength(2).build(),
                ByteBuf::readInt,
                (number, out) -> out.buffer().writeInt(-number));
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Outbound<?> outbound =
                    ((ConnectionHandler<?, ?>) wire.channel.pipeline().get("sluice.connection")).outbound();
            wire.holdWrites();
            wire.connection.trySend(1, replies::add);
            outbound.switchTo(negated);
            wire.connection.trySend(2, replies::add);
            wire.releaseWrites();
            byte[] sent = wire.sent();
            assertThat(sent).isEqualTo(Frames.hex("00000004 00000001 0004 fffffffe"));
            assertThat(replies).containsExactly(null, null);
        }
    }

    @Test
    void sendsAllByDemandThatFollowsTheWatermarks() {
        try (Wire<byte[], byte[]> wire = Wire.of(Frames.BYTES, NARROW)) {
            List<Integer> asked = new ArrayList<>();
            Probe<Void> done = Probe.unbounded();
            wire.holdWrites();
            wire.connection
                    .sendAll(Flux.range(0, 1_000).doOnNext(asked::add).map(i -> Frames.payload(i, KIB)))
                    .subscribe(done);
            wire.settle();
            assertThat(asked).as("until busy, and what was demanded").hasSizeBetween(8, 8 + 64);
            assertThat(done.isTerminated()).isFalse();
            assertThat(wire.connection.trySend(new byte[4])).isEqualTo(SendResult.BUSY);
            wire.releaseWrites();
            assertThat(Frames.decode(wire.sent())).isEqualTo(Frames.range(0, 1_000));
            assertThat(done.isCompleted()).isTrue();
        }
    }

    @Test
    void sendAllFailsWithTheFirstMessageThatFailsAndCancelsItsSource() {
        Codec<Integer, Integer> codec = Codec.of(Frames.FRAMING, ByteBuf::readInt, (number, out) -> {
            if (number == 3) {
                throw new IllegalStateException("three");
            }
            out.buffer().writeInt(number);
        });
        try (Wire<Integer, Integer> wire = Wire.of(codec)) {
            Probe<Void> done = Probe.unbounded();
            List<String> cancelled = new ArrayList<>();
            wire.connection
                    .sendAll(Flux.range(0, 5).concatWith(Flux.never()).doOnCancel(() -> cancelled.add("cancelled")))
                    .subscribe(done);
            assertThat(wire.sentNumbers()).containsExactly(0, 1, 2, 4);
            assertThat(done.error()).hasMessage("three");
            assertThat(cancelled).hasSize(1);
        }
    }

    @Test
    void sendAllTellsTheErrorOfItsSourceBehindItsMessages() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Void> done = Probe.unbounded();
            wire.holdWrites();
            wire.connection
                    .sendAll(Flux.just(1, 2).concatWith(Flux.error(new IllegalStateException("source"))))
                    .subscribe(done);
            wire.settle();
            assertThat(done.isTerminated()).isFalse();
            wire.releaseWrites();
            assertThat(wire.sentNumbers()).containsExactly(1, 2);
            assertThat(done.error()).hasMessage("source");
        }
    }

    @Test
    void sendAllOfASourceThatNeverEndsIsFlushedAndFailsWhenTheConnectionCloses() {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            Probe<Void> done = Probe.unbounded();
            List<String> cancelled = new ArrayList<>();
            wire.connection
                    .sendAll(Flux.range(0, 3)
                            .map(i -> Unpooled.buffer().writeInt(i))
                            .concatWith(Flux.never())
                            .doOnCancel(() -> cancelled.add("cancelled")))
                    .subscribe(done);
            assertThat(Frames.decode(wire.sent())).containsExactly(0, 1, 2);
            assertThat(done.isTerminated()).isFalse();
            wire.closeChannel();
            assertThat(done.error()).isInstanceOf(ConnectionClosedException.class);
            assertThat(cancelled).hasSize(1);
        }
    }

    /** Sends until busy. */
    private static int fill(Wire<ByteBuf, ByteBuf> wire, int payload) {
        int accepted = 0;
        while (true) {
            ByteBuf message = Unpooled.buffer().writeInt(accepted).writeZero(payload - Integer.BYTES);
            if (wire.connection.trySend(message) != SendResult.ACCEPTED) {
                message.release();
                return accepted;
            }
            accepted++;
        }
    }
}
