package dev.sluice.framing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** The law of both directions: a payload is refused and nothing written, or decoding gives exactly it back. */
final class RoundTrip {
    private static final byte[] EARLIER = {0x45, 0x61, 0x72};

    private RoundTrip() {}

    /**
     * Fails if the law is broken by {@link Framing#encode encode}, or by a {@link FrameWriter} to which the payload is
     * written or appended, or if these differ.
     *
     * @return whether the payload was taken
     */
    static boolean verify(Framing framing, byte[] payload) {
        boolean taken = verifyEncode(framing, payload);
        assertThat(verifyWriter(framing, Codec.bytes(framing).encoder(), payload, payload))
                .as("written payload is taken")
                .isEqualTo(taken);
        ByteBuf buffer = Unpooled.wrappedBuffer(payload);
        assertThat(verifyWriter(framing, Codec.slices(framing).encoder(), buffer, payload))
                .as("appended payload is taken")
                .isEqualTo(taken);
        buffer.release();
        return taken;
    }

    private static boolean verifyEncode(Framing framing, byte[] payload) {
        ByteBuf message = Unpooled.wrappedBuffer(new byte[] {9}, payload, new byte[] {9});
        message.setIndex(1, 1 + payload.length);
        ByteBuf target = ByteBufAllocator.DEFAULT.buffer(4).writeBytes(EARLIER);
        try {
            framing.encode(message, target);
            assertThat(message.readerIndex()).as("reader index of the payload").isEqualTo(1);
            assertThat(message.readableBytes())
                    .as("readable bytes of the payload")
                    .isEqualTo(payload.length);
            assertThat(bytes(target.readSlice(EARLIER.length))).isEqualTo(EARLIER);
            assertThat(decode(framing, target.readRetainedSlice(target.readableBytes())))
                    .containsExactly(payload);
            return true;
        } catch (IllegalArgumentException e) {
            assertThat(bytes(target)).as("target after a refusal").isEqualTo(EARLIER);
            return false;
        } finally {
            message.release();
            target.release();
        }
    }

    private static <O> boolean verifyWriter(
            Framing framing, MessageEncoder<? super O> encoder, O message, byte[] payload) {
        try (FrameWriter writer = FrameWriter.create(framing, ByteBufAllocator.DEFAULT)) {
            boolean taken;
            try {
                writer.write(message, encoder);
                taken = true;
            } catch (IllegalArgumentException e) {
                taken = false;
            }
            assertThat(writer.pendingBytes()).isEqualTo(writer.writtenBytes());
            assertThat(decode(framing, poll(writer))).containsExactly(taken ? new byte[][] {payload} : new byte[0][]);
            return taken;
        }
    }

    /** All that the writer has, in one buffer. */
    static ByteBuf poll(FrameWriter writer) {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf buffer = writer.poll(); buffer != null; buffer = writer.poll()) {
            all.writeBytes(buffer);
            buffer.release();
        }
        return all;
    }

    /** All payloads in these bytes, which must end where a frame ends. */
    static List<byte[]> decode(Framing framing, ByteBuf encoded) {
        try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(framing))) {
            reader.feed(encoded);
            reader.endOfInput();
            List<byte[]> payloads = new ArrayList<>();
            for (byte[] payload = reader.read(); payload != null; payload = reader.read()) {
                payloads.add(payload);
            }
            return payloads;
        }
    }

    static byte[] bytes(ByteBuf buffer) {
        return ByteBufUtil.getBytes(buffer);
    }
}
