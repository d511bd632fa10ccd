package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FramingReportTest {
    private static final Environment ENVIRONMENT =
            new Environment("2026-01-02T03:04:05Z", "abc-dirty", "a JDK", "a CPU", "an OS", 2);

    private static FramingResult.Cell cell(double allocatedBytes, double... nanos) {
        return new FramingResult.Cell(Spread.of(nanos), allocatedBytes);
    }

    private static FramingReport report(FramingWay... ways) {
        return new FramingReport(
                ENVIRONMENT,
                "bench/framings.sh X",
                List.of("-Xmx1g"),
                List.of(ways),
                List.of(
                        new FramingResult(
                                new FramingOptions.Row(FrameFormat.JSON, 2560, Chunking.READS_64K),
                                Map.of(
                                        FramingWay.READER, cell(0.004, 90, 100, 110),
                                        FramingWay.FLUX, cell(0.4, 200),
                                        FramingWay.NETTY_LOOP, cell(40, 250),
                                        FramingWay.PEKKO, cell(2683, 1000))),
                        new FramingResult(
                                new FramingOptions.Row(FrameFormat.SLIP, 64, Chunking.HALVES),
                                Map.of(FramingWay.READER, cell(0, 5)))),
                List.of("JSON: gone"));
    }

    @Test
    void writesOneTableForEachKindOfChunks() {
        assertThat(report(FramingWay.READER, FramingWay.FLUX, FramingWay.NETTY_LOOP, FramingWay.PEKKO)
                        .markdown())
                .isEqualTo("""
                        2026-01-02T03:04:05Z, commit `abc-dirty`, a JDK; a CPU, 2 cores, an OS.
                        `bench/framings.sh X`; each JVM: `-Xmx1g`.

                        **`READS_64K`**: ns/frame, B/frame

                        | framing | payload | `reader` | `flux` | `nettyLoop` | ÷ `reader` | `pekko` | ÷ `flux` |
                        |---|--:|--:|--:|--:|--:|--:|--:|
                        | `JSON` | 2,560 | 100, 0 | 200, 0.400 | 250, 40.0 | 2.50 | 1,000, 2,683 | 5.00 |

                        From the least to the greatest iteration of one cell: 0 % of its median, at most 20 %.

                        **`HALVES`**: ns/frame, B/frame

                        | framing | payload | `reader` | `flux` | `nettyLoop` | ÷ `reader` | `pekko` | ÷ `flux` |
                        |---|--:|--:|--:|--:|--:|--:|--:|
                        | `SLIP` | 64 | 5.00, 0 | – | – | – | – | – |

                        From the least to the greatest iteration of one cell: 0 % of its median, at most 0 %.

                        **Failed**: JSON: gone
                        """);
    }

    @Test
    void dividesOnlyByWhatWasRun() {
        assertThat(report(FramingWay.PEKKO).markdown())
                .contains("\n| framing | payload | `pekko` |\n|---|--:|--:|\n| `JSON` | 2,560 | 1,000, 2,683 |\n");
    }

    @Test
    void writesJson() throws IOException {
        JsonNode json = JsonMapper.builder()
                .build()
                .readTree(report(FramingWay.READER, FramingWay.NETTY_LOOP).json());
        assertThat(json.get("schemaVersion").asInt()).isEqualTo(1);
        assertThat(json.get("command").asText()).isEqualTo("bench/framings.sh X");
        assertThat(json.get("failures").get(0).asText()).isEqualTo("JSON: gone");
        JsonNode row = json.get("results").get(0);
        assertThat(row.get("framing").asText()).isEqualTo("JSON");
        assertThat(row.get("payload").asInt()).isEqualTo(2560);
        assertThat(row.get("chunks").asText()).isEqualTo("READS_64K");
        JsonNode reader = row.get("ways").get("reader");
        assertThat(reader.get("nanosPerFrame").get("median").asDouble()).isEqualTo(100);
        assertThat(reader.get("nanosPerFrame").get("max").asDouble()).isEqualTo(110);
        assertThat(reader.get("allocatedBytesPerFrame").asDouble()).isEqualTo(0.004);
        assertThat(reader.has("against")).isFalse();
        JsonNode netty = row.get("ways").get("nettyLoop");
        assertThat(netty.get("against").asText()).isEqualTo("reader");
        assertThat(netty.get("timesItsNanos").asDouble()).isEqualTo(2.5);
        assertThat(row.get("ways").get("pekko").has("against")).isFalse();
    }
}
