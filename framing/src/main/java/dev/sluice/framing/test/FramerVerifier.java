package dev.sluice.framing.test;

import dev.sluice.framing.Codec;
import dev.sluice.framing.Framing;
import dev.sluice.framing.FramingException;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Verifies a framing of your own: given a stream of bytes and the messages that are in it, it brings the stream to the
 * framing in every way in which a network may, and fails with an {@link AssertionError} that says which way broke what.
 *
 * <p>For example a framing whose header of 7 bytes has a CRC-32, the length of the body, and a type, which is delivered
 * with the body:
 *
 * <pre>{@code
 * class Checksummed implements Framing {
 *     public Framer newFramer() {
 *         return (in, answer) -> {
 *             int at = in.readerIndex(), length = in.readableBytes() < 7 ? 1 : 1 + in.getUnsignedShort(at + 4);
 *             if (in.readableBytes() < 6 + length) answer.need(6 + length);
 *             else if (in.getInt(at) != crc32(in.slice(at + 6, length))) throw new CorruptFrameException("wrong CRC");
 *             else answer.frame(6 + length, 6, length);
 *         };
 *     }
 *     public void encode(ByteBuf payload, ByteBuf target) {
 *         int length = payload.readableBytes() - 1;
 *         if (length < 0 || length > 0xffff) throw new IllegalArgumentException("bodyLength=" + length);
 *         target.writeInt(crc32(payload)).writeShort(length).writeBytes(payload.duplicate());
 *     }
 * }
 * }</pre>
 *
 * where {@code crc32} is
 *
 * <pre>{@code
 * static int crc32(ByteBuf bytes) {
 *     CRC32 crc = new CRC32();
 *     crc.update(bytes.nioBuffer());
 *     return (int) crc.getValue();
 * }
 * }</pre>
 *
 * and its test:
 *
 * <pre>{@code
 * FramerVerifier.of(new Checksummed())
 *         .hex("539d20a9 0003 01 616263")
 *         .hex("3c0c8ea1 0000 02")
 *         .expect(new byte[] {1, 'a', 'b', 'c'}, new byte[] {2})
 *         .verify();
 * }</pre>
 *
 * <h2>What is tried</h2>
 *
 * <ul>
 *   <li>All in one chunk, one byte at a time, chunks of 2, 3, 7 and 64 bytes, 64 random cuts (see {@link #seed seed}),
 *       and the stream cut in two at every place; of a stream longer than 4 KiB at 256 random places.
 *   <li>Each of these in a heap, direct, read-only and composite buffer and in a slice, with other bytes around them;
 *       given away, and lent for one drain; read at once, one by one, and at the end.
 *   <li>The end of the input behind every byte, for long streams at as many places. There the framing completes, having
 *       taken every byte, or fails with a {@link dev.sluice.framing.TruncatedFrameException} behind all whole messages.
 *   <li>The round trip of each expected message, and of all in a row, unless {@link #decodesOnly()}: what {@link
 *       Framing#encode encode} writes must be decoded to the same message. It must take what decoding delivers.
 * </ul>
 *
 * <p>Every way must deliver the same messages, each as soon as its last byte is there, the same failure at the same
 * place of the stream, and as many reports of discarded frames. Every buffer must be released exactly once, nothing be
 * written to the input, no index be moved. Messages must not change when the input's memory is used again. A framer
 * that is asked more than about eight times a byte fails, so that one which never comes to an end does; one that loops
 * inside a single call cannot be stopped.
 *
 * <p>Mutable; used by one thread. Needs no test framework. It does not judge what a framer costs.
 *
 * @param <M> the messages: payloads as arrays when a {@link Framing} is verified. They are compared by {@code equals},
 *     arrays and buffers by content; messages that count references are released.
 */
public final class FramerVerifier<M> {
    private final Framing framing;
    private final List<Codec<?, ?>> codecs;
    /** {@code null} where nothing can be encoded. */
    private @Nullable Codec<M, ? super M> encoding;

    private final List<byte[]> stream = new ArrayList<>();
    private final List<M> expected = new ArrayList<>();
    private @Nullable Class<? extends FramingException> failure;
    private long discardedFrames;
    private int lookAhead;
    private boolean openLast;
    private long seed = 1;

    private FramerVerifier(Framing framing, List<Codec<?, ?>> codecs, @Nullable Codec<M, ? super M> encoding) {
        this.framing = framing;
        this.codecs = codecs;
        this.encoding = encoding;
    }

    /** Verifies this framing; messages are its payloads, once as copies and once as slices of the input. */
    public static FramerVerifier<byte[]> of(Framing framing) {
        Codec<byte[], byte[]> bytes = Codec.bytes(framing);
        return new FramerVerifier<>(framing, List.of(bytes, Codec.slices(framing)), bytes);
    }

    /** Verifies this codec: its framing, and what it makes of payloads and messages. Its listener is not called. */
    public static <M> FramerVerifier<M> of(Codec<M, ? super M> codec) {
        return new FramerVerifier<>(codec.framing(), List.of(codec), codec);
    }

    /** Verifies a codec whose messages cannot be sent as they come in. Its listener is not called. */
    public static <M> FramerVerifier<M> decoding(Codec<M, ?> codec) {
        return new FramerVerifier<>(codec.framing(), List.of(codec), null);
    }

    /** Appends these bytes to the stream; where one array ends means nothing. */
    public FramerVerifier<M> bytes(byte[]... bytes) {
        for (byte[] part : bytes) {
            stream.add(part.clone());
        }
        return this;
    }

    /** Appends these bytes to the stream, written in hex; white space between them is left out. */
    public FramerVerifier<M> hex(String... hex) {
        for (String part : hex) {
            stream.add(ByteBufUtil.decodeHexDump(part.replaceAll("\\s", "")));
        }
        return this;
    }

    /** Appends these texts to the stream, in UTF-8. */
    public FramerVerifier<M> text(String... text) {
        for (String part : text) {
            stream.add(part.getBytes(StandardCharsets.UTF_8));
        }
        return this;
    }

    /** Expects these messages next. */
    @SafeVarargs
    public final FramerVerifier<M> expect(M... messages) {
        for (M message : messages) {
            expected.add(Objects.requireNonNull(message, "message"));
        }
        return this;
    }

    /**
     * Expects that the stream ends with this failure, behind all messages expected. Without it the stream must
     * complete.
     *
     * @param kind one of the three exceptions
     */
    public FramerVerifier<M> expectFailure(Class<? extends FramingException> kind) {
        failure = Objects.requireNonNull(kind, "kind");
        return this;
    }

    /**
     * Expects so many reports of oversize frames that are skipped; 0 by default.
     *
     * @throws IllegalArgumentException if below zero
     */
    public FramerVerifier<M> expectDiscarded(long frames) {
        check("frames", frames);
        discardedFrames = frames;
        return this;
    }

    /** Leaves out the round trip: the framing does not encode what it decodes. */
    public FramerVerifier<M> decodesOnly() {
        encoding = null;
        return this;
    }

    /**
     * A message may be delivered this much later than with its last byte, since its end shows only behind it; 0 by
     * default.
     *
     * @param bytes behind the frame
     * @throws IllegalArgumentException if below zero
     */
    public FramerVerifier<M> lookAhead(int bytes) {
        check("bytes", bytes);
        lookAhead = bytes;
        return this;
    }

    /**
     * Where the input ends inside a frame, what is there of it may be delivered as the last message, or fail in any
     * way. Off by default: then a truncated frame must fail as one.
     */
    public FramerVerifier<M> openLast() {
        openLast = true;
        return this;
    }

    /** Chooses the random cuts; 1 by default, so that every run is the same. */
    public FramerVerifier<M> seed(long seed) {
        this.seed = seed;
        return this;
    }

    /**
     * Tries all ways.
     *
     * @throws AssertionError at the first that goes wrong: what is wrong, expected and got in hex, in which cut and
     *     which kind of buffer; caused by the exception that was thrown, if one was
     */
    public void verify() {
        Verification verification = new Verification(
                framing,
                Cut.join(stream),
                expected.stream().map(Content::of).toList(),
                failure,
                discardedFrames,
                lookAhead,
                openLast,
                seed);
        for (Codec<?, ?> codec : codecs) {
            verification.decode(codec);
        }
        Codec<M, ? super M> codec = encoding;
        if (codec != null) {
            verifyRoundTrips(codec, verification);
        }
    }

    private static void check(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " below zero: " + name + "=" + value + ", limit=0");
        }
    }

    private void verifyRoundTrips(Codec<M, ? super M> codec, Verification verification) {
        for (int i = 0; i < expected.size(); i++) {
            M message = expected.get(i);
            verification.encode("message " + i, () -> {
                IllegalArgumentException refusal = message instanceof byte[] payload && codecs.size() > 1
                        ? RoundTrip.verify(framing, payload)
                        : RoundTrip.verify(codec, message);
                if (refusal != null) {
                    throw new AssertionError(
                            "encoding refuses a message that decoding delivers: message="
                                    + Content.show(Content.of(message)) + ", refusal=" + refusal.getMessage(),
                            refusal);
                }
            });
        }
        verification.encode("all messages in a row", () -> RoundTrip.verifyInARow(codec, expected));
    }
}
