package dev.sluice.testing;

import java.time.Duration;

/** One way to find buffers that were not released. */
interface LeakCheck {
    static LeakCheck ofMode(String mode) {
        return switch (mode) {
            case "presence" -> new PresenceLeakCheck();
            case "paranoid" -> new ParanoidLeakCheck();
            default ->
                throw new IllegalStateException(
                        "unknown leak mode: sluice.leak.mode=" + mode + ", known=presence, paranoid");
        };
    }

    /**
     * Makes sure that a leak would be seen.
     *
     * @throws IllegalStateException if this JVM does not have the detector that is needed
     */
    void arm();

    /**
     * Fails for leaks since the call before; each is told once.
     *
     * @param patience how long a buffer may take to be released by another thread
     */
    void check(Duration patience);
}
