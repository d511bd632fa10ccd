package dev.sluice.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What a program has printed, and how it ended. */
record Run(int exitCode, List<String> out, List<String> err) {
    interface Program {
        int run(String[] args, PrintStream out, PrintStream err);
    }

    static Run of(Program program, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = program.run(args, new PrintStream(out, false, UTF_8), new PrintStream(err, false, UTF_8));
        return new Run(
                exitCode,
                out.toString(UTF_8).lines().toList(),
                err.toString(UTF_8).lines().toList());
    }

    /** The name=value lines at the end. */
    Map<String, Double> values() {
        return out.subList(firstValue(), out.size()).stream()
                .map(line -> line.split("="))
                .collect(Collectors.toMap(pair -> pair[0], pair -> Double.valueOf(pair[1])));
    }

    private int firstValue() {
        int first = out.size();
        while (first > 0 && out.get(first - 1).matches("[a-z0-9_]+=[0-9.]+")) {
            first--;
        }
        return first;
    }
}
