package dev.sluice.examples;

import dev.sluice.ConnectionStats;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** The rounds of one way to receive. */
final class Series {
    private final List<Double> rates = new ArrayList<>();
    /** Of the ways that are Sluice's. */
    private final List<ConnectionStats> stats = new ArrayList<>();

    private long messages;
    private long cpuNanos;
    private long userNanos;

    void add(Tally tally) {
        rates.add(tally.rate());
        messages += tally.messages();
        cpuNanos += tally.cpuNanos();
        userNanos += tally.userNanos();
    }

    void add(Tally tally, ConnectionStats ofRound) {
        add(tally);
        stats.add(ofRound);
    }

    double lastRate() {
        return rates.get(rates.size() - 1);
    }

    /** Messages per second: 0 gives the slowest round, 0.5 the median, 1 the fastest. */
    double rate(double quantile) {
        return quantile(rates, quantile);
    }

    /** What a message takes of the receiver's processor. */
    long cpuNanosPerMessage() {
        return cpuNanos / messages;
    }

    /** What of that is outside the kernel. */
    long userNanosPerMessage() {
        return userNanos / messages;
    }

    /** Round by round: what ran one right after the other had the machine in the same mood. */
    List<Double> ratiosTo(Series other) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < rates.size(); i++) {
            ratios.add(rates.get(i) / other.rates.get(i));
        }
        return ratios;
    }

    /** The median of a counter, for 100,000 messages. */
    long per100k(ToLongFunction<ConnectionStats> counter) {
        List<Double> values = new ArrayList<>();
        for (ConnectionStats round : stats) {
            values.add(counter.applyAsLong(round) * 100_000.0 / round.messagesIn());
        }
        return Math.round(quantile(values, 0.5));
    }

    int heldMessagesMax() {
        return stats.stream().mapToInt(ConnectionStats::heldMessagesMax).max().orElse(0);
    }

    static double quantile(List<Double> values, double quantile) {
        List<Double> sorted = values.stream().sorted().toList();
        double at = quantile * (sorted.size() - 1);
        double below = sorted.get((int) Math.floor(at));
        double above = sorted.get((int) Math.ceil(at));
        return below + (above - below) * (at - Math.floor(at));
    }
}
