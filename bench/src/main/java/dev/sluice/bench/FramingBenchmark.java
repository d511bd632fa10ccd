package dev.sluice.bench;

import dev.sluice.framing.FrameReader;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Cutting frames and decoding them, without a socket: Sluice beside Netty's decoder and Pekko's flow for the same format.
 * One invocation takes a stream of frames in chunks; results are per frame. {@link FramingComparison} sets them side by
 * side.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(Chunks.FRAMES)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class FramingBenchmark {
    /** Sluice's {@link FrameReader}. */
    @Benchmark
    public void reader(Sluice run) throws Exception {
        run.stream();
    }

    /** Sluice's {@code FrameFlux}, message by message. */
    @Benchmark
    public void flux(Sluice run) throws Exception {
        run.stream();
    }

    /** Sluice's {@code FrameFlux}, in batches. */
    @Benchmark
    public void batches(Sluice run) throws Exception {
        run.stream();
    }

    /** Netty's decoder, called without a pipeline. */
    @Benchmark
    public void nettyLoop(Netty run) throws Exception {
        run.stream();
    }

    /** Netty's decoder in the pipeline of an {@code EmbeddedChannel}. */
    @Benchmark
    public void nettyChannel(Netty run) throws Exception {
        run.stream();
    }

    /** Pekko's {@code Framing} or {@code JsonFraming}, in a stream. */
    @Benchmark
    public void pekko(Pekko run) throws Exception {
        run.stream();
    }

    /** A stream, and the way to cut it that the benchmark is named after. */
    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH calls setUp
    public abstract static class Run {
        /** Bytes of each payload. */
        @Param({"64", "256", "2560", "65536"})
        public int payload;

        /** How the stream is cut into chunks. */
        @Param
        public Chunking chunks;

        private Chunks stream;
        private FrameSink sink;
        private Cutter cutter;

        /** Makes the stream, and what takes it. */
        @Setup(Level.Trial)
        public void setUp(BenchmarkParams params, Blackhole blackhole) {
            String name = params.getBenchmark();
            FramingWay way = FramingWay.ofMethod(name.substring(name.lastIndexOf('.') + 1));
            stream = Chunks.of(format(), payload, chunks);
            sink = new FrameSink(stream.sum(), blackhole::consume);
            cutter = way.cutter(format(), payload, stream, sink);
        }

        /** Releases it. */
        @TearDown(Level.Trial)
        public void tearDown() throws Exception {
            cutter.close();
            stream.release();
        }

        final void stream() throws Exception {
            cutter.cut();
            sink.endOfStream();
        }

        abstract FrameFormat format();
    }

    /** All formats. */
    @SuppressWarnings("NullAway.Init")
    public static class Sluice extends Run {
        /** All of them. */
        @Param
        public FrameFormat framing;

        @Override
        FrameFormat format() {
            return framing;
        }
    }

    /** The formats that Netty has a decoder for. */
    @SuppressWarnings("NullAway.Init")
    public static class Netty extends Run {
        /** Some of them. */
        @Param({"LENGTH_FIELD", "VARINT", "LINE", "DELIMITER", "JSON", "FIXED"})
        public FrameFormat framing;

        @Override
        FrameFormat format() {
            return framing;
        }
    }

    /** The formats that Pekko has a flow for. */
    @SuppressWarnings("NullAway.Init")
    public static class Pekko extends Run {
        /** Some of them. */
        @Param({"LENGTH_FIELD", "LINE", "DELIMITER", "JSON"})
        public FrameFormat framing;

        @Override
        FrameFormat format() {
            return framing;
        }
    }
}
