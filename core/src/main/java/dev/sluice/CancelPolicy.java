package dev.sluice;

/** What becomes of a connection whose receiver cancels before the stream has ended. */
public enum CancelPolicy {
    /** It stays open, and the next receiver goes on with the first message that was not given. The default. */
    HAND_OVER,

    /** It is disposed. */
    CLOSE
}
