package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Law 9: how often a subscriber is woken, counted. */
class WakeUpTest {
    private static final int FRAMES = 100_000;
    private static final int PAYLOAD = 2_497;
    private static final int FRAME = Frames.HEADER + PAYLOAD;
    private static final int CHUNK = 256 * 1024;

    @Test
    void wakesOnceADrainPerMessage() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Sequence sequence = new Sequence();
            wire.connection.receive().subscribe(sequence::next);
            feedPublishedWorkload(wire, () -> {});
            assertThat(sequence.next).isEqualTo(FRAMES);
            assertThat(wire.stats().wakeUps())
                    .isLessThanOrEqualTo(955)
                    .isEqualTo(wire.stats().drains());
            assertThat(wire.stats().signals()).isEqualTo(FRAMES);
        }
    }

    @Test
    void wakesOnceADrainInBatches() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Sequence sequence = new Sequence();
            AtomicInteger signals = new AtomicInteger();
            wire.connection.receiveBatches().subscribe(batch -> {
                signals.incrementAndGet();
                batch.forEach(sequence::next);
            });
            int[] before = {0, 0};
            feedPublishedWorkload(wire, () -> {
                int messages = sequence.next - before[0];
                assertThat(signals.get() - before[1]).isEqualTo((messages + 63) / 64);
                before[0] = sequence.next;
                before[1] = signals.get();
            });
            assertThat(sequence.next).isEqualTo(FRAMES);
            assertThat(wire.stats().wakeUps())
                    .isLessThanOrEqualTo(955)
                    .isEqualTo(wire.stats().drains());
            assertThat(wire.stats().signals()).isLessThanOrEqualTo(1_910).isEqualTo(signals.get());
        }
    }

    /** The very demand of most operators. */
    @Test
    void wakesOnceADrainWhenRequestedOneByOne() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<Integer> probe = Probe.demanding(1);
            wire.connection.receive().subscribe(probe.whenNext(number -> probe.request(1)));
            feedPublishedWorkload(wire, () -> {});
            assertThat(probe.count()).isEqualTo(FRAMES);
            assertThat(wire.stats().wakeUps()).isLessThanOrEqualTo(955);
        }
    }

    @ParameterizedTest
    @EnumSource
    void wakesOnceADrainHoweverManyReadsItHas(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            way.signals(wire.connection).subscribe();
            for (int drain = 0; drain < 10; drain++) {
                wire.feed(Frames.numbers(0, 100), Frames.numbers(100, 101), Frames.numbers(101, 230));
            }
            assertThat(wire.stats().reads()).isEqualTo(30);
            assertThat(wire.stats().drains()).isEqualTo(10);
            assertThat(wire.stats().wakeUps()).isEqualTo(10);
            assertThat(wire.stats().signals()).isEqualTo(10L * ((230 + way.signalSize() - 1) / way.signalSize()));
        }
    }

    /** Bytes that bring no whole frame wake nobody. */
    @Test
    void doesNotWakeForATornFrame() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            wire.connection.receive().subscribe();
            wire.feed(new byte[] {0, 0, 0});
            wire.feed(new byte[] {4, 0, 0});
            assertThat(wire.stats().drains()).isEqualTo(2);
            assertThat(wire.stats().wakeUps()).isZero();
            wire.feed(new byte[] {0, 1});
            assertThat(wire.stats().wakeUps()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 64, 200})
    void fillsBatchesToTheirSetSize(int size) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<FrameBatch<Integer>> probe = Probe.unbounded();
            wire.connection.receiveBatches(size).subscribe(probe);
            wire.feed(Frames.numbers(0, 500));
            assertThat(probe.values()).hasSize((500 + size - 1) / size);
            assertThat(probe.values().subList(0, 500 / size)).allMatch(batch -> batch.size() == size);
        }
    }

    @ParameterizedTest
    @EnumSource
    void wakesNoMoreThanOnceAReadOverSockets(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Sequence sequence = new Sequence();
            link.connection.receive().subscribe(sequence::next);
            for (int i = 0; i < 20; i++) {
                link.peer.send(Frames.numbers(i * 1000, (i + 1) * 1000, PAYLOAD));
            }
            Await.until("all", () -> link.connection.stats().messagesIn() == 20_000);
            link.onLoop(() -> assertThat(sequence.next).isEqualTo(20_000));
            assertThat(link.connection.stats().wakeUps())
                    .isLessThanOrEqualTo(link.connection.stats().reads());
        }
    }

    @ParameterizedTest
    @EnumSource
    void wakesNoMoreThanOnceAReadInBatchesOverSockets(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Sequence sequence = new Sequence();
            link.connection.receiveBatches().subscribe(batch -> batch.forEach(sequence::next));
            for (int i = 0; i < 20; i++) {
                link.peer.send(Frames.numbers(i * 1000, (i + 1) * 1000, PAYLOAD));
            }
            Await.until("all", () -> link.connection.stats().messagesIn() == 20_000);
            link.onLoop(() -> assertThat(sequence.next).isEqualTo(20_000));
            assertThat(link.connection.stats().wakeUps())
                    .isLessThanOrEqualTo(link.connection.stats().reads());
        }
    }

    private static void feedPublishedWorkload(Wire<Integer, Integer> wire, Runnable afterDrain) {
        long total = (long) FRAMES * FRAME;
        int number = 0;
        int inFrame = 0;
        for (long at = 0; at < total; ) {
            int length = (int) Math.min(CHUNK, total - at);
            ByteBuf chunk = wire.channel.alloc().buffer(length);
            while (chunk.readableBytes() < length) {
                if (inFrame == 0 && length - chunk.readableBytes() >= 8) {
                    chunk.writeInt(PAYLOAD).writeInt(number);
                    inFrame = 8;
                } else if (inFrame < 8) {
                    long head = (long) PAYLOAD << 32 | number;
                    chunk.writeByte((int) (head >>> (56 - 8 * inFrame)));
                    inFrame++;
                } else {
                    int rest = Math.min(FRAME - inFrame, length - chunk.readableBytes());
                    chunk.writerIndex(chunk.writerIndex() + rest);
                    inFrame += rest;
                }
                if (inFrame == FRAME) {
                    inFrame = 0;
                    number++;
                }
            }
            at += length;
            wire.channel.writeInbound(chunk);
            afterDrain.run();
        }
    }

    private static final class Sequence {
        private int next;

        void next(int number) {
            if (number != next) {
                throw new AssertionError("out of order: number=" + number + ", expected=" + next);
            }
            next++;
        }
    }
}
