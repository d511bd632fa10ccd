package dev.sluice.bench;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoubleFunction;

/** What many measurements of one thing say: the middle one, or the mean of the middle two, and the outermost. */
record Spread(double median, double min, double max) {
    static Spread of(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("no value: length=0, limit=1");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }

    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("median", median);
        json.put("min", min);
        json.put("max", max);
        return json;
    }

    /** {@code median (min–max)}. */
    String text(DoubleFunction<String> format) {
        return format.apply(median) + " (" + format.apply(min) + "–" + format.apply(max) + ")";
    }

    /** Three digits that count, and all before the point. */
    static String digits(double value) {
        double size = Math.abs(value);
        if (size == 0 || size >= 100) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        int before = (int) Math.floor(Math.log10(size));
        return String.format(Locale.ROOT, "%." + Math.min(2 - before, 4) + "f", value);
    }
}
