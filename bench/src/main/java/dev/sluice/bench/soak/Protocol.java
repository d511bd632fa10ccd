package dev.sluice.bench.soak;

import dev.sluice.framing.CobsFraming;
import dev.sluice.framing.Codec;
import dev.sluice.framing.FrameWriter;
import dev.sluice.framing.Framing;
import dev.sluice.framing.Framings;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.MessageDecoder;
import dev.sluice.framing.MessageEncoder;
import dev.sluice.framing.VarintFraming;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;
import java.util.List;
import java.util.random.RandomGenerator;

/** The protocols that a connection changes between; each carries any bytes, those that end a frame of the others too. */
enum Protocol {
    LENGTH_FIELD(LengthFieldFraming.of(4)),
    VARINT(VarintFraming.of()),
    NETSTRING(Framings.netstring().build()),
    COBS(CobsFraming.create());

    /** Bytes of the longest frame of a mebibyte: one more for each 254. */
    static final int LARGEST_FRAME = (1 << 20) + (1 << 20) / 254 + 8;

    private static final List<Protocol> ALL = List.of(values());
    private static final MessageEncoder<Frame> ENCODER = new MessageEncoder<>() {
        @Override
        public void encode(Frame frame, FrameWriter out) {
            frame.protocol.write(frame.content(), out);
        }

        @Override
        public int sizeHint(Frame frame) {
            return frame.content().readableBytes();
        }
    };

    @SuppressWarnings("ImmutableEnumChecker") // framings are immutable
    private final Framing framing;

    Protocol(Framing framing) {
        this.framing = framing;
    }

    static Protocol any(RandomGenerator random) {
        return ALL.get(random.nextInt(ALL.size()));
    }

    /**
     * Decodes this protocol and pauses where a script changes it. Encodes any: each direction of a connection changes on its
     * own, and a message brings the protocol that it belongs to.
     *
     * @param slices whether messages are slices of what was read; otherwise they keep nothing of it
     */
    Codec<Object, Frame> codec(boolean slices) {
        MessageDecoder<Object> decoder = slices
                ? new MessageDecoder<>() {
                    @Override
                    public Object decode(ByteBuf payload) {
                        return payload.retainedSlice();
                    }

                    @Override
                    public boolean keepsPayload() {
                        return true;
                    }
                }
                : Script.Parcel::of;
        return Codec.of(framing, decoder, ENCODER).pauseAfter(Script::pauses);
    }

    private void write(ByteBuf payload, FrameWriter out) {
        out.unframed();
        int length = payload.readableBytes();
        int headerLength = framing.headerLength(length);
        if (headerLength < 0) {
            framing.encode(payload, out.buffer());
        } else {
            ByteBuf header = out.buffer().ensureWritable(headerLength);
            framing.setHeader(length, header, header.writerIndex());
            header.writerIndex(header.writerIndex() + headerLength);
            out.append(payload.retainedSlice());
        }
    }

    /** A message to send. */
    static final class Frame extends DefaultByteBufHolder {
        private final Protocol protocol;

        Frame(Protocol protocol, ByteBuf payload) {
            super(payload);
            this.protocol = protocol;
        }
    }
}
