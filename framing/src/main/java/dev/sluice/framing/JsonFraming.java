package dev.sluice.framing;

import io.netty.buffer.ByteBuf;

/**
 * JSON without any other framing: the objects and arrays of a stream of JSON texts, or the elements of one array. JSON is
 * that of RFC 8259; a stream of texts without separators is what RFC 7464 and NDJSON avoid, and what many services send.
 *
 * <pre>
 * {"a":1}{"b":[2]} [3]          values()          delivers  {"a":1}  {"b":[2]}  [3]
 * [{"a":1}, "b" ,[2],3]         arrayElements()   delivers  {"a":1}  "b"  [2]  3
 * </pre>
 *
 * <p>Values: each object or array at top level is a frame. Space, tab, CR and LF between them are skipped, as is one UTF-8
 * byte order mark at the very beginning of the stream; any other byte there is a {@link CorruptFrameException}.
 *
 * <p>Array elements: the stream is one array, white space and a byte order mark before it, white space behind it. Each
 * element, of whatever kind, is a frame without the white space around it. An object, array or string is delivered at its
 * last byte, a number, {@code true}, {@code false} or {@code null} at the byte behind it. A missing element or comma, a
 * bracket, quote or colon inside a bare scalar, and a wrong closing bracket are corrupt; an end of input before the closing
 * bracket is a {@link TruncatedFrameException}. No array at all is no error.
 *
 * <p>A frame is found by its strings and brackets alone, and nothing else in it is checked: that is up to whoever parses
 * it. Brackets must match in kind and be nested at most {@code maxDepth} deep within a frame, else it is corrupt. A frame
 * of more than {@code maxPayloadLength} bytes is a {@link FrameTooLongException} at its first byte beyond; it cannot be
 * skipped, since the end of a frame that is not trusted is not either.
 *
 * <p>Encoding writes the payload as it is. It must be exactly one object or array, without white space around it, within
 * the limits. With array elements it refuses every payload.
 *
 * <p>Take it for peers that send JSON and nothing between. Where the protocol is yours to choose, lines of JSON are found
 * faster, and their framing survives a text that is not JSON.
 */
public final class JsonFraming implements Framing {
    private static final int DEFAULT_MAX_DEPTH = 512;

    private final boolean arrayElements;
    private final int maxPayloadLength;
    private final int maxDepth;

    private JsonFraming(Builder builder) {
        arrayElements = builder.arrayElements;
        maxPayloadLength = builder.maxPayloadLength;
        maxDepth = builder.maxDepth;
    }

    /** The objects and arrays of a stream, with the defaults of {@link #builder()}. */
    public static JsonFraming values() {
        return builder().build();
    }

    /** The elements of one array, with the defaults of {@link #builder()}; it only decodes. */
    public static JsonFraming arrayElements() {
        return builder().arrayElements(true).build();
    }

    /** A builder with the defaults that its methods name. */
    public static Builder builder() {
        return new Builder();
    }

    /** Longest payload in bytes. */
    public int maxPayloadLength() {
        return maxPayloadLength;
    }

    @Override
    public Framer newFramer() {
        return new JsonFramer(arrayElements, maxPayloadLength, maxDepth);
    }

    @Override
    public void encode(ByteBuf payload, ByteBuf target) {
        if (arrayElements) {
            throw new IllegalArgumentException("framing of the elements of an array only decodes: arrayElements=true");
        }
        int length = payload.readableBytes();
        Limits.checkPayloadLength(length, maxPayloadLength);
        if (!isOneFrame(payload)) {
            throw new IllegalArgumentException("payload is not exactly one object or array: payloadLength=" + length);
        }
        target.writeBytes(payload, payload.readerIndex(), length);
    }

    private boolean isOneFrame(ByteBuf payload) {
        if (!payload.isReadable()) {
            return false;
        }
        Framer.Answer answer = new Framer.Answer();
        try {
            newFramer().frame(payload, answer);
        } catch (FramingException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        return answer.kind == Framer.Answer.Kind.FRAME && answer.payloadLength == payload.readableBytes();
    }

    @Override
    public String toString() {
        return "JsonFraming{arrayElements=" + arrayElements + ", maxPayloadLength=" + maxPayloadLength + ", maxDepth="
                + maxDepth + "}";
    }

    /** Settings of a {@link JsonFraming}; checked by {@link #build()}. */
    public static final class Builder {
        private boolean arrayElements;
        private int maxPayloadLength = Limits.DEFAULT_MAX_PAYLOAD_LENGTH;
        private int maxDepth = DEFAULT_MAX_DEPTH;

        private Builder() {}

        /** Whether the stream is one array whose elements are the frames; false by default. */
        public Builder arrayElements(boolean arrayElements) {
            this.arrayElements = arrayElements;
            return this;
        }

        /** Longest payload in bytes; 1 MiB by default. With 0 none passes. */
        public Builder maxPayloadLength(int maxPayloadLength) {
            this.maxPayloadLength = maxPayloadLength;
            return this;
        }

        /**
         * How deep objects and arrays may be nested within a frame, itself counted, at least 1; 512 by default. The array
         * around elements does not count.
         */
        public Builder maxDepth(int maxDepth) {
            this.maxDepth = maxDepth;
            return this;
        }

        /**
         * The framing.
         *
         * @throws IllegalArgumentException if a setting is out of range
         */
        public JsonFraming build() {
            Limits.checkMaxPayloadLength(maxPayloadLength);
            if (maxDepth < 1) {
                throw new IllegalArgumentException("maxDepth below one: maxDepth=" + maxDepth + ", limit=1");
            }
            return new JsonFraming(this);
        }
    }
}
