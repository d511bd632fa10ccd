package dev.sluice.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The results as Markdown, for people, and as JSON, whose keys stay as they are while {@link #SCHEMA} does. */
record FramingReport(
        Environment environment,
        String command,
        List<String> jvmFlags,
        List<FramingWay> ways,
        List<FramingResult> results,
        List<String> failures) {
    static final int SCHEMA = 1;

    // ---- Markdown

    String markdown() {
        StringBuilder out = new StringBuilder();
        out.append(environment.text()).append(".\n");
        out.append(format("`%s`; each JVM: `%s`.\n", command, String.join(" ", jvmFlags)));
        for (Chunking chunks : Chunking.values()) {
            List<FramingResult> ofChunks = results.stream()
                    .filter(result -> result.row().chunks() == chunks)
                    .toList();
            if (!ofChunks.isEmpty()) {
                table(chunks, ofChunks, out);
            }
        }
        failures.forEach(failure -> out.append(format("\n**Failed**: %s\n", failure)));
        return out.toString();
    }

    private void table(Chunking chunks, List<FramingResult> results, StringBuilder out) {
        out.append(format("\n**`%s`**: ns/frame, B/frame\n\n| framing | payload |", chunks));
        for (FramingWay way : ways) {
            out.append(format(" `%s` |", way.method()));
            FramingWay ours = counterpart(way);
            if (ours != null) {
                out.append(format(" ÷ `%s` |", ours.method()));
            }
        }
        out.append("\n|---|--:|");
        ways.forEach(way -> out.append(counterpart(way) == null ? "--:|" : "--:|--:|"));
        out.append('\n');
        results.forEach(result -> row(result, out));
        double[] spreads = results.stream()
                .flatMap(result -> result.cells().values().stream())
                .mapToDouble(cell ->
                        (cell.nanos().max() - cell.nanos().min()) / cell.nanos().median())
                .toArray();
        if (spreads.length > 0) {
            Spread spread = Spread.of(spreads);
            out.append(format(
                    "\nFrom the least to the greatest iteration of one cell: %.0f %% of its median, at most %.0f %%.\n",
                    spread.median() * 100, spread.max() * 100));
        }
    }

    private void row(FramingResult result, StringBuilder out) {
        FramingOptions.Row row = result.row();
        List<String> cells = new ArrayList<>();
        cells.add("`" + row.framing() + "`");
        cells.add(format("%,d", row.payload()));
        for (FramingWay way : ways) {
            FramingResult.Cell cell = result.cells().get(way);
            cells.add(cell == null ? "–" : text(cell));
            FramingWay ours = counterpart(way);
            if (ours != null) {
                FramingResult.Cell our = result.cells().get(ours);
                cells.add(cell == null || our == null ? "–" : Spread.digits(ratio(cell, our)));
            }
        }
        out.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    private static String text(FramingResult.Cell cell) {
        // What is left of a few bytes for the whole stream is none for a frame.
        double bytes = cell.allocatedBytes() < 0.05 ? 0 : cell.allocatedBytes();
        return Spread.digits(cell.nanos().median()) + ", " + Spread.digits(bytes);
    }

    /** Which of Sluice's ways does the same work; {@code null} if none of those that were run. */
    private @Nullable FramingWay counterpart(FramingWay way) {
        FramingWay ours = switch (way) {
            case READER, FLUX, BATCHES -> null;
            case NETTY_LOOP, NETTY_CHANNEL -> FramingWay.READER;
            case PEKKO -> FramingWay.FLUX; // a stream, too
        };
        return ours != null && ways.contains(ours) ? ours : null;
    }

    private static double ratio(FramingResult.Cell cell, FramingResult.Cell ours) {
        return cell.nanos().median() / ours.nanos().median();
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    // ---- JSON

    String json() {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("schemaVersion", SCHEMA);
        environment.putInto(root, command, jvmFlags);
        root.put("results", results.stream().map(this::json).toList());
        root.put("failures", failures);
        return Json.of(root);
    }

    private Map<String, Object> json(FramingResult result) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("framing", result.row().framing());
        json.put("payload", result.row().payload());
        json.put("chunks", result.row().chunks());
        Map<String, Object> ways = new LinkedHashMap<>();
        result.cells().forEach((way, cell) -> ways.put(way.method(), json(result, way, cell)));
        json.put("ways", ways);
        return json;
    }

    private Map<String, Object> json(FramingResult result, FramingWay way, FramingResult.Cell cell) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("nanosPerFrame", cell.nanos().json());
        json.put("allocatedBytesPerFrame", cell.allocatedBytes());
        FramingWay ours = counterpart(way);
        FramingResult.Cell our = ours == null ? null : result.cells().get(ours);
        if (ours != null && our != null) {
            json.put("against", ours.method());
            json.put("timesItsNanos", ratio(cell, our));
        }
        return json;
    }
}
