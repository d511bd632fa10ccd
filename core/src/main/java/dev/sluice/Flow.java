package dev.sluice;

/** What a {@link Receiver} answers to a message, and to the end of a drain. */
enum Flow {
    /** Decode the next message, if one is whole. */
    CONTINUE,

    /** Decode nothing more for this receiver now: it has no demand and the ring is full, or it is gone. */
    PAUSE
}
