package dev.sluice.framing;

import dev.sluice.framing.test.Harness;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** The law of both directions: a payload is refused and nothing written, or decoding gives exactly it back. */
final class RoundTrip {
    private RoundTrip() {}

    /**
     * Fails if the law is broken by {@link Framing#encode encode}, or by a {@link FrameWriter} to which the payload is
     * written or appended, or if these differ.
     *
     * @return whether the payload was taken
     */
    static boolean verify(Framing framing, byte[] payload) {
        return Harness.roundTrip(framing, payload) == null;
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
