package dev.sluice.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How often which number came, in ranges that double: 1, 2-3, 4-7, ... Printed as bars of ASCII. */
final class Histogram {
    private static final int WIDTH = 50;

    private final int[] counts = new int[Integer.SIZE];

    /** @param value at least 1 */
    void add(int value) {
        counts[Integer.SIZE - 1 - Integer.numberOfLeadingZeros(value)]++;
    }

    List<String> lines() {
        int first = 0;
        while (first < counts.length - 1 && counts[first] == 0) {
            first++;
        }
        int last = counts.length - 1;
        while (last > first && counts[last] == 0) {
            last--;
        }
        int largest = 1;
        for (int count : counts) {
            largest = Math.max(largest, count);
        }
        List<String> lines = new ArrayList<>();
        for (int i = first; i <= last; i++) {
            String range = i == 0 ? "1" : (1L << i) + "-" + ((1L << (i + 1)) - 1);
            String bar = "#".repeat((int) ((long) counts[i] * WIDTH / largest));
            lines.add(String.format(Locale.ROOT, "%15s %8d  %s", range, counts[i], bar)
                    .stripTrailing());
        }
        return lines;
    }
}
