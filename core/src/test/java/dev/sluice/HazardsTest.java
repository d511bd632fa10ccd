package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.Codec;
import dev.sluice.framing.CorruptFrameException;
import dev.sluice.framing.FixedLengthFraming;
import dev.sluice.framing.Framing;
import dev.sluice.framing.JsonFraming;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.LineFraming;
import dev.sluice.framing.Oversize;
import dev.sluice.framing.TruncatedFrameException;
import dev.sluice.framing.VarintFraming;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Situations in which receivers of framed streams are known to go wrong, each through a whole connection. */
@Tag("paranoid")
class HazardsTest {

    /** Without further input. */
    @ParameterizedTest
    @EnumSource
    void givesWholeFramesThatCameBehindAnOversizeOne(Way way) {
        Framing framing = LengthFieldFraming.builder()
                .maxPayloadLength(8)
                .oversize(Oversize.DISCARD)
                .build();
        try (Wire<byte[], byte[]> wire = Wire.of(Codec.bytes(framing))) {
            Probe<List<byte[]>> probe = Probe.unbounded();
            way.signals(wire.connection).subscribe(probe);
            wire.feed(Frames.numbers(0, 1), Frames.numbers(1, 2, 500), Frames.numbers(2, 5));
            assertThat(Way.flat(probe)).hasSize(4);
            assertThat(wire.stats().discardedFrames()).isEqualTo(1);
        }
    }

    /** One read brings good frames and a bad one; nothing is demanded yet. */
    @ParameterizedTest
    @EnumSource
    void errorOvertakesNoFrameOfTheSameRead(Way way) {
        Framing framing = LengthFieldFraming.builder().maxPayloadLength(8).build();
        try (Wire<byte[], byte[]> wire = Wire.of(Codec.bytes(framing))) {
            Probe<List<byte[]>> probe = Probe.demanding(0);
            way.signals(wire.connection).subscribe(probe);
            wire.feed(Frames.numbers(0, 200), Frames.hex("7fffffff"));
            assertThat(probe.isTerminated()).isFalse();
            probe.request(Long.MAX_VALUE);
            assertThat(Way.flat(probe)).hasSize(200);
            assertThat(probe.error()).isNotNull();
        }
    }

    @Test
    void limitIsThatOfOneValueNotOfTheRead() {
        try (Wire<byte[], byte[]> wire =
                Wire.of(Codec.bytes(JsonFraming.builder().maxPayloadLength(16).build()))) {
            Probe<byte[]> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed("{\"a\":1}".repeat(10_000).getBytes(StandardCharsets.UTF_8));
            assertThat(probe.values()).hasSize(10_000);
            assertThat(probe.isTerminated()).isFalse();
        }
    }

    /** The length's second byte is above 0x7f, and comes with the next read. */
    @Test
    void readsLengthWhoseHighBytesComeWithTheNextRead() {
        Framing framing = LengthFieldFraming.of(2);
        byte[] stream = new byte[2 * (2 + 0x80ff)];
        stream[0] = stream[2 + 0x80ff] = (byte) 0x80;
        stream[1] = stream[3 + 0x80ff] = (byte) 0xff;
        for (int cut = 1; cut <= 3; cut++) {
            try (Wire<byte[], byte[]> wire = Wire.of(Codec.bytes(framing))) {
                Probe<byte[]> probe = Probe.unbounded();
                wire.connection.receive().subscribe(probe);
                wire.feed(Arrays.copyOf(stream, cut));
                wire.feed(Arrays.copyOfRange(stream, cut, 2 + 0x80ff + cut));
                wire.feed(Arrays.copyOfRange(stream, 2 + 0x80ff + cut, stream.length));
                assertThat(probe.values()).hasSize(2).allMatch(payload -> payload.length == 0x80ff);
            }
        }
    }

