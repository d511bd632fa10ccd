package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class FramingOptionsTest {
    private static FramingOptions options(String... args) {
        return FramingOptions.of(args);
    }

    @Test
    void takesAllFramingsAndSomeChunksByDefault() {
        assertThat(options().rows())
                .hasSize(FrameFormat.values().length * (4 + 2))
                .startsWith(new FramingOptions.Row(FrameFormat.LENGTH_FIELD, 64, Chunking.READS_64K))
                .endsWith(new FramingOptions.Row(FrameFormat.COBS, 256, Chunking.HALVES));
    }

    @Test
    void takesNamedChunksForAllPayloads() {
        assertThat(options("--framings", "LINE", "--payloads", "64,4096", "--chunks", "HALVES,ONE_FRAME")
                        .rows())
                .containsExactly(
                        new FramingOptions.Row(FrameFormat.LINE, 64, Chunking.ONE_FRAME),
                        new FramingOptions.Row(FrameFormat.LINE, 4096, Chunking.ONE_FRAME),
                        new FramingOptions.Row(FrameFormat.LINE, 64, Chunking.HALVES),
                        new FramingOptions.Row(FrameFormat.LINE, 4096, Chunking.HALVES));
    }

    @Test
    void runsOnlyWaysThatHaveTheFraming() {
        FramingOptions options = options("--ways", "pekko,nettyLoop,batches");
        assertThat(options.ways(new FramingOptions.Row(FrameFormat.JSON, 64, Chunking.HALVES)))
                .containsExactly(FramingWay.PEKKO, FramingWay.NETTY_LOOP, FramingWay.BATCHES);
        assertThat(options.ways(new FramingOptions.Row(FrameFormat.VARINT, 64, Chunking.HALVES)))
                .containsExactly(FramingWay.NETTY_LOOP, FramingWay.BATCHES);
        assertThat(options.ways(new FramingOptions.Row(FrameFormat.SLIP, 64, Chunking.HALVES)))
                .containsExactly(FramingWay.BATCHES);
    }

    @Test
    void tellsItsDefaults() {
        assertThat(FramingOptions.HELP)
                .contains("--framings LENGTH_FIELD,VARINT,LINE,DELIMITER,JSON,FIXED,NETSTRING,SLIP,COBS\n")
                .contains("READS_64K,READS_1000,ONE_FRAME,HALVES")
                .contains("--ways reader,flux,nettyLoop,nettyChannel,pekko\n")
                .doesNotContain("null");
        FramingOptions defaults = options();
        assertThat(defaults.forks()).isEqualTo(1);
        assertThat(defaults.warmUps()).isEqualTo(4);
        assertThat(defaults.iterations()).isEqualTo(5);
        assertThat(defaults.seconds()).isEqualTo(0.3);
        assertThat(defaults.out()).isEmpty();
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertThatThrownBy(() -> options("--framings", "XML")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options("--chunks", "some,HALVES")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options("--ways", "reader,"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("no such way: way=, one of [reader, ");
        assertThatThrownBy(() -> options("--size", "64"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unknown option: option=--size");
        assertThatThrownBy(() -> options("--forks", "0"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("option below its limit: --forks=0, limit=1");
    }
}
