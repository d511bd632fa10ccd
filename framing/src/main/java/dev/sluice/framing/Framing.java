package dev.sluice.framing;

import io.netty.buffer.ByteBuf;

/**
 * How frames lie in a stream of bytes: an immutable description, shared by any number of streams and threads, that serves
 * both directions. For every payload that {@link #encode encode} takes, decoding what it wrote gives that payload back.
 *
 * <p>A framing of your own needs two methods: {@link #newFramer()} (often a lambda, see {@link Framer}) and {@link
 * #encode encode}; {@link dev.sluice.framing.test.FramerVerifier} has an example, and tests yours. The two header methods
 * are for those framings whose frame is a header followed by the payload as it is: they let {@link FrameWriter} build
 * frames in place, without a copy of the payload.
 */
public interface Framing {
    /** Makes the state for one stream. */
    Framer newFramer();

    /**
     * Appends one frame that holds this payload.
     *
     * @param payload its readable bytes are the payload, just what decoding would deliver; neither kept, released nor
     *     moved
     * @param target where the frame is appended, at its writer index; it grows as needed
     * @throws IllegalArgumentException if the framing cannot carry this payload (it is too long, or decoding would not
     *     give it back); nothing is written then
     */
    void encode(ByteBuf payload, ByteBuf target);

    /**
     * The length of the header in front of a payload, where the frame is this header and then the payload as it is, and
     * the header depends on nothing but the payload's length.
     *
     * @param payloadLength in bytes
     * @return bytes; −1 (the default) where that is not so: then {@link #encode encode} builds every frame
     */
    default int headerLength(long payloadLength) {
        return -1;
    }

    /**
     * Writes the header of {@link #headerLength headerLength} bytes for a payload of this length.
     *
     * @param payloadLength in bytes
     * @param target takes the header at {@code index}; its indices do not move
     * @param index where the header begins
     * @throws IllegalArgumentException if the framing cannot carry a payload of this length; nothing is written then
     */
    default void setHeader(long payloadLength, ByteBuf target, int index) {
        throw new UnsupportedOperationException(getClass().getName() + " builds frames by encode");
    }
}
