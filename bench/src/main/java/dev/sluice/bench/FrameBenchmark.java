package dev.sluice.bench;

import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import io.netty.buffer.ByteBuf;
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
import org.openjdk.jmh.infra.Blackhole;

/**
 * What the benchmarks of both sides have in common: one invocation takes a stream of frames in chunks, and decodes the same
 * fields of each to one shared object, so that what is allocated is not the messages. Results are per frame.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(Chunks.FRAMES)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@SuppressWarnings("NullAway.Init") // JMH calls setUp
public abstract class FrameBenchmark {
    /** Bytes of each payload. */
    @Param({"64", "256", "2560"})
    public int payload;

    Chunks chunks;
    PayloadDecoder decoder;
    Codec<Message, Message> codec;

    private NettyFrames netty;
    private Blackhole blackhole;
    private int messages;

    /** Makes the stream, and what takes it. */
    @Setup(Level.Trial)
    public void setUp(Blackhole blackhole) {
        this.blackhole = blackhole;
        chunks = Chunks.ofFrames(payload);
        decoder = PayloadDecoder.shared();
        codec = Codec.of(LengthFieldFraming.of(4), decoder, (message, out) -> {
            throw new UnsupportedOperationException("only receives");
        });
        netty = new NettyFrames(payload);
        open();
    }

    /** Releases it. */
    @TearDown(Level.Trial)
    public void tearDown() {
        close();
        chunks.release();
    }

    abstract void open();

    abstract void close();

    /** Netty's {@code LengthFieldBasedFrameDecoder}, called without a pipeline. */
    @Benchmark
    public long nettyDecoder() throws Exception {
        for (int i = 0; i < chunks.length(); i++) {
            netty.read(chunks.get(i), this::takenFrame);
        }
        return takeSum();
    }

    final void taken(Message message) {
        messages++;
        blackhole.consume(message);
    }

    /** Decodes it first; it is released by the caller. */
    final void takenFrame(ByteBuf frame) {
        taken(decoder.decode(frame));
    }

    /** At the end of the stream, when all messages must have come. */
    final long takeSum() {
        if (messages != Chunks.FRAMES) {
            throw new IllegalStateException("frames are missing: messages=" + messages + ", expected=" + Chunks.FRAMES);
        }
        messages = 0;
        return decoder.takeSum();
    }
}
