package dev.sluice.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** All measured connections of one kind at one size, by round. */
final class Series {
    private final Kind kind;
    private final List<List<Fork.Connection>> rounds = new ArrayList<>();

    Series(Kind kind) {
        this.kind = kind;
    }

    void addRound(List<Fork.Connection> connections) {
        rounds.add(List.copyOf(connections));
    }

    Kind kind() {
        return kind;
    }

    int samples() {
        return rounds.stream().mapToInt(List::size).sum();
    }

    /** Of the messages' fields, by connection; 0 if they were not decoded. */
    long[] sums() {
        return rounds.stream()
                .flatMap(List::stream)
                .mapToLong(connection -> connection.received().sum())
                .toArray();
    }

    Spread messagesPerSecond() {
        return spread(Sample::messagesPerSecond);
    }

    Spread cpuMicros() {
        return spread(Sample::cpuMicrosPerMessage);
    }

    Spread loopCpuMicros() {
        return spread(Sample::loopCpuMicrosPerMessage);
    }

    Spread loopAllocatedBytes() {
        return spread(Sample::loopAllocatedBytesPerMessage);
    }

    Spread senderCpuShare() {
        return Spread.of(Ratio.joined(values(Fork.Connection::senderCpuShare)));
    }

    /** How many times as many messages a second as the other. */
    Ratio speedAgainst(Series other) {
        return ratio(this, other, Sample::messagesPerSecond);
    }

    /** How many times as much CPU a message as this one the other takes. */
    Ratio cpuAgainst(Series other) {
        return ratio(other, this, Sample::cpuMicrosPerMessage);
    }

    /** Medians of a connection's counters, by name. */
    Map<String, Double> counters() {
        Map<String, Double> counters = new LinkedHashMap<>();
        for (String name : rounds.get(0).get(0).received().counters().keySet()) {
            counters.put(
                    name,
                    spread(sample -> (double) sample.counters().getOrDefault(name, 0L))
                            .median());
        }
        return counters;
    }

    private static Ratio ratio(Series a, Series b, ToDoubleFunction<Sample> value) {
        return Ratio.of(
                a.values(connection -> value.applyAsDouble(connection.received())),
                b.values(connection -> value.applyAsDouble(connection.received())));
    }

    private Spread spread(ToDoubleFunction<Sample> value) {
        return Spread.of(Ratio.joined(values(connection -> value.applyAsDouble(connection.received()))));
    }

    private double[][] values(ToDoubleFunction<Fork.Connection> value) {
        return rounds.stream()
                .map(round -> round.stream().mapToDouble(value).toArray())
                .toArray(double[][]::new);
    }
}
