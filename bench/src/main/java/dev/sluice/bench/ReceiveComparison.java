package dev.sluice.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Receives the same stream in many ways, side by side. Markdown goes to the standard output, progress to the standard
 * error, and JSON to a file if one is named.
 *
 * <p>For each size, in each round, every kind has its turn: one JVM of its own, some connections to warm up, some to
 * measure. So what a machine does over minutes befalls all kinds alike, and ratios within one run can be trusted more
 * than figures of two.
 */
public final class ReceiveComparison {
    private final ComparisonOptions options;
    private final List<String> failures = new ArrayList<>();

    private ReceiveComparison(ComparisonOptions options) {
        this.options = options;
    }

    /** {@code --help} tells the options. Exits with 1 if a kind failed, with 2 if an option is wrong. */
    public static void main(String[] args) throws Exception {
        if (List.of(args).contains("--help")) {
            System.out.print(ComparisonOptions.HELP);
            return;
        }
        ComparisonOptions options;
        try {
            options = ComparisonOptions.of(args);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.print(ComparisonOptions.HELP);
            System.exit(2);
            return;
        }
        for (Path program : List.of(options.sender(), options.counter())) {
            if (!Files.isExecutable(program)) {
                System.err.println("no program, bench/receive.sh builds it: path=" + program);
                System.exit(2);
            }
        }
        ComparisonReport report = new ReceiveComparison(options).run(args);
        System.out.print(report.markdown());
        System.exit(report.failures().isEmpty() ? 0 : 1);
    }

    private ComparisonReport run(String[] args) throws IOException, InterruptedException {
        String command = ("java -cp bench/target/benchmarks.jar " + ReceiveComparison.class.getName() + " "
                        + String.join(" ", args))
                .strip();
        List<SizeResult> sizes = new ArrayList<>();
        ComparisonReport report =
                new ComparisonReport(Environment.now(), command, Fork.jvmFlags(options), sizes, failures);
        for (int size : options.sizes()) {
            sizes.add(runSize(size));
            if (!options.out().isEmpty()) {
                Files.writeString(Path.of(options.out()), report.json()); // each time: a run may be broken off
            }
        }
        return report;
    }

    private SizeResult runSize(int size) throws IOException, InterruptedException {
        List<Series> running =
                new ArrayList<>(options.kinds().stream().map(Series::new).toList());
        for (int round = 1; round <= options.rounds(); round++) {
            for (Series series : List.copyOf(running)) {
                Kind kind = series.kind();
                try {
                    List<Fork.Connection> connections = new Fork(options, kind, size).run();
                    series.addRound(connections);
                    say(size, round, kind, connections);
                } catch (Fork.Failure e) {
                    fail(size, kind, "round=" + round + ": " + e.getMessage());
                    running.remove(series); // with a round missing it could not be set against the others
                }
            }
        }
        checkSums(size, running);
        return SizeResult.of(size, options.messages(size), running);
    }

    /** Whoever decodes has decoded the same. */
    private void checkSums(int size, List<Series> all) {
        long expected = 0;
        for (Series series : all) {
            for (long sum : series.sums()) {
                if (sum == 0) {
                    continue;
                }
                if (expected == 0) {
                    expected = sum;
                } else if (sum != expected) {
                    fail(size, series.kind(), "decoded something else: sum=" + sum + ", expected=" + expected);
                }
            }
        }
    }

    private void fail(int size, Kind kind, String message) {
        String failure = "size=" + size + ", kind=" + kind.id() + ", " + message;
        failures.add(failure);
        System.err.println(failure);
    }

    private void say(int size, int round, Kind kind, List<Fork.Connection> connections) {
        String speeds = connections.stream()
                .map(Fork.Connection::received)
                .map(sample -> String.format(
                        Locale.ROOT, "%,.0f/s in %.2f s", sample.messagesPerSecond(), sample.nanos() / 1e9))
                .collect(Collectors.joining("  "));
        System.err.printf(
                Locale.ROOT, "%,d B, round %d/%d, %-22s %s%n", size, round, options.rounds(), kind.id(), speeds);
    }
}
