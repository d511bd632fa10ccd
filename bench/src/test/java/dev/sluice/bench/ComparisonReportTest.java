package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ComparisonReportTest {
    private static final Environment ENVIRONMENT =
            new Environment("2026-01-02T03:04:05Z", "abc-dirty", "a \"JDK\"", "a CPU", "an OS", 2);

    private static Fork.Connection connection(long nanos, Map<String, Long> counters) {
        return new Fork.Connection(new Sample(1000, nanos, nanos / 2, nanos / 4, 8000, 1, counters), 0.5);
    }

    private static ComparisonReport report() {
        Series sluice = new Series(Kind.RECEIVE_OBJECT);
        Series reactorNetty = new Series(Kind.RN_RECEIVE_OBJECT);
        Series hop = new Series(Kind.HOP);
        for (int round = 1; round <= 3; round++) {
            sluice.addRound(List.of(connection(1_000_000, Map.of("drains", 10L, "wakeUps", 10L))));
            reactorNetty.addRound(List.of(connection(round * 1_000_000L, Map.of())));
            hop.addRound(List.of(connection(1_000_000, Map.of())));
        }
        SizeResult size = SizeResult.of(64, 1000, List.of(sluice, reactorNetty, hop));
        return new ComparisonReport(ENVIRONMENT, "java X", List.of("-Xmx1g"), List.of(size), List.of("kind=x: gone"));
    }

    @Test
    void writesOneRowAKind() {
        assertThat(report().markdown())
                .startsWith("2026-01-02T03:04:05Z, commit `abc-dirty`, a \"JDK\"; a CPU, 2 cores, an OS.\n"
                        + "`java X`; receiver: `-Xmx1g`.\n\n**64 B payload**, 1,000 messages a connection\n\n| kind |")
                .contains("\n| `receive-object` | 3 | 1,000,000 (1,000,000–1,000,000) | 2.00 (1.00–3.00)"
                        + " | 0.500 (0.500–0.500) | 2.00 (1.00–3.00) | 8.00 | 50 % | 10 | – | 10 | – |\n")
                .contains("\n| `rn-receive-object` | 3 | 500,000 (333,333–1,000,000) | – | 1.00 (0.500–1.50)"
                        + " | – | 8.00 | 50 % | – | – | – | – |\n")
                .contains("In flight at most: `hop` 64 + 1,024 messages / 256 KiB + 4 MiB.")
                .endsWith("**Failed**: kind=x: gone\n");
    }

    @Test
    void writesJsonThatParsersRead() throws Exception {
        JsonNode root = new ObjectMapper().readTree(report().json());
        assertThat(root.get("schemaVersion").asInt()).isEqualTo(1);
        assertThat(root.get("jdk").asText()).isEqualTo("a \"JDK\"");
        assertThat(root.at("/machine/cores").asInt()).isEqualTo(2);
        JsonNode sluice = root.at("/sizes/0/kinds/receive-object");
        assertThat(sluice.at("/samples").asInt()).isEqualTo(3);
        assertThat(sluice.at("/messagesPerSecond/median").asDouble()).isEqualTo(1_000_000);
        assertThat(sluice.at("/cpuMicrosPerMessage/max").asDouble()).isEqualTo(0.5);
        assertThat(sluice.at("/countersPerConnection/wakeUps").asDouble()).isEqualTo(10);
        assertThat(sluice.at("/ratios/against").asText()).isEqualTo("rn-receive-object");
        assertThat(sluice.at("/ratios/messagesPerSecond/maxOfRounds").asDouble())
                .isEqualTo(3);
        assertThat(root.at("/sizes/0/kinds/hop").has("ratios")).isFalse();
        assertThat(root.at("/failures/0").asText()).isEqualTo("kind=x: gone");
    }

    @Test
    void escapesAndLeavesOutWhatJsonHasNoNumberFor() {
        assertThat(Json.of(Map.of("a\\\n", List.of(Double.NaN, true, 1L, List.of(), Map.of()))))
                .isEqualTo("{\n  \"a\\\\\\u000a\": [\n    null,\n    true,\n    1,\n    [],\n    {}\n  ]\n}\n");
    }
}
