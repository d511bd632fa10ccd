package dev.sluice.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A process that is talked to by lines; it ends when it is closed. */
final class Program implements AutoCloseable {
    private final String name;
    private final Process process;
    private final Thread ending;
    private final BufferedReader output;
    private final Writer input;

    Program(String name, ProcessBuilder command) throws IOException {
        this.name = name;
        this.process = command.start();
        this.ending = new Thread(process::destroyForcibly);
        this.output = process.inputReader(StandardCharsets.UTF_8);
        this.input = process.outputWriter(StandardCharsets.UTF_8);
        Runtime.getRuntime().addShutdownHook(ending);
    }

    /** The port it listens on, which it says first. */
    int port() throws IOException {
        return Integer.parseInt(await(Programs.LISTENING).substring(Programs.LISTENING.length()));
    }

    /** Passes on what it says until a line begins so. */
    String await(String begin) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(begin)) {
                return line;
            }
            System.err.println(name + ": " + line);
        }
        throw new IllegalStateException("program has ended early: program=" + name + ", awaited=" + begin);
    }

    /** Says a line to it, and returns the numbers of the answer that begins so. */
    Map<String, Long> ask(String line, String answer) throws IOException {
        input.write(line + "\n");
        input.flush();
        return Sample.numbers(await(answer));
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
        Runtime.getRuntime().removeShutdownHook(ending);
    }
}
