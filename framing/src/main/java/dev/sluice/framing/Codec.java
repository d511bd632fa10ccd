package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A framing, and what makes messages of payloads and payloads of messages. Immutable; shared by any number of streams as
 * long as its decoder and encoder have no state.
 *
 * @param <I> the messages that come in
 * @param <O> the messages that go out
 */
public final class Codec<I, O> {
    private final Framing framing;
    private final MessageDecoder<? extends I> decoder;
    private final MessageEncoder<? super O> encoder;
    private final FrameListener listener;
    private final @Nullable Predicate<? super I> pauseAfter;

    private Codec(
            Framing framing,
            MessageDecoder<? extends I> decoder,
            MessageEncoder<? super O> encoder,
            FrameListener listener,
            @Nullable Predicate<? super I> pauseAfter) {
        this.framing = Objects.requireNonNull(framing, "framing");
        this.decoder = Objects.requireNonNull(decoder, "decoder");
        this.encoder = Objects.requireNonNull(encoder, "encoder");
        this.listener = Objects.requireNonNull(listener, "listener");
        this.pauseAfter = pauseAfter;
    }

    /**
     * Messages of your own types.
     *
     * @param framing how frames lie in the stream
     * @param decoder payload to message
     * @param encoder message to payload
     */
    public static <I, O> Codec<I, O> of(
            Framing framing, MessageDecoder<? extends I> decoder, MessageEncoder<? super O> encoder) {
        return new Codec<>(framing, decoder, encoder, FrameListener.NONE, null);
    }

    /** Messages of your own type that only come in: there is nothing that could be sent. */
    public static <I> Codec<I, Void> decoding(Framing framing, MessageDecoder<? extends I> decoder) {
        return of(framing, decoder, (message, out) -> {
            throw new IllegalStateException("codec only decodes");
        });
    }

    /** Payloads as arrays: each is copied out of the input, and nothing needs to be released. */
    public static Codec<byte[], byte[]> bytes(Framing framing) {
        return of(framing, ByteBufUtil::getBytes, BytesEncoder.INSTANCE);
    }

    /**
     * Payloads as slices of the input, without a copy: whoever receives one must release it. A small slice that would keep
     * a big chunk from being used again is a copy, by {@link SlicePolicy#DEFAULT}; it is to be released all the same. A
     * buffer that is sent is released by the sender.
     */
    public static Codec<ByteBuf, ByteBuf> slices(Framing framing) {
        return slices(framing, SlicePolicy.DEFAULT);
    }

    /**
     * Payloads as slices of the input, or as copies where this policy says so; whoever receives one must release it. A
     * buffer that is sent is released by the sender.
     */
    public static Codec<ByteBuf, ByteBuf> slices(Framing framing, SlicePolicy policy) {
        return of(framing, new SliceDecoder(policy), SliceEncoder.INSTANCE);
    }

    /** Payloads as text in UTF-8; otherwise as {@link #text(Framing, Charset)}. */
    public static Codec<String, String> text(Framing framing) {
        return text(framing, StandardCharsets.UTF_8);
    }

    /**
     * Payloads as text, such as lines of {@link LineFraming}. Decoding puts the charset's replacement, mostly U+FFFD, where
     * bytes are not of this charset; a text that it cannot say is not sent but refused with an {@link
     * IllegalArgumentException}.
     *
     * @param framing how frames lie in the stream
     * @param charset of the payloads, in both directions
     */
    public static Codec<String, String> text(Framing framing, Charset charset) {
        Objects.requireNonNull(charset, "charset");
        return of(framing, payload -> payload.toString(charset), new TextEncoder(charset));
    }

    /** The same codec, with a listener for frames that are discarded. */
    public Codec<I, O> listener(FrameListener listener) {
        return new Codec<>(framing, decoder, encoder, listener, pauseAfter);
    }

    /**
     * The same codec, with the messages behind which a connection pauses: nothing behind such a one is decoded or read until
     * whoever receives it has said how the stream goes on, so that no byte of another protocol is taken for this one's. A
     * {@link FrameReader}, which reads when it is told to, leaves that to its caller.
     *
     * @param predicate asked once about each message, as soon as it is decoded, in the order of the stream; what it throws
     *     is a failure of the decoder
     */
    public Codec<I, O> pauseAfter(Predicate<? super I> predicate) {
        return new Codec<>(framing, decoder, encoder, listener, Objects.requireNonNull(predicate, "predicate"));
    }

    /** How frames lie in the stream. */
    public Framing framing() {
        return framing;
    }

    /** Payload to message. */
    public MessageDecoder<? extends I> decoder() {
        return decoder;
    }

    /** Message to payload. */
    public MessageEncoder<? super O> encoder() {
        return encoder;
    }

    /** Told of discarded frames; {@link FrameListener#NONE} unless set. */
    public FrameListener listener() {
        return listener;
    }

    /** Behind which messages a connection pauses; {@code null}, behind none, unless set. */
    public @Nullable Predicate<? super I> pauseAfter() {
        return pauseAfter;
    }

    private enum BytesEncoder implements MessageEncoder<byte[]> {
        INSTANCE;

        @Override
        public void encode(byte[] message, FrameWriter out) {
            out.buffer().writeBytes(message);
        }

        @Override
        public int sizeHint(byte[] message) {
            return message.length;
        }
    }

    private static final class SliceDecoder implements MessageDecoder<ByteBuf> {
        private final SlicePolicy policy;

        SliceDecoder(SlicePolicy policy) {
            this.policy = Objects.requireNonNull(policy, "policy");
        }

        @Override
        public ByteBuf decode(ByteBuf payload) {
            return policy.keep(payload);
        }

        @Override
        public boolean keepsPayload() {
            return true;
        }
    }

    private enum SliceEncoder implements MessageEncoder<ByteBuf> {
        INSTANCE;

        @Override
        public void encode(ByteBuf message, FrameWriter out) {
            out.append(message.retainedSlice());
        }

        @Override
        public int sizeHint(ByteBuf message) {
            return message.readableBytes();
        }
    }
}
