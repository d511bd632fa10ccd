package dev.sluice.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One sender and one receiving process, from start to end. */
final class Fork {
    /** What a connection came to, on both sides. */
    record Connection(Sample received, double senderCpuShare) {}

    /** A process did not do its part; what it said has gone to the standard error. */
    static final class Failure extends Exception {
        private static final long serialVersionUID = 1;

        Failure(String message) {
            super(message);
        }
    }

    private final ComparisonOptions options;
    private final Kind kind;
    private final int payload;
    private final long count;

    Fork(ComparisonOptions options, Kind kind, int payload) {
        this.options = options;
        this.kind = kind;
        this.payload = payload;
        this.count = options.messages(payload);
    }

    /** The connections that are measured, without the warm-ups. */
    List<Connection> run() throws Failure, IOException, InterruptedException {
        int connections = options.warmUps() + options.perFork();
        int seconds = options.timeout() * connections;
        Process sender = start(0, senderCommand(connections, seconds));
        try (BufferedReader senderOutput = sender.inputReader(StandardCharsets.UTF_8)) {
            String first = senderOutput.readLine();
            if (first == null || !first.startsWith(Programs.LISTENING)) {
                throw new Failure("sender does not listen: output=" + first);
            }
            int port = Integer.parseInt(first.substring(Programs.LISTENING.length()));
            List<Sample> samples = receive(new ReceiverSettings(
                    kind,
                    port,
                    count,
                    payload,
                    connections,
                    options.recvBuffer(),
                    options.nativeTransport(),
                    options.freshMessages(),
                    options.timeout()));
            List<Double> shares = senderOutput.lines().map(Fork::cpuShare).toList();
            if (sender.waitFor() != 0 || shares.size() != connections) {
                throw new Failure("sender has failed: exit=" + sender.exitValue() + ", connections=" + shares.size());
            }
            List<Connection> measured = new ArrayList<>();
            for (int i = options.warmUps(); i < connections; i++) {
                measured.add(new Connection(samples.get(i), shares.get(i)));
            }
            return measured;
        } finally {
            sender.destroyForcibly().waitFor();
        }
    }

    private List<Sample> receive(ReceiverSettings settings) throws Failure, IOException, InterruptedException {
        Process receiver = start(1, receiverCommand(settings));
        List<Sample> samples = new ArrayList<>();
        try (BufferedReader output = receiver.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                Sample sample = Sample.parse(line);
                if (sample == null) {
                    System.err.println(kind.id() + ": " + line);
                } else if (sample.messages() != count) {
                    throw new Failure(
                            "wrong number of messages: messages=" + sample.messages() + ", expected=" + count);
                } else {
                    samples.add(sample);
                }
            }
            boolean ended = receiver.waitFor(options.timeout(), TimeUnit.SECONDS);
            if (!ended || receiver.exitValue() != 0 || samples.size() != settings.connections()) {
                throw new Failure("receiver has failed: exit=" + (ended ? receiver.exitValue() : "none")
                        + ", connections=" + samples.size() + " of " + settings.connections());
            }
            return samples;
        } finally {
            receiver.destroyForcibly().waitFor();
        }
    }

    private static double cpuShare(String line) {
        var numbers = Sample.numbers(line);
        return (double) numbers.getOrDefault("cpuNanos", 0L) / numbers.getOrDefault("nanos", 1L);
    }

    private List<String> senderCommand(int connections, int seconds) {
        List<String> command = new ArrayList<>(List.of(
                options.sender().toString(), "-n", Integer.toString(connections), "-t", Integer.toString(seconds)));
        if (Files.exists(Path.of("/proc/sys/net/ipv4/tcp_congestion_control"))) {
            command.addAll(List.of("-C", "cubic"));
        }
        command.addAll(List.of(Long.toString(count), Integer.toString(payload)));
        return command;
    }

    /** The flags of the receiving JVM, for the record. */
    static List<String> jvmFlags(ComparisonOptions options) {
        List<String> flags = new ArrayList<>(
                List.of("-Xms" + options.heap(), "-Xmx" + options.heap(), "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"));
        if (Runtime.version().feature() >= 22) {
            flags.add("--enable-native-access=ALL-UNNAMED"); // Netty loads its epoll library
        }
        return flags;
    }

    private List<String> receiverCommand(ReceiverSettings settings) {
        if (settings.kind() == Kind.NATIVE_LOOP) {
            return List.of(
                    options.counter().toString(),
                    "-n",
                    Integer.toString(settings.connections()),
                    Integer.toString(settings.port()));
        }
        List<String> command = Programs.jvm(jvmFlags(options), ReceiverMain.class);
        command.addAll(settings.arguments());
        return command;
    }

    private Process start(int side, List<String> command) throws IOException {
        String cpu = options.cpus().isEmpty() ? "" : options.cpus().get(side).toString();
        Process process = Programs.pinned(cpu, command).start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        return process;
    }
}
