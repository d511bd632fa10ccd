package dev.sluice.bench;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Requests made of four small parts, each of which waits for its answer: with Nagle's algorithm, with {@code TCP_NODELAY},
 * and encoded by Sluice; by turns, each in a JVM of its own. Markdown goes to the standard output, progress to the standard
 * error, JSON to a file if one is named.
 */
public final class RequestComparison {
    private static final Columns COLUMNS = Columns.of(
            new Columns.Column("µs/request", "microsPerRequest", Columns.perMessage("nanos", 1e3)),
            new Columns.Column("CPU µs/request", "cpuMicrosPerRequest", Columns.perMessage("cpuNanos", 1e3)),
            new Columns.Column("the server's reads/request", "serverReadsPerRequest", Columns.perMessage("reads", 1)));

    private final Arguments arguments;
    private final String server;
    private final String[] cores;

    private RequestComparison(Arguments arguments) {
        this.arguments = arguments;
        this.server = arguments.text("--server", "bench/target/answer");
        this.cores = Programs.cores(arguments);
    }

    /**
     * Options: {@code --requests 20000 --nagle-requests 100 --warm-up 20000 --rounds 5 --cpus 0,1|none --out FILE}. The
     * client runs on the first core, the server on the second.
     */
    public static void main(String[] args) throws Exception {
        Arguments arguments = new Arguments(
                args, Set.of("--requests", "--nagle-requests", "--warm-up", "--rounds", "--cpus", "--server", "--out"));
        new RequestComparison(arguments).run("bench/nodelay.sh " + String.join(" ", args));
    }

    private void run(String command) throws IOException, InterruptedException {
        Environment environment = Environment.now();
        Map<String, List<Map<String, Long>>> samples =
                Turns.take("", arguments.number("--rounds", 5, 1), List.of(RequestKind.values()), this::measure);
        System.out.println(environment.text() + "\n\n`" + command + "`\n");
        System.out.println(COLUMNS.markdown(samples));
        Map<String, Object> report = new LinkedHashMap<>();
        environment.putInto(report, command, Programs.FLAGS);
        report.put("results", COLUMNS.json(Map.of(), samples));
        Json.write(report, arguments.text("--out", ""));
    }

    private Map<String, Long> measure(RequestKind kind) throws IOException {
        boolean slow = kind == RequestKind.NAGLE;
        int requests = slow ? arguments.number("--nagle-requests", 100, 1) : arguments.number("--requests", 20_000, 1);
        int warmUp = slow ? 1 : arguments.number("--warm-up", 20_000, 1);
        try (Program answering = new Program("answer", Programs.pinned(cores[1], List.of(server)))) {
            List<String> command = Programs.jvm(Programs.FLAGS, RequestMain.class);
            command.addAll(List.of("--kind", kind.id(), "--port", Integer.toString(answering.port())));
            command.addAll(List.of("--requests", Integer.toString(requests), "--warm-up", Integer.toString(warmUp)));
            try (Program asking = new Program(kind.id(), Programs.pinned(cores[0], command))) {
                Map<String, Long> sample = new LinkedHashMap<>(Sample.numbers(asking.await("asked ")));
                Map<String, Long> answered = Sample.numbers(answering.await("answered "));
                if (Sample.number(answered, "requests") != requests + warmUp) {
                    throw new IllegalStateException("wrong number of requests: requests="
                            + Sample.number(answered, "requests") + ", expected=" + (requests + warmUp));
                }
                sample.put("reads", Sample.number(answered, "reads") * requests / (requests + warmUp));
                return sample;
            }
        }
    }
}
