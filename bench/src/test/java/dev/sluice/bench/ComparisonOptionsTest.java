package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ComparisonOptionsTest {
    private static ComparisonOptions of(String... args) {
        return ComparisonOptions.of(args);
    }

    @Test
    void hasDefaults() {
        ComparisonOptions options = of();
        assertThat(options.sizes()).contains(64, 2560);
        assertThat(options.kinds()).containsExactly(Kind.values());
        assertThat(options.cpus()).containsExactly(0, 1);
        assertThat(options.rounds()).isEqualTo(5);
        assertThat(options.out()).isEmpty();
    }

    @Test
    void sendsFewerMessagesTheLongerTheyAre() {
        ComparisonOptions options = of();
        assertThat(options.messages(64)).isEqualTo(10_000_000);
        assertThat(options.messages(2560)).isEqualTo(1_000_000);
        assertThat(options.messages(262_144)).isEqualTo(9_800);
        assertThat(of("--scale", "0.1").messages(2560)).isEqualTo(100_000);
        assertThat(of("--scale", "0.000001").messages(262_144)).isEqualTo(1);
    }

    @Test
    void takesBothReadSizesForNioLoop() {
        assertThat(of("--kinds", "hop,nio-loop").kinds())
                .containsExactly(Kind.HOP, Kind.NIO_LOOP_64K, Kind.NIO_LOOP_256K);
    }

    @Test
    void leavesProcessesUnpinned() {
        assertThat(of("--cpus", "none").cpus()).isEmpty();
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertThatThrownBy(() -> of("--size", "64")).hasMessage("unknown option: option=--size");
        assertThatThrownBy(() -> of("--sizes")).hasMessage("option without a value: option=--sizes");
        assertThatThrownBy(() -> of("--sizes", "7")).hasMessage("payload too short: size=7, limit=8");
        assertThatThrownBy(() -> of("--samples", "0")).hasMessage("option below its limit: --samples=0, limit=1");
        assertThatThrownBy(() -> of("--scale", "0")).hasMessage("option not above zero: --scale=0.0");
        assertThatThrownBy(() -> of("--cpus", "1"))
                .hasMessage("one core for the sender and one for the receiver: --cpus=1");
        assertThatThrownBy(() -> of("--transport", "tcp"))
                .hasMessage("no such value: --transport=tcp, one of native|nio");
        assertThatThrownBy(() -> of("--kinds", "fast")).hasMessageStartingWith("no such kind: kind=fast, kinds=");
    }
}