    /** Also a length that is a multiple of 2^21, of which three bytes of the prefix are continuation alone. */
    @Test
    void readsVarintThatIsCutAtEveryOffset() {
        int length = 1 << 21;
        byte[] stream = new byte[4 + length + 2];
        stream[0] = stream[1] = stream[2] = (byte) 0x80;
        stream[3] = 1;
        stream[4 + length] = 1;
        for (int cut = 1; cut <= 5; cut++) {
            try (Wire<byte[], byte[]> wire = Wire.of(
                    Codec.bytes(VarintFraming.builder().maxPayloadLength(length).build()))) {
                Probe<byte[]> probe = Probe.unbounded();
                wire.connection.receive().subscribe(probe);
                wire.feed(Arrays.copyOf(stream, cut));
                wire.feed(Arrays.copyOfRange(stream, cut, stream.length));
                assertThat(probe.values()).extracting(payload -> payload.length).containsExactly(length, 1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void keepsMessagesWhenTheChannelClosesBeforeTheConsumersTurn(Way way) {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            Probe<List<Integer>> probe = Probe.demanding(0);
            way.signals(wire.connection).subscribe(probe);
            wire.feed(Frames.numbers(0, 500));
            wire.end();
            wire.closeChannel();
            assertThat(probe.isTerminated()).isFalse();
            probe.request(Long.MAX_VALUE);
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 500));
            assertThat(probe.isCompleted()).isTrue();
        }
    }

    /** Whatever object stands for no bytes. */
    @ParameterizedTest
    @EnumSource
    void givesEmptyFramesAsMessages(Way way) {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            Probe<List<ByteBuf>> probe = Probe.unbounded();
            way.signals(wire.connection).subscribe(probe);
            wire.feed(Frames.empty(3), Frames.numbers(0, 1), Frames.empty(1));
            assertThat(Way.flat(probe)).extracting(ByteBuf::readableBytes).containsExactly(0, 0, 0, 4, 0);
            Way.flat(probe).forEach(ByteBuf::release);
        }
    }

    @Test
    void givesBlankLinesAsMessages() {
        try (Wire<String, String> wire = Wire.of(Codec.text(LineFraming.lenient()))) {
            Probe<String> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed("\n\r\na\n\n".getBytes(StandardCharsets.UTF_8));
            assertThat(probe.values()).containsExactly("", "", "a", "");
        }
    }

    @Test
    void recordCutByTheEndIsNoMessage() {
        try (Wire<byte[], byte[]> wire = Wire.of(Codec.bytes(FixedLengthFraming.of(10)))) {
            Probe<byte[]> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(new byte[19]);
            wire.end();
            assertThat(probe.values()).hasSize(1);
            assertThat(probe.error()).isInstanceOf(TruncatedFrameException.class);
        }
    }

    /** The count of buffers behind the test shows it. */
    @Test
    void releasesTornFrameBehindACancel() {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES)) {
            Probe<ByteBuf> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(Frames.numbers(0, 1), Frames.hex("00000040 01"));
            wire.feed(new byte[20]);
            assertThat(wire.stats().bytesAtHand()).isEqualTo(25);
            probe.cancel();
            wire.connection.dispose();
            wire.settle();
            assertThat(wire.stats().bytesAtHand()).isZero();
            probe.values().forEach(ByteBuf::release);
        }
    }

    /** Not one exception and then silence: the stream has ended, for later receivers too, and what comes is not kept. */
    @Test
    void endsTheStreamAtCorruptJson() {
        try (Wire<byte[], byte[]> wire = Wire.of(Codec.bytes(JsonFraming.values()))) {
            Probe<byte[]> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed("{\"a\":1} ]".getBytes(StandardCharsets.UTF_8));
            assertThat(probe.values()).hasSize(1);
            assertThat(probe.error()).isInstanceOf(CorruptFrameException.class);
            wire.feed("{\"a\":2}".getBytes(StandardCharsets.UTF_8));
            assertThat(wire.stats().bytesAtHand()).isZero();
            Probe<byte[]> later = Probe.unbounded();
            wire.connection.receive().subscribe(later);
            assertThat(later.error()).isSameAs(probe.error());
        }
    }

    /** A frame larger than what may be held passes, byte by byte and without demand for the one before. */
    @Test
    void readsFrameLargerThanThePrefetch() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers(new Prefetch(1, 1))) {
            Probe<Integer> probe = Probe.demanding(1);
            wire.connection.receive().subscribe(probe);
            byte[] frame = Frames.numbers(7, 8, 5_000);
            List<Integer> reads = new ArrayList<>();
            for (byte one : frame) {
                reads.add(wire.reads());
                wire.feed(new byte[] {one});
            }
            assertThat(reads).doesNotHaveDuplicates(); // asked for each
            assertThat(probe.values()).containsExactly(7);
        }
    }

    @ParameterizedTest
    @EnumSource
    void abortIsNoCompletion(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            link.peer.reset();
            assertThat(probe.awaitError()).isInstanceOf(IOException.class);
        }
    }
}
