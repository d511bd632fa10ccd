package dev.sluice.framing;

import io.netty.buffer.ByteBuf;

/**
 * Turns a payload into a message. Used by one thread at a time for each stream; a decoder that several streams share must
 * have no state.
 *
 * @param <I> the messages that come in
 */
@FunctionalInterface
public interface MessageDecoder<I> {
    /**
     * Decodes one payload.
     *
     * @param payload a view of the input, valid during this call only: what it holds must be copied out, unless {@link
     *     #keepsPayload()}. Its readable bytes are the payload; the reader index is rarely 0, so absolute reads count
     *     from {@code payload.readerIndex()}. Neither released nor written to; its indices may be moved.
     * @return the message, never {@code null}
     */
    I decode(ByteBuf payload);

    /**
     * Whether messages hold on to the payload they were given, by {@code payload.retainedSlice()} or the like. {@code
     * false} by default: then the bytes are used again as soon as {@link #decode decode} has returned.
     */
    default boolean keepsPayload() {
        return false;
    }
}
