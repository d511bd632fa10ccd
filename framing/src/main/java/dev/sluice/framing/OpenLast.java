package dev.sluice.framing;

/** What becomes of the bytes behind the last delimiter or line end when the input ends. */
public enum OpenLast {
    /** They are a frame that was cut off: a {@link TruncatedFrameException}, behind all frames before it. The default. */
    FAIL,

    /**
     * They are the last frame, as they are; no bytes are no frame. A delimiter or line end that had only begun is part of
     * it and counts against {@code maxPayloadLength}. Only where the input ended properly: when its source fails, the
     * bytes are dropped.
     */
    EMIT
}
