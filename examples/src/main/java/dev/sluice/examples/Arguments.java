package dev.sluice.examples;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A program's arguments, {@code --name value} each. Whatever is wrong with one is told by {@link Wrong}. */
final class Arguments {
    /** The message is for the person who typed the arguments. */
    static final class Wrong extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Wrong(String message) {
            super(message);
        }
    }

    private final Map<String, String> values = new HashMap<>();
    private final boolean help;

    Arguments(String[] args, String... known) {
        List<String> given = Arrays.asList(args);
        help = given.contains("--help") || given.contains("-h");
        for (int i = 0; i < args.length && !help; i += 2) {
            if (!Arrays.asList(known).contains(args[i])) {
                throw new Wrong("unknown option: " + args[i]);
            }
            if (i + 1 == args.length) {
                throw new Wrong("option without a value: " + args[i]);
            }
            values.put(args[i], args[i + 1]);
        }
    }

    boolean wantsHelp() {
        return help;
    }

    String text(String name, String byDefault) {
        return values.getOrDefault(name, byDefault);
    }

    int number(String name, int byDefault, int smallest, int largest) {
        String value = values.get(name);
        if (value == null) {
            return byDefault;
        }
        try {
            int number = Integer.parseInt(value);
            if (number >= smallest && number <= largest) {
                return number;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw new Wrong(name + " takes a whole number from " + smallest + " to " + largest + ", not: " + value);
    }

    <E extends Enum<E>> E choice(String name, E byDefault, Class<E> type) {
        String value = text(name, byDefault.toString());
        for (E choice : type.getEnumConstants()) {
            if (choice.toString().equals(value)) {
                return choice;
            }
        }
        throw new Wrong(name + " takes one of " + Arrays.toString(type.getEnumConstants()) + ", not: " + value);
    }
}
