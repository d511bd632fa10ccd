package dev.sluice.bench;

/** A way to send frames from threads that are not the event loop. */
enum SendKind implements Named {
    /** {@code trySend} without a reply; when busy, {@code writable()} is awaited. */
    SLUICE_TRY_SEND,
    /** {@code trySend} with a reply for each message. */
    SLUICE_REPLY,
    /** {@code writeAndFlush}, awaited before the next. */
    NETTY_AWAITED,
    /** {@code writeAndFlush}, not awaited, while the channel is writable. */
    NETTY,
    /** The same behind a {@code FlushConsolidationHandler(256, true)}. */
    NETTY_CONSOLIDATED,
    /** Reactor Netty's {@code send(Flux)}, one for each thread. */
    RN_FLUX,
    /** Reactor Netty's {@code sendObject} for each message, while the channel is writable. */
    RN_OBJECT
}
