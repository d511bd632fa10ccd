package dev.sluice;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SendPolicyTest {
    private static final SendPolicy POLICY = SendPolicy.DEFAULT;

    @ParameterizedTest
    @CsvSource({
        "0, 0, 'highWatermark too small: highWatermark=0, limit=1'",
        "0, 1073741825, 'highWatermark too large: highWatermark=1073741825, limit=1073741824'",
        "-1, 1, 'lowWatermark too small: lowWatermark=-1, limit=0'",
        "3, 2, 'low watermark above the high one: lowWatermark=3, limit=2'"
    })
    void refusesWatermarks(int low, int high, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> POLICY.watermarks(low, high))
                .withMessage(message);
    }

    @Test
    void refusesBoundsBeyondTheirRange() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> POLICY.maxPending(0))
                .withMessage("maxPending too small: maxPending=0, limit=1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> POLICY.maxPending((1 << 20) + 1))
                .withMessage("maxPending too large: maxPending=1048577, limit=1048576");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> POLICY.maxWaiting(-1))
                .withMessage("maxWaiting too small: maxWaiting=-1, limit=0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> POLICY.maxWaiting((1 << 20) + 1))
                .withMessage("maxWaiting too large: maxWaiting=1048577, limit=1048576");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> POLICY.batchBytes(0))
                .withMessage("batchBytes too small: batchBytes=0, limit=1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> POLICY.sendTimeout(Duration.ofMillis(-1)))
                .withMessage("sendTimeout below zero: sendTimeout=PT-0.001S, limit=PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        POLICY.sendTimeout(Duration.ofNanos(Long.MAX_VALUE).plusNanos(1)))
                .withMessage("sendTimeout too long: sendTimeout=PT2562047H47M16.854775808S,"
                        + " limit=PT2562047H47M16.854775807S");
    }
}
