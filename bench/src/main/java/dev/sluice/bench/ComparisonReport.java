package dev.sluice.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The results as Markdown, for people, and as JSON, whose keys stay as they are while {@link #SCHEMA} does. */
record ComparisonReport(
        Environment environment, String command, List<String> jvmFlags, List<SizeResult> sizes, List<String> failures) {
    static final int SCHEMA = 1;

    // ---- Markdown

    String markdown() {
        StringBuilder out = new StringBuilder();
        out.append(environment.text()).append(".\n");
        out.append(format("`%s`; receiver: `%s`.\n", command, String.join(" ", jvmFlags)));
        sizes.forEach(size -> table(size, out));
        failures.forEach(failure -> out.append(format("\n**Failed**: %s\n", failure)));
        return out.toString();
    }

    private static void table(SizeResult size, StringBuilder out) {
        out.append(format("\n**%,d B payload**, %,d messages a connection\n\n", size.payload(), size.messages()));
        out.append("""
                | kind | n | messages/s | ÷ Reactor Netty's | CPU µs/message | Reactor Netty's ÷ it | loop's B/message | \
                sender's core | drains | signals | wake-ups | held at most |
                |---|---|---|---|---|---|---|---|---|---|---|---|
                """);
        size.byKind().values().forEach(series -> row(size, series, out));
        String bounds = size.byKind().values().stream()
                .map(Series::kind)
                .filter(Kind::hops)
                .map(kind -> "`" + kind.id() + "` " + kind.inFlight())
                .collect(Collectors.joining("; "));
        if (!bounds.isEmpty()) {
            out.append(format("\nIn flight at most: %s.\n", bounds));
        }
    }

    private static void row(SizeResult size, Series series, StringBuilder out) {
        Series counterpart = size.counterpart(series);
        Map<String, Double> counters = series.counters();
        List<String> cells = List.of(
                "`" + series.kind().id() + "`",
                Integer.toString(series.samples()),
                series.messagesPerSecond().text(value -> format("%,.0f", value)),
                counterpart == null ? "–" : series.speedAgainst(counterpart).text(),
                series.cpuMicros().text(Spread::digits),
                counterpart == null ? "–" : series.cpuAgainst(counterpart).text(),
                Spread.digits(series.loopAllocatedBytes().median()),
                format("%.0f %%", series.senderCpuShare().median() * 100),
                counter(counters, "drains"),
                counter(counters, "signals"),
                counter(counters, "wakeUps"),
                counter(counters, "heldMessagesMax"));
        out.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    private static String counter(Map<String, Double> counters, String name) {
        Double value = counters.get(name);
        return value == null ? "–" : format("%,.0f", value);
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    // ---- JSON

    String json() {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("schemaVersion", SCHEMA);
        environment.putInto(root, command, jvmFlags);
        root.put("sizes", sizes.stream().map(ComparisonReport::json).toList());
        root.put("failures", failures);
        return Json.of(root);
    }

    private static Map<String, Object> json(SizeResult size) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("payload", size.payload());
        json.put("messagesPerConnection", size.messages());
        Map<String, Object> kinds = new LinkedHashMap<>();
        size.byKind().forEach((id, series) -> kinds.put(id, json(size, series)));
        json.put("kinds", kinds);
        return json;
    }

    private static Map<String, Object> json(SizeResult size, Series series) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("samples", series.samples());
        json.put("messagesPerSecond", series.messagesPerSecond().json());
        json.put("cpuMicrosPerMessage", series.cpuMicros().json());
        json.put("loopCpuMicrosPerMessage", series.loopCpuMicros().json());
        json.put("loopAllocatedBytesPerMessage", series.loopAllocatedBytes().json());
        json.put("senderCpuShare", series.senderCpuShare().json());
        if (series.kind().hops()) {
            json.put("inFlight", series.kind().inFlight());
        }
        json.put("countersPerConnection", series.counters());
        Series counterpart = size.counterpart(series);
        if (counterpart != null) {
            Map<String, Object> ratios = new LinkedHashMap<>();
            ratios.put("against", counterpart.kind().id());
            ratios.put("messagesPerSecond", json(series.speedAgainst(counterpart)));
            ratios.put("cpuOfTheOther", json(series.cpuAgainst(counterpart)));
            json.put("ratios", ratios);
        }
        return json;
    }

    private static Map<String, Object> json(Ratio ratio) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("ofMedians", ratio.ofMedians());
        json.put("minOfRounds", ratio.minOfRounds());
        json.put("maxOfRounds", ratio.maxOfRounds());
        return json;
    }
}
