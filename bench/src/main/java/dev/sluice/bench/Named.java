package dev.sluice.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A constant of an enum that is named on command lines and in reports. */
interface Named {
    String name();

    default String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static <E extends Enum<E> & Named> E of(Class<E> kinds, String id) {
        return Arrays.stream(kinds.getEnumConstants())
                .filter(kind -> kind.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such kind: kind=" + id));
    }

    /** The constants of {@code ids}, which commas separate; all for an empty string. */
    static <E extends Enum<E> & Named> List<E> listOf(Class<E> kinds, String ids) {
        return ids.isEmpty()
                ? List.of(kinds.getEnumConstants())
                : Arrays.stream(ids.split(",", -1)).map(id -> of(kinds, id)).toList();
    }
}
