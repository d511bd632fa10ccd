package dev.sluice.examples;

import dev.sluice.ConnectionStats;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the {@link Demo} has measured, as lines of text: a table, bars, and last {@code name=value} for scripts. */
final class Report {
    final Series oneByOne = new Series();
    final Series inBatches = new Series();
    final Series reactorNetty = new Series();

    private final DemoOptions options;
    private final List<String> lines = new ArrayList<>();
    private Histogram perDrain = new Histogram();
    private Histogram perBatch = new Histogram();

    Report(DemoOptions options) {
        this.options = options;
    }

    void histograms(Histogram messagesPerDrain, Histogram messagesPerBatch) {
        perDrain = messagesPerDrain;
        perBatch = messagesPerBatch;
    }

    List<String> lines() {
        lines.clear();
        table();
        bars("messages per drain, how many drains (a round of its own, one by one):", perDrain);
        bars("messages per batch, how many batches (a round of its own, in batches):", perBatch);
        values();
        return List.copyOf(lines);
    }

    private void table() {
        add("");
        add("medians of %d rounds; drains, wake-ups, signals and reads for 100,000 messages", options.rounds());
        add("CPU: nanoseconds of the receiving event loop for each message; user: of these, outside the kernel");
        add("");
        String header = "%-13s %12s %7s %21s %6s %6s %8s %8s %8s %8s %5s";
        add(
                header,
                "",
                "messages/s",
                "MB/s",
                "min-max",
                "CPU",
                "user",
                "drains",
                "wake-ups",
                "signals",
                "reads",
                "held");
        row("one by one", oneByOne);
        row("batches", inBatches);
        row("Reactor Netty", reactorNetty);
    }

    private void row(String name, Series series) {
        String left = String.format(
                Locale.ROOT,
                "%-13s %,12.0f %,7.0f %,10.0f-%,10.0f %,6d %,6d",
                name,
                series.rate(0.5),
                megabytes(series.rate(0.5)),
                series.rate(0),
                series.rate(1),
                series.cpuNanosPerMessage(),
                series.userNanosPerMessage());
        if (series == reactorNetty) {
            add("%s %8s %8s %8s %8s %5s", left, "-", "-", "-", "-", "-");
        } else {
            add(
                    "%s %,8d %,8d %,8d %,8d %,5d",
                    left,
                    series.per100k(ConnectionStats::drains),
                    series.per100k(ConnectionStats::wakeUps),
                    series.per100k(ConnectionStats::signals),
                    series.per100k(ConnectionStats::reads),
                    series.heldMessagesMax());
        }
    }

    /** On the wire: with the length in front of each message. */
    private double megabytes(double messages) {
        return messages * (Integer.BYTES + options.payload()) / 1e6;
    }

    private void bars(String title, Histogram histogram) {
        add("");
        add(title);
        lines.addAll(histogram.lines());
    }

    private void values() {
        add("");
        value("messages_per_round", options.messages());
        value("payload_bytes", options.payload());
        value("rounds", options.rounds());
        value("drains_per_100k", oneByOne.per100k(ConnectionStats::drains));
        value("reads_per_100k", oneByOne.per100k(ConnectionStats::reads));
        value("wakeups_per_100k", oneByOne.per100k(ConnectionStats::wakeUps));
        value("batch_drains_per_100k", inBatches.per100k(ConnectionStats::drains));
        value("batch_reads_per_100k", inBatches.per100k(ConnectionStats::reads));
        value("batch_wakeups_per_100k", inBatches.per100k(ConnectionStats::wakeUps));
        value("batch_signals_per_100k", inBatches.per100k(ConnectionStats::signals));
        value("held_messages_max", Math.max(oneByOne.heldMessagesMax(), inBatches.heldMessagesMax()));
        value("messages_per_second", Math.round(oneByOne.rate(0.5)));
        value("batch_messages_per_second", Math.round(inBatches.rate(0.5)));
        value("reactor_netty_messages_per_second", Math.round(reactorNetty.rate(0.5)));
        processor("", oneByOne);
        processor("batch_", inBatches);
        processor("reactor_netty_", reactorNetty);
        ratio("ratio_to_reactor_netty", oneByOne, "ratio");
        ratio("batch_ratio_to_reactor_netty", inBatches, "batch_ratio");
    }

    /** The ratio of the medians, and over the rounds' own ratios the range of their middle half, and all of it. */
    private void ratio(String name, Series series, String prefix) {
        List<Double> ratios = series.ratiosTo(reactorNetty);
        add("%s=%.2f", name, series.rate(0.5) / reactorNetty.rate(0.5));
        add("%s_spread=%.2f", prefix, Series.quantile(ratios, 0.75) - Series.quantile(ratios, 0.25));
        add("%s_min=%.2f", prefix, Series.quantile(ratios, 0));
        add("%s_max=%.2f", prefix, Series.quantile(ratios, 1));
    }

    private void processor(String prefix, Series series) {
        value(prefix + "cpu_ns_per_message", series.cpuNanosPerMessage());
        value(prefix + "user_ns_per_message", series.userNanosPerMessage());
    }

    private void value(String name, long value) {
        add("%s=%d", name, value);
    }

    private void add(String format, Object... values) {
        lines.add(String.format(Locale.ROOT, format, values));
    }
}
