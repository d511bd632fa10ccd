package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.TruncatedFrameException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Each direction ends by itself. */
@Tag("paranoid")
class HalfCloseTest {
    private static final int KIB = 1024;

    @ParameterizedTest
    @EnumSource
    void receivesBehindItsOwnEnd(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            link.connection.send(7).subscribe();
            Await.completion(link.connection.shutdownOutput());
            assertThat(Frames.decode(link.peer.receiveAll())).containsExactly(7);

            link.peer.send(Frames.numbers(0, 1_000));
            assertThat(probe.awaitCount(1_000).isTerminated()).isFalse();
            link.peer.fin();
            assertThat(probe.awaitCompletion().values()).isEqualTo(Frames.range(0, 1_000));
            Await.completion(link.connection.onDispose());
            assertThat(link.connection.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.PEER_CLOSED);
        }
    }

    /** Also those that wait, unencoded, for a peer that does not read yet. */
    @ParameterizedTest
    @EnumSource
    void writesWhatWasAcceptedBeforeTheEnd(Transport transport) {
        try (Link<byte[], byte[]> link = Link.openNarrow(transport, Frames.BYTES, ConnectionOptions.DEFAULT)) {
            for (int i = 0; i < 64; i++) {
                link.connection.send(Frames.payload(i, 64 * KIB)).subscribe();
            }
            Probe<Void> ended = Probe.unbounded();
            link.connection.shutdownOutput().subscribe(ended);
            assertThat(Await.error(link.connection.send(new byte[0])))
                    .isInstanceOf(ConnectionClosedException.class)
                    .hasMessage("connection is closed: reason=CLOSED");
            assertThat(ended.isTerminated()).isFalse();
            assertThat(Frames.decode(link.peer.receiveAll())).isEqualTo(Frames.range(0, 64));
            ended.awaitCompletion();
            assertThat(link.connection.channel().isOpen()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void endsOnceHoweverOftenItIsAsked(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Mono<Void> end = link.connection.shutdownOutput();
            Await.completion(link.connection.send(1));
            end.subscribe().dispose();
            Await.completion(end);
            Await.completion(link.connection.shutdownOutput());
            assertThat(Frames.decode(link.peer.receiveAll())).containsExactly(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void closesWhenThePeerHadEndedItsStreamBefore(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.demanding(1);
            link.connection.receive().subscribe(probe);
            link.peer.send(Frames.numbers(0, 3)).fin();
            Await.until("held", () -> link.connection.stats().messagesIn() == 3);
            link.connection.send(1).subscribe();
            Await.completion(link.connection.shutdownOutput());
            assertThat(Frames.decode(link.peer.receiveAll())).containsExactly(1);
            Await.completion(link.connection.onDispose());
            probe.request(2);
            assertThat(probe.awaitCompletion().values()).containsExactly(0, 1, 2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void closesInOrderBehindItsOwnEnd(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Await.completion(link.connection.shutdownOutput());
            Probe<Void> closed = Probe.unbounded();
            link.connection.close().subscribe(closed);
            link.onLoop(() -> {});
            assertThat(closed.isTerminated()).as("waits for the peer's end").isFalse();
            link.peer.send(Frames.numbers(0, 100)).fin();
            closed.awaitCompletion();
            assertThat(link.connection.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.CLOSED);
        }
    }

    @ParameterizedTest
    @EnumSource
    void endsTogetherWithClose(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            link.connection.close().subscribe();
            Await.completion(link.connection.shutdownOutput());
            link.peer.fin();
            Await.completion(link.connection.onDispose());
        }
    }

    @ParameterizedTest
    @EnumSource
    void closeReplacesAnEndThatWaits(Transport transport) {
        ConnectionOptions options = ConnectionOptions.DEFAULT.closeTimeout(Duration.ofMillis(30));
        try (Link<ByteBuf, ByteBuf> link = Link.openNarrow(transport, Frames.SLICES, options)) {
            for (int i = 0; i < 64; i++) {
                link.connection.send(Unpooled.buffer().writeZero(64 * KIB)).subscribe(done -> {}, error -> {});
            }
            Probe<Void> ended = Probe.unbounded();
            link.connection.shutdownOutput().subscribe(ended);
            Await.completion(link.connection.close());
            assertThat(ended.awaitError())
                    .isInstanceOf(ConnectionClosedException.class)
                    .hasMessage("connection is closed: reason=CLOSED");
        }
    }

    @ParameterizedTest
    @EnumSource
    void failsWhenTheConnectionIsDisposedBefore(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            link.connection.dispose();
            Await.completion(link.connection.onDispose());
            assertThat(Await.error(link.connection.shutdownOutput()))
                    .isInstanceOf(ConnectionClosedException.class)
                    .hasMessage("connection is closed: reason=DISPOSED");
        }
    }

    @Test
    void refusesChannelsThatHaveNoHalves() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            assertThat(Await.error(wire.connection.shutdownOutput()))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessage("output cannot be ended alone, over plain TCP only: channel=" + wire.channel);
            wire.connection.send(1).subscribe();
            assertThat(wire.sentNumbers()).containsExactly(1);
        }
    }

    /** Requests, their end, and then the answers: both sides half close. */
    @ParameterizedTest
    @EnumSource
    void answersBehindTheEndOfTheRequests(Transport transport) {
        var server = FrameServer.from(transport.server(), Frames.NUMBERS)
                .options(ReadMode.NOW.apply(ConnectionOptions.DEFAULT))
                .handle(connection -> connection
                        .receive()
                        .count()
                        .flatMapMany(count -> Flux.range(0, count.intValue()))
                        .concatMap(connection::send)
                        .then())
                .bindNow();
        FrameConnection<Integer, Integer> client = FrameClient.from(transport.client(server.port()), Frames.NUMBERS)
                .connect()
                .block(Await.LIMIT);
        Flux.range(0, 500).concatMap(client::send).then(client.shutdownOutput()).subscribe();
        List<Integer> answers = client.receive().collectList().block(Await.LIMIT);
        assertThat(answers).isEqualTo(Frames.range(0, 500));
        Await.completion(client.onDispose());
        Transport.end(server);
    }

    @ParameterizedTest
    @EnumSource
    void tellsTruncationBehindItsOwnEnd(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            Await.completion(link.connection.shutdownOutput());
            link.peer.send(Arrays.copyOf(Frames.numbers(0, 2), 11)).fin();
            assertThat(probe.awaitError()).isInstanceOf(TruncatedFrameException.class);
            assertThat(probe.values()).containsExactly(0);
        }
    }
}
