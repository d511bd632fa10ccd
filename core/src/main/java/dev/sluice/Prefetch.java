package dev.sluice;

/**
 * How much is decoded ahead of demand. Full is reached when, after adding a message, either bound is reached or passed: so
 * a message of any size passes, and overshoots once. From full on nothing is decoded beyond demand, and nothing is read
 * from the socket, until both numbers are down to half of their bounds, rounded down.
 *
 * @param messages how many messages; 0 only together with 0 bytes
 * @param bytes how many payload bytes, as they were on the wire
 */
public record Prefetch(int messages, long bytes) {
    /** 64 messages and 256 KiB: one full read of the socket, and batches that cost little more when they are larger. */
    public static final Prefetch DEFAULT = new Prefetch(64, 256 * 1024);

    private static final Prefetch ON_DEMAND = new Prefetch(0, 0);

    /**
     * Checks the bounds.
     *
     * @throws IllegalArgumentException if a bound is below 1, unless both are 0
     */
    public Prefetch {
        if (messages < 0 || (messages == 0 && bytes != 0)) {
            throw new IllegalArgumentException("prefetch holds no message: messages=" + messages + ", limit=1");
        }
        if (bytes < 0 || (bytes == 0 && messages != 0)) {
            throw new IllegalArgumentException("prefetch holds no byte: bytes=" + bytes + ", limit=1");
        }
    }

    /**
     * Decodes nothing that is not demanded. The socket is still read while no whole frame is at hand, since only a read
     * shows that the peer has ended the stream.
     */
    public static Prefetch onDemand() {
        return ON_DEMAND;
    }
}
