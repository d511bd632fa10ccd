package dev.sluice;

import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/** {@link FrameConnection#receiveBatches(int)} of one message each, with plain subscribers. */
@Test
public class ReceiveBatchesTckTest extends StreamTck<FrameBatch<Integer>> {
    public ReceiveBatchesTckTest() {
        super(false);
    }

    @Override
    Flux<FrameBatch<Integer>> stream(int elements) {
        return connection(elements, connection -> connection.receiveBatches(1));
    }

    @Override
    Flux<FrameBatch<Integer>> failedStream() {
        return disposedConnection(connection -> connection.receiveBatches(1));
    }
}
