package dev.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

@Tag("paranoid")
class LeakExtensionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final LeakCheck CHECK = LeakExtension.check();

    private static final List<Long> CHECKS_SEEN = new ArrayList<>();

    @Test
    void reportsBufferThatWasNotReleased() {
        leak();

        assertThatThrownBy(() -> CHECK.check(Duration.ofMillis(200)))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("buffers ");
    }

    @Test
    void reportsLeakOnlyOnce() {
        leakElsewhere();
        assertThatThrownBy(() -> CHECK.check(Duration.ofMillis(200))).isInstanceOf(AssertionError.class);

        assertThatCode(() -> CHECK.check(PATIENCE)).doesNotThrowAnyException();
    }

    @Test
    void passesWhenEveryBufferWasReleased() {
        ByteBufAllocator.DEFAULT.buffer(16).release();
        ByteBufAllocator.DEFAULT.heapBuffer(16).release();
        ByteBufAllocator.DEFAULT.compositeBuffer().release();

        assertThatCode(() -> CHECK.check(PATIENCE)).doesNotThrowAnyException();
    }

    @RepeatedTest(2)
    void isRegisteredForEveryTest() {
        CHECKS_SEEN.add(LeakExtension.checks());

        assertThat(CHECKS_SEEN).doesNotHaveDuplicates();
    }

    @TestFactory
    Stream<DynamicTest> checksBehindEachDynamicTest() {
        long before = LeakExtension.checks();
        return IntStream.range(0, 3)
                .mapToObj(i -> DynamicTest.dynamicTest(
                        "test " + i, () -> assertThat(LeakExtension.checks()).isEqualTo(before + i)));
    }

    @Test
    void refusesUnknownMode() {
        assertThatThrownBy(() -> LeakCheck.ofMode("simple"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("unknown leak mode: sluice.leak.mode=simple, known=presence, paranoid");
    }

    private static void leak() {
        ByteBufAllocator.DEFAULT.buffer(1).writeByte(1);
    }

    // Not the same method: a leak with the very trace of one that was reported is not reported again by Netty.
    private static void leakElsewhere() {
        ByteBufAllocator.DEFAULT.buffer(1).writeByte(2);
    }
}
