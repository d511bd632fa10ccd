package dev.sluice.framing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How large the buffers are that frames are put into. */
@Tag("paranoid")
class FrameWriterBuffersTest {
    private static final int SMALLEST = 512;
    private static final int LARGEST = 16 * 1024;
    private static final int HEADER = 4;

    private final FrameWriter writer = FrameWriter.create(LengthFieldFraming.of(HEADER), ByteBufAllocator.DEFAULT);

    @AfterEach
    void close() {
        writer.close();
    }

    @Test
    void takesSmallBufferForLoneSmallMessage() {
        for (int i = 0; i < 100; i++) {
            assertThat(batch(1, 50, 50)).containsExactly(SMALLEST);
        }
    }

    @Test
    void takesFewLargeBuffersForManyMessages() {
        batch(1_000, 50, 50);
        batch(1_000, 50, 50);
        int bytes = 1_000 * (HEADER + 50);

        assertThat(batch(1_000, 50, 50)).hasSize(bytes / LARGEST + 1).containsOnly(LARGEST);
    }

    /** A batch that begins with small buffers has few of them. */
    @Test
    void growsWithinFirstBatch() {
        int bytes = 1_000 * (HEADER + 50);

        assertThat(batch(1_000, 50, 50))
                .startsWith(SMALLEST, 4 * SMALLEST)
                .hasSizeLessThanOrEqualTo(bytes / LARGEST + 4);
    }

    @Test
    void takesSmallBuffersAgainWhenManyMessagesComeNoMore() {
        batch(1_000, 50, 50);
        for (int i = 0; i < 100; i++) {
            batch(1, 50, 50);
        }

        assertThat(batch(1, 50, 50)).containsExactly(SMALLEST);
    }

    @Test
    void keepsLargeBuffersWhenFewSmallBatchesComeBetween() {
        batch(1_000, 50, 50);
        for (int i = 0; i < 100; i++) {
            for (int small = 0; small < 7; small++) {
                batch(1, 50, 50);
            }
            assertThat(batch(1_000, 50, 50)).containsOnly(LARGEST);
        }
    }

    /** A message of 1 KiB is written where it stays, be its length known before or not. */
    @Test
    void learnsWhatLoneMessageNeeds() {
        for (int hint : new int[] {0, 1024}) {
            for (int i = 0; i < 4; i++) {
                batch(1, 1024, hint);
            }
            assertThat(batch(1, 1024, hint)).as("hint %d", hint).containsExactly(4 * SMALLEST);
        }
    }

    @Test
    void takesLargerBufferForOneLargeMessageAlone() {
        assertThat(batch(1, 100_000, 100_000)).allMatch(capacity -> capacity >= 100_000 + HEADER);
        batch(1, 100_000, 100_000);
        for (int i = 0; i < 100; i++) {
            batch(1, 50, 50);
        }

        assertThat(batch(1, 50, 50)).containsExactly(SMALLEST);
    }

    /** Writes messages of one payload length; the capacities of the buffers that they have become. */
    private List<Integer> batch(int messages, int length, int hint) {
        for (int i = 0; i < messages; i++) {
            writer.write(length, new Zeros(hint));
        }
        List<Integer> capacities = new ArrayList<>();
        for (ByteBuf buffer = writer.poll(); buffer != null; buffer = writer.poll()) {
            capacities.add(buffer.capacity());
            buffer.release();
        }
        return capacities;
    }

    private record Zeros(int hint) implements MessageEncoder<Integer> {
        @Override
        public void encode(Integer length, FrameWriter out) {
            out.buffer().writeZero(length);
        }

        @Override
        public int sizeHint(Integer length) {
            return hint;
        }
    }
}
