package dev.sluice.bench;

/** One way to cut a stream of chunks into frames; the stream is taken again and again. */
interface Cutter extends AutoCloseable {
    /** Takes the whole stream: each of its frames comes to the {@link FrameSink} of this cutter. */
    void cut() throws Exception;

    @Override
    default void close() {}
}
