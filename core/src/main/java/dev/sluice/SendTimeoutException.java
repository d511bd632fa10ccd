package dev.sluice;

import java.time.Duration;

/** A message was accepted, and its bytes were not taken by the kernel in time: the peer reads too slowly, or not at all. */
public final class SendTimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SendTimeoutException(Duration waited, Duration limit) {
        super("message was not written in time: waited=" + waited + ", limit=" + limit);
    }
}
