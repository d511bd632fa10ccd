package dev.sluice.bench.soak;

import java.util.Random;

/**
 * What one connection does, from its seed: both ends know it, the server's by the first message.
 *
 * @param seed of everything on this connection
 * @param toServer messages that the client sends
 * @param toClient messages that the server sends
 * @param ending how it ends
 */
record Plan(long seed, int toServer, int toClient, Ending ending) {
    enum Ending {
        /** Each end closes when it has taken all. */
        CLOSE,
        /** Each end ends its output and takes what comes until the other's end. */
        HALF_CLOSE,
        /** The client resets the connection somewhere. */
        RESET,
        /** The client disposes the connection somewhere. */
        DISPOSE;

        /** Whether every message must come. */
        boolean isOrderly() {
            return this == CLOSE || this == HALF_CLOSE;
        }
    }

    static Plan of(long seed, boolean tls) {
        Random random = new Random(seed);
        Ending ending = switch (random.nextInt(10)) {
            case 0, 1 -> Ending.RESET;
            case 2 -> Ending.DISPOSE;
            case 3, 4, 5 -> tls ? Ending.CLOSE : Ending.HALF_CLOSE;
            default -> Ending.CLOSE;
        };
        return new Plan(seed, 1 + random.nextInt(300), 1 + random.nextInt(300), ending);
    }

    /** The messages of one direction. */
    Script script(boolean toServer) {
        return new Script(toServer ? ~seed : seed, toServer ? this.toServer : toClient);
    }
}
