package dev.sluice.framing;

/**
 * Turns a message into the payload of a frame. Used by one thread at a time for each stream; an encoder that several
 * streams share must have no state.
 *
 * @param <O> the messages that go out
 */
@FunctionalInterface
public interface MessageEncoder<O> {
    /**
     * Writes one message. If this throws, nothing of the message goes out.
     *
     * @param message not released here: whoever sends it does that
     * @param out takes the payload
     */
    void encode(O message, FrameWriter out);

    /**
     * About how many bytes {@link #encode encode} will write, so that they fit into one buffer: a hint, called before
     * each message. A connection that holds messages until they are encoded counts them by it, and calls it on the thread
     * that sends too, so it must not depend on the encoder's state. 256 by default.
     *
     * @return bytes, 0 or more
     */
    default int sizeHint(O message) {
        return 256;
    }
}
