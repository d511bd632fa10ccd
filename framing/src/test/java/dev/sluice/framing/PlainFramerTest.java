package dev.sluice.framing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("paranoid")
class PlainFramerTest {
    @ParameterizedTest
    @CsvSource({
        "1, 0, 0",
        "1, 1, 0",
        "1, 0, 1",
        "70, 4, 2",
        "16777470, 16777215, 255",
        "2147483647, 0, 0",
        "2147483647, 16777215, 255"
    })
    void holdsThreeNumbers(int frameLength, int before, int behind) {
        long place = PlainFramer.place(frameLength, before, behind);

        assertThat(PlainFramer.frameLength(place)).isEqualTo(frameLength);
        assertThat(PlainFramer.before(place)).isEqualTo(before);
        assertThat(PlainFramer.behind(place)).isEqualTo(behind);
    }

    @ParameterizedTest
    @CsvSource({"16777217, 16777216, 0", "300, 0, 256", "2147483647, 2147483647, 0"})
    void isNoneWhereANumberIsTooLarge(int frameLength, int before, int behind) {
        assertThat(PlainFramer.place(frameLength, before, behind)).isEqualTo(PlainFramer.NONE);
    }

    /** A delimiter too long for a number is one all the same. */
    @ParameterizedTest
    @ValueSource(ints = {254, 255, 256, 1000})
    void goesTheLongWayBehindLongDelimiter(int length) {
        String delimiter = "=".repeat(length);
        Framing framing = DelimiterFraming.builder().delimiters(delimiter).build();

        assertThat(read(framing, "a" + delimiter + delimiter + "bc" + delimiter))
                .containsExactly("a", "", "bc");
    }

    /** What is stripped may be more than a number holds. */
    @Test
    void goesTheLongWayBehindLongHeader() {
        int stripped = PlainFramer.MAX_BEFORE + 1;
        Framing framing = LengthFieldFraming.builder()
                .initialBytesToStrip(stripped)
                .maxPayloadLength(stripped + 1)
                .build();
        ByteBuf frame = Unpooled.buffer(stripped + 1)
                .writeInt(stripped - 3)
                .setIndex(0, stripped)
                .writeByte('x');

        assertThat(read(framing, frame)).containsExactly("x");
    }

    /** It was complete when the limit was passed, since a longer one had begun. */
    @Test
    void reportsFrameThatIsTooLongThoughItsDelimiterIsThere() {
        List<Long> discarded = new ArrayList<>();
        Framing framing = DelimiterFraming.builder()
                .delimiters("\r\n", "\n")
                .maxPayloadLength(2)
                .oversize(Oversize.DISCARD)
                .build();
        Codec<String, String> codec =
                Codec.text(framing).listener((offset, payloadLength, maxPayloadLength) -> discarded.add(offset));
        List<String> messages = new ArrayList<>();
        try (FrameReader<String> reader = FrameReader.create(codec)) {
            reader.feed(Unpooled.copiedBuffer("ab\nabc\nab\r\nabcd\r\nx\n", UTF_8));
            for (String message = reader.read(); message != null; message = reader.read()) {
                messages.add(message);
            }
        }

        assertThat(messages).containsExactly("ab", "ab", "x");
        assertThat(discarded).containsExactly(3L, 11L);
    }

    private static List<String> read(Framing framing, String stream) {
        return read(framing, Unpooled.copiedBuffer(stream, UTF_8));
    }

    private static List<String> read(Framing framing, ByteBuf stream) {
        List<String> messages = new ArrayList<>();
        try (FrameReader<String> reader = FrameReader.create(Codec.text(framing))) {
            reader.feed(stream);
            for (String message = reader.read(); message != null; message = reader.read()) {
                messages.add(message);
            }
        }
        return messages;
    }
}
