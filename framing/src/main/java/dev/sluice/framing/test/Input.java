package dev.sluice.framing.test;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A buffer that is given away, and what is needed to see what became of it. */
final class Input {
    private static final byte GARBAGE = 0x5a;

    private final ByteBuf buffer;
    private final List<ByteBuf> components;
    private final List<ByteBuffer> memory;
    private final List<ByteBuffer> original = new ArrayList<>();

    Input(ByteBuf buffer, List<ByteBuf> components, List<ByteBuffer> memory) {
        this.buffer = buffer;
        this.components = components;
        this.memory = memory;
        for (ByteBuffer part : memory) {
            original.add(ByteBuffer.allocate(part.capacity())
                    .put(part.duplicate().clear())
                    .flip());
        }
    }

    /** The buffer itself. */
    ByteBuf buffer() {
        return buffer;
    }

    /** References to it, or to a part of it. */
    int refCnt() {
        int references = buffer.refCnt();
        for (ByteBuf component : components) {
            references += component.refCnt();
        }
        return references;
    }

    /** Whether nothing has been written to its memory, which can still be read when the buffer has been released. */
    boolean isUnchanged() {
        for (int i = 0; i < memory.size(); i++) {
            if (!memory.get(i).duplicate().clear().equals(original.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Writes other bytes into its memory, as a read buffer that is used again. */
    void overwrite() {
        for (ByteBuffer part : memory) {
            ByteBuffer target = part.duplicate().clear();
            byte[] garbage = new byte[target.remaining()];
            Arrays.fill(garbage, GARBAGE);
            target.put(garbage);
        }
    }

    /** Drops every reference that is left, so that a run that has failed leaks nothing. */
    void drop() {
        if (buffer.refCnt() > 0) {
            buffer.release(buffer.refCnt());
        }
        for (ByteBuf component : components) {
            if (component.refCnt() > 0) {
                component.release(component.refCnt());
            }
        }
    }
}
