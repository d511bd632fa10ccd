package dev.sluice.framing.test;

import io.netty.buffer.ByteBuf;

/** An {@link Input} for the tests of other packages. */
public final class InputBuffer {
    private final Input input;

    InputBuffer(Input input) {
        this.input = input;
    }

    /** The buffer itself. */
    public ByteBuf buffer() {
        return input.buffer();
    }

    /** References to it, or to a part of it. */
    public int refCnt() {
        return input.refCnt();
    }

    /** Whether nothing has been written to its memory. */
    public boolean isUnchanged() {
        return input.isUnchanged();
    }

    /** Writes other bytes into its memory, as a read buffer that is used again. */
    public void overwrite() {
        input.overwrite();
    }
}
