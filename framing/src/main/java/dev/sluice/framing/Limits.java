package dev.sluice.framing;

/** What all framings check in the same words: their settings when built, and payloads before they are encoded. */
final class Limits {
    static final int DEFAULT_MAX_PAYLOAD_LENGTH = 1024 * 1024;

    private Limits() {}

    /** Refuses a setting. */
    static void check(boolean right, String wrong, String name, int value, int limit) {
        if (!right) {
            throw new IllegalArgumentException(wrong + ": " + name + "=" + value + ", limit=" + limit);
        }
    }

    static void checkMaxPayloadLength(int maxPayloadLength) {
        check(maxPayloadLength >= 0, "maxPayloadLength below zero", "maxPayloadLength", maxPayloadLength, 0);
    }

    /** Refuses to encode a payload over the limit. */
    static void checkPayloadLength(long payloadLength, int maxPayloadLength) {
        if (payloadLength > maxPayloadLength) {
            throw new IllegalArgumentException(
                    "payload too long: payloadLength=" + payloadLength + ", maxPayloadLength=" + maxPayloadLength);
        }
    }

    /** Refuses to encode a frame that no buffer can hold. */
    static void checkFrameLength(long frameLength) {
        if (frameLength > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "frame too long: frameLength=" + frameLength + ", limit=" + Integer.MAX_VALUE);
        }
    }
}
