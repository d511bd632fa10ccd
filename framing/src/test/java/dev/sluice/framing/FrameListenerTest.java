package dev.sluice.framing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("paranoid")
class FrameListenerTest {
    private static final Framing SHORT = LengthFieldFraming.builder()
            .lengthFieldLength(1)
            .maxPayloadLength(3)
            .oversize(Oversize.DISCARD)
            .build();

    private final List<String> reports = new ArrayList<>();
    private FrameReader<byte[]> reader = reader(SHORT);

    @AfterEach
    void close() {
        reader.close();
    }

    @Test
    void learnsWhereFrameBeginsAndHowLongItIs() {
        reader.feed(chunk("\1a\5bcdef\4ghij\1k"));

        assertThat(reader.read()).asString(ISO_8859_1).isEqualTo("a");
        assertThat(reports).isEmpty();
        assertThat(reader.read()).asString(ISO_8859_1).isEqualTo("k");
        assertThat(reports).containsExactly("offset=2, length=5, limit=3", "offset=8, length=4, limit=3");
        assertThat(reader.discardedFrames()).isEqualTo(2);
        assertThat(reader.streamOffset()).isEqualTo(15);
    }

    @Test
    void isToldAtTheHeaderBeforeAnyPayload() {
        reader.feed(chunk("\5"));

        assertThat(reader.read()).isNull();
        assertThat(reports).containsExactly("offset=0, length=5, limit=3");
    }

    @Test
    void isToldOnceHoweverManyChunksFrameHas() {
        for (String part : List.of("\5", "a", "bc", "d", "e", "\1", "f")) {
            reader.feed(chunk(part));
            reader.hasFrame();
        }

        assertThat(reader.read()).asString(ISO_8859_1).isEqualTo("f");
        assertThat(reports).hasSize(1);
    }

    @Test
    void isToldOnceForFrameOfUnknownLength() {
        reader = reader(TestFramings.discardingLines(2));
        for (String part : List.of("a", "bcd", "ef", "g\n", "hi\n")) {
            reader.feed(chunk(part));
            reader.hasFrame();
        }

        assertThat(reader.read()).asString(ISO_8859_1).isEqualTo("hi");
        assertThat(reports).containsExactly("offset=0, length=3, limit=2");
    }

    @Test
    void hasBeenToldWhenInputEndsInsideDiscardedFrame() {
        reader.feed(chunk("\1a\5bc"));
        reader.endOfInput();
        reader.read();

        assertThatThrownBy(reader::read)
                .isInstanceOf(TruncatedFrameException.class)
                .hasMessage(
                        "input ended inside a frame that was discarded: bytesNeeded=3, streamOffset=2, firstBytes=");
        assertThat(reports).hasSize(1);
    }

    @Test
    void isToldOfFrameThatOnlyTheEndShowsToBeOversize() {
        reader = reader(discardingAtEnd(4));
        reader.feed(chunk("abc"));
        reader.endOfInput();

        assertThatThrownBy(reader::read)
                .isInstanceOf(TruncatedFrameException.class)
                .hasMessage(
                        "input ended inside a frame that was discarded: bytesNeeded=1, streamOffset=0, firstBytes=");
        assertThat(reports).containsExactly("offset=0, length=3, limit=1");
    }

    @Test
    void isToldOfOversizeFrameThatEndsWithInput() {
        reader = reader(discardingAtEnd(3));
        reader.feed(chunk("abc"));
        reader.endOfInput();

        assertThat(reader.read()).isNull();
        assertThat(reports).containsExactly("offset=0, length=3, limit=1");
        assertThat(reader.streamOffset()).isEqualTo(3);
    }

    @Test
    void isNotToldWhenFramerDiscardsOnlyPartOfTheRest() {
        reader = reader(discardingAtEnd(2));
        reader.feed(chunk("abc"));
        reader.endOfInput();

        assertThatThrownBy(reader::read)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("framer's last frame leaves bytes behind it: framer=")
                .hasMessageEndingWith("frameLength=2, limit=3, streamOffset=0");
        assertThat(reports).isEmpty();
    }

    /** Waits for the end, and then discards so many bytes. */
    private static Framing discardingAtEnd(int bytes) {
        return TestFramings.of(new Framer() {
            @Override
            public void frame(ByteBuf unread, Answer answer) {
                answer.need(unread.readableBytes() + 1);
            }

            @Override
            public void atEnd(ByteBuf unread, Answer answer) {
                answer.discard(bytes, unread.readableBytes(), 1);
            }
        });
    }

    @Test
    void failsReaderByWhatItThrows() {
        IllegalArgumentException thrown = new IllegalArgumentException("enough");
        reader = FrameReader.create(Codec.bytes(SHORT).listener((offset, length, limit) -> {
            throw thrown;
        }));
        ByteBuf chunk = chunk("\1a\5bcdef\1k");
        reader.feed(chunk);
        assertThat(reader.read()).asString(ISO_8859_1).isEqualTo("a");

        assertThatThrownBy(reader::read).isSameAs(thrown);
        assertThatThrownBy(reader::hasFrame).isSameAs(thrown);
        assertThat(chunk.refCnt()).isZero();
    }

    @Test
    void mayCloseReader() {
        List<FrameReader<byte[]>> own = new ArrayList<>();
        reader = FrameReader.create(Codec.bytes(SHORT)
                .listener((offset, length, limit) -> own.get(0).close()));
        own.add(reader);
        ByteBuf chunk = chunk("\5bcdef\1k");
        reader.feed(chunk);

        assertThat(reader.read()).isNull();
        assertThat(chunk.refCnt()).isZero();
    }

    private FrameReader<byte[]> reader(Framing framing) {
        return FrameReader.create(Codec.bytes(framing)
                .listener((offset, length, limit) ->
                        reports.add("offset=" + offset + ", length=" + length + ", limit=" + limit)));
    }

    private static ByteBuf chunk(String bytes) {
        return ByteBufAllocator.DEFAULT.buffer().writeBytes(bytes.getBytes(ISO_8859_1));
    }
}
