package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.TruncatedFrameException;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a peer's FIN and RST come to the receiver. */
class EndOverSocketsTest {

    @ParameterizedTest
    @EnumSource
    void completesAtFin(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            link.peer.send(Frames.numbers(0, 1000)).fin();
            assertThat(probe.awaitCompletion().values()).isEqualTo(Frames.range(0, 1000));
            assertThat(link.connection.channel().isOpen())
                    .as("FIN closes nothing by itself")
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void completesAtFinWithoutDemand(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<FrameBatch<Integer>> probe = Probe.demanding(0);
            link.connection.receiveBatches().subscribe(probe);
            link.peer.fin();
            assertThat(probe.awaitCompletion().values()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void failsAtFinInsideAHeader(Transport transport) {
        failsAtFinBehind(transport, 8 + 2);
    }

    @ParameterizedTest
    @EnumSource
    void failsAtFinInsideAFrame(Transport transport) {
        failsAtFinBehind(transport, 8 + 7);
    }

    private static void failsAtFinBehind(Transport transport, int bytes) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            link.peer.send(Arrays.copyOf(Frames.numbers(0, 2), bytes)).fin();
            assertThat(probe.awaitError()).isInstanceOf(TruncatedFrameException.class);
            assertThat(probe.values()).containsExactly(0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void passesResetBehindTheMessagesBeforeIt(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            link.peer.send(Frames.numbers(0, 3));
            probe.awaitCount(3);
            link.peer.send(Frames.numbers(3, 4)).reset();
            assertThat(probe.awaitError()).isInstanceOf(IOException.class);
            assertThat(probe.values()).containsExactly(0, 1, 2, 3);
            assertThat(link.connection.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.CONNECTION_LOST);
        }
    }

    @ParameterizedTest
    @EnumSource
    void holdsMessagesOfAPeerThatClosedBeforeAnyoneSubscribed(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            link.peer.send(Frames.numbers(0, 10)).close();
            Await.until("read", () -> link.connection.stats().messagesIn() == 10);
            Probe<Integer> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            assertThat(probe.awaitCompletion().values()).isEqualTo(Frames.range(0, 10));
            Probe<Integer> later = Probe.unbounded();
            link.connection.receive().subscribe(later);
            assertThat(later.awaitCompletion().values()).isEmpty();
        }
    }

    /** On NIO the end is seen only by a read, which is not armed while the prefetch is full; on epoll at once. */
    @ParameterizedTest
    @EnumSource
    void givesAllWhenTheEndComesWhileThePrefetchIsFull(Transport transport) {
        ConnectionOptions options = ConnectionOptions.DEFAULT.prefetch(new Prefetch(4, 1000));
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS, options)) {
            Probe<Integer> probe = Probe.demanding(0);
            link.connection.receive().subscribe(probe);
            link.peer.send(Frames.numbers(0, 100));
            Await.until("full", () -> link.connection.stats().heldMessages() == 4);
            link.peer.send(Frames.numbers(100, 50_000)).fin();
            for (int i = 1; i <= 50; i++) {
                probe.request(1);
                probe.awaitCount(i);
            }
            assertThat(probe.isTerminated()).isFalse();
            probe.request(Long.MAX_VALUE);
            assertThat(probe.awaitCompletion().values()).isEqualTo(Frames.range(0, 50_000));
            assertThat(link.connection.stats().heldMessagesMax()).isLessThanOrEqualTo(5);
        }
    }

    @ParameterizedTest
    @EnumSource
    void releasesAndCountsWhatNobodyReceivesAfterTheHoldTimeout(Transport transport) {
        ConnectionOptions options = ConnectionOptions.DEFAULT.holdTimeout(Duration.ofMillis(20));
        try (Link<ByteBuf, ByteBuf> link = Link.open(transport, Frames.SLICES, options)) {
            link.peer.send(Frames.numbers(0, 10)).fin();
            Await.until("read", () -> link.connection.stats().messagesIn() == 10);
            link.connection.channel().close();
            Await.until("dropped", () -> link.connection.stats().droppedMessages() == 10);
            Await.until("none held", () -> link.connection.stats().heldMessages() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void sendsWhilePeerHasEndedItsStream(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            link.peer.send(Frames.numbers(0, 1)).fin();
            probe.awaitCompletion();
            for (int i = 0; i < 10; i++) {
                Await.completion(link.connection.send(i));
            }
            assertThat(link.peer.receiveNumbers(10)).isEqualTo(Frames.range(0, 10));
        }
    }

    /** The first write makes the peer's kernel reset the connection, later ones fail; what it had sent is read all the same. */
    @ParameterizedTest
    @EnumSource
    void losesNothingWhenWritesFailBecauseThePeerHasClosed(Transport transport) {
        ConnectionOptions options = ConnectionOptions.DEFAULT.prefetch(new Prefetch(2, 1000));
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS, options)) {
            link.peer.send(Frames.numbers(0, 5000)).close();
            Await.until("full", () -> link.connection.stats().heldMessages() == 2);
            Await.until("failed write", () -> {
                Throwable error =
                        link.connection.send(1).materialize().block(Await.LIMIT).getThrowable();
                return error != null;
            });
            Probe<Integer> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            Await.until("end", probe::isTerminated);
            assertThat(probe.values()).isEqualTo(Frames.range(0, 5000));
        }
    }

    /** Nobody else would close it. */
    @ParameterizedTest
    @EnumSource
    void closesWhenBothDirectionsHaveEnded(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            link.peer.fin();
            probe.awaitCompletion();
            link.peer.reset();
            Await.until(
                    "failed write",
                    () -> link.connection.channel().isOpen()
                                    && link.connection
                                                    .send(1)
                                                    .materialize()
                                                    .block(Await.LIMIT)
                                                    .getThrowable()
                                            != null
                            || !link.connection.channel().isOpen());
            Await.completion(link.connection.onDispose());
        }
    }

    @ParameterizedTest
    @EnumSource
    void tellsWhyItClosed(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            List<Integer> all = link.connection
                    .receive()
                    .doOnSubscribe(s -> link.peer.send(Frames.numbers(0, 3)).fin())
                    .collectList()
                    .block(Await.LIMIT);
            assertThat(all).containsExactly(0, 1, 2);
            link.connection.dispose();
            assertThat(link.connection.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.PEER_CLOSED);
        }
    }
}
