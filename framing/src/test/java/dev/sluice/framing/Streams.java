package dev.sluice.framing;

import dev.sluice.testing.End;
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
        byte[][] payloads = Arrays.stream(frames).map(StreamCheck::text).toArray(byte[][]::new);
        StreamCheck.verify(framing, StreamCheck.text(stream), end, StreamCheck.outcome(discarded, terminal, payloads));
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
            reader.feed(Unpooled.wrappedBuffer(StreamCheck.text(stream)));
            reader.endOfInput();
            while (reader.read() != null) {}
            throw new AssertionError("no failure");
        } catch (FramingException e) {
            return e.getClass().getSimpleName() + ": " + e.getMessage();
        }
    }

    /** The frame that this payload becomes, or the message of its refusal. */
    static String encode(Framing framing, String payload) {
        RoundTrip.verify(framing, StreamCheck.text(payload));
        var target = Unpooled.buffer();
        try {
            framing.encode(Unpooled.wrappedBuffer(StreamCheck.text(payload)), target);
            return target.toString(StandardCharsets.ISO_8859_1);
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
