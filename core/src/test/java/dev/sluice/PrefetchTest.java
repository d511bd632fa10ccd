package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrefetchTest {

    @Test
    void holds64MessagesAnd256KibibytesByDefault() {
        assertThat(Prefetch.DEFAULT).isEqualTo(new Prefetch(64, 262_144));
    }

    @Test
    void holdsNothingOnDemand() {
        assertThat(Prefetch.onDemand()).isEqualTo(new Prefetch(0, 0));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    -1 | 1  | prefetch holds no message: messages=-1, limit=1
                    0  | 1  | prefetch holds no message: messages=0, limit=1
                    1  | 0  | prefetch holds no byte: bytes=0, limit=1
                    1  | -1 | prefetch holds no byte: bytes=-1, limit=1
                    0  | -1 | prefetch holds no message: messages=0, limit=1
                    """)
    void refusesBoundsBelowOne(int messages, long bytes, String text) {
        assertThatThrownBy(() -> new Prefetch(messages, bytes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(text);
    }
}
