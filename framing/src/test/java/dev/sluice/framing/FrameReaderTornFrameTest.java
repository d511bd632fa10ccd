package dev.sluice.framing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Where the frame begins that has come in part. */
class FrameReaderTornFrameTest {

    @Test
    void isNoneBetweenFrames() {
        FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(LengthFieldFraming.of(2)));
        assertThat(reader.tornFrameOffset()).isEqualTo(-1);
        feed(reader, 0, 1, 7);
        assertThat(reader.read()).hasSize(1);
        assertThat(reader.hasFrame()).isFalse();
        assertThat(reader.tornFrameOffset()).isEqualTo(-1);
        reader.close();
    }

    @Test
    void staysUntilTheFrameIsWhole() {
        FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(LengthFieldFraming.of(2)));
        feed(reader, 0, 1, 7, 0);
        assertThat(reader.read()).hasSize(1);
        for (int next : new int[] {2, 8}) {
            assertThat(reader.read()).isNull();
            assertThat(reader.tornFrameOffset()).isEqualTo(3);
            feed(reader, next);
        }
        feed(reader, 9, 0);
        assertThat(reader.read()).hasSize(2);
        assertThat(reader.read()).isNull();
        assertThat(reader.tornFrameOffset()).isEqualTo(7);
        reader.close();
    }

    @Test
    void isThatOfAnOversizeFrameWhileItIsSkipped() {
        FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(LengthFieldFraming.builder()
                .maxPayloadLength(1)
                .oversize(Oversize.DISCARD)
                .build()));
        feed(reader, 0, 0, 0, 0, 0, 0, 0, 3, 1);
        assertThat(reader.read()).isEmpty();
        assertThat(reader.read()).isNull();
        assertThat(reader.tornFrameOffset()).isEqualTo(4);
        feed(reader, 2);
        assertThat(reader.read()).isNull();
        assertThat(reader.tornFrameOffset()).isEqualTo(4);
        feed(reader, 3);
        assertThat(reader.read()).isNull();
        assertThat(reader.tornFrameOffset()).isEqualTo(-1);
        reader.close();
    }

    @Test
    void isThatOfAnOversizeLineWhoseEndIsSearched() {
        FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(LineFraming.builder()
                .maxPayloadLength(2)
                .oversize(Oversize.DISCARD)
                .build()));
        feed(reader, "a\nbbbb");
        assertThat(reader.read()).hasSize(1);
        assertThat(reader.read()).isNull();
        assertThat(reader.tornFrameOffset()).isEqualTo(2);
        feed(reader, "bbbb");
        assertThat(reader.read()).isNull();
        assertThat(reader.tornFrameOffset()).isEqualTo(2);
        feed(reader, "b\nc");
        assertThat(reader.read()).isNull();
        assertThat(reader.tornFrameOffset()).isEqualTo(12);
        reader.close();
    }

    @Test
    void isNoneBehindTheEnd() {
        FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(LengthFieldFraming.of(2)));
        feed(reader, 0);
        assertThat(reader.read()).isNull();
        reader.close();
        assertThat(reader.tornFrameOffset()).isEqualTo(-1);
    }

    private static void feed(FrameReader<?> reader, int... bytes) {
        byte[] chunk = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            chunk[i] = (byte) bytes[i];
        }
        reader.feed(Unpooled.wrappedBuffer(chunk));
    }

    private static void feed(FrameReader<?> reader, String text) {
        reader.feed(Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.US_ASCII)));
    }
}
