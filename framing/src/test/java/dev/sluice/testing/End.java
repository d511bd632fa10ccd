package dev.sluice.testing;

/** What the source does behind its last chunk. */
public enum End {
    /** It ends. */
    COMPLETE,
    /** It fails. */
    ERROR,
    /** It stays silent. */
    OPEN
}
