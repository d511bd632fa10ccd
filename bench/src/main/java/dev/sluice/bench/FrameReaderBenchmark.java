package dev.sluice.bench;

import dev.sluice.framing.FrameReader;
import org.openjdk.jmh.annotations.Benchmark;

/** From chunks to messages without any stream. */
@SuppressWarnings("NullAway.Init") // JMH calls setUp
public class FrameReaderBenchmark extends FrameBenchmark {
    private FrameReader<Message> reader;

    @Override
    void open() {
        reader = FrameReader.create(codec);
    }

    @Override
    void close() {
        reader.close();
    }

    /** Sluice's {@link FrameReader}. */
    @Benchmark
    public long sluiceReader() {
        for (int i = 0; i < chunks.length(); i++) {
            reader.feed(chunks.get(i));
            for (Message message = reader.read(); message != null; message = reader.read()) {
                taken(message);
            }
        }
        return takeSum();
    }
}
