package dev.sluice.bench.soak;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one direction, one after the other: the sender makes them from it, the receiver checks them against a
 * copy. Their lengths follow from the seed; those that have room begin with their number and the checksum of the rest.
 */
final class Script {
    private static final int LARGEST = 1 << 20;
    private static final int HEADER = Long.BYTES + Integer.BYTES;
    /** What payloads are cut from, at any offset. */
    private static final ByteBuffer BLOCK = block();

    private final Random random;
    private long number;

    Script(long seed) {
        random = new Random(seed);
    }

    private static ByteBuffer block() {
        byte[] bytes = new byte[2 * LARGEST];
        new Random(1).nextBytes(bytes);
        return ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
    }

    /** From nothing to a mebibyte; small ones prevail. */
    private int nextLength() {
        int kind = random.nextInt(100);
        int bound = kind < 5 ? 1 : kind < 50 ? 64 : kind < 90 ? 4 * 1024 : kind < 99 ? 64 * 1024 : LARGEST + 1;
        return random.nextInt(bound);
    }

    /** The next message to send. */
    ByteBuf next(ByteBufAllocator allocator) {
        int length = nextLength();
        ByteBuf message = allocator.buffer(length);
        if (length < HEADER) {
            message.writeBytes(BLOCK.slice((int) (number & 1023), length));
        } else {
            ByteBuffer rest = BLOCK.slice((int) (number * 31 & (LARGEST - 1)), length - HEADER);
            message.writeLong(number).writeInt(checksum(rest.duplicate())).writeBytes(rest);
        }
        number++;
        return message;
    }

    /** What is wrong with the message that came next; {@code null} if nothing is. */
    @Nullable String check(Parcel parcel) {
        int length = nextLength();
        long expected = number++;
        if (parcel.length() != length) {
            return "wrong length: number=" + expected + ", length=" + parcel.length() + ", expected=" + length;
        }
        if (length < HEADER) {
            return null;
        }
        if (parcel.head() != expected) {
            return "wrong message: number=" + parcel.head() + ", expected=" + expected;
        }
        return parcel.isIntact() ? null : "wrong checksum: number=" + expected + ", length=" + length;
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /**
     * What a receiver notes of a message.
     *
     * @param length of the payload
     * @param head its first 8 bytes, if it has so many
     * @param isIntact whether it has the checksum that it brings, if it has room for one
     */
    record Parcel(int length, long head, boolean isIntact) {
        static Parcel of(ByteBuf payload) {
            int length = payload.readableBytes();
            int at = payload.readerIndex();
            long head = length < Long.BYTES ? 0 : payload.getLong(at);
            boolean intact = length < HEADER
                    || payload.getInt(at + Long.BYTES) == checksum(payload.nioBuffer(at + HEADER, length - HEADER));
            return new Parcel(length, head, intact);
        }
    }
}
