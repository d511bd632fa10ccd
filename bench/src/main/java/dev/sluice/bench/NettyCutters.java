package dev.sluice.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import org.jspecify.annotations.Nullable;

/** Netty's frame decoder, with a pipeline and without; neither knows demand. */
final class NettyCutters {
    private NettyCutters() {}

    /** In the pipeline of a channel, and a handler behind it. */
    static Cutter channel(NettyDecoder decoder, Chunks chunks, FrameSink sink) {
        EmbeddedChannel channel = new EmbeddedChannel(decoder, new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object frame) {
                ByteBuf payload = (ByteBuf) frame;
                sink.takenPayload(payload);
                payload.release();
            }
        });
        return new Cutter() {
            @Override
            public void cut() {
                for (int i = 0; i < chunks.length(); i++) {
                    channel.writeInbound(chunks.get(i));
                }
            }

            @Override
            public void close() {
                channel.finishAndReleaseAll();
            }
        };
    }

    /** The decoder alone. */
    static Cutter loop(NettyDecoder decoder, Chunks chunks, FrameSink sink) {
        return new Loop(decoder, chunks, sink);
    }

    /** Cumulates, cuts and discards what was read as {@link ByteToMessageDecoder} does, and nothing else of it. */
    private static final class Loop implements Cutter {
        private final NettyDecoder decoder;
        private final Chunks chunks;
        private final FrameSink sink;
        private @Nullable ByteBuf cumulation;

        Loop(NettyDecoder decoder, Chunks chunks, FrameSink sink) {
            this.decoder = decoder;
            this.chunks = chunks;
            this.sink = sink;
        }

        @Override
        public void cut() throws Exception {
            for (int i = 0; i < chunks.length(); i++) {
                read(chunks.get(i));
            }
        }

        private void read(ByteBuf chunk) throws Exception {
            ByteBuf in = cumulation == null
                    ? chunk
                    : ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(ByteBufAllocator.DEFAULT, cumulation, chunk);
            for (ByteBuf payload = decoder.next(in); payload != null; payload = decoder.next(in)) {
                sink.takenPayload(payload);
                payload.release();
            }
            if (!in.isReadable()) {
                in.release();
                cumulation = null;
            } else {
                if (in.refCnt() == 1) {
                    in.discardSomeReadBytes();
                }
                cumulation = in;
            }
        }

        @Override
        public void close() {
            if (cumulation != null) {
                cumulation.release();
            }
        }
    }
}
