package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.FrameFlux;
import dev.sluice.framing.Codec;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ChunksTest {
    /** 13 bytes, 4 of which are the header, do not divide any chunk. */
    private static final int[] FRAME_ENDS =
            IntStream.rangeClosed(1, 20_000).map(i -> i * 13).toArray();

    private static final int LENGTH = 260_000;

    @Test
    void cutsAtEachFrame() {
        assertThat(Chunking.ONE_FRAME.ends(FRAME_ENDS)).isEqualTo(FRAME_ENDS);
    }

    @Test
    void cutsEachFrameInTheMiddle() {
        assertThat(Chunking.HALVES.ends(new int[] {64, 128, 193})).containsExactly(32, 96, 160, 193);
    }

    @Test
    void cutsReadsThatEndWithinFrames() {
        assertThat(Chunking.READS_64K.ends(FRAME_ENDS)).containsExactly(65_504, 131_040, 196_576, LENGTH);
        assertThat(Chunking.READS_1000.ends(FRAME_ENDS)).startsWith(968, 1968).endsWith(259_968, LENGTH);
        assertThat(Chunking.READS_1000.ends(new int[] {968})).containsExactly(968);
        assertThat(Chunking.READS_1000.ends(new int[] {969})).containsExactly(968, 969);
    }

    /** Taken twice: whoever takes the chunks leaves them as they were. */
    @ParameterizedTest
    @EnumSource
    void carriesThePayloads(FrameFormat format) {
        int length = 300;
        Chunks chunks = Chunks.of(format, length, Chunking.READS_1000);
        List<byte[]> expected = IntStream.range(0, Chunks.FRAMES)
                .mapToObj(i -> format.payloads().payload(i % (Chunks.FRAMES / 2), length))
                .toList();
        for (int time = 1; time <= 2; time++) {
            List<byte[]> payloads = FrameFlux.owned(Codec.bytes(format.framing(length)))
                    .apply(chunks)
                    .collectList()
                    .block();
            assertThat(payloads).usingElementComparator(Arrays::compare).isEqualTo(expected);
        }
        chunks.release();
        assertThat(chunks.isReleased()).isTrue();
    }
}
