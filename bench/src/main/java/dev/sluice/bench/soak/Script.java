package dev.sluice.bench.soak;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one direction, one after the other: the sender makes them from it, the receiver checks them against a
 * copy. Their lengths follow from the seed, and so do the changes of the protocol; those that have room begin with their
 * number, which has the highest bit where a change follows, and the checksum of the rest.
 */
final class Script {
    private static final int LARGEST = 1 << 20;
    private static final int HEADER = Long.BYTES + Integer.BYTES;
    /** What payloads are cut from, at any offset. */
    private static final ByteBuffer BLOCK = block();

    private static final long PAUSES = Long.MIN_VALUE;
    /** Of so many messages one is followed by a change. */
    private static final int CHANGE_EVERY = 25;

    private final Random random;
    private final int count;
    private int number;
    private Protocol protocol = Protocol.LENGTH_FIELD;
    private @Nullable Change change;

    Script(long seed, int count) {
        this.random = new Random(seed);
        this.count = count;
    }

    /** A message before the script that brings a number, and is followed by a change if that is asked for. */
    static Protocol.Frame opening(long head, boolean pauses) {
        ByteBuf payload = ByteBufAllocator.DEFAULT.buffer(HEADER);
        return new Protocol.Frame(
                Protocol.LENGTH_FIELD,
                payload.writeLong(pauses ? head | PAUSES : head & ~PAUSES).writeInt(checksum(BLOCK.slice(0, 0))));
    }

    /** Takes a message; what it begins with. */
    static long headOf(Object message) {
        Parcel parcel = Parcel.take(message);
        return parcel.head() & ~PAUSES;
    }

    /** Whether a change follows this message. */
    static boolean pauses(Object message) {
        if (message instanceof ByteBuf slice) {
            return slice.readableBytes() >= HEADER && slice.getLong(slice.readerIndex()) < 0;
        }
        Parcel parcel = (Parcel) message;
        return parcel.length() >= HEADER && parcel.head() < 0;
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

    /** Takes the next step; returns the message's length. What follows it is {@link #change} then. */
    private int step() {
        number++;
        if (change != null) {
            protocol = change.protocol();
        }
        boolean changes = random.nextInt(CHANGE_EVERY) == 0 && number < count; // an end must not come to a pause
        change = changes ? Change.any(protocol, random) : null;
        int length = nextLength();
        return changes ? Math.min(HEADER + length, LARGEST) : length;
    }

    /** What follows the message that was checked last; {@code null} if the next comes by the same protocol. */
    @Nullable Change change() {
        return change;
    }

    private long head() {
        return change == null ? number : number | PAUSES;
    }

    /** The next message to send. */
    Protocol.Frame next(ByteBufAllocator allocator) {
        int length = step();
        ByteBuf message = allocator.buffer(length);
        if (length < HEADER) {
            message.writeBytes(BLOCK.slice(number & 1023, length));
        } else {
            ByteBuffer rest = BLOCK.slice(number * 31 & (LARGEST - 1), length - HEADER);
            message.writeLong(head()).writeInt(checksum(rest.duplicate())).writeBytes(rest);
        }
        return new Protocol.Frame(protocol, message);
    }

    /** What is wrong with the message that came next; {@code null} if nothing is. */
    @Nullable String check(Parcel parcel) {
        int length = step();
        long expected = head();
        if (parcel.length() != length) {
            return "wrong length: number=" + number + ", length=" + parcel.length() + ", expected=" + length;
        }
        if (length < HEADER) {
            return null;
        }
        if (parcel.head() != expected) {
            return "wrong message: number=" + parcel.head() + ", expected=" + expected;
        }
        return parcel.isIntact() ? null : "wrong checksum: number=" + number + ", length=" + length;
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
        /** Notes what a receiver was given, and releases it. */
        static Parcel take(Object message) {
            if (message instanceof ByteBuf slice) {
                Parcel parcel = of(slice);
                slice.release();
                return parcel;
            }
            return (Parcel) message;
        }

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
