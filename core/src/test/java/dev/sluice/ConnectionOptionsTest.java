package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConnectionOptionsTest {
    private static final ConnectionOptions DEFAULT = ConnectionOptions.DEFAULT;

    @Test
    void hasTheDefaultsItNames() {
        assertThat(DEFAULT.prefetch()).isEqualTo(Prefetch.DEFAULT);
        assertThat(DEFAULT.cancelPolicy()).isEqualTo(CancelPolicy.HAND_OVER);
        assertThat(DEFAULT.noDelay()).isTrue();
        assertThat(DEFAULT.holdTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(DEFAULT.closeTimeout()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void changesOneSettingAtATime() {
        ConnectionOptions changed = DEFAULT.prefetch(new Prefetch(3, 4))
                .cancelPolicy(CancelPolicy.CLOSE)
                .noDelay(false)
                .holdTimeout(Duration.ofSeconds(1))
                .closeTimeout(Duration.ofSeconds(2));

        assertThat(changed.prefetch()).isEqualTo(new Prefetch(3, 4));
        assertThat(changed.cancelPolicy()).isEqualTo(CancelPolicy.CLOSE);
        assertThat(changed.noDelay()).isFalse();
        assertThat(changed.holdTimeout()).isEqualTo(Duration.ofSeconds(1));
        assertThat(changed.closeTimeout()).isEqualTo(Duration.ofSeconds(2));
        hasTheDefaultsItNames();
    }

    @Test
    void refusesNegativeDurations() {
        assertThatThrownBy(() -> DEFAULT.holdTimeout(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("holdTimeout below zero: holdTimeout=PT-0.001S, limit=PT0S");
        assertThatThrownBy(() -> DEFAULT.closeTimeout(Duration.ofSeconds(-2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("closeTimeout below zero: closeTimeout=PT-2S, limit=PT0S");
    }

    @Test
    void refusesNull() {
        assertThatThrownBy(() -> DEFAULT.prefetch(null)).hasMessage("prefetch");
        assertThatThrownBy(() -> DEFAULT.cancelPolicy(null)).hasMessage("cancelPolicy");
        assertThatThrownBy(() -> DEFAULT.holdTimeout(null)).hasMessage("holdTimeout");
        assertThatThrownBy(() -> DEFAULT.closeTimeout(null)).hasMessage("closeTimeout");
    }
}
