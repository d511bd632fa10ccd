package dev.sluice.framing;

/**
 * Takes the messages that a {@link FrameReader} reads, one by one.
 *
 * @param <I> the messages
 */
@FunctionalInterface
public interface MessageSink<I> {
    /**
     * The next message, the sink's own from now on.
     *
     * @param payloadLength bytes of its payload, as they were on the wire
     * @return whether to go on with the one behind it
     */
    boolean message(I message, int payloadLength);
}
