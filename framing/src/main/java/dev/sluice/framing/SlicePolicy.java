package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/**
 * Whether a message that keeps its payload gets a slice of the chunk, or a copy.
 *
 * <p>A slice costs no copy, but it pins the whole chunk: 16 bytes that are kept keep 64 KiB from being used again. So a
 * payload whose slice would pin more than {@code maxPinnedTimes} its own length is copied to the heap instead, which for
 * small payloads costs about as much as a slice. What messages keep is then bounded by what they hold: so many times their
 * bytes, set aside what each buffer object costs, and chunks of at most {@link #UNTOUCHED} bytes, which are not worth a
 * copy.
 *
 * <pre>
 * maxPinnedTimes 32, chunk of 64 KiB:    payload ≥ 2048 B         a slice
 *                                        payload of 1 to 2047 B   a copy
 *                                        payload of 0 B           an empty buffer
 * </pre>
 *
 * <p>{@link Codec#slices(Framing)} takes {@link #DEFAULT}. Decoders of your own that keep a payload, or a part of it, call
 * {@link #keep keep} in the place of {@code retainedSlice()}, and say so by {@link MessageDecoder#keepsPayload()}:
 *
 * <pre>{@code
 * public Packet decode(ByteBuf payload) {
 *     return new Packet(payload.readByte(), SlicePolicy.DEFAULT.keep(payload));
 * }
 * }</pre>
 */
public final class SlicePolicy {
    /** Chunks of at most this capacity, in bytes, are pinned by any slice. */
    public static final int UNTOUCHED = 1024;

    /** Copies what would pin more than 32 times its length. */
    public static final SlicePolicy DEFAULT = new SlicePolicy(32);

    /** Never copies: for consumers that release every slice soon. */
    public static final SlicePolicy ALWAYS_SLICE = new SlicePolicy(Integer.MAX_VALUE);

    private final int maxPinnedTimes;

    private SlicePolicy(int maxPinnedTimes) {
        this.maxPinnedTimes = maxPinnedTimes;
    }

    /**
     * Copies what would pin more than so many times its length.
     *
     * @param maxPinnedTimes the chunk's capacity, divided by the payload's length; at least 1, and then only a payload
     *     that fills its chunk is sliced
     * @throws IllegalArgumentException if it is less
     */
    public static SlicePolicy pinningAtMost(int maxPinnedTimes) {
        Limits.check(maxPinnedTimes >= 1, "maxPinnedTimes below one", "maxPinnedTimes", maxPinnedTimes, 1);
        return new SlicePolicy(maxPinnedTimes);
    }

    /**
     * A buffer with the readable bytes of this one, that outlives the call of the decoder.
     *
     * @param payload as given to {@link MessageDecoder#decode}; its indices do not move
     * @return owned by the caller, who releases it
     */
    public ByteBuf keep(ByteBuf payload) {
        int pinned = payload.capacity();
        return pinned <= UNTOUCHED || pinned <= (long) maxPinnedTimes * payload.readableBytes()
                ? payload.retainedSlice()
                : Unpooled.wrappedBuffer(ByteBufUtil.getBytes(payload));
    }

    @Override
    public String toString() {
        return maxPinnedTimes == Integer.MAX_VALUE
                ? "SlicePolicy{always slices}"
                : "SlicePolicy{maxPinnedTimes=" + maxPinnedTimes + "}";
    }
}
