package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageRingTest {

    @Test
    void isEmptyAtFirst() {
        MessageRing<Integer> ring = new MessageRing<>(Prefetch.DEFAULT);
        assertThat(ring.isEmpty()).isTrue();
        assertThat(ring.size()).isZero();
        assertThat(ring.hasRoom()).isTrue();
        assertThat(ring.isFull()).isFalse();
    }

    @Test
    void isFullAtTheBoundOfMessagesUntilLowTide() {
        MessageRing<Integer> ring = filled(new Prefetch(5, 1000), 4, 1);
        assertThat(ring.isFull()).isFalse();
        ring.offer(4, 1);
        assertThat(ring.isFull()).isTrue();

        ring.poll();
        ring.poll();
        assertThat(ring.hasRoom()).isFalse();
        ring.poll();
        assertThat(ring.size()).isEqualTo(2);
        assertThat(ring.hasRoom()).isTrue();
    }

    @Test
    void isFullAtTheBoundOfBytesUntilLowTide() {
        MessageRing<Integer> ring = filled(new Prefetch(100, 9), 2, 4);
        assertThat(ring.isFull()).isFalse();
        ring.offer(2, 1);
        assertThat(ring.isFull()).isTrue();

        ring.poll();
        assertThat(ring.isFull()).as("5 bytes of 9 are above half, 4").isTrue();
        ring.poll();
        assertThat(ring.isFull()).isFalse();
    }

    @Test
    void takesOneMessageBeyondTheBoundOfBytes() {
        MessageRing<Integer> ring = new MessageRing<>(new Prefetch(64, 10));
        ring.offer(0, 9);
        assertThat(ring.hasRoom()).isTrue();
        ring.offer(1, Integer.MAX_VALUE);
        assertThat(ring.isFull()).isTrue();
        ring.offer(2, Integer.MAX_VALUE);
        assertThat(ring.poll()).isEqualTo(0);
        assertThat(ring.poll()).isEqualTo(1);
        assertThat(ring.poll()).isEqualTo(2);
        assertThat(ring.isFull()).isFalse();
    }

    @Test
    void countsEmptyMessages() {
        MessageRing<Integer> ring = filled(new Prefetch(2, 1), 2, 0);
        assertThat(ring.isFull()).isTrue();
    }

    @Test
    void isEmptyAtLowTideOfOne() {
        MessageRing<Integer> ring = filled(new Prefetch(1, 1), 1, 1);
        assertThat(ring.isFull()).isTrue();
        ring.poll();
        assertThat(ring.hasRoom()).isTrue();
    }

    @Test
    void hasNoRoomOnDemandAndIsFullOnlyWhileItHoldsSomething() {
        MessageRing<Integer> ring = new MessageRing<>(Prefetch.onDemand());
        assertThat(ring.hasRoom()).isFalse();
        assertThat(ring.isFull()).isFalse();
        ring.offer(0, 0);
        assertThat(ring.isFull()).isTrue();
        ring.poll();
        assertThat(ring.isFull()).isFalse();
        assertThat(ring.hasRoom()).isFalse();
    }

    @Test
    void isFullAtOnceWhenBoundsShrink() {
        MessageRing<Integer> ring = filled(new Prefetch(64, 1000), 10, 1);
        ring.bounds(new Prefetch(10, 1000));
        assertThat(ring.isFull()).isTrue();
        ring.bounds(new Prefetch(64, 10));
        assertThat(ring.isFull()).isTrue();
        ring.bounds(Prefetch.onDemand());
        assertThat(ring.isFull()).isTrue();
    }

    @Test
    void hasRoomAtOnceWhenBoundsGrowBeyondLowTide() {
        MessageRing<Integer> ring = filled(new Prefetch(10, 1000), 10, 1);
        ring.bounds(new Prefetch(19, 1000));
        assertThat(ring.isFull()).as("10 of 19 are above half, 9").isTrue();
        ring.bounds(new Prefetch(20, 1000));
        assertThat(ring.isFull()).isFalse();
    }

    @Test
    void isNotFullWhenBoundsOfAnEmptyOneShrink() {
        MessageRing<Integer> ring = new MessageRing<>(Prefetch.DEFAULT);
        ring.bounds(Prefetch.onDemand());
        assertThat(ring.isFull()).isFalse();
        ring.bounds(new Prefetch(1, 1));
        assertThat(ring.hasRoom()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void keepsOrderHoweverItGrowsAndWraps(long seed) {
        MessageRing<Integer> ring = new MessageRing<>(Prefetch.DEFAULT);
        ArrayDeque<Integer> model = new ArrayDeque<>();
        Random random = new Random(seed);
        int next = 0;
        int largest = 0;
        for (int step = 0; step < 20_000; step++) {
            if (random.nextInt(100) < 51) {
                ring.offer(next, next % 7);
                model.add(next++);
            } else if (!model.isEmpty()) {
                assertThat(ring.poll()).as("seed %d", seed).isEqualTo(model.poll());
            }
            largest = Math.max(largest, model.size());
            assertThat(ring.size()).isEqualTo(model.size());
        }
        assertThat(ring.largestSize()).isEqualTo(largest);
        while (!model.isEmpty()) {
            assertThat(ring.poll()).isEqualTo(model.poll());
        }
        assertThat(ring.isEmpty()).isTrue();
    }

    @Test
    void releasesAllAndSaysHowMany() {
        MessageRing<ByteBuf> ring = new MessageRing<>(Prefetch.DEFAULT);
        ByteBuf first = Unpooled.buffer(1);
        ByteBuf second = Unpooled.buffer(1);
        ring.offer(first, 1);
        ring.offer(second, 1);

        assertThat(ring.releaseAll()).isEqualTo(2);
        assertThat(first.refCnt()).isZero();
        assertThat(second.refCnt()).isZero();
        assertThat(ring.isEmpty()).isTrue();
        assertThat(ring.releaseAll()).isZero();
    }

    private static MessageRing<Integer> filled(Prefetch prefetch, int messages, int length) {
        MessageRing<Integer> ring = new MessageRing<>(prefetch);
        for (int i = 0; i < messages; i++) {
            ring.offer(i, length);
        }
        return ring;
    }
}
