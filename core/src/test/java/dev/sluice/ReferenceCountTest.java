package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.Codec;
import dev.sluice.framing.FrameTooLongException;
import dev.sluice.framing.MessageDecoder;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reference-counted messages: released exactly once on every path. Inputs are counted by the test suite's leak check. */
@Tag("paranoid")
class ReferenceCountTest {
    private final List<ByteBuf> decoded = new ArrayList<>();

    /** Remembers each slice that was ever made. */
    private final class SliceDecoder implements MessageDecoder<ByteBuf> {
        @Override
        public ByteBuf decode(ByteBuf payload) {
            ByteBuf slice = payload.retainedSlice();
            decoded.add(slice);
            return slice;
        }

        @Override
        public boolean keepsPayload() {
            return true;
        }
    }

    private final Codec<ByteBuf, ByteBuf> codec =
            Codec.of(Frames.FRAMING, new SliceDecoder(), (message, out) -> out.append(message.retainedSlice()));

    private final Wire<ByteBuf, ByteBuf> wire = Wire.of(codec);

    @AfterEach
    void leavesNothingAlive() {
        wire.close();
        assertThat(decoded).isNotEmpty().allMatch(slice -> slice.refCnt() == 0);
    }

    @ParameterizedTest
    @EnumSource
    void belongsToTheReceiverWhenGiven(Way way) {
        Probe<List<ByteBuf>> probe = Probe.unbounded();
        way.signals(wire.connection).subscribe(probe);
        wire.feed(Frames.numbers(0, 100));
        wire.end();
        wire.connection.dispose();
        wire.settle();
        assertThat(Way.flat(probe).stream().map(Frames::take)).isEqualTo(Frames.range(0, 100));
    }

    @Test
    void isReleasedWhenNeverReceived() {
        wire.feed(Frames.numbers(0, 200));
        assertThat(decoded).hasSize(64).allMatch(slice -> slice.refCnt() > 0);
    }

    @ParameterizedTest
    @EnumSource
    void isReleasedWhenHeldAtDispose(Way way) {
        Probe<List<ByteBuf>> probe = Probe.demanding(1);
        way.signals(wire.connection).subscribe(probe.whenNext(slices -> slices.forEach(ByteBuf::release)));
        wire.feed(Frames.numbers(0, 200));
        wire.connection.dispose();
        assertThat(probe.error()).isInstanceOf(ConnectionClosedException.class);
        assertThat(decoded).allMatch(slice -> slice.refCnt() == 0);
    }

    @ParameterizedTest
    @EnumSource
    void staysForTheNextReceiverWhenCancelled(Way way) {
        Probe<List<ByteBuf>> probe = Probe.unbounded();
        way.signals(wire.connection).subscribe(probe.whenNext(slices -> {
            slices.forEach(ByteBuf::release);
            probe.cancel();
        }));
        wire.feed(Frames.numbers(0, 200));
        List<ByteBuf> rest = new ArrayList<>();
        wire.connection.receive().subscribe(rest::add);
        assertThat(rest).hasSize(200 - way.signalSize());
        rest.forEach(ByteBuf::release);
    }

    @Test
    void isReleasedOnceWhenABatchIsIteratedInPartAndReleased() {
        AtomicInteger taken = new AtomicInteger();
        wire.connection.receiveBatches(10).subscribe(batch -> {
            Iterator<ByteBuf> slices = batch.iterator();
            for (int i = 0; i < 3; i++) {
                slices.next().release();
                taken.incrementAndGet();
            }
            batch.release();
            batch.release();
        });
        wire.feed(Frames.numbers(0, 40));
        assertThat(taken).hasValue(12);
        assertThat(decoded).allMatch(slice -> slice.refCnt() == 0);
    }

    @ParameterizedTest
    @EnumSource
    void isGivenBeforeAFailure(Way way) {
        Probe<List<ByteBuf>> probe = Probe.demanding(0);
        way.signals(wire.connection).subscribe(probe);
        wire.feed(Frames.numbers(0, 3), Frames.hex("7fffffff 0102"));
        probe.request(Long.MAX_VALUE);
        assertThat(Way.flat(probe).stream().map(Frames::take)).containsExactly(0, 1, 2);
        assertThat(probe.error()).isInstanceOf(FrameTooLongException.class);
    }

    @Test
    void isReleasedWhenHeldBehindAnErrorThatNobodyReceives() {
        wire.feed(Frames.numbers(0, 3));
        wire.fail(new IOException("reset"));
        assertThat(decoded).hasSize(3);
    }

    @Test
    void survivesTheBytesItLiesIn() {
        Probe<ByteBuf> probe = Probe.unbounded();
        wire.connection.receive().subscribe(probe);
        byte[] bytes = Frames.numbers(0, 50, 100);
        for (int at = 0; at < bytes.length; at += 33) {
            wire.feed(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + 33)));
        }
        wire.connection.dispose();
        assertThat(probe.values().stream().map(Frames::take)).isEqualTo(Frames.range(0, 50));
    }

    @Test
    void isReleasedWhenItIsSentBack() {
        wire.connection.receive().concatMap(wire.connection::send).subscribe();
        wire.feed(Frames.numbers(0, 20));
        assertThat(wire.sentNumbers()).isEqualTo(Frames.range(0, 20));
        assertThat(decoded).allMatch(slice -> slice.refCnt() == 0);
    }

    @Test
    void isReleasedAtTheEndOfCloseWhenNobodyTakesIt() {
        wire.feed(Frames.numbers(0, 20));
        wire.connection.close().subscribe();
        wire.settle();
        wire.connection.dispose();
        assertThat(decoded).hasSize(20).allMatch(slice -> slice.refCnt() == 0);
    }
}
