package dev.sluice.bench.soak;

import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What follows a message that decoding pauses after.
 *
 * @param protocol of the messages behind it
 */
record Change(How how, Protocol protocol) {
    enum How {
        /** The same protocol goes on. */
        RESUME,
        /** Another protocol, for the same receiver. */
        SWITCH,
        /** Another protocol, and a connection of its own for it: the receiver ends. */
        UPGRADE
    }

    private static final List<How> ALL = List.of(How.values());

    static Change any(Protocol before, RandomGenerator random) {
        How how = ALL.get(random.nextInt(ALL.size()));
        return new Change(how, how == How.RESUME ? before : Protocol.any(random));
    }
}
