package dev.sluice.framing;

/** What becomes of a frame whose payload is longer than the framing's {@code maxPayloadLength}. */
public enum Oversize {
    /** The stream of frames ends with a {@link FrameTooLongException}, behind all frames before it. The default. */
    FAIL,

    /**
     * Exactly that frame is skipped and reported once to the {@link FrameListener}; the frame behind it is delivered as
     * soon as its bytes are there.
     */
    DISCARD
}
