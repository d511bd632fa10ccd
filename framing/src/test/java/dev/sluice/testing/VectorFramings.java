package dev.sluice.testing;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.framing.AsciiLengthFraming;
import dev.sluice.framing.CobsFraming;
import dev.sluice.framing.DelimiterFraming;
import dev.sluice.framing.FixedLengthFraming;
import dev.sluice.framing.Framing;
import dev.sluice.framing.JsonFraming;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.LineFraming;
import dev.sluice.framing.OpenLast;
import dev.sluice.framing.Oversize;
import dev.sluice.framing.SlipFraming;
import dev.sluice.framing.VarintFraming;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntConsumer;

/** What the {@code framing} of a {@link Vector} stands for; a new framing adds one line. */
public final class VectorFramings {
    private static final Map<String, Function<JsonNode, Framing>> BY_TYPE = Map.ofEntries(
            Map.entry("asciiLength", VectorFramings::asciiLength),
            Map.entry("cobs", VectorFramings::cobs),
            Map.entry("delimiter", VectorFramings::delimiter),
            Map.entry("fixed", VectorFramings::fixed),
            Map.entry("json", VectorFramings::json),
            Map.entry("lengthField", VectorFramings::lengthField),
            Map.entry("line", VectorFramings::line),
            Map.entry("slip", VectorFramings::slip),
            Map.entry("varint", VectorFramings::varint));

    private VectorFramings() {}

    /** Types that have a framing. */
    public static Set<String> types() {
        return BY_TYPE.keySet();
    }

    /** The framing with these options. */
    public static Framing of(JsonNode options) {
        return BY_TYPE.get(options.get("type").asText()).apply(options);
    }

    private static Framing lengthField(JsonNode options) {
        LengthFieldFraming.Builder builder = LengthFieldFraming.builder();
        ifGiven(options, "lengthFieldOffset", builder::lengthFieldOffset);
        ifGiven(options, "lengthFieldLength", builder::lengthFieldLength);
        ifGiven(options, "lengthAdjustment", builder::lengthAdjustment);
        ifGiven(options, "initialBytesToStrip", builder::initialBytesToStrip);
        ifGiven(options, "maxPayloadLength", builder::maxPayloadLength);
        if (options.path("byteOrder").asText("BIG").equals("LITTLE")) {
            builder.byteOrder(ByteOrder.LITTLE_ENDIAN);
        }
        return builder.oversize(oversize(options)).build();
    }

    private static Framing varint(JsonNode options) {
        VarintFraming.Builder builder = VarintFraming.builder();
        ifGiven(options, "lengthFieldOffset", builder::lengthFieldOffset);
        ifGiven(options, "maxLengthBytes", builder::maxLengthBytes);
        ifGiven(options, "initialBytesToStrip", builder::initialBytesToStrip);
        ifGiven(options, "maxPayloadLength", builder::maxPayloadLength);
        return builder.oversize(oversize(options)).build();
    }

    private static Framing fixed(JsonNode options) {
        return FixedLengthFraming.of(options.get("frameLength").asInt());
    }

    private static Framing asciiLength(JsonNode options) {
        AsciiLengthFraming.Builder builder = AsciiLengthFraming.builder();
        ifGiven(options, "base", builder::base);
        byte[] terminator = bytes(options, "terminator");
        if (terminator.length > 1) {
            throw new IllegalArgumentException("terminator is one byte: length=" + terminator.length + ", limit=1");
        }
        if (terminator.length == 1) {
            builder.terminator(terminator[0] & 0xff);
        }
        ifGiven(options, "maxPayloadLength", builder::maxPayloadLength);
        return builder.trailer(bytes(options, "trailer"))
                .oversize(oversize(options))
                .build();
    }

    private static byte[] bytes(JsonNode options, String name) {
        return ByteBufUtil.decodeHexDump(options.path(name).asText(""));
    }

    private static Framing cobs(JsonNode options) {
        CobsFraming.Builder builder = CobsFraming.builder();
        ifGiven(options, "maxPayloadLength", builder::maxPayloadLength);
        return builder.oversize(oversize(options)).build();
    }

    private static Framing json(JsonNode options) {
        JsonFraming.Builder builder = JsonFraming.builder();
        ifGiven(options, "maxPayloadLength", builder::maxPayloadLength);
        ifGiven(options, "maxDepth", builder::maxDepth);
        if (oversize(options) != Oversize.FAIL) {
            throw new IllegalArgumentException("JsonFraming cannot be told to discard: " + options);
        }
        return builder.arrayElements(options.path("arrayElements").asBoolean()).build();
    }

    private static Framing slip(JsonNode options) {
        SlipFraming.Builder builder = SlipFraming.builder();
        ifGiven(options, "maxPayloadLength", builder::maxPayloadLength);
        return builder.oversize(oversize(options)).build();
    }

    private static Framing delimiter(JsonNode options) {
        DelimiterFraming.Builder builder = DelimiterFraming.builder();
        List<byte[]> delimiters = new ArrayList<>();
        options.get("delimiters").forEach(hex -> delimiters.add(ByteBufUtil.decodeHexDump(hex.asText())));
        builder.delimiters(delimiters.toArray(byte[][]::new));
        ifGiven(options, "maxPayloadLength", builder::maxPayloadLength);
        return builder.stripDelimiter(options.path("stripDelimiter").asBoolean(true))
                .oversize(oversize(options))
                .openLast(openLast(options))
                .build();
    }

    private static Framing line(JsonNode options) {
        LineFraming.Builder builder = LineFraming.builder();
        ifGiven(options, "maxPayloadLength", builder::maxPayloadLength);
        return builder.strict(options.path("strict").asBoolean())
                .skipEmpty(options.path("skipEmpty").asBoolean())
                .oversize(oversize(options))
                .openLast(openLast(options))
                .build();
    }

    private static OpenLast openLast(JsonNode options) {
        return OpenLast.valueOf(options.path("openLast").asText("FAIL"));
    }

    private static Oversize oversize(JsonNode options) {
        return Oversize.valueOf(options.path("oversize").asText("FAIL"));
    }

    private static void ifGiven(JsonNode options, String name, IntConsumer setting) {
        if (options.has(name)) {
            setting.accept(options.get(name).asInt());
        }
    }
}
