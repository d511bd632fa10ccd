package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SampleTest {
    private static final Sample SAMPLE =
            new Sample(1000, 2_000_000, 500_000, 400_000, 24_000, -7, Map.of("wakeUps", 3L));

    @Test
    void readsTheLineThatItWrites() {
        assertThat(Sample.parse(SAMPLE.line())).isEqualTo(SAMPLE);
    }

    @Test
    void readsNothingElse() {
        assertThat(Sample.parse("samples=1")).isNull();
        assertThatThrownBy(() -> Sample.parse("sample messages=1")).hasMessage("sample without a value: name=nanos");
    }

    @Test
    void dividesByTheMessages() {
        assertThat(SAMPLE.messagesPerSecond()).isEqualTo(500_000);
        assertThat(SAMPLE.cpuMicrosPerMessage()).isEqualTo(0.5);
        assertThat(SAMPLE.loopCpuMicrosPerMessage()).isEqualTo(0.4);
        assertThat(SAMPLE.loopAllocatedBytesPerMessage()).isEqualTo(24);
    }
}
