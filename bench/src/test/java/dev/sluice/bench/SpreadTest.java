package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void takesTheMiddleOfAnOddNumberOfValues() {
        assertThat(Spread.of(9, 1, 5)).isEqualTo(new Spread(5, 1, 9));
    }

    @Test
    void takesTheMeanOfTheMiddleTwoOfAnEvenNumber() {
        assertThat(Spread.of(4, 1, 100, 2)).isEqualTo(new Spread(3, 1, 100));
    }

    @Test
    void refusesNoValues() {
        assertThatThrownBy(Spread::of).hasMessage("no value: length=0, limit=1");
    }

    @Test
    void leavesTheValuesInTheirOrder() {
        double[] values = {3, 1, 2};
        Spread.of(values);
        assertThat(values).containsExactly(3, 1, 2);
    }

    @Test
    void writesThreeDigitsThatCount() {
        assertThat(DoubleStream.of(1234567, 123.4, 12.34, 1.234, 0.1234, 0.001234, 0.00001, 0)
                        .mapToObj(Spread::digits))
                .containsExactly("1,234,567", "123", "12.3", "1.23", "0.123", "0.0012", "0.0000", "0");
        assertThat(Spread.of(2, 1, 3).text(Spread::digits)).isEqualTo("2.00 (1.00–3.00)");
    }
}
