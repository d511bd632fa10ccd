package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;

class FramingWayTest {
    private static final int PAYLOAD = 300;

    static Stream<Arguments> combinations() {
        return Arrays.stream(FramingWay.values())
                .flatMap(way -> formats(way)
                        .flatMap(format ->
                                Arrays.stream(Chunking.values()).map(chunking -> Arguments.of(way, format, chunking))));
    }

    private static Stream<FrameFormat> formats(FramingWay way) {
        return Arrays.stream(FrameFormat.values()).filter(way::has);
    }

    /** The same frames with the same bytes for all, or {@link FrameSink#endOfStream} throws. */
    @ParameterizedTest
    @MethodSource("combinations")
    void cutsTheStreamAgainAndAgain(FramingWay way, FrameFormat format, Chunking chunking) throws Exception {
        Chunks chunks = Chunks.of(format, PAYLOAD, chunking);
        int[] consumed = {0};
        FrameSink sink = new FrameSink(chunks.sum(), message -> consumed[0]++);
        try (Cutter cutter = way.cutter(format, PAYLOAD, chunks, sink)) {
            for (int time = 1; time <= 3; time++) {
                cutter.cut();
                sink.endOfStream();
            }
        }
        assertThat(consumed[0]).isEqualTo(3 * Chunks.FRAMES);
        chunks.release();
        assertThat(chunks.isReleased()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void saysWhatItHasNot(FramingWay way) {
        Chunks chunks = Chunks.of(FrameFormat.LINE, PAYLOAD, Chunking.ONE_FRAME);
        FrameSink sink = new FrameSink(0, message -> {});
        Arrays.stream(FrameFormat.values())
                .filter(format -> !way.has(format))
                .forEach(format -> assertThatThrownBy(() -> way.cutter(format, PAYLOAD, chunks, sink))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage(
                                "no such framing: library=%s, framing=%s",
                                way == FramingWay.PEKKO ? "Pekko" : "Netty", format));
        chunks.release();
    }

    /** JMH is told by annotations, which can only repeat it. */
    @ParameterizedTest
    @EnumSource
    void isABenchmarkOfWhatItHas(FramingWay way) throws NoSuchFieldException {
        assertThat(FramingWay.ofMethod(way.method())).isEqualTo(way);
        Method method = Arrays.stream(FramingBenchmark.class.getMethods())
                .filter(candidate -> candidate.getName().equals(way.method()))
                .findFirst()
                .orElseThrow();
        assertThat(method).isNotNull().matches(it -> it.isAnnotationPresent(Benchmark.class));
        String[] names = method.getParameterTypes()[0]
                .getField("framing")
                .getAnnotation(Param.class)
                .value();
        boolean all = Arrays.equals(names, new String[] {Param.BLANK_ARGS});
        assertThat(all ? Stream.of(FrameFormat.values()) : Arrays.stream(names).map(FrameFormat::valueOf))
                .containsExactlyElementsOf(formats(way).toList());
    }

    @Test
    void refusesAWayThatIsNone() {
        assertThatThrownBy(() -> FramingWay.ofMethod("gzip"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no such way: way=gzip, one of [reader, flux, batches, nettyLoop, nettyChannel, pekko]");
    }

    @Test
    void noticesFramesThatAreMissing() {
        FrameSink sink = new FrameSink(0, message -> {});
        sink.takenPayload(Unpooled.wrappedBuffer(new byte[8]));
        assertThatThrownBy(sink::endOfStream)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("frames are missing: messages=1, expected=4096");
    }

    @Test
    void noticesOtherPayloads() {
        FrameSink sink = new FrameSink(4096, message -> {});
        for (int i = 0; i < Chunks.FRAMES; i++) {
            sink.takenPayload(Unpooled.wrappedBuffer(new byte[8]));
        }
        assertThatThrownBy(sink::endOfStream)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("other payloads: sum=0, expected=4096");
    }
}
