package dev.sluice;

import org.testng.annotations.Test;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** {@link FrameConnection#receiveOn} with plain subscribers. */
@Test
public class ReceiveOnTckTest extends StreamTck<Integer> {
    public ReceiveOnTckTest() {
        super(false);
    }

    @Override
    Flux<Integer> stream(int elements) {
        return connection(elements, connection -> connection.receiveOn(Schedulers.parallel()));
    }

    @Override
    Flux<Integer> failedStream() {
        return disposedConnection(connection -> connection.receiveOn(Schedulers.parallel()));
    }
}
