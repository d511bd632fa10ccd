package dev.sluice.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The processes that a comparison starts. */
final class Programs {
    /** What a program says first that listens; its port follows. */
    static final String LISTENING = "LISTENING ";

    /** Of a JVM that keeps little. */
    static final List<String> FLAGS =
            List.of("-Xms320m", "-Xmx1g", "-Xmn200m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC");

    private Programs() {}

    /** The two cores that {@code --cpus} names, one for what is measured, one for its peer; empty ones if it is none. */
    static String[] cores(Arguments arguments) {
        String cpus = arguments.text("--cpus", "0,1");
        return cpus.equals("none") ? new String[] {"", ""} : cpus.split(",", 2);
    }

    /** @param cpu the core it runs on; empty for any */
    static ProcessBuilder pinned(String cpu, List<String> command) {
        List<String> pinned = new ArrayList<>();
        if (!cpu.isEmpty()) {
            pinned.addAll(List.of("taskset", "-c", cpu));
        }
        pinned.addAll(command);
        return new ProcessBuilder(pinned).redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    /** A JVM like this one, with the same class path. */
    static List<String> jvm(List<String> flags, Class<?> main) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        return command;
    }
}
