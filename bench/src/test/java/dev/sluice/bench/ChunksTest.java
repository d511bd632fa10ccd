package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.FrameFlux;
import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChunksTest {
    /** Both sides of the benchmarks read the same, and leave the chunks as they were. */
    @ParameterizedTest
    @ValueSource(ints = {64, 256, 2560})
    void isTheSameStreamForBothSides(int payload) throws Exception {
        Chunks chunks = Chunks.ofFrames(payload);
        for (int time = 1; time <= 2; time++) {
            List<byte[]> sluice = FrameFlux.owned(Codec.bytes(LengthFieldFraming.of(4)))
                    .apply(chunks)
                    .collectList()
                    .block();
            List<byte[]> netty = new ArrayList<>();
            NettyFrames frames = new NettyFrames(payload);
            for (int i = 0; i < chunks.length(); i++) {
                frames.read(chunks.get(i), frame -> netty.add(bytes(frame)));
            }
            assertThat(frames.isEmpty()).isTrue();
            assertThat(sluice).hasSize(Chunks.FRAMES).allMatch(message -> message.length == payload);
            assertThat(netty).usingElementComparator(java.util.Arrays::compare).isEqualTo(sluice);
        }
        ByteBuf first = chunks.get(0);
        first.release();
        chunks.release();
        assertThat(first.refCnt()).isZero();
    }

    private static byte[] bytes(ByteBuf frame) {
        byte[] bytes = new byte[frame.readableBytes()];
        frame.readBytes(bytes);
        return bytes;
    }
}
