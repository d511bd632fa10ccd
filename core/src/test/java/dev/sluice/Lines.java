package dev.sluice;

import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.LineFraming;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** A line protocol and the binary one that it is switched to, and their bytes. */
final class Lines {
    /** Behind this the other protocol begins, in both. */
    static final String SWITCH = "switch";

    static final Codec<String, String> LINES = Codec.text(LineFraming.lenient()).pauseAfter(SWITCH::equals);
    static final Codec<String, String> BINARY =
            Codec.text(LengthFieldFraming.of(2)).pauseAfter(SWITCH::equals);

    private Lines() {}

    static byte[] lines(String... lines) {
        return (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    static byte[] binary(String... messages) {
        ByteBuf frames = Unpooled.buffer();
        for (String message : messages) {
            byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
            frames.writeShort(bytes.length).writeBytes(bytes);
        }
        byte[] array = new byte[frames.readableBytes()];
        frames.readBytes(array);
        return array;
    }

    static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
