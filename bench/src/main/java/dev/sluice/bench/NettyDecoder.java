package dev.sluice.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandler;
import io.netty.handler.codec.DelimiterBasedFrameDecoder;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.json.JsonObjectDecoder;
import io.netty.handler.codec.protobuf.ProtobufVarint32FrameDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One of Netty's frame decoders; a handler as any other, which can also be called without a pipeline. */
interface NettyDecoder extends ChannelInboundHandler {
    /** Sluice's limit, of payload bytes. */
    int MAX_PAYLOAD = 1024 * 1024;

    /**
     * The next frame, which the caller releases; {@code null} if the input has no whole one. None of the decoders looks at
     * its context to tell that.
     */
    @Nullable ByteBuf next(ByteBuf in) throws Exception;

    /**
     * Netty's for this format.
     *
     * @throws IllegalArgumentException if it has none
     */
    static NettyDecoder of(FrameFormat format, int payload) {
        return switch (format) {
            case LENGTH_FIELD -> new LengthField();
            case VARINT -> new Varint();
            case LINE -> new Line();
            case DELIMITER -> new Delimiter();
            case JSON -> new Json();
            case FIXED -> new FixedLength(payload);
            case NETSTRING, SLIP, COBS -> throw format.missingIn("Netty");
        };
    }

    final class LengthField extends LengthFieldBasedFrameDecoder implements NettyDecoder {
        LengthField() {
            super(4 + MAX_PAYLOAD, 0, 4, 0, 4);
        }

        @Override
        public @Nullable ByteBuf next(ByteBuf in) throws Exception {
            return (ByteBuf) decode(null, in);
        }
    }

    final class Line extends LineBasedFrameDecoder implements NettyDecoder {
        Line() {
            super(MAX_PAYLOAD);
        }

        @Override
        public @Nullable ByteBuf next(ByteBuf in) throws Exception {
            return (ByteBuf) decode(null, in);
        }
    }

    final class Delimiter extends DelimiterBasedFrameDecoder implements NettyDecoder {
        Delimiter() {
            super(MAX_PAYLOAD, Unpooled.copiedBuffer(FrameFormat.DELIMITER_TEXT, StandardCharsets.US_ASCII));
        }

        @Override
        public @Nullable ByteBuf next(ByteBuf in) throws Exception {
            return (ByteBuf) decode(null, in);
        }
    }

    final class FixedLength extends FixedLengthFrameDecoder implements NettyDecoder {
        FixedLength(int length) {
            super(length);
        }

        @Override
        public @Nullable ByteBuf next(ByteBuf in) throws Exception {
            return (ByteBuf) decode(null, in);
        }
    }

    final class Varint extends ProtobufVarint32FrameDecoder implements NettyDecoder {
        private final Decoded decoded = new Decoded((in, out) -> decode(null, in, out));

        Varint() {
            super(MAX_PAYLOAD);
        }

        @Override
        public @Nullable ByteBuf next(ByteBuf in) throws Exception {
            return decoded.next(in);
        }
    }

    final class Json extends JsonObjectDecoder implements NettyDecoder {
        private final Decoded decoded = new Decoded((in, out) -> decode(null, in, out));

        Json() {
            super(MAX_PAYLOAD);
        }

        @Override
        public @Nullable ByteBuf next(ByteBuf in) throws Exception {
            return decoded.next(in);
        }
    }

    /** The frames of a decoder that may find many in one call. */
    final class Decoded {
        interface ListDecoder {
            void decode(ByteBuf in, List<Object> out) throws Exception;
        }

        private final ListDecoder decoder;
        private final List<Object> frames = new ArrayList<>();
        private int taken;

        Decoded(ListDecoder decoder) {
            this.decoder = decoder;
        }

        @Nullable ByteBuf next(ByteBuf in) throws Exception {
            if (taken == frames.size()) {
                frames.clear();
                taken = 0;
                if (in.isReadable()) {
                    decoder.decode(in, frames);
                }
            }
            return taken < frames.size() ? (ByteBuf) frames.get(taken++) : null;
        }
    }
}
