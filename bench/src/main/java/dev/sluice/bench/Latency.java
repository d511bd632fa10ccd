package dev.sluice.bench;

import java.util.Arrays;

/**
 * How long many things took, in whatever unit they were measured in.
 *
 * @param median of them
 * @param p99 the 99th percentile
 * @param max the longest
 * @param n how many
 */
record Latency(long median, long p99, long max, int n) {
    /** Of at least one; sorts them. */
    static Latency of(long[] all) {
        Arrays.sort(all);
        return new Latency(all[all.length / 2], all[all.length * 99 / 100], all[all.length - 1], all.length);
    }

    String text() {
        return "median=" + median + " p99=" + p99 + " max=" + max + " (n=" + n + ")";
    }
}
