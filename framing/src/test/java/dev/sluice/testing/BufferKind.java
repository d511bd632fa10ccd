package dev.sluice.testing;

import dev.sluice.framing.test.Harness;
import dev.sluice.framing.test.InputBuffer;

/** The kinds of buffer in which bytes may arrive: those of {@link Harness#buffer}, by their names. */
public enum BufferKind {
    /** One array, with foreign bytes before and behind. */
    HEAP,
    /** Memory outside the heap, without an array. */
    DIRECT,
    /** Refuses to be written to, and to hand out its array. */
    READ_ONLY,
    /** Three components, so that most values lie across two of them. */
    COMPOSITE,
    /** A part of another buffer that has no room to grow. */
    SLICE;

    /** A buffer of this kind whose readable bytes are these; also an empty one is a buffer of its own. */
    public InputBuffer of(byte[] bytes) {
        return Harness.buffer(name(), bytes);
    }
}
