package dev.sluice.framing.test;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Messages as values that can be compared and shown: bytes in hex, all others as they are. */
final class Content {
    private static final int SHOWN_DIGITS = 64;
    private static final int SHOWN_MESSAGES = 8;

    private Content() {}

    /** Equal for equal messages, whatever becomes of the message's bytes later. */
    static Object of(Object message) {
        if (message instanceof byte[] bytes) {
            return ByteBufUtil.hexDump(bytes);
        }
        if (message instanceof ByteBuf buffer) {
            return ByteBufUtil.hexDump(buffer);
        }
        return message.getClass().isArray() ? Arrays.deepToString(new Object[] {message}) : message;
    }

    /** In hex, shortened. */
    static String show(byte[] bytes) {
        return shorten(ByteBufUtil.hexDump(bytes), bytes.length + " bytes");
    }

    static String show(Object content) {
        String text = content.toString();
        return shorten(text, text.length() + " characters");
    }

    static String show(List<?> contents) {
        String shown =
                contents.stream().limit(SHOWN_MESSAGES).map(Content::show).collect(Collectors.joining(", "));
        String more = contents.size() > SHOWN_MESSAGES ? ", … " : "";
        return contents.size() + (contents.size() == 1 ? " message [" : " messages [") + shown + more + "]";
    }

    private static String shorten(String text, String length) {
        if (text.isEmpty()) {
            return "(empty)";
        }
        return text.length() <= SHOWN_DIGITS ? text : text.substring(0, SHOWN_DIGITS) + "… (" + length + ")";
    }
}
