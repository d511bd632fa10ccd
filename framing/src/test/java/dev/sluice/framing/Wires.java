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
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Bytes in hex through a framing, in both directions. */
final class Wires {
    private Wires() {}

    /** The frame of this payload, which decoding has given back. */
    static String encode(Framing framing, String payload) {
        assertThat(RoundTrip.verify(framing, StreamCheck.hex(payload)))
                .as("taken")
                .isTrue();
        ByteBuf target = Unpooled.buffer();
        framing.encode(Unpooled.wrappedBuffer(StreamCheck.hex(payload)), target);
        return ByteBufUtil.hexDump(target);
    }

    /** The frame of a message that decoding gives back otherwise: with its length filled in. */
    static String encodeFilled(Framing framing, String message, String delivered) {
        ByteBuf target = Unpooled.buffer().writeByte(9);
        ByteBuf source = Unpooled.wrappedBuffer(StreamCheck.hex("99" + message)).skipBytes(1);
        framing.encode(source, target);
        assertThat(source.readerIndex()).isEqualTo(1);
        assertThat(ByteBufUtil.hexDump(source)).as("message is not written to").isEqualTo(message);
        String frame = ByteBufUtil.hexDump(target.skipBytes(1));
        assertThat(decode(framing, frame)).containsExactly(delivered);
        return frame;
    }

    /** The payloads in these frames, whatever the cuts. */
    static List<String> decode(Framing framing, String frames) {
        List<String> payloads = RoundTrip.decode(framing, Unpooled.wrappedBuffer(StreamCheck.hex(frames))).stream()
                .map(ByteBufUtil::hexDump)
                .toList();
        verify(framing, StreamCheck.hex(frames), End.COMPLETE, new Outcome(payloads, "complete", 0));
        return payloads;
    }

    /** Fails unless this is what comes of the stream in one chunk, byte by byte, and cut in two anywhere. */
    static void verify(Framing framing, byte[] stream, End end, Outcome expected) {
        List<byte[]> chunks = List.of(stream);
        Stream<Delivery> deliveries = Stream.of(
                        Stream.of(Chunking.whole(chunks), Chunking.small(chunks)), Chunking.cutsInTwo(chunks))
                .flatMap(chunkings -> chunkings)
                .flatMap(chunking -> Delivery.oneAxisAtATime(chunking)
                        .limit(chunking.chunks().size() == 2 ? 1 : 8));
        ReaderRun.verify(framing, deliveries, end, expected);
    }

    /** Fails unless these bytes end the stream so, at the last of them and not before. */
    static void assertFailure(Framing framing, String bytes, Class<? extends FramingException> type, String message) {
        byte[] stream = StreamCheck.hex(bytes);
        try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(framing))) {
            reader.feed(Unpooled.wrappedBuffer(Arrays.copyOf(stream, stream.length - 1)));
            while (reader.hasFrame()) {
                reader.read();
            }
            reader.feed(Unpooled.wrappedBuffer(new byte[] {stream[stream.length - 1]}));
            assertThatThrownBy(reader::read).isInstanceOf(type).hasMessage(message);
        }
    }

    /** Fails unless this payload is refused in these words, and nothing is written. */
    static void assertRefused(Framing framing, String payload, String message) {
        StreamCheck.refuses(framing, StreamCheck.hex(payload), message);
    }
}
