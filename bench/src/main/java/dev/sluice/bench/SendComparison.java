package dev.sluice.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Sends in many ways, side by side: for each size and number of threads, in each round, every kind has its turn in a JVM of
 * its own, so that what a machine does over minutes befalls all alike. Markdown goes to the standard output, progress to
 * the standard error, JSON to a file if one is named.
 */
public final class SendComparison {
    private static final Columns COLUMNS = Columns.of(
            new Columns.Column("messages/s", "messagesPerSecond", Columns::perSecond),
            new Columns.Column("CPU µs/message", "cpuMicrosPerMessage", Columns.perMessage("cpuNanos", 1e3)),
            new Columns.Column("lone message µs", "loneMicrosMedian", Columns.number("loneMedian", 1e3)),
            new Columns.Column("its p99", "loneMicrosP99", Columns.number("loneP99", 1e3)),
            new Columns.Column("write calls/message", "writeCallsPerMessage", SendComparison::writesPerMessage));

    private final Arguments arguments;
    private final String sink;
    private final String[] cores;

    private SendComparison(Arguments arguments) {
        this.arguments = arguments;
        this.sink = arguments.text("--sink", "bench/target/sink");
        this.cores = Programs.cores(arguments);
    }

    /**
     * Options: {@code --sizes 64,1024,16384 --threads 1,8 --rounds 5 --seconds 2 --warm-up 5 --kinds … --cpus 0,1|none --out
     * FILE}. The sender runs on the first core, the sink on the second. With {@code --count-writes countwrites.so} each kind
     * has a further turn in which its write calls are counted, which costs a system call more for each; nothing else of
     * that turn is reported.
     */
    public static void main(String[] args) throws Exception {
        Arguments arguments = new Arguments(
                args,
                Set.of(
                        "--count-writes",
                        "--sink",
                        "--sizes",
                        "--threads",
                        "--rounds",
                        "--seconds",
                        "--warm-up",
                        "--kinds",
                        "--cpus",
                        "--out"));
        new SendComparison(arguments).run("bench/send.sh " + String.join(" ", args));
    }

    private void run(String command) throws IOException, InterruptedException {
        Environment environment = Environment.now();
        Map<String, Object> report = new LinkedHashMap<>();
        environment.putInto(report, command, Programs.FLAGS);
        List<Object> results = new ArrayList<>();
        report.put("results", results);
        System.out.println(environment.text() + "\n\n`" + command + "`\n");
        for (int size : numbers("--sizes", "64,1024,16384")) {
            for (int threads : numbers("--threads", "1,8")) {
                Map<String, List<Map<String, Long>>> samples = measure(size, threads);
                System.out.printf("**%,d B, %d thread%s**%n%n", size, threads, threads == 1 ? "" : "s");
                System.out.println(COLUMNS.markdown(samples));
                results.addAll(COLUMNS.json(new TreeMap<>(Map.of("size", size, "threads", threads)), samples));
                Json.write(report, arguments.text("--out", ""));
            }
        }
    }

    private int[] numbers(String option, String otherwise) {
        return Arrays.stream(arguments.text(option, otherwise).split(",", -1))
                .mapToInt(Integer::parseInt)
                .toArray();
    }

    private Map<String, List<Map<String, Long>>> measure(int size, int threads)
            throws IOException, InterruptedException {
        List<SendKind> kinds = Named.listOf(SendKind.class, arguments.text("--kinds", ""));
        Map<String, List<Map<String, Long>>> samples = Turns.take(
                String.format(Locale.ROOT, "%,d B, %d threads, ", size, threads),
                arguments.number("--rounds", 5, 1),
                kinds,
                kind -> fork(kind, size, threads, ""));
        String counter = arguments.text("--count-writes", "");
        if (!counter.isEmpty()) {
            for (SendKind kind : kinds) {
                Map<String, Long> counted = fork(kind, size, threads, counter);
                for (Map<String, Long> sample : samples.getOrDefault(kind.id(), List.of())) {
                    sample.put("counted", Sample.number(counted, "messages"));
                    sample.put("writes", Sample.number(counted, "writes"));
                }
            }
        }
        return samples;
    }

    private static double writesPerMessage(Map<String, Long> sample) {
        return (double) sample.getOrDefault("writes", 0L) / sample.getOrDefault("counted", 1L);
    }

    private Map<String, Long> fork(SendKind kind, int size, int threads, String counter) throws IOException {
        try (Program receiver = new Program("sink", Programs.pinned(cores[1], List.of(sink)))) {
            List<String> command = Programs.jvm(Programs.FLAGS, SenderMain.class);
            command.addAll(List.of("--kind", kind.id(), "--port", Integer.toString(receiver.port())));
            command.addAll(List.of("--payload", Integer.toString(size), "--threads", Integer.toString(threads)));
            command.addAll(List.of("--seconds", arguments.text("--seconds", "2")));
            command.addAll(List.of("--warm-up", arguments.text("--warm-up", "5")));
            ProcessBuilder process = Programs.pinned(cores[0], command);
            if (!counter.isEmpty()) {
                Path counted = Files.createTempFile("writes", ".count");
                counted.toFile().deleteOnExit();
                process.environment().putAll(Map.of("LD_PRELOAD", counter, "COUNT_WRITES", counted.toString()));
            }
            try (Program sender = new Program(kind.id(), process)) {
                return Sample.numbers(sender.await("sent "));
            }
        }
    }
}
