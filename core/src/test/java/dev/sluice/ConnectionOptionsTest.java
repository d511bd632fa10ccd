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
        assertThat(DEFAULT.readIdleTimeout()).isZero();
        assertThat(DEFAULT.frameTimeout()).isZero();
    }

    @Test
    void changesOneSettingAtATime() {
        ConnectionOptions changed = DEFAULT.prefetch(new Prefetch(3, 4))
                .cancelPolicy(CancelPolicy.CLOSE)
                .noDelay(false)
                .holdTimeout(Duration.ofSeconds(1))
                .closeTimeout(Duration.ofSeconds(2))
                .readIdleTimeout(Duration.ofSeconds(3))
                .frameTimeout(Duration.ofSeconds(4));

        assertThat(changed.prefetch()).isEqualTo(new Prefetch(3, 4));
        assertThat(changed.cancelPolicy()).isEqualTo(CancelPolicy.CLOSE);
        assertThat(changed.noDelay()).isFalse();
        assertThat(changed.holdTimeout()).isEqualTo(Duration.ofSeconds(1));
        assertThat(changed.closeTimeout()).isEqualTo(Duration.ofSeconds(2));
        assertThat(changed.readIdleTimeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(changed.frameTimeout()).isEqualTo(Duration.ofSeconds(4));
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
        assertThatThrownBy(() -> DEFAULT.readIdleTimeout(Duration.ofSeconds(-2)))
                .hasMessage("readIdleTimeout below zero: readIdleTimeout=PT-2S, limit=PT0S");
        assertThatThrownBy(() -> DEFAULT.frameTimeout(Duration.ofSeconds(-2)))
                .hasMessage("frameTimeout below zero: frameTimeout=PT-2S, limit=PT0S");
    }

    /** Otherwise the connection would fail when it counts them in nanoseconds. */
    @Test
    void refusesDurationsThatNoTimerCanCount() {
        Duration longest = Duration.ofNanos(Long.MAX_VALUE);
        assertThat(DEFAULT.holdTimeout(longest).holdTimeout()).isEqualTo(longest);
        assertThatThrownBy(() -> DEFAULT.holdTimeout(longest.plusNanos(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("holdTimeout too long: holdTimeout=PT2562047H47M16.854775808S,"
                        + " limit=PT2562047H47M16.854775807S");
        assertThatThrownBy(() -> DEFAULT.readIdleTimeout(Duration.ofSeconds(Long.MAX_VALUE)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesNull() {
        assertThatThrownBy(() -> DEFAULT.prefetch(null)).hasMessage("prefetch");
        assertThatThrownBy(() -> DEFAULT.cancelPolicy(null)).hasMessage("cancelPolicy");
        assertThatThrownBy(() -> DEFAULT.holdTimeout(null)).hasMessage("holdTimeout");
        assertThatThrownBy(() -> DEFAULT.closeTimeout(null)).hasMessage("closeTimeout");
    }
}
