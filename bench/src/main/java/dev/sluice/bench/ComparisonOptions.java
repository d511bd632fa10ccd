package dev.sluice.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What {@link ReceiveComparison} is told; {@link #HELP} says how.
 *
 * @param cpus of the sender and of the receiver; empty to leave both unpinned
 * @param out empty for no file
 */
record ComparisonOptions(
        List<Integer> sizes,
        List<Kind> kinds,
        int samples,
        int perFork,
        int warmUps,
        double scale,
        List<Integer> cpus,
        int recvBuffer,
        boolean nativeTransport,
        boolean freshMessages,
        String heap,
        int timeout,
        Path sender,
        Path counter,
        String out) {
    static final String HELP = """
            Options, with their defaults:
              --sizes 64,256,1024,2560,16384,262144   payload bytes, each at least 8
              --kinds %s
              --samples 10            measured connections of each kind and size
              --per-fork 2            of these in one JVM; the kinds take turns by JVM
              --warm-ups 4            connections of each JVM before these
              --scale 1               times the messages of a connection, which last about a second by default
              --cpus 0,1              cores of the sender and of the receiver; none leaves both unpinned
              --recv-buffer 0         bytes of every read of every kind but nio-loop; 0 is Netty's default allocator
              --transport native      or nio
              --message shared        one object for all messages; or fresh, one for each
              --heap 2g               of the receiving JVM
              --timeout 60            seconds for one connection
              --sender bench/target/blast
              --counter bench/target/count   what native-loop runs
              --out none              JSON file
            """.formatted(Kind.ids());

    private static final String SIZES = "64,256,1024,2560,16384,262144";
    private static final String NONE = "none";

    /** About a second at the speed of a loopback socket that has a core on either side. */
    private static final double BYTES_PER_CONNECTION = 2.56e9;

    private static final double MAX_MESSAGES = 10e6;

    static ComparisonOptions of(String[] args) {
        Arguments arguments = new Arguments(
                args,
                Set.of(
                        "--sizes",
                        "--kinds",
                        "--samples",
                        "--per-fork",
                        "--warm-ups",
                        "--scale",
                        "--cpus",
                        "--recv-buffer",
                        "--transport",
                        "--message",
                        "--heap",
                        "--timeout",
                        "--sender",
                        "--counter",
                        "--out"));
        List<Integer> sizes = numbers(arguments.text("--sizes", SIZES));
        for (int size : sizes) {
            if (size < PayloadDecoder.LEAST_PAYLOAD) {
                throw new IllegalArgumentException(
                        "payload too short: size=" + size + ", limit=" + PayloadDecoder.LEAST_PAYLOAD);
            }
        }
        String cpus = arguments.text("--cpus", "0,1");
        List<Integer> cores = cpus.equals(NONE) ? List.of() : numbers(cpus);
        if (cores.size() != 2 && !cores.isEmpty()) {
            throw new IllegalArgumentException("one core for the sender and one for the receiver: --cpus=" + cpus);
        }
        return new ComparisonOptions(
                sizes,
                Kind.listOf(arguments.text("--kinds", Kind.ids())),
                arguments.number("--samples", 10, 1),
                arguments.number("--per-fork", 2, 1),
                arguments.number("--warm-ups", 4, 0),
                arguments.positive("--scale", 1),
                cores,
                arguments.number("--recv-buffer", 0, 0),
                arguments.oneOf("--transport", "native", "nio").equals("native"),
                arguments.oneOf("--message", "shared", "fresh").equals("fresh"),
                arguments.text("--heap", "2g"),
                arguments.number("--timeout", 60, 1),
                Path.of(arguments.text("--sender", "bench/target/blast")),
                Path.of(arguments.text("--counter", "bench/target/count")),
                arguments.text("--out", NONE).replaceFirst("^" + NONE + "$", ""));
    }

    private static List<Integer> numbers(String list) {
        return Stream.of(list.split(",", -1)).map(Integer::valueOf).toList();
    }

    int rounds() {
        return (samples + perFork - 1) / perFork;
    }

    /** Messages of one connection; two digits that count. */
    long messages(int payload) {
        double exact = Math.min(BYTES_PER_CONNECTION / (payload + 4), MAX_MESSAGES) * scale;
        double unit = Math.pow(10, Math.max(0, Math.floor(Math.log10(exact)) - 1));
        return Math.max(1, Math.round(Math.round(exact / unit) * unit));
    }
}
