package dev.sluice.bench;

import java.util.Arrays;

/**
 * How many times more: the ratio of the medians over all rounds, and the least and the greatest of the ratios that the
 * rounds have by themselves. A round's connections are neighbours in time, so the latter two show what the machine did.
 */
record Ratio(double ofMedians, double minOfRounds, double maxOfRounds) {
    /**
     * Of {@code a} to {@code b}.
     *
     * @param a by round, then by connection
     * @param b as many rounds
     */
    static Ratio of(double[][] a, double[][] b) {
        if (a.length != b.length) {
            throw new IllegalArgumentException("rounds differ: rounds=" + a.length + ", of the other=" + b.length);
        }
        double[] rounds = new double[a.length];
        for (int round = 0; round < a.length; round++) {
            rounds[round] = Spread.of(a[round]).median() / Spread.of(b[round]).median();
        }
        Spread ofRounds = Spread.of(rounds);
        return new Ratio(Spread.of(joined(a)).median() / Spread.of(joined(b)).median(), ofRounds.min(), ofRounds.max());
    }

    static double[] joined(double[][] rounds) {
        return Arrays.stream(rounds).flatMapToDouble(Arrays::stream).toArray();
    }

    String text() {
        return Spread.digits(ofMedians) + " (" + Spread.digits(minOfRounds) + "–" + Spread.digits(maxOfRounds) + ")";
    }
}
