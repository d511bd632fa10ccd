package dev.sluice;

/** More messages wait to be sent than the connection holds; this one was refused and released. */
public final class BusyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BusyException(int waitingMessages, int limit) {
        super("too many messages wait to be sent: waitingMessages=" + waitingMessages + ", limit=" + limit);
    }
}
