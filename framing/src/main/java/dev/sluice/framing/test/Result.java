package dev.sluice.framing.test;

import dev.sluice.framing.FramingException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What came out of a stream of bytes.
 *
 * @param messages by {@link Content#of}, in order
 * @param frameEnds bytes of the stream up to the end of each message's frame
 * @param beforeEnd messages that were read before the input ended
 * @param failure what ended the stream of frames, unless it completed or is still open
 * @param discarded oversize frames that were reported
 */
record Result(
        List<Object> messages,
        List<Long> frameEnds,
        int beforeEnd,
        @Nullable FramingException failure,
        long discarded) {
    /** The exception's class; {@code null} if there was none. */
    @Nullable Class<?> kind() {
        return failure == null ? null : failure.getClass();
    }

    /** Where in the stream it failed; −1 if it did not. */
    long failureOffset() {
        return failure == null ? -1 : failure.streamOffset();
    }

    /** Whether this is what must come out if {@code other} comes out in another way. */
    boolean isSameAs(Result other) {
        return messages.equals(other.messages)
                && frameEnds.equals(other.frameEnds)
                && Objects.equals(kind(), other.kind())
                && discarded == other.discarded
                && failureOffset() == other.failureOffset();
    }

    @Override
    public String toString() {
        String end =
                failure == null ? "no failure" : failure.getClass().getSimpleName() + " (" + failure.getMessage() + ")";
        return Content.show(messages) + ", then " + end + (discarded > 0 ? ", discardedFrames=" + discarded : "");
    }
}
