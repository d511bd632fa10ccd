package dev.sluice.framing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testing.Chunking;
import dev.sluice.testing.Delivery;
import dev.sluice.testing.End;
import dev.sluice.testing.Outcome;
import dev.sluice.testing.ReaderRun;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** What comes out of a stream, in every delivery. Bytes are written as text, one character a byte, or in hex. */
final class StreamCheck {
    private StreamCheck() {}

    static byte[] text(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    static byte[] hex(String hex) {
        return ByteBufUtil.decodeHexDump(hex.replace(" ", ""));
    }

    /** Fails unless these payloads and this terminal come out. */
    static void verify(Framing framing, byte[] stream, End end, Outcome expected) {
        ReaderRun.verify(framing, Delivery.all(List.of(stream)), end, expected);
    }

    /** The same in few deliveries, for many streams. */
    static void verifyInFew(Framing framing, byte[] stream, End end, Outcome expected, long seed) {
        Stream<Delivery> deliveries = Stream.of(
                        Chunking.whole(List.of(stream)),
                        Chunking.small(List.of(stream)),
                        Chunking.random(List.of(stream), seed, 20))
                .flatMap(Delivery::oneAxisAtATime);
        ReaderRun.verify(framing, deliveries, end, expected);
    }

    /** Fails unless the stream's last byte, and no earlier one, brings this error, without waiting for more. */
    static void failsAtLastByte(Framing framing, byte[] stream, Outcome expected) {
        verifyInFew(framing, stream, End.OPEN, expected, stream.length);
        Outcome before = new Outcome(expected.frames(), "none", expected.discarded());
        verifyInFew(framing, Arrays.copyOf(stream, stream.length - 1), End.OPEN, before, stream.length);
    }

    /** Fails unless reading all of the stream, and its end, throws this. */
    static void failsWith(Framing framing, byte[] stream, Class<? extends FramingException> type, String message) {
        try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(framing))) {
            reader.feed(Unpooled.wrappedBuffer(stream));
            reader.endOfInput();
            assertThatThrownBy(() -> {
                        while (reader.read() != null) {
                            reader.bytesAtHand();
                        }
                    })
                    .isInstanceOf(type)
                    .hasMessage(message);
        }
    }

    /** Fails unless encoding refuses the payload with this message, and leaves a target without room as it was. */
    static void refuses(Framing framing, byte[] payload, String message) {
        ByteBuf target = Unpooled.buffer(3, 3).writeBytes(new byte[] {1, 2});
        assertThatThrownBy(() -> framing.encode(Unpooled.wrappedBuffer(payload), target))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
        assertThat(ByteBufUtil.getBytes(target)).containsExactly(1, 2);
        assertThat(target.capacity()).isEqualTo(3);
        assertThat(RoundTrip.verify(framing, payload)).as("taken").isFalse();
    }

    /** These payloads, then this terminal, and no discarded frame. */
    static Outcome outcome(String terminal, byte[]... payloads) {
        return outcome(0, terminal, payloads);
    }

    static Outcome outcome(long discarded, String terminal, byte[]... payloads) {
        return new Outcome(Arrays.stream(payloads).map(Outcome::hex).toList(), terminal, discarded);
    }
}
