package dev.sluice.framing;

/** A payload is longer than the framing's {@code maxPayloadLength}; nothing was reserved for it. */
public final class FrameTooLongException extends FramingException {
    private static final long serialVersionUID = 1L;

    private final long payloadLength;
    private final long maxPayloadLength;

    /**
     * @param payloadLength payload bytes as far as they are known; {@link Long#MAX_VALUE} for anything beyond
     * @param maxPayloadLength the limit in bytes
     */
    public FrameTooLongException(long payloadLength, long maxPayloadLength) {
        super("payload too long: payloadLength=" + (payloadLength == Long.MAX_VALUE ? "2^63 or more" : payloadLength)
                + ", maxPayloadLength=" + maxPayloadLength);
        this.payloadLength = payloadLength;
        this.maxPayloadLength = maxPayloadLength;
    }

    /** Payload bytes as far as they are known; {@link Long#MAX_VALUE} for anything beyond. */
    public long payloadLength() {
        return payloadLength;
    }

    /** The limit in bytes. */
    public long maxPayloadLength() {
        return maxPayloadLength;
    }
}
