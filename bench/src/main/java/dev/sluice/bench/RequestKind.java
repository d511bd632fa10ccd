package dev.sluice.bench;

/** How a client sends requests that it makes of four small parts. */
enum RequestKind implements Named {
    /** Each part is written and flushed, and TCP collects them: {@code TCP_NODELAY} is off. */
    NAGLE,
    /** Each part is written and flushed, with {@code TCP_NODELAY}. */
    NODELAY,
    /** Each part is written into the buffer of a Sluice encoder. */
    SLUICE
}
