package dev.sluice.framing;

import io.netty.buffer.ByteBufUtil;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** Text as its bytes in a charset; what the charset cannot say is refused, never replaced. */
final class TextEncoder implements MessageEncoder<String> {
    private final Charset charset;

    TextEncoder(Charset charset) {
        this.charset = charset;
    }

    @Override
    public void encode(String message, FrameWriter out) {
        if (charset.equals(StandardCharsets.UTF_8) && isWellFormed(message)) {
            ByteBufUtil.writeUtf8(out.buffer(), message);
            return;
        }
        try {
            ByteBuffer bytes = charset.newEncoder().encode(CharBuffer.wrap(message));
            out.buffer().writeBytes(bytes);
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "text cannot be encoded: charset=" + charset + ", length=" + message.length(), e);
        }
    }

    /** Whether each surrogate is one of a pair: then UTF-8 has no need of a replacement. */
    private static boolean isWellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (i + 1 == text.length() || !Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1))) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }

    /** Exact for ASCII. */
    @Override
    public int sizeHint(String message) {
        return message.length();
    }
}
