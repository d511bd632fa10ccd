package dev.sluice.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Options of the form {@code --name value}. */
public final class Arguments {
    private final Map<String, String> given = new LinkedHashMap<>();

    /** @throws IllegalArgumentException if an option is unknown or has no value */
    public Arguments(String[] args, Set<String> known) {
        for (int i = 0; i < args.length; i += 2) {
            if (!known.contains(args[i])) {
                throw new IllegalArgumentException("unknown option: option=" + args[i]);
            }
            if (i + 1 == args.length) {
                throw new IllegalArgumentException("option without a value: option=" + args[i]);
            }
            given.put(args[i], args[i + 1]);
        }
    }

    String text(String name, String otherwise) {
        return given.getOrDefault(name, otherwise);
    }

    public int number(String name, int otherwise, int least) {
        int value = Integer.parseInt(text(name, Integer.toString(otherwise)));
        if (value < least) {
            throw new IllegalArgumentException("option below its limit: " + name + "=" + value + ", limit=" + least);
        }
        return value;
    }

    double positive(String name, double otherwise) {
        double value = Double.parseDouble(text(name, Double.toString(otherwise)));
        if (!(value > 0)) {
            throw new IllegalArgumentException("option not above zero: " + name + "=" + value);
        }
        return value;
    }

    /** One of these words, the first by default. */
    public String oneOf(String name, String... words) {
        String value = text(name, words[0]);
        for (String word : words) {
            if (word.equals(value)) {
                return value;
            }
        }
        throw new IllegalArgumentException(
                "no such value: " + name + "=" + value + ", one of " + String.join("|", words));
    }
}
