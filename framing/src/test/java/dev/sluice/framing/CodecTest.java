package dev.sluice.framing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("paranoid")
class CodecTest {
    private static final Framing FRAMING = LengthFieldFraming.of(1);

    @Test
    void copiesPayloadsIntoArrays() {
        Codec<byte[], byte[]> codec = Codec.bytes(FRAMING);
        byte[] chunk = {2, 5, 6};
        try (FrameReader<byte[]> reader = FrameReader.create(codec)) {
            reader.feed(Unpooled.wrappedBuffer(chunk));
            byte[] message = reader.read();
            chunk[1] = 99;

            assertThat(message).containsExactly(5, 6);
        }
        assertThat(codec.decoder().keepsPayload()).isFalse();
        assertThat(codec.encoder().sizeHint(new byte[7])).isEqualTo(7);
    }

    @Test
    void slicesPayloadsOutOfTheInput() {
        Codec<ByteBuf, ByteBuf> codec = Codec.slices(FRAMING);
        ByteBuf chunk = ByteBufAllocator.DEFAULT.buffer().writeBytes(new byte[] {2, 5, 6});
        ByteBuf message;
        try (FrameReader<ByteBuf> reader = FrameReader.create(codec)) {
            reader.feed(chunk);
            message = reader.read();
        }

        assertThat(chunk.refCnt()).as("held by the message").isEqualTo(1);
        assertThat(RoundTrip.bytes(message)).containsExactly(5, 6);
        message.release();
        assertThat(chunk.refCnt()).isZero();
        assertThat(codec.decoder().keepsPayload()).isTrue();
    }

    @Test
    void leavesSentBufferToItsSender() {
        Codec<ByteBuf, ByteBuf> codec = Codec.slices(FRAMING);
        ByteBuf message = ByteBufAllocator.DEFAULT
                .buffer()
                .writeBytes(new byte[] {1, 5, 6})
                .skipBytes(1);
        assertThat(codec.encoder().sizeHint(message)).isEqualTo(2);
        try (FrameWriter writer = FrameWriter.create(codec.framing(), ByteBufAllocator.DEFAULT)) {
            writer.write(message, codec.encoder());

            assertThat(RoundTrip.bytes(RoundTrip.poll(writer))).containsExactly(2, 5, 6);
        }
        assertThat(message.readableBytes()).isEqualTo(2);
        assertThat(message.release()).isTrue();
    }

    @Test
    void joinsFramingDecoderAndEncoder() {
        MessageDecoder<Byte> decoder = payload -> payload.readByte();
        MessageEncoder<Number> encoder = (message, out) -> out.buffer().writeByte(message.intValue());
        Codec<Number, Integer> codec = Codec.of(FRAMING, decoder, encoder);

        assertThat(codec.framing()).isSameAs(FRAMING);
        assertThat(codec.decoder()).isSameAs(decoder);
        assertThat(codec.encoder()).isSameAs(encoder);
        assertThat(codec.listener()).isSameAs(FrameListener.NONE);
        assertThat(encoder.sizeHint(1)).isEqualTo(256);
    }

    @Test
    void staysAsItIsWhenListenerIsSet() {
        Codec<byte[], byte[]> codec = Codec.bytes(FRAMING);
        FrameListener listener = (offset, length, limit) -> {};
        Codec<byte[], byte[]> listening = codec.listener(listener);

        assertThat(codec.listener()).isSameAs(FrameListener.NONE);
        assertThat(listening.listener()).isSameAs(listener);
        assertThat(listening.framing()).isSameAs(codec.framing());
        assertThat(listening.decoder()).isSameAs(codec.decoder());
        assertThat(listening.encoder()).isSameAs(codec.encoder());
    }

    @Test
    void refusesNull() {
        MessageDecoder<String> decoder = payload -> "";
        MessageEncoder<String> encoder = (message, out) -> {};

        assertThatThrownBy(() -> Codec.bytes(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("framing");
        assertThatThrownBy(() -> Codec.of(FRAMING, null, encoder)).hasMessage("decoder");
        assertThatThrownBy(() -> Codec.of(FRAMING, decoder, null)).hasMessage("encoder");
        assertThatThrownBy(() -> Codec.bytes(FRAMING).listener(null)).hasMessage("listener");
        assertThatThrownBy(() -> FrameReader.create(Codec.bytes(FRAMING), null)).hasMessage("allocator");
        assertThatThrownBy(() -> FrameReader.create(Codec.bytes(TestFramings.of(() -> null))))
                .hasMessage("framer");
        assertThatThrownBy(() -> FrameWriter.create(null, ByteBufAllocator.DEFAULT))
                .hasMessage("framing");
        assertThatThrownBy(() -> FrameWriter.create(FRAMING, null)).hasMessage("allocator");
    }
}
