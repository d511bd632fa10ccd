package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PayloadsTest {
    @ParameterizedTest
    @EnumSource
    void haveTheLengthAndDiffer(Payloads payloads) {
        for (int length = 64; length < 100; length++) {
            assertThat(payloads.payload(1, length)).hasSize(length).isNotEqualTo(payloads.payload(2, length));
        }
    }

    @Test
    void areJson() throws IOException {
        for (int length = 36; length < 100; length++) {
            JsonNode json = JsonMapper.builder().build().readTree(Payloads.JSON.payload(7, length));
            assertThat(json.get("id").asInt()).isEqualTo(10_000_007);
            assertThat(json.get("tags")).isNotEmpty().allMatch(JsonNode::isTextual);
        }
    }

    @Test
    void areNoJsonIfTooShort() {
        assertThatThrownBy(() -> Payloads.JSON.payload(0, 35))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("payload too short: length=35, limit=36");
    }
}
