package dev.sluice;

import dev.sluice.framing.Codec;
import dev.sluice.framing.Framing;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.SlicePolicy;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Numbered messages and their bytes: a 4-byte length, then the number and padding. */
final class Frames {
    static final int HEADER = 4;

    static final Framing FRAMING =
            LengthFieldFraming.builder().maxPayloadLength(64 * 1024 * 1024).build();

    /** Plain objects; the padding is not looked at. */
    static final Codec<Integer, Integer> NUMBERS = Codec.of(
            FRAMING, payload -> payload.readInt(), (number, out) -> out.buffer().writeInt(number));

    static final Codec<byte[], byte[]> BYTES = Codec.bytes(FRAMING);

    /** Reference-counted messages, whatever their length: a copy on the heap that leaks would not be noticed. */
    static final Codec<ByteBuf, ByteBuf> SLICES = Codec.slices(FRAMING, SlicePolicy.ALWAYS_SLICE);

    private Frames() {}

    /** Frames of the numbers from the first up to, not with, the second. */
    static byte[] numbers(int from, int to) {
        return numbers(from, to, Integer.BYTES);
    }

    /** The same, with payloads of this length. */
    static byte[] numbers(int from, int to, int payloadLength) {
        ByteBuf frames = Unpooled.wrappedBuffer(new byte[(to - from) * (HEADER + payloadLength)]);
        frames.clear();
        for (int number = from; number < to; number++) {
            frames.writeInt(payloadLength).writeInt(number).writeZero(payloadLength - Integer.BYTES);
        }
        return frames.array();
    }

    /** The payload of a number that is sent as bytes. */
    static byte[] payload(int number, int payloadLength) {
        byte[] frame = numbers(number, number + 1, payloadLength);
        byte[] payload = new byte[payloadLength];
        System.arraycopy(frame, HEADER, payload, 0, payloadLength);
        return payload;
    }

    /** Empty frames. */
    static byte[] empty(int count) {
        return new byte[count * HEADER];
    }

    /** The numbers of frames. */
    static List<Integer> decode(byte[] frames) {
        List<Integer> numbers = new ArrayList<>();
        ByteBuf in = Unpooled.wrappedBuffer(frames);
        while (in.isReadable()) {
            ByteBuf payload = in.readSlice(in.readInt());
            numbers.add(payload.readInt());
        }
        return numbers;
    }

    /** The number in a message, which is released. */
    static int take(ByteBuf message) {
        int number = message.getInt(message.readerIndex());
        message.release();
        return number;
    }

    static List<Integer> range(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    static byte[] hex(String bytes) {
        return ByteBufUtil.decodeHexDump(bytes.replace(" ", ""));
    }
}
