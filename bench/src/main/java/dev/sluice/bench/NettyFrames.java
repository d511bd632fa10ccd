package dev.sluice.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Netty's frame decoder without its pipeline: cumulates, cuts and discards what was read as {@link ByteToMessageDecoder}
 * does, and nothing else of it.
 */
final class NettyFrames extends LengthFieldBasedFrameDecoder {
    private @Nullable ByteBuf cumulation;

    NettyFrames(int maxPayload) {
        super(4 + maxPayload, 0, 4, 0, 4);
    }

    /** Gives all frames that are whole now; each is released when the consumer has returned. */
    @SuppressWarnings("DataFlowIssue") // decode() does not look at its context
    void read(ByteBuf chunk, Consumer<ByteBuf> consumer) throws Exception {
        ByteBuf in = cumulation == null
                ? chunk
                : ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(ByteBufAllocator.DEFAULT, cumulation, chunk);
        while (in.isReadable()) {
            ByteBuf frame = (ByteBuf) decode(null, in);
            if (frame == null) {
                break;
            }
            consumer.accept(frame);
            frame.release();
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

    /** Whether every byte so far belongs to a frame that was given. */
    boolean isEmpty() {
        return cumulation == null;
    }
}
