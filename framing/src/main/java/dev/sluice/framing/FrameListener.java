package dev.sluice.framing;

/**
 * Told of frames that were not delivered. Called by the thread that reads, once for each discarded frame, before the
 * frame behind it is looked at. An exception thrown here fails the reader.
 */
@FunctionalInterface
public interface FrameListener {
    /** Takes no notice. */
    FrameListener NONE = (streamOffset, payloadLength, maxPayloadLength) -> {};

    /**
     * A frame was too long and is skipped ({@link Oversize#DISCARD}).
     *
     * @param streamOffset bytes of the stream before this frame
     * @param payloadLength payload bytes of the frame as far as they were known then: its whole length when a header
     *     tells it ({@link Long#MAX_VALUE} stands for anything beyond), otherwise the bytes that had exceeded the limit
     * @param maxPayloadLength the limit in bytes
     */
    void frameDiscarded(long streamOffset, long payloadLength, long maxPayloadLength);
}
