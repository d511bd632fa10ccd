package dev.sluice.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Relays messages from publishers to subscribers, one to one, in several ways, side by side: in each round every kind has
 * its turn in a JVM of its own, at the same rate. Markdown goes to the standard output, progress to the standard error,
 * JSON to a file if one is named.
 */
public final class RelayComparison {
    private static final List<String> FLAGS = List.of("-Xms2g", "-Xmx2g", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC");

    private static final Columns COLUMNS = Columns.of(
            new Columns.Column("CPU µs/message", "cpuMicrosPerMessage", Columns.perMessage("cpuNanos", 1e3)),
            new Columns.Column("median µs from publisher to subscriber", "microsMedian", Columns.number("median", 1e3)),
            new Columns.Column("p99", "microsP99", Columns.number("p99", 1e3)),
            new Columns.Column("messages/s", "messagesPerSecond", Columns::perSecond),
            new Columns.Column("heap B/idle connection", "heapPerConnection", Columns.number("heap", 1)),
            new Columns.Column("direct B/idle connection", "directPerConnection", Columns.number("direct", 1)));

    private final Arguments arguments;
    private final String load;
    private final String[] cores;
    private final int pairs;

    private RelayComparison(Arguments arguments) {
        this.arguments = arguments;
        this.load = arguments.text("--load", "bench/target/pubsub");
        this.cores = Programs.cores(arguments);
        this.pairs = arguments.number("--connections", 1_000, 2) / 2;
    }

    /**
     * Options: {@code --connections 40000 --rate 20000 --payload 1024 --rounds 3 --seconds 5 --warm-up 20 --kinds …
     * --loops 1 --transport native|nio --cpus 0,1|none --out FILE}. Half of the connections publish, half subscribe. The
     * relay runs on the first core, the others on the second. Fails if a message is lost.
     */
    public static void main(String[] args) throws Exception {
        Arguments arguments = new Arguments(
                args,
                Set.of(
                        "--connections",
                        "--rate",
                        "--payload",
                        "--rounds",
                        "--seconds",
                        "--warm-up",
                        "--kinds",
                        "--loops",
                        "--transport",
                        "--cpus",
                        "--load",
                        "--out"));
        new RelayComparison(arguments).run("bench/relay.sh " + String.join(" ", args));
    }

    private void run(String command) throws IOException, InterruptedException {
        Environment environment = Environment.now();
        Map<String, List<Map<String, Long>>> samples = Turns.take(
                "",
                arguments.number("--rounds", 3, 1),
                Named.listOf(RelayKind.class, arguments.text("--kinds", "")),
                this::measure);
        report(environment, command, samples);
    }

    private Map<String, Long> measure(RelayKind kind) throws IOException, InterruptedException {
        List<String> command = Programs.jvm(FLAGS, RelayMain.class);
        command.addAll(List.of("--kind", kind.id(), "--topics", Integer.toString(pairs)));
        command.addAll(List.of("--loops", arguments.text("--loops", "1")));
        command.addAll(List.of("--transport", arguments.text("--transport", "native")));
        try (Program relay = new Program(kind.id(), Programs.pinned(cores[0], command))) {
            int port = relay.port();
            Map<String, Long> before = relay.ask("memory", "used ");
            List<String> loadCommand = new ArrayList<>(List.of(load, "-p", Integer.toString(pairs)));
            loadCommand.addAll(List.of("-s", arguments.text("--payload", "1024")));
            loadCommand.addAll(List.of("-r", arguments.text("--rate", "20000"), Integer.toString(port)));
            try (Program peers = new Program("pubsub", Programs.pinned(cores[1], loadCommand))) {
                peers.await("CONNECTED ");
                while (Sample.number(relay.ask("cpu", "used "), "subscriptions") < pairs) {
                    Thread.sleep(10);
                }
                Map<String, Long> idle = relay.ask("memory", "used ");
                run(peers, arguments.number("--warm-up", 20, 1));
                long cpu = Sample.number(relay.ask("cpu", "used "), "cpuNanos");
                Map<String, Long> ran = run(peers, arguments.number("--seconds", 5, 1));
                Map<String, Long> after = relay.ask("cpu", "used ");
                Map<String, Long> sample = new LinkedHashMap<>(ran);
                sample.put("messages", Sample.number(ran, "received"));
                sample.put("cpuNanos", Sample.number(after, "cpuNanos") - cpu);
                sample.put("refused", Sample.number(after, "refused"));
                for (String kindOfMemory : List.of("heap", "direct")) {
                    long used = Sample.number(idle, kindOfMemory) - Sample.number(before, kindOfMemory);
                    sample.put(kindOfMemory, used / (2L * pairs));
                }
                return sample;
            }
        }
    }

    private static Map<String, Long> run(Program peers, int seconds) throws IOException {
        Map<String, Long> ran = peers.ask("run " + seconds, "ran ");
        long published = Sample.number(ran, "published");
        long received = Sample.number(ran, "received");
        if (published != received) {
            throw new IllegalStateException("messages were lost: published=" + published + ", received=" + received);
        }
        return ran;
    }

    private void report(Environment environment, String command, Map<String, List<Map<String, Long>>> samples)
            throws IOException {
        System.out.println(environment.text() + "\n\n`" + command + "`, " + 2 * pairs + " connections\n");
        System.out.println(COLUMNS.markdown(samples));
        Map<String, Object> means = new LinkedHashMap<>();
        samples.forEach((kind, ofKind) -> means.put(kind, meanCpu(ofKind)));
        System.out.println("Mean CPU µs/message: " + text(means));
        Map<String, Object> report = new LinkedHashMap<>();
        environment.putInto(report, command, FLAGS);
        report.put("connections", 2 * pairs);
        report.put("meanCpuMicrosPerMessage", means);
        report.put("results", COLUMNS.json(Map.of(), samples));
        Json.write(report, arguments.text("--out", ""));
    }

    private static double meanCpu(List<Map<String, Long>> samples) {
        return samples.stream()
                .mapToDouble(Columns.perMessage("cpuNanos", 1e3))
                .average()
                .orElseThrow();
    }

    private static String text(Map<String, Object> means) {
        List<String> all = new ArrayList<>();
        means.forEach((kind, mean) -> all.add(String.format(Locale.ROOT, "`%s` %.2f", kind, (Double) mean)));
        return String.join(", ", all) + ".";
    }
}
