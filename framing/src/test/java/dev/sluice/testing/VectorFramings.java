package dev.sluice.testing;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.framing.DelimiterFraming;
import dev.sluice.framing.Framing;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.LineFraming;
import dev.sluice.framing.OpenLast;
import dev.sluice.framing.Oversize;
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
    private static final Map<String, Function<JsonNode, Framing>> BY_TYPE = Map.of(
            "lengthField", VectorFramings::lengthField,
            "delimiter", VectorFramings::delimiter,
            "line", VectorFramings::line);

    /** Types that have vectors before they have a framing. */
    public static final Set<String> NOT_YET = Set.of("asciiLength", "cobs", "fixed", "json", "slip", "varint");

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
