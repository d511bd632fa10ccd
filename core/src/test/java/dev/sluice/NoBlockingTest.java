package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** What blocks an event loop fails: so no other test here has done it. */
class NoBlockingTest {

    @ParameterizedTest
    @EnumSource
    void failsWhatSleepsOnTheEventLoop(Transport transport) {
        assertFails(transport, () -> {
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void failsWhatParksOnTheEventLoop(Transport transport) {
        assertFails(transport, () -> LockSupport.parkNanos(1));
    }

    @ParameterizedTest
    @EnumSource
    void failsWhatWaitsOnTheEventLoop(Transport transport) {
        assertFails(transport, () -> {
            try {
                new CountDownLatch(1).await(1, TimeUnit.NANOSECONDS);
                synchronized (transport) {
                    transport.wait(1);
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    /** In a callback of a receiver, where users' code runs. */
    @ParameterizedTest
    @EnumSource
    void failsReceiverThatBlocks(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Mono<Integer> blocking = link.connection
                    .receive()
                    .doOnNext(number -> LockSupport.parkNanos(1))
                    .next();
            link.peer.send(Frames.numbers(0, 1));
            assertThat(Await.error(blocking)).isInstanceOf(BlockingOperationError.class);
        }
    }

    private static void assertFails(Transport transport, Runnable blocking) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Throwable error = Await.error(Mono.fromRunnable(blocking)
                    .subscribeOn(
                            Schedulers.fromExecutor(link.connection.channel().eventLoop())));
            assertThat(error).isInstanceOf(BlockingOperationError.class);
        }
    }
}
