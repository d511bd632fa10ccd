package dev.sluice;

import org.testng.annotations.Test;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** {@link FrameConnection#receiveOn} with subscribers that Reactor does not wrap. */
@Test
public class ReceiveOnByCoreSubscriberTckTest extends StreamTck<Integer> {
    public ReceiveOnByCoreSubscriberTckTest() {
        super(true);
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
