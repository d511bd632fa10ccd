package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RatioTest {
    @Test
    void dividesMediansOfAllAndOfEachRound() {
        double[][] a = {{10, 20}, {40, 60}, {30, 30}};
        double[][] b = {{5, 5}, {10, 10}, {20, 40}};
        // Medians: 30 of all in a, 10 in b; by round 15/5, 50/10, 30/30.
        assertThat(Ratio.of(a, b)).isEqualTo(new Ratio(3, 1, 5));
        assertThat(Ratio.of(a, b).text()).isEqualTo("3.00 (1.00–5.00)");
    }

    @Test
    void refusesRoundsThatDoNotMatch() {
        assertThatThrownBy(() -> Ratio.of(new double[][] {{1}}, new double[][] {{1}, {1}}))
                .hasMessage("rounds differ: rounds=1, of the other=2");
    }
}
