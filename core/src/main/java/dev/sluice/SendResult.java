package dev.sluice;

/** What {@link FrameConnection#trySend trySend} did with a message. */
public enum SendResult {
    /** It is on its way, and the connection's from now on. If a reply was asked for, exactly one follows. */
    ACCEPTED,

    /**
     * Nothing was queued; the message stays the caller's. The connection holds as much as it may, and takes more from its
     * low watermark on: {@link FrameConnection#writable()} tells when.
     */
    BUSY,

    /** Nothing was queued, and nothing will be; the message stays the caller's. */
    CLOSED
}
