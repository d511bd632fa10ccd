package dev.sluice.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What figures have to be read with.
 *
 * @param commit of the working directory; ends with {@code -dirty} if tracked files differ from it
 * @param cores of the machine, whatever the processes are pinned to
 */
record Environment(String date, String commit, String jdk, String cpuModel, String kernel, int cores) {
    private static final String UNKNOWN = "unknown";

    static Environment now() {
        return new Environment(
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                outputOf("git", "describe", "--always", "--dirty", "--abbrev=12"),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
                cpuModelOfThisMachine(),
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                Runtime.getRuntime().availableProcessors());
    }

    /** As one line. */
    String text() {
        return date + ", commit `" + commit + "`, " + jdk + "; " + cpuModel + ", " + cores + " cores, " + kernel;
    }

    /** As the first keys of a report, and how that came about. */
    void putInto(Map<String, Object> report, String command, List<String> jvmFlags) {
        Map<String, Object> machine = new LinkedHashMap<>();
        machine.put("cpuModel", cpuModel);
        machine.put("kernel", kernel);
        machine.put("cores", cores);
        report.put("date", date);
        report.put("commit", commit);
        report.put("jdk", jdk);
        report.put("machine", machine);
        report.put("command", command);
        report.put("jvmFlags", jvmFlags);
    }

    private static String cpuModelOfThisMachine() {
        Path file = Path.of("/proc/cpuinfo");
        if (!Files.isReadable(file)) {
            return UNKNOWN;
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(UNKNOWN);
        } catch (IOException | UncheckedIOException e) {
            return UNKNOWN;
        }
    }

    private static String outputOf(String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return process.waitFor() == 0 && !output.isEmpty() ? output : UNKNOWN;
        } catch (IOException e) {
            return UNKNOWN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return UNKNOWN;
        }
    }
}
