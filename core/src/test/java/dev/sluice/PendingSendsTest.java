package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PendingSendsTest {
    private final PendingSends pending =
            new PendingSends(SendPolicy.DEFAULT.watermarks(50, 100).maxPending(10));

    @Test
    void isBusyFromTheHighToTheLowWatermark() {
        assertThat(pending.tryAdd(99)).isTrue();
        assertThat(pending.isBusy()).isFalse();
        assertThat(pending.tryAdd(1_000)).as("one larger message passes").isTrue();
        assertThat(pending.tryAdd(0)).isFalse();
        assertThat(pending.change(0, -1_000)).isFalse();
        assertThat(pending.tryAdd(0)).as("below the high one").isFalse();
        assertThat(pending.change(-1, -48)).isFalse();
        assertThat(pending.bytes()).isEqualTo(51);
        assertThat(pending.tryAdd(0)).as("just above the low one").isFalse();
        assertThat(pending.change(0, -1)).isTrue();
        assertThat(pending.tryAdd(0)).isTrue();
    }

    @Test
    void isBusyFromTheBoundOfMessagesToHalfOfIt() {
        for (int i = 0; i < 10; i++) {
            assertThat(pending.tryAdd(1)).isTrue();
        }
        assertThat(pending.tryAdd(1)).isFalse();
        assertThat(pending.change(-4, -4)).isFalse();
        assertThat(pending.isBusy()).isTrue();
        assertThat(pending.change(-1, -1)).isTrue();
        assertThat(pending.messages()).isEqualTo(5);
        assertThat(pending.bytes()).isEqualTo(5);
    }

    @Test
    void keepsBothCountsApartAtTheirLargest() {
        PendingSends large =
                new PendingSends(SendPolicy.DEFAULT.watermarks(1 << 30, 1 << 30).maxPending(1 << 20));
        for (int i = 0; i < 1_000; i++) {
            large.change(1, Integer.MAX_VALUE);
        }
        assertThat(large.messages()).isEqualTo(1_000);
        assertThat(large.bytes()).isEqualTo(1_000L * Integer.MAX_VALUE);
        large.change((1 << 20) - 1_000, 0);
        assertThat(large.messages()).isEqualTo(1 << 20);
        assertThat(large.change(-(1 << 20), 0)).isTrue();
        assertThat(large.bytes()).isZero();
    }

    /** A message whose size hint was larger when it was accepted than when it was encoded. */
    @Test
    void forgetsTheRemainderOfHintsWithTheLastMessage() {
        pending.tryAdd(90);
        pending.tryAdd(90);
        pending.change(-1, -20);
        assertThat(pending.bytes()).isEqualTo(160);
        pending.change(-1, -20);
        assertThat(pending.bytes()).isZero();
        assertThat(pending.isBusy()).isFalse();
    }

    @Test
    void neverFallsBelowNothing() {
        pending.tryAdd(10);
        pending.tryAdd(10);
        pending.change(-1, -50);
        assertThat(pending.bytes()).isZero();
        assertThat(pending.messages()).isEqualTo(1);
        pending.change(-3, 0);
        assertThat(pending.messages()).isZero();
    }
}
