package dev.sluice.framing.test;

import dev.sluice.framing.Codec;
import dev.sluice.framing.FrameWriter;
import dev.sluice.framing.Framing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The law of both directions: a payload is refused and nothing written, or decoding gives exactly it back. */
final class RoundTrip {
    private static final byte[] EARLIER = {0x45, 0x61, 0x72};

    private RoundTrip() {}

    /**
     * Fails if the law is broken by {@link Framing#encode encode}, or by a {@link FrameWriter} to which the payload is
     * written or appended, or if these differ.
     *
     * @return the refusal; {@code null} if the payload was taken
     */
    static @Nullable IllegalArgumentException verify(Framing framing, byte[] payload) {
        IllegalArgumentException refusal = verifyEncode(framing, payload);
        boolean taken = refusal == null;
        check(
                verify(Codec.bytes(framing), payload) == null == taken,
                "encode and a writer take the same payloads",
                payload);
        ByteBuf buffer = Unpooled.wrappedBuffer(payload);
        try {
            check(
                    verify(Codec.slices(framing), buffer) == null == taken,
                    "encode and append take the same payloads",
                    payload);
        } finally {
            buffer.release();
        }
        return refusal;
    }

    /**
     * Fails if a {@link FrameWriter} breaks the law for this message.
     *
     * @return the refusal; {@code null} if the message was taken
     */
    static <M> @Nullable IllegalArgumentException verify(Codec<M, ? super M> codec, M message) {
        CheckedAllocator allocator = new CheckedAllocator(false);
        try (FrameWriter writer = FrameWriter.create(codec.framing(), allocator)) {
            IllegalArgumentException refusal = null;
            try {
                writer.write(message, codec.encoder());
            } catch (IllegalArgumentException e) {
                refusal = e;
            }
            byte[] written = poll(writer);
            check(refusal == null || written.length == 0, "nothing is written when a payload is refused", written);
            checkDecoded(codec, written, refusal == null ? List.of(message) : List.of());
            return refusal;
        } finally {
            allocator.drop();
        }
    }

    /** Fails unless these messages, which are taken one by one, are decoded when they stand in a row. */
    static <M> void verifyInARow(Codec<M, ? super M> codec, List<M> messages) {
        CheckedAllocator allocator = new CheckedAllocator(false);
        try (FrameWriter writer = FrameWriter.create(codec.framing(), allocator)) {
            for (M message : messages) {
                writer.write(message, codec.encoder());
            }
            checkDecoded(codec, poll(writer), messages);
        } finally {
            allocator.drop();
        }
    }

    private static @Nullable IllegalArgumentException verifyEncode(Framing framing, byte[] payload) {
        ByteBuf message = Unpooled.wrappedBuffer(new byte[] {9}, payload, new byte[] {9});
        message.setIndex(1, 1 + payload.length);
        ByteBuf target = new CheckedAllocator(false).buffer(4).writeBytes(EARLIER);
        try {
            IllegalArgumentException refusal = null;
            try {
                framing.encode(message, target);
            } catch (IllegalArgumentException e) {
                refusal = e;
            }
            check(
                    message.readerIndex() == 1 && message.writerIndex() == 1 + payload.length,
                    "encode moves no index of the payload",
                    payload);
            check(message.refCnt() == 1 && target.refCnt() == 1, "encode neither keeps nor releases", payload);
            byte[] all = ByteBufUtil.getBytes(target, 0, target.writerIndex());
            check(
                    target.readerIndex() == 0 && Arrays.equals(EARLIER, Arrays.copyOf(all, EARLIER.length)),
                    "encode appends and leaves alone what stands before",
                    payload);
            byte[] frame = Arrays.copyOfRange(all, EARLIER.length, all.length);
            check(refusal == null || frame.length == 0, "nothing is written when a payload is refused", frame);
            checkDecoded(Codec.bytes(framing), frame, refusal == null ? List.of(payload) : List.of());
            return refusal;
        } finally {
            if (message.refCnt() > 0) {
                message.release(message.refCnt());
            }
            if (target.refCnt() > 0) {
                target.release(target.refCnt());
            }
        }
    }

    private static <M> void checkDecoded(Codec<M, ?> codec, byte[] encoded, List<M> messages) {
        List<Object> expected = messages.stream().map(Content::of).toList();
        for (Cut cut : List.of(Cut.none(encoded), Cut.every(encoded, 1))) {
            Run.of(codec, new Way(cut, Memory.HEAP, false, Way.Reading.AT_ONCE), List.of(), true, result -> {
                if (result.failure() != null || !result.messages().equals(expected)) {
                    throw new AssertionError("encoding is not undone by decoding: expected=" + Content.show(expected)
                            + ", encoded=" + Content.show(encoded) + ", got=" + result);
                }
            });
        }
    }

    private static byte[] poll(FrameWriter writer) {
        long pending = writer.pendingBytes();
        List<byte[]> all = new ArrayList<>();
        for (ByteBuf buffer = writer.poll(); buffer != null; buffer = writer.poll()) {
            all.add(ByteBufUtil.getBytes(buffer));
            buffer.release();
        }
        byte[] bytes = Cut.join(all);
        check(
                pending == bytes.length && writer.writtenBytes() == pending,
                "a writer counts what it has written",
                bytes);
        return bytes;
    }

    private static void check(boolean right, String what, byte[] bytes) {
        if (!right) {
            throw new AssertionError("does not hold: " + what + ": bytes=" + Content.show(bytes));
        }
    }
}
