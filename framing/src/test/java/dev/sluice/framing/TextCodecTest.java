package dev.sluice.framing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextCodecTest {
    private static final Codec<String, String> LINES = Codec.text(LineFraming.lenient());

    @ParameterizedTest
    @ValueSource(strings = {"", "plain", "na\u00efve \u20acuro \uD83D\uDE00", "\u0000\uFFFD"})
    void givesTextBack(String text) {
        assertThat(decode(LINES, encode(LINES, text))).containsExactly(text);
    }

    @Test
    void isUtf8UnlessToldOtherwise() {
        assertThat(encode(LINES, "\u00e9").toString(ISO_8859_1)).isEqualTo("\u00c3\u00a9\n");
        Codec<String, String> latin = Codec.text(LineFraming.lenient(), ISO_8859_1);
        assertThat(encode(latin, "\u00e9").toString(ISO_8859_1)).isEqualTo("\u00e9\n");
        assertThat(decode(latin, encode(latin, "\u00e9"))).containsExactly("\u00e9");
    }

    @Test
    void takesCharsetsOfSeveralBytes() {
        Codec<String, String> wide = Codec.text(LengthFieldFraming.of(2), UTF_16BE);
        assertThat(decode(wide, encode(wide, "a\uD83D\uDE00"))).containsExactly("a\uD83D\uDE00");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\uD83D", "a\uDE00b", "\uDE00\uD83D", "\uD83D\uD83D\uDE00"})
    void refusesTextThatIsNoUnicode(String text) {
        assertRefused(LINES, text, "text cannot be encoded: charset=UTF-8, length=" + text.length());
    }

    @Test
    void refusesTextThatCharsetCannotSay() {
        assertRefused(
                Codec.text(LineFraming.lenient(), US_ASCII),
                "\u00e9",
                "text cannot be encoded: charset=US-ASCII, length=1");
    }

    @Test
    void refusesLineEndInText() {
        assertRefused(LINES, "a\nb", "line holds a line feed: index=1, payloadLength=3");
    }

    @Test
    void replacesBytesThatAreNoText() {
        assertThat(decode(LINES, Unpooled.wrappedBuffer(new byte[] {'a', (byte) 0xff, '\n'})))
                .containsExactly("a\uFFFD");
    }

    @Test
    void refusesNull() {
        assertThatThrownBy(() -> Codec.text(LineFraming.lenient(), null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("charset");
    }

    private static void assertRefused(Codec<String, String> codec, String text, String message) {
        try (FrameWriter writer = FrameWriter.create(codec.framing(), ByteBufAllocator.DEFAULT)) {
            assertThatThrownBy(() -> writer.write(text, codec.encoder()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(message);
            assertThat(writer.pendingBytes()).isZero();
        }
    }

    private static ByteBuf encode(Codec<String, String> codec, String text) {
        try (FrameWriter writer = FrameWriter.create(codec.framing(), ByteBufAllocator.DEFAULT)) {
            writer.write(text, codec.encoder());
            return RoundTrip.poll(writer);
        }
    }

    private static List<String> decode(Codec<String, String> codec, ByteBuf encoded) {
        try (FrameReader<String> reader = FrameReader.create(codec)) {
            reader.feed(encoded);
            reader.endOfInput();
            List<String> texts = new ArrayList<>();
            for (String text = reader.read(); text != null; text = reader.read()) {
                texts.add(text);
            }
            return texts;
        }
    }
}
