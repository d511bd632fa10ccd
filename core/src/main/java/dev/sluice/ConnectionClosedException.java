package dev.sluice;

import org.jspecify.annotations.Nullable;

/**
 * The connection was closed from this side before the stream ended by itself, or the peer's end cannot be trusted ({@link
 * CloseReason#TLS_TRUNCATED}), or a message was sent on a connection that is closed.
 */
public final class ConnectionClosedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final CloseReason reason;

    ConnectionClosedException(CloseReason reason, @Nullable Throwable cause) {
        super("connection is closed: reason=" + reason, cause);
        this.reason = reason;
    }

    /** What closed it. */
    public CloseReason reason() {
        return reason;
    }
}
