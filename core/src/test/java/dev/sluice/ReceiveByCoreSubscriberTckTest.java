package dev.sluice;

import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/** {@link FrameConnection#receive()} with subscribers that Reactor does not wrap. */
@Test
public class ReceiveByCoreSubscriberTckTest extends StreamTck<Integer> {
    public ReceiveByCoreSubscriberTckTest() {
        super(true);
    }

    @Override
    Flux<Integer> stream(int elements) {
        return connection(elements, FrameConnection::receive);
    }

    @Override
    Flux<Integer> failedStream() {
        return disposedConnection(FrameConnection::receive);
    }
}
