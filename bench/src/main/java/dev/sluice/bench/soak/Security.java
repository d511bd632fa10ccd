package dev.sluice.bench.soak;

import java.util.List;
import java.util.random.RandomGenerator;

/** Whether a connection has TLS. */
enum Security {
    NONE,
    FROM_THE_FIRST_BYTE,
    /** Begun behind the first message and its answer. */
    STARTED_LATER;

    private static final List<Security> ALL = List.of(values());

    static Security any(RandomGenerator random) {
        return ALL.get(random.nextInt(ALL.size()));
    }
}
