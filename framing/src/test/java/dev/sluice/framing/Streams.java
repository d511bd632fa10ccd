package dev.sluice.framing;

import dev.sluice.testing.Delivery;
import dev.sluice.testing.End;
import dev.sluice.testing.Outcome;
import dev.sluice.testing.ReaderRun;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Short streams of text, one char a byte, in every delivery. */
final class Streams {
    private Streams() {}

    /** Fails unless this comes out wherever the stream is cut. */
    static void verify(Framing framing, String stream, End end, String terminal, long discarded, String... frames) {
        ReaderRun.verify(
                framing,
                Delivery.all(List.of(bytes(stream))),
                end,
                new Outcome(
                        Arrays.stream(frames)
                                .map(frame -> ByteBufUtil.hexDump(bytes(frame)))
                                .toList(),
                        terminal,
                        discarded));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** All texts of these letters up to this length. */
    static List<String> allTexts(String letters, int longest) {
        List<String> texts = new ArrayList<>(List.of(""));
        for (int i = 0; i < texts.size(); i++) {
            String text = texts.get(i);
            if (text.length() < longest) {
                letters.chars().forEach(letter -> texts.add(text + (char) letter));
            }
        }
        return texts;
    }

    /** The message of the failure that these bytes and then the end lead to, behind all messages. */
    static String failure(Framing framing, String stream) {
        try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(framing))) {
            reader.feed(Unpooled.wrappedBuffer(bytes(stream)));
            reader.endOfInput();
            while (reader.read() != null) {}
            throw new AssertionError("no failure");
        } catch (FramingException e) {
            return e.getClass().getSimpleName() + ": " + e.getMessage();
        }
    }

    /** The frame that this payload becomes, or the message of its refusal. */
    static String encode(Framing framing, String payload) {
        RoundTrip.verify(framing, bytes(payload));
        var target = Unpooled.buffer();
        try {
            framing.encode(Unpooled.wrappedBuffer(bytes(payload)), target);
            return target.toString(StandardCharsets.ISO_8859_1);
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
