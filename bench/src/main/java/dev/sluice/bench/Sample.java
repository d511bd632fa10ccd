package dev.sluice.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One connection, measured by the receiver.
 *
 * @param nanos from connecting to the end of the stream
 * @param cpuNanos of the whole process, user and system
 * @param loopCpuNanos of the thread that reads the socket
 * @param loopAllocatedBytes by that thread
 * @param sum of the messages' fields, 0 if they were not decoded
 * @param counters what the receiver has counted, by name
 */
record Sample(
        long messages,
        long nanos,
        long cpuNanos,
        long loopCpuNanos,
        long loopAllocatedBytes,
        long sum,
        Map<String, Long> counters) {
    private static final String BEGIN = "sample";

    double messagesPerSecond() {
        return messages * 1e9 / nanos;
    }

    double cpuMicrosPerMessage() {
        return cpuNanos / 1e3 / messages;
    }

    double loopCpuMicrosPerMessage() {
        return loopCpuNanos / 1e3 / messages;
    }

    double loopAllocatedBytesPerMessage() {
        return (double) loopAllocatedBytes / messages;
    }

    /** What {@link #parse} reads. */
    String line() {
        StringBuilder line = new StringBuilder(BEGIN);
        Map<String, Long> values = new LinkedHashMap<>();
        values.put("messages", messages);
        values.put("nanos", nanos);
        values.put("cpuNanos", cpuNanos);
        values.put("loopCpuNanos", loopCpuNanos);
        values.put("loopAllocatedBytes", loopAllocatedBytes);
        values.put("sum", sum);
        values.putAll(counters);
        values.forEach(
                (name, value) -> line.append(' ').append(name).append('=').append(value));
        return line.toString();
    }

    /** {@code null} if the line is something else. */
    static @Nullable Sample parse(String line) {
        if (!line.startsWith(BEGIN + " ")) {
            return null;
        }
        Map<String, Long> values = numbers(line);
        return new Sample(
                take(values, "messages"),
                take(values, "nanos"),
                take(values, "cpuNanos"),
                take(values, "loopCpuNanos"),
                take(values, "loopAllocatedBytes"),
                take(values, "sum"),
                values);
    }

    /** The {@code name=number} words of a line, in order. */
    static Map<String, Long> numbers(String line) {
        Map<String, Long> numbers = new LinkedHashMap<>();
        for (String word : line.split(" ", -1)) {
            int equals = word.indexOf('=');
            if (equals > 0) {
                numbers.put(word.substring(0, equals), Long.valueOf(word.substring(equals + 1)));
            }
        }
        return numbers;
    }

    static long number(Map<String, Long> numbers, String name) {
        Long number = numbers.get(name);
        if (number == null) {
            throw new IllegalArgumentException("sample without a value: name=" + name);
        }
        return number;
    }

    private static long take(Map<String, Long> values, String name) {
        long value = number(values, name);
        values.remove(name);
        return value;
    }
}
