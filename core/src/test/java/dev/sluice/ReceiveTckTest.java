package dev.sluice;

import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/** {@link FrameConnection#receive()} with plain subscribers. */
@Test
public class ReceiveTckTest extends StreamTck<Integer> {
    public ReceiveTckTest() {
        super(false);
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
