package dev.sluice.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** In each round every kind has its turn, so that what a machine does over minutes befalls them alike. */
final class Turns {
    private Turns() {}

    /** What one turn comes to, as named numbers. */
    interface Measurement<K> {
        Map<String, Long> of(K kind) throws IOException, InterruptedException;
    }

    /**
     * The samples of each kind, by its id.
     *
     * @param what begins each line of the progress, on the standard error
     */
    static <K extends Named> Map<String, List<Map<String, Long>>> take(
            String what, int rounds, List<K> kinds, Measurement<K> measurement)
            throws IOException, InterruptedException {
        Map<String, List<Map<String, Long>>> samples = new LinkedHashMap<>();
        for (int round = 1; round <= rounds; round++) {
            for (K kind : kinds) {
                Map<String, Long> sample = measurement.of(kind);
                samples.computeIfAbsent(kind.id(), id -> new ArrayList<>()).add(sample);
                System.err.printf("%sround %d/%d, %s: %s%n", what, round, rounds, kind.id(), sample);
            }
        }
        return samples;
    }
}
