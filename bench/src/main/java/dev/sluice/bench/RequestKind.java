package dev.sluice.bench;

import java.util.Arrays;
import java.util.Locale;

/** How a client sends requests that it makes of four small parts. */
enum RequestKind {
    /** Each part is written and flushed, and TCP collects them: {@code TCP_NODELAY} is off. */
    NAGLE,
    /** Each part is written and flushed, with {@code TCP_NODELAY}. */
    NODELAY,
    /** Each part is written into the buffer of a Sluice encoder. */
    SLUICE;

    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    static RequestKind of(String id) {
        return Arrays.stream(values())
                .filter(kind -> kind.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such kind: kind=" + id));
    }
}
