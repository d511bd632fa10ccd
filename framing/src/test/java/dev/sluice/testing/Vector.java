package dev.sluice.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A case of {@code conformance/*.json}: bytes, how they end, and what has to come out.
 *
 * @param name unique in its file
 * @param framing {@code type} and options
 * @param refused whether building the framing must throw; such a case has no input
 */
public record Vector(
        String name,
        JsonNode framing,
        boolean refused,
        List<byte[]> chunks,
        End end,
        List<byte[]> frames,
        Outcome expected) {
    /** The files, by name. */
    public static final List<String> FILES =
            List.of("ascii-length", "cobs", "delimiter", "fixed", "json", "length-field", "line", "slip", "varint");

    /** All cases of a file. */
    public static List<Vector> load(String file) {
        String path = "/conformance/" + file + ".json";
        try (InputStream in = Vector.class.getResourceAsStream(path)) {
            List<Vector> vectors = new ArrayList<>();
            new ObjectMapper().readTree(in).forEach(node -> vectors.add(of(node)));
            return vectors;
        } catch (IOException e) {
            throw new IllegalStateException("not readable: " + path, e);
        }
    }

    private static Vector of(JsonNode node) {
        List<byte[]> frames = bytes(node.path("frames"));
        return new Vector(
                node.get("name").asText(),
                node.get("framing"),
                node.path("refused").asBoolean(),
                bytes(node.path("chunks")),
                End.valueOf(node.path("end").asText("open").toUpperCase(Locale.ROOT)),
                frames,
                new Outcome(
                        frames.stream().map(ByteBufUtil::hexDump).toList(),
                        node.path("terminal").asText(),
                        node.path("discarded").asLong()));
    }

    private static List<byte[]> bytes(JsonNode array) {
        List<byte[]> result = new ArrayList<>();
        array.forEach(element -> result.add(
                element.isTextual()
                        ? ByteBufUtil.decodeHexDump(element.asText())
                        : repeat(
                                element.get("hex").asText(),
                                element.get("repeat").asInt())));
        return result;
    }

    private static byte[] repeat(String hex, int times) {
        byte[] once = ByteBufUtil.decodeHexDump(hex);
        ByteArrayOutputStream all = new ByteArrayOutputStream(once.length * times);
        for (int i = 0; i < times; i++) {
            all.writeBytes(once);
        }
        return all.toByteArray();
    }

    /** The framing's {@code type}. */
    public String type() {
        return framing.get("type").asText();
    }

    @Override
    public String toString() {
        return name;
    }
}
