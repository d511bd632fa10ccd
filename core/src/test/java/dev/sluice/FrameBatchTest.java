package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

class FrameBatchTest {

    @Test
    void givesEachMessageOnce() {
        FrameBatch<Integer> batch = new FrameBatch<>(new Object[] {1, 2, 3, null}, 3);
        assertThat(batch.size()).isEqualTo(3);
        assertThat(batch).containsExactly(1, 2, 3);
        assertThat(batch.size()).isZero();
        assertThat(batch.iterator().hasNext()).isFalse();
    }

    @Test
    void goesOnBehindAnEarlierIterator() {
        FrameBatch<Integer> batch = new FrameBatch<>(new Object[] {1, 2, 3, 4, null}, 4);
        Iterator<Integer> first = batch.iterator();
        assertThat(first.next()).isEqualTo(1);
        assertThat(batch.iterator().next()).isEqualTo(2);
        assertThat(first.next()).isEqualTo(3);
        List<Integer> rest = new ArrayList<>();
        batch.forEach(rest::add);
        assertThat(rest).containsExactly(4);
        assertThat(first.hasNext()).isFalse();
    }

    @Test
    void keepsWhatForEachDidNotReachWhenItThrows() {
        FrameBatch<Integer> batch = new FrameBatch<>(new Object[] {1, 2, 3, null}, 3);
        assertThatThrownBy(() -> batch.forEach(message -> {
                    throw new IllegalStateException("stop at " + message);
                }))
                .hasMessage("stop at 1");
        assertThat(batch).containsExactly(2, 3);
    }

    @Test
    void saysHowLargeItWasWhenNothingIsLeft() {
        FrameBatch<Integer> batch = new FrameBatch<>(new Object[] {1, 2, null}, 2);
        batch.release();
        assertThatThrownBy(() -> batch.iterator().next())
                .isInstanceOf(NoSuchElementException.class)
                .hasMessage("no message left in the batch: batchSize=2");
    }

    @Test
    void releasesWhatWasNotTakenAndOnlyThatOnce() {
        ByteBuf taken = Unpooled.buffer(1);
        ByteBuf left = Unpooled.buffer(1);
        FrameBatch<ByteBuf> batch = new FrameBatch<>(new Object[] {taken, left, null}, 2);
        batch.iterator().next();

        batch.release();
        batch.release();

        assertThat(taken.refCnt()).isEqualTo(1);
        assertThat(left.refCnt()).isZero();
        assertThat(batch.size()).isZero();
        taken.release();
    }

    @Test
    void namesItsSize() {
        FrameBatch<Integer> batch = new FrameBatch<>(new Object[] {1, 2, null}, 2);
        batch.iterator().next();
        assertThat(batch).hasToString("FrameBatch{size=1}");
    }
}
