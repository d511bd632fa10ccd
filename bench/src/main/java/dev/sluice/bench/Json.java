package dev.sluice.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** Writes maps, iterables, strings, numbers and booleans as JSON, keys in the order of the map. */
final class Json {
    private static final String INDENT = "  ";

    private final StringBuilder out = new StringBuilder();

    private Json() {}

    static String of(Object value) {
        Json json = new Json();
        json.value(value, "\n");
        return json.out.append('\n').toString();
    }

    /** @param file none if empty */
    static void write(Object value, String file) throws IOException {
        if (!file.isEmpty()) {
            Files.writeString(Path.of(file), of(value));
        }
    }

    private void value(Object value, String newLine) {
        if (value instanceof Map<?, ?> map) {
            object(map, newLine);
        } else if (value instanceof Iterable<?> list) {
            array(list, newLine);
        } else if (value instanceof Double number) {
            number(number);
        } else if (value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            string(value.toString());
        }
    }

    private void object(Map<?, ?> map, String newLine) {
        out.append('{');
        String separator = "";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(separator).append(newLine).append(INDENT);
            string(entry.getKey().toString());
            out.append(": ");
            value(entry.getValue(), newLine + INDENT);
            separator = ",";
        }
        out.append(map.isEmpty() ? "" : newLine).append('}');
    }

    private void array(Iterable<?> list, String newLine) {
        out.append('[');
        String separator = "";
        for (Object element : list) {
            out.append(separator).append(newLine).append(INDENT);
            value(element, newLine + INDENT);
            separator = ",";
        }
        out.append(separator.isEmpty() ? "" : newLine).append(']');
    }

    private void number(double number) {
        if (Double.isFinite(number)) {
            out.append(number);
        } else {
            out.append("null");
        }
    }

    private void string(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
