package dev.sluice.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What a comparison shows of the samples of each kind: as a row of Markdown, and as JSON. */
record Columns(List<Column> all) {
    /**
     * One number of a sample.
     *
     * @param title of it in Markdown
     * @param key of it in JSON
     */
    record Column(String title, String key, ToDoubleFunction<Map<String, Long>> value) {}

    static Columns of(Column... all) {
        return new Columns(List.of(all));
    }

    static double perSecond(Map<String, Long> sample) {
        return sample.getOrDefault("messages", 0L) * 1e9 / sample.getOrDefault("nanos", 1L);
    }

    static ToDoubleFunction<Map<String, Long>> perMessage(String name, double unit) {
        return sample -> sample.getOrDefault(name, 0L) / unit / sample.getOrDefault("messages", 1L);
    }

    static ToDoubleFunction<Map<String, Long>> number(String name, double unit) {
        return sample -> sample.getOrDefault(name, 0L) / unit;
    }

    String markdown(Map<String, List<Map<String, Long>>> samples) {
        StringBuilder text = new StringBuilder("| kind |");
        all.forEach(column -> text.append(' ').append(column.title).append(" |"));
        text.append("\n|---|").append("---|".repeat(all.size())).append('\n');
        samples.forEach((kind, ofKind) -> {
            text.append("| `").append(kind).append("` |");
            all.forEach(column -> text.append(' ')
                    .append(spread(column, ofKind).text(Spread::digits))
                    .append(" |"));
            text.append('\n');
        });
        return text.toString();
    }

    /**
     * One object for each kind.
     *
     * @param of what all samples are of: the first keys of each object
     */
    List<Object> json(Map<String, ?> of, Map<String, List<Map<String, Long>>> samples) {
        List<Object> rows = new ArrayList<>();
        samples.forEach((kind, ofKind) -> {
            Map<String, Object> row = new LinkedHashMap<>(of);
            row.put("kind", kind);
            row.put("samples", ofKind.size());
            all.forEach(column -> row.put(column.key, spread(column, ofKind).json()));
            rows.add(row);
        });
        return rows;
    }

    private static Spread spread(Column column, List<Map<String, Long>> samples) {
        return Spread.of(samples.stream().mapToDouble(column.value).toArray());
    }
}
