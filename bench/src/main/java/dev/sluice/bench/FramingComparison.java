package dev.sluice.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs {@link FramingBenchmark} and sets its ways side by side. Markdown goes to the standard output, progress to the
 * standard error, and JSON to a file if one is named.
 *
 * <p>All ways of a row have their JVMs one after the other, seconds apart, so that what a machine does over minutes
 * befalls them alike: ratios within a row can be trusted more than figures of two rows.
 */
public final class FramingComparison {
    /** Memory is touched before anything is measured, and never taken while it is. */
    private static final List<String> JVM_FLAGS =
            List.of("-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC");

    private static final String ALLOCATED = "gc.alloc.rate.norm";

    private final FramingOptions options;
    private final List<String> failures = new ArrayList<>();

    private FramingComparison(FramingOptions options) {
        this.options = options;
    }

    /** {@code --help} tells the options. Exits with 1 if a run failed, with 2 if an option is wrong. */
    public static void main(String[] args) throws Exception {
        if (List.of(args).contains("--help")) {
            System.out.print(FramingOptions.HELP);
            return;
        }
        FramingOptions options;
        try {
            options = FramingOptions.of(args);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.print(FramingOptions.HELP);
            System.exit(2);
            return;
        }
        FramingReport report = new FramingComparison(options).run(args);
        System.out.print(report.markdown());
        System.exit(report.failures().isEmpty() ? 0 : 1);
    }

    private FramingReport run(String[] args) throws IOException {
        String command = ("bench/framings.sh " + String.join(" ", args)).strip();
        List<FramingResult> results = new ArrayList<>();
        FramingReport report =
                new FramingReport(Environment.now(), command, JVM_FLAGS, options.ways(), results, failures);
        List<FramingOptions.Row> rows = options.rows();
        for (FramingOptions.Row row : rows) {
            results.add(run(row, results.size() + 1 + "/" + rows.size()));
            if (!options.out().isEmpty()) {
                Files.writeString(Path.of(options.out()), report.json()); // each time: a run may be broken off
            }
        }
        return report;
    }

    private FramingResult run(FramingOptions.Row row, String progress) {
        Map<FramingWay, FramingResult.Cell> cells = new EnumMap<>(FramingWay.class);
        for (FramingWay way : options.ways(row)) {
            String name = String.format(
                    Locale.ROOT, "%s, %,d B, %s, %s", row.framing(), row.payload(), row.chunks(), way.method());
            try {
                FramingResult.Cell cell = run(row, way);
                cells.put(way, cell);
                System.err.printf(
                        Locale.ROOT,
                        "%s %s: %s ns, %s B%n",
                        progress,
                        name,
                        cell.nanos().text(Spread::digits),
                        Spread.digits(cell.allocatedBytes()));
            } catch (RunnerException e) {
                String failure = name + ": " + rootOf(e);
                failures.add(failure);
                System.err.println(progress + " " + failure);
            }
        }
        return new FramingResult(row, cells);
    }

    private FramingResult.Cell run(FramingOptions.Row row, FramingWay way) throws RunnerException {
        TimeValue time = TimeValue.milliseconds(Math.max(1, Math.round(options.seconds() * 1000)));
        RunResult result = new Runner(new OptionsBuilder()
                        .include("^" + Pattern.quote(FramingBenchmark.class.getName() + "." + way.method()) + "$")
                        .param("framing", row.framing().name())
                        .param("payload", Integer.toString(row.payload()))
                        .param("chunks", row.chunks().name())
                        .forks(options.forks())
                        .warmupIterations(options.warmUps())
                        .warmupTime(time)
                        .measurementIterations(options.iterations())
                        .measurementTime(time)
                        .jvmArgsAppend(JVM_FLAGS.toArray(String[]::new))
                        .addProfiler(GCProfiler.class)
                        .timeUnit(TimeUnit.NANOSECONDS)
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle();
        double[] nanos = result.getBenchmarkResults().stream()
                .flatMap(fork -> fork.getIterationResults().stream())
                .mapToDouble(iteration -> iteration.getPrimaryResult().getScore())
                .toArray();
        return new FramingResult.Cell(Spread.of(nanos), allocated(result));
    }

    private static double allocated(RunResult result) {
        return result.getSecondaryResults().values().stream()
                .filter(secondary -> secondary.getLabel().endsWith(ALLOCATED))
                .mapToDouble(secondary -> secondary.getScore())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no such result: label=" + ALLOCATED));
    }

    private static Throwable rootOf(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
