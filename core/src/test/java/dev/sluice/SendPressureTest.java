package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A channel that takes no more bytes: sends wait in order, then are refused. */
@Tag("paranoid")
class SendPressureTest {
    private static final int KIB = 1024;
    private static final int MIB = 1024 * KIB;
    private static final int WAITING = 1024;

    @Test
    void encodesNothingAboveTheHighWatermarkUntilBelowTheLow() {
        try (Wire<byte[], byte[]> wire = Wire.of(Frames.BYTES)) {
            wire.holdWrites();
            List<Integer> replies = sendNumbered(wire, 0, 40, 64 * KIB);
            assertThat(wire.stats().messagesOut()).as("1 MiB and one more").isBetween(16L, 17L);
            assertThat(wire.channel.isWritable()).isFalse();
            assertThat(replies).isEmpty();

            wire.releaseWrites();
            assertThat(Frames.decode(wire.sent())).isEqualTo(Frames.range(0, 40));
            assertThat(replies).isEqualTo(Frames.range(0, 40));
        }
    }

    @Test
    void sendsMessageLargerThanTheWatermark() {
        try (Wire<byte[], byte[]> wire = Wire.of(Frames.BYTES)) {
            wire.holdWrites();
            List<Integer> replies = sendNumbered(wire, 0, 3, 4 * MIB);
            assertThat(wire.stats().messagesOut()).isEqualTo(1);
            wire.releaseWrites();
            assertThat(Frames.decode(wire.sent())).isEqualTo(Frames.range(0, 3));
            assertThat(replies).isEqualTo(Frames.range(0, 3));
        }
    }

    @Test
    void refusesMoreThanMayWaitAndReleasesThem() {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            wire.holdWrites();
            fill(wire);
            List<Probe<Void>> waiting = new ArrayList<>();
            for (int i = 0; i < WAITING; i++) {
                waiting.add(send(wire, Unpooled.buffer().writeInt(i)));
            }
            assertThat(waiting).noneMatch(Probe::isTerminated);

            ByteBuf refused = Unpooled.buffer().writeInt(-1);
            Probe<Void> reply = send(wire, refused);
            assertThat(reply.error())
                    .isInstanceOf(BusyException.class)
                    .hasMessage("too many messages wait to be sent: waitingMessages=1024, limit=1024");
            assertThat(refused.refCnt()).isZero();
            assertThat(wire.stats().busy()).isEqualTo(1);

            wire.releaseWrites();
            assertThat(Frames.decode(wire.sent()).subList(1, WAITING + 1)).isEqualTo(Frames.range(0, WAITING));
            assertThat(waiting).allMatch(Probe::isCompleted);
            assertThat(send(wire, Unpooled.buffer().writeInt(5))).isNotNull();
            assertThat(wire.sentNumbers()).containsExactly(5);
        }
    }

    @Test
    void withdrawsWaitingMessageThatIsCancelled() {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            wire.holdWrites();
            fill(wire);
            Probe<Void> first = send(wire, Unpooled.buffer().writeInt(1));
            ByteBuf message = Unpooled.buffer().writeInt(2);
            Probe<Void> cancelled = send(wire, message);
            Probe<Void> third = send(wire, Unpooled.buffer().writeInt(3));
            cancelled.cancel();
            wire.releaseWrites();
            assertThat(Frames.decode(wire.sent())).containsExactly(0, 1, 3);
            assertThat(first.isCompleted()).isTrue();
            assertThat(third.isCompleted()).isTrue();
            assertThat(cancelled.isTerminated()).isFalse();
            assertThat(message.refCnt()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void failsWrittenAndWaitingMessagesInOrderWhenTheConnectionGoes(Ending ending) {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            wire.holdWrites();
            List<Integer> failed = new ArrayList<>();
            List<ByteBuf> messages = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                int number = i;
                ByteBuf message = Unpooled.buffer().writeInt(i).writeZero(64 * KIB);
                messages.add(message);
                wire.connection.send(message).subscribe(done -> {}, error -> {
                    assertThat(error).isInstanceOf(ConnectionClosedException.class);
                    failed.add(number);
                });
            }
            wire.settle();
            ending.end(wire);
            wire.settle();
            assertThat(failed).isEqualTo(Frames.range(0, 50));
            assertThat(messages).allMatch(message -> message.refCnt() == 0);
        }
    }

    @Test
    void closeSendsWhatWaits() {
        try (Wire<byte[], byte[]> wire = Wire.of(Frames.BYTES)) {
            wire.holdWrites();
            List<Integer> replies = sendNumbered(wire, 0, 40, 64 * KIB);
            Probe<Void> closed = Probe.unbounded();
            wire.connection.close().subscribe(closed);
            wire.settle();
            assertThat(closed.isTerminated()).isFalse();
            wire.releaseWrites();
            assertThat(Frames.decode(wire.sent())).isEqualTo(Frames.range(0, 40));
            assertThat(replies).isEqualTo(Frames.range(0, 40));
            assertThat(closed.isCompleted()).isTrue();
        }
    }

    /** Reading does not wait for writing. */
    @Test
    void receivesWhileSendsWait() {
        try (Wire<byte[], byte[]> wire = Wire.of(Frames.BYTES)) {
            wire.holdWrites();
            sendNumbered(wire, 0, 40, 64 * KIB);
            Probe<byte[]> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(Frames.numbers(0, 100));
            assertThat(probe.values()).hasSize(100);
            wire.releaseWrites();
        }
    }

    private static List<Integer> sendNumbered(Wire<byte[], byte[]> wire, int from, int to, int length) {
        List<Integer> replies = new ArrayList<>();
        for (int i = from; i < to; i++) {
            int number = i;
            wire.connection
                    .send(Frames.payload(i, length))
                    .doOnSuccess(done -> replies.add(number))
                    .subscribe();
        }
        wire.settle();
        return replies;
    }

    /** One message that is larger than the watermark. */
    private static void fill(Wire<ByteBuf, ByteBuf> wire) {
        send(wire, Unpooled.buffer().writeInt(0).writeZero(2 * MIB));
        assertThat(wire.channel.isWritable()).isFalse();
    }

    private static Probe<Void> send(Wire<ByteBuf, ByteBuf> wire, ByteBuf message) {
        Probe<Void> probe = Probe.unbounded();
        wire.connection.send(message).subscribe(probe);
        wire.settle();
        return probe;
    }

    /** How the connection goes. */
    enum Ending {
        DISPOSE {
            @Override
            void end(Wire<?, ?> wire) {
                wire.connection.dispose();
            }
        },
        CHANNEL_CLOSED {
            @Override
            void end(Wire<?, ?> wire) {
                wire.closeChannel();
            }
        },
        CHANNEL_FAILED {
            @Override
            void end(Wire<?, ?> wire) {
                wire.fail(new IOException("reset"));
            }
        };

        abstract void end(Wire<?, ?> wire);
    }
}
