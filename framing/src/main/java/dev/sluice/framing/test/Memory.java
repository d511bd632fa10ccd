package dev.sluice.framing.test;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The kinds of buffer in which bytes may arrive. */
enum Memory {
    /** One array, with foreign bytes before and behind. */
    HEAP {
        @Override
        Input of(byte[] bytes) {
            byte[] array = surround(bytes);
            ByteBuf buffer = Unpooled.wrappedBuffer(array).setIndex(BEFORE, BEFORE + bytes.length);
            return new Input(buffer, List.of(), List.of(ByteBuffer.wrap(array)));
        }
    },

    /** Memory outside the heap, without an array. */
    DIRECT {
        @Override
        Input of(byte[] bytes) {
            ByteBuffer memory = ByteBuffer.allocateDirect(BEFORE + bytes.length + BEHIND);
            memory.put(surround(bytes)).flip();
            ByteBuf buffer = Unpooled.wrappedBuffer(memory).setIndex(BEFORE, BEFORE + bytes.length);
            return new Input(buffer, List.of(), List.of(memory));
        }
    },

    /** Refuses to be written to, and to hand out its array. */
    READ_ONLY {
        @Override
        Input of(byte[] bytes) {
            byte[] array = surround(bytes);
            ByteBuf buffer = Unpooled.wrappedBuffer(array).asReadOnly().setIndex(BEFORE, BEFORE + bytes.length);
            return new Input(buffer, List.of(), List.of(ByteBuffer.wrap(array)));
        }
    },

    /** Three components, so that most values lie across two of them. */
    COMPOSITE {
        @Override
        Input of(byte[] bytes) {
            CompositeByteBuf buffer = Unpooled.compositeBuffer();
            List<ByteBuf> components = new ArrayList<>();
            List<ByteBuffer> memory = new ArrayList<>();
            int third = bytes.length / 3;
            for (int[] part : new int[][] {{0, third}, {third, 2 * third}, {2 * third, bytes.length}}) {
                byte[] array = Arrays.copyOfRange(bytes, part[0], part[1]);
                if (array.length > 0) {
                    ByteBuf component = Unpooled.wrappedBuffer(array);
                    buffer.addComponent(true, component);
                    components.add(component);
                    memory.add(ByteBuffer.wrap(array));
                }
            }
            return new Input(buffer, components, memory);
        }
    },

    /** A part of another buffer that has no room to grow. */
    SLICE {
        @Override
        Input of(byte[] bytes) {
            byte[] array = surround(bytes);
            ByteBuf buffer = Unpooled.wrappedBuffer(array).slice(BEFORE, bytes.length);
            return new Input(buffer, List.of(), List.of(ByteBuffer.wrap(array)));
        }
    };

    private static final int BEFORE = 3;
    private static final int BEHIND = 5;
    private static final byte FOREIGN = (byte) 0xf7;

    /** A buffer of this kind whose readable bytes are these; also an empty one is a buffer of its own. */
    abstract Input of(byte[] bytes);

    private static byte[] surround(byte[] bytes) {
        byte[] array = new byte[BEFORE + bytes.length + BEHIND];
        Arrays.fill(array, FOREIGN);
        System.arraycopy(bytes, 0, array, BEFORE, bytes.length);
        return array;
    }
}
