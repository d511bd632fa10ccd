package dev.sluice;

import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/** {@link FrameConnection#receiveBatches(int)} of one message each, with subscribers that Reactor does not wrap. */
@Test
public class ReceiveBatchesByCoreSubscriberTckTest extends StreamTck<FrameBatch<Integer>> {
    public ReceiveBatchesByCoreSubscriberTckTest() {
        super(true);
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
