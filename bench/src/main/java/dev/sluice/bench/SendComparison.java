package dev.sluice.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * Sends in many ways, side by side: for each size and number of threads, in each round, every kind has its turn in a JVM of
 * its own, so that what a machine does over minutes befalls all alike. Markdown goes to the standard output, progress to
 * the standard error, JSON to a file if one is named.
 */
public final class SendComparison {
    private static final List<String> FLAGS =
            List.of("-Xms320m", "-Xmx1g", "-Xmn200m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC");

    private final Arguments arguments;
    private final Path sink;
    private final String cpus;

    private SendComparison(Arguments arguments) {
        this.arguments = arguments;
        this.sink = Path.of(arguments.text("--sink", "bench/target/sink"));
        this.cpus = arguments.text("--cpus", "0,1");
    }

    /**
     * Options: {@code --sizes 64,1024,16384 --threads 1,8 --rounds 5 --seconds 2 --warm-up 2 --kinds … --cpus 0,1|none --out
     * FILE}. The sender runs on the first core, the sink on the second. {@code
     * --count-writes countwrites.so} counts write calls, which costs a system call more for each: times of such a run are not
     * to be compared with others.
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
        new SendComparison(arguments).run(String.join(" ", args));
    }

    private void run(String command) throws IOException, InterruptedException {
        Map<String, Object> report = new LinkedHashMap<>();
        Environment environment = Environment.now();
        environment.putInto(report);
        report.put("command", "bench/send.sh " + command);
        report.put("jvmFlags", FLAGS);
        List<Object> results = new ArrayList<>();
        report.put("results", results);
        System.out.println(environment.text() + "\n\n`bench/send.sh " + command + "`\n");
        for (int size : numbers("--sizes", "64,1024,16384")) {
            for (int threads : numbers("--threads", "1,8")) {
                Map<SendKind, List<Map<String, Long>>> samples = measure(size, threads);
                System.out.println(markdown(size, threads, samples));
                samples.forEach((kind, all) -> results.add(json(size, threads, kind, all)));
                String out = arguments.text("--out", "");
                if (!out.isEmpty()) {
                    Files.writeString(Path.of(out), Json.of(report));
                }
            }
        }
    }

    private int[] numbers(String option, String otherwise) {
        return Arrays.stream(arguments.text(option, otherwise).split(",", -1))
                .mapToInt(Integer::parseInt)
                .toArray();
    }

    private List<SendKind> kinds() {
        String ids = arguments.text("--kinds", "");
        return ids.isEmpty()
                ? List.of(SendKind.values())
                : Arrays.stream(ids.split(",", -1)).map(SendKind::of).toList();
    }

    private Map<SendKind, List<Map<String, Long>>> measure(int size, int threads)
            throws IOException, InterruptedException {
        Map<SendKind, List<Map<String, Long>>> samples = new LinkedHashMap<>();
        kinds().forEach(kind -> samples.put(kind, new ArrayList<>()));
        int rounds = arguments.number("--rounds", 5, 1);
        for (int round = 1; round <= rounds; round++) {
            for (SendKind kind : samples.keySet()) {
                Map<String, Long> sample = fork(kind, size, threads);
                samples.get(kind).add(sample);
                System.err.printf(
                        Locale.ROOT,
                        "%,d B, %d threads, round %d/%d, %-18s %,.0f/s%n",
                        size,
                        threads,
                        round,
                        rounds,
                        kind.id(),
                        perSecond(sample));
            }
        }
        return samples;
    }

    private Map<String, Long> fork(SendKind kind, int size, int threads) throws IOException, InterruptedException {
        Process receiver = start(1, List.of(sink.toString()));
        try (BufferedReader port = receiver.inputReader(StandardCharsets.UTF_8)) {
            String first = port.readLine();
            if (first == null || !first.startsWith(Programs.LISTENING)) {
                throw new IllegalStateException("sink does not listen: output=" + first);
            }
            List<String> command = Programs.jvm(FLAGS, SenderMain.class);
            command.addAll(List.of("--kind", kind.id(), "--port", first.substring(Programs.LISTENING.length())));
            command.addAll(List.of("--payload", Integer.toString(size), "--threads", Integer.toString(threads)));
            command.addAll(List.of("--seconds", arguments.text("--seconds", "2")));
            command.addAll(List.of("--warm-up", arguments.text("--warm-up", "2")));
            Process sender = start(0, command);
            try (BufferedReader output = sender.inputReader(StandardCharsets.UTF_8)) {
                for (String line = output.readLine(); line != null; line = output.readLine()) {
                    if (line.startsWith("sent ")) {
                        return Sample.numbers(line);
                    }
                    System.err.println(kind.id() + ": " + line);
                }
                throw new IllegalStateException("sender has failed: kind=" + kind.id());
            } finally {
                sender.destroyForcibly().waitFor();
            }
        } finally {
            receiver.destroyForcibly().waitFor();
        }
    }

    private Process start(int side, List<String> command) throws IOException {
        ProcessBuilder process = Programs.pinned(cpus.equals("none") ? "" : cpus.split(",", -1)[side], command);
        String counter = arguments.text("--count-writes", "");
        if (side == 0 && !counter.isEmpty()) {
            Path counted = Files.createTempFile("writes", ".count");
            process.environment().putAll(Map.of("LD_PRELOAD", counter, "COUNT_WRITES", counted.toString()));
        }
        return process.start();
    }

    private static double perSecond(Map<String, Long> sample) {
        return sample.getOrDefault("messages", 0L) * 1e9 / sample.getOrDefault("nanos", 1L);
    }

    private static double perMessage(Map<String, Long> sample, String name) {
        return (double) sample.getOrDefault(name, 0L) / sample.getOrDefault("messages", 1L);
    }

    private static double micros(Map<String, Long> sample, String name) {
        return sample.getOrDefault(name, 0L) / 1e3;
    }

    private static Spread spread(List<Map<String, Long>> samples, ToDoubleFunction<Map<String, Long>> value) {
        return Spread.of(samples.stream().mapToDouble(value).toArray());
    }

    private static String markdown(int size, int threads, Map<SendKind, List<Map<String, Long>>> samples) {
        StringBuilder text = new StringBuilder();
        text.append(String.format(Locale.ROOT, "**%,d B, %d thread%s**%n%n", size, threads, threads == 1 ? "" : "s"));
        text.append("| kind | messages/s | CPU µs/message | write calls/message | lone message µs | its p99 |\n");
        text.append("|---|---|---|---|---|---|\n");
        samples.forEach((kind, all) -> text.append("| `")
                .append(kind.id())
                .append("` | ")
                .append(spread(all, SendComparison::perSecond).text(Spread::digits))
                .append(" | ")
                .append(spread(all, sample -> perMessage(sample, "cpuNanos") / 1e3)
                        .text(Spread::digits))
                .append(" | ")
                .append(spread(all, sample -> perMessage(sample, "writes")).text(Spread::digits))
                .append(" | ")
                .append(spread(all, sample -> micros(sample, "loneMedian")).text(Spread::digits))
                .append(" | ")
                .append(spread(all, sample -> micros(sample, "loneP99")).text(Spread::digits))
                .append(" |\n"));
        return text.toString();
    }

    private static Map<String, Object> json(int size, int threads, SendKind kind, List<Map<String, Long>> samples) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("size", size);
        json.put("threads", threads);
        json.put("kind", kind.id());
        json.put("samples", samples.size());
        json.put("messagesPerSecond", spread(samples, SendComparison::perSecond).json());
        json.put(
                "cpuMicrosPerMessage",
                spread(samples, sample -> perMessage(sample, "cpuNanos") / 1e3).json());
        json.put(
                "writeCallsPerMessage",
                spread(samples, sample -> perMessage(sample, "writes")).json());
        json.put(
                "loneMicrosMedian",
                spread(samples, sample -> micros(sample, "loneMedian")).json());
        json.put(
                "loneMicrosP99",
                spread(samples, sample -> micros(sample, "loneP99")).json());
        return json;
    }
}
