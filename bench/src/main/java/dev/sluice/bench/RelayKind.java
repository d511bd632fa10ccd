package dev.sluice.bench;

/** How a relay passes messages on. The first three receive alike. */
enum RelayKind implements Named {
    /** {@code receive().concatMap(…)}: each write is awaited before the next message is asked for. */
    AWAITED,
    /** {@code writeAndFlush} for each message, not awaited. */
    UNAWAITED,
    /** {@code trySend} for each message. */
    SLUICE,
    /** Netty's decoder and a handler: no automatic reads, the next is asked for when the write has completed. */
    NETTY_AWAITED,
    /** Netty's decoder and a handler that writes and flushes each frame. */
    NETTY_UNAWAITED
}
