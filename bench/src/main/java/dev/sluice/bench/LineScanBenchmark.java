package dev.sluice.bench;

import dev.sluice.framing.Codec;
import dev.sluice.framing.FrameReader;
import dev.sluice.framing.LineFraming;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.ByteProcessor;
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

/**
 * How fast the ends of long lines are found: 64 KiB in lines of 4 KiB, by Sluice's whole reader and by Netty's searches
 * alone. Results are bytes per nanosecond, which are GB/s.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(LineScanBenchmark.BYTES)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@SuppressWarnings("NullAway.Init") // JMH calls setUp
public class LineScanBenchmark {
    static final int BYTES = 64 * 1024;
    private static final int LINES = 16;

    /** Where the bytes lie. */
    public enum Memory {
        /** In an array. */
        HEAP,
        /** Outside of the heap. */
        DIRECT
    }

    /** Where the bytes lie. */
    @Param
    public Memory memory;

    private ByteBuf chunk;
    private ByteBuf lineFeed;
    private PayloadDecoder decoder;
    private FrameReader<Message> reader;

    /** Makes the lines. */
    @Setup(Level.Trial)
    public void setUp() {
        chunk = memory == Memory.HEAP ? Unpooled.buffer(BYTES, BYTES) : Unpooled.directBuffer(BYTES, BYTES);
        for (int line = 0; line < LINES; line++) {
            chunk.writeBytes(Payloads.TEXT.payload(line, BYTES / LINES - 1)).writeByte('\n');
        }
        lineFeed = Unpooled.wrappedBuffer(new byte[] {'\n'});
        decoder = PayloadDecoder.shared();
        reader = FrameReader.create(Codec.decoding(LineFraming.lenient(), decoder));
    }

    /** Releases them. */
    @TearDown(Level.Trial)
    public void tearDown() {
        reader.close();
        chunk.release();
    }

    /** Sluice: finds lines, takes them off the stream and decodes a few of their bytes. */
    @Benchmark
    public long reader() {
        int lines = 0;
        reader.feed(chunk.setIndex(0, BYTES).retain());
        while (reader.read() != null) {
            lines++;
        }
        check(lines);
        return decoder.takeSum();
    }

    /** Netty's {@link ByteBuf#indexOf}. */
    @Benchmark
    public void nettyIndexOf() {
        int lines = 0;
        int end = chunk.indexOf(0, BYTES, (byte) '\n');
        while (end >= 0) {
            lines++;
            end = chunk.indexOf(end + 1, BYTES, (byte) '\n');
        }
        check(lines);
    }

    /** Netty's {@link ByteBufUtil#indexOf(ByteBuf, ByteBuf)}, which searches any number of bytes. */
    @Benchmark
    public void nettyUtilIndexOf() {
        int lines = 0;
        chunk.setIndex(0, BYTES);
        int end = ByteBufUtil.indexOf(lineFeed, chunk);
        while (end >= 0) {
            lines++;
            chunk.readerIndex(end + 1);
            end = ByteBufUtil.indexOf(lineFeed, chunk);
        }
        check(lines);
    }

    /** Netty's {@link ByteBuf#forEachByte(int, int, ByteProcessor)}, which its decoder of lines calls. */
    @Benchmark
    public void nettyForEachByte() {
        int lines = 0;
        int end = chunk.forEachByte(0, BYTES, ByteProcessor.FIND_LF);
        while (end >= 0) {
            lines++;
            end = chunk.forEachByte(end + 1, BYTES - end - 1, ByteProcessor.FIND_LF);
        }
        check(lines);
    }

    private static void check(int lines) {
        if (lines != LINES) {
            throw new IllegalStateException("lines are missing: lines=" + lines + ", expected=" + LINES);
        }
    }
}
