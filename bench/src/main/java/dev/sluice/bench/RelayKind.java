package dev.sluice.bench;

import java.util.Arrays;
import java.util.Locale;

/** How a relay passes messages on. The first three receive alike. */
enum RelayKind {
    /** {@code receive().concatMap(…)}: each write is awaited before the next message is asked for. */
    AWAITED,
    /** {@code writeAndFlush} for each message, not awaited. */
    UNAWAITED,
    /** {@code trySend} for each message. */
    SLUICE,
    /** Netty's decoder and a handler: no automatic reads, the next is asked for when the write has completed. */
    NETTY_AWAITED,
    /** Netty's decoder and a handler that writes and flushes each frame. */
    NETTY_UNAWAITED;

    String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static RelayKind of(String id) {
        return Arrays.stream(values())
                .filter(kind -> kind.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such kind: kind=" + id));
    }
}
