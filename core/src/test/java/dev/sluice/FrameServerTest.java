package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;

class FrameServerTest {
    private final AtomicReference<FrameConnection<Integer, Integer>> accepted = new AtomicReference<>();

    @ParameterizedTest
    @EnumSource
    @Tag("paranoid")
    void closesInOrderWhenTheHandlerCompletes(Transport transport) {
        DisposableServer server = bind(
                transport,
                connection ->
                        connection.receive().take(2).concatMap(connection::send).then());
        try (Peer peer = connect(server)) {
            peer.send(Frames.numbers(0, 1_000));
            assertThat(Frames.decode(peer.receiveAll())).containsExactly(0, 1);
            peer.fin();
            assertThat(accepted.get().onClose().block(Await.LIMIT)).isEqualTo(CloseReason.CLOSED);
        }
        Transport.end(server);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("paranoid")
    void disposesWhenTheHandlerFails(Transport transport) {
        DisposableServer server = bind(
                transport,
                connection -> connection
                        .receive()
                        .next()
                        .then(Mono.error(new IllegalStateException("handler of this test fails"))));
        try (Peer peer = connect(server)) {
            peer.send(Frames.numbers(0, 1));
            assertClosed(peer);
            assertThat(accepted.get().onClose().block(Await.LIMIT)).isEqualTo(CloseReason.DISPOSED);
        }
        Transport.end(server);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("paranoid")
    void disposesWhenTheHandlerThrows(Transport transport) {
        DisposableServer server = bind(transport, connection -> {
            throw new IllegalStateException("handler of this test throws");
        });
        try (Peer peer = connect(server)) {
            assertClosed(peer);
            assertThat(accepted.get().onClose().block(Await.LIMIT)).isEqualTo(CloseReason.DISPOSED);
        }
        Transport.end(server);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("paranoid")
    void closesAtOnceWithoutAHandler(Transport transport) {
        DisposableServer server =
                FrameServer.from(transport.server(), Frames.NUMBERS).bindNow();
        try (Peer peer = connect(server)) {
            assertThat(peer.receiveAll()).isEmpty();
        }
        Transport.end(server);
    }

    @Test
    void bindsWhenSubscribedToAndKeepsConnectionsWhenDisposed() {
        FrameServer<Integer, Integer> server = FrameServer.create("127.0.0.1", 0, Frames.NUMBERS)
                .handle(connection ->
                        connection.receive().concatMap(connection::send).then());
        DisposableServer bound = server.bind().block(Await.LIMIT);
        FrameConnection<Integer, Integer> client = FrameClient.create("127.0.0.1", bound.port(), Frames.NUMBERS)
                .connect()
                .block(Await.LIMIT);
        Await.completion(client.send(1));
        assertThat(client.receive().next().block(Await.LIMIT)).isEqualTo(1);
        bound.disposeNow();
        Await.completion(client.send(2));
        assertThat(client.receive().next().block(Await.LIMIT)).isEqualTo(2);
        client.dispose();
        Await.completion(client.onDispose());
    }

    @Test
    void usesItsOptions() {
        DisposableServer server = FrameServer.from(Transport.NIO.server(), Frames.NUMBERS)
                .options(ConnectionOptions.DEFAULT.prefetch(new Prefetch(3, 1000)))
                .handle(connection -> {
                    accepted.set(connection);
                    return Mono.never();
                })
                .bindNow();
        try (Peer peer = connect(server)) {
            peer.send(Frames.numbers(0, 100));
            Await.until("accepted", () -> accepted.get() != null);
            Await.until("held", () -> accepted.get().stats().heldMessages() == 3);
            accepted.get().dispose();
            Await.completion(accepted.get().onDispose());
        }
        Transport.end(server);
    }

    @Test
    void isImmutable() {
        FrameServer<Integer, Integer> server = FrameServer.create("127.0.0.1", 0, Frames.NUMBERS);
        assertThat(server.options(ConnectionOptions.DEFAULT)).isNotSameAs(server);
        assertThat(server.handle(connection -> Mono.empty())).isNotSameAs(server);
        assertThatThrownBy(() -> server.handle(null)).hasMessage("handler");
        assertThatThrownBy(() -> server.options(null)).hasMessage("options");
    }

    @ParameterizedTest
    @EnumSource
    void servesManyClientsAtOnce(Transport transport) {
        DisposableServer server = bind(
                transport,
                connection -> connection.receive().concatMap(connection::send).then());
        List<Integer> sums = Flux.range(0, 40)
                .flatMap(
                        client -> FrameClient.from(transport.client(server.port()), Frames.NUMBERS)
                                .connect()
                                .flatMap(connection -> talk(connection, client)),
                        20)
                .collectList()
                .block(Await.LIMIT);
        assertThat(sums).hasSize(40).containsOnly(500);
        Transport.end(server);
    }

    private static Mono<Integer> talk(FrameConnection<Integer, Integer> connection, int client) {
        int first = client * 1_000;
        Mono<List<Integer>> echoes = connection.receive().take(500).collectList();
        Flux<Void> sends = Flux.range(first, 500).flatMapSequential(connection::send);
        return Mono.zip(echoes, sends.then(Mono.just(true)), (received, sent) -> {
                    assertThat(received).isEqualTo(Frames.range(first, first + 500));
                    return received.size();
                })
                .flatMap(size -> connection.close().thenReturn(size));
    }

    private DisposableServer bind(
            Transport transport, Function<FrameConnection<Integer, Integer>, Publisher<Void>> handler) {
        return FrameServer.from(transport.server(), Frames.NUMBERS)
                .options(ConnectionOptions.DEFAULT.closeTimeout(Duration.ofSeconds(5)))
                .handle(connection -> {
                    accepted.set(connection);
                    return handler.apply(connection);
                })
                .bindNow();
    }

    private static Peer connect(DisposableServer server) {
        return Peer.connect((InetSocketAddress) server.address());
    }

    /** By FIN or RST: both are right where something was unread. */
    private static void assertClosed(Peer peer) {
        try {
            assertThat(peer.receiveAll()).isEmpty();
        } catch (UncheckedIOException e) {
            assertThat(e).hasMessageContaining("reset");
        }
    }
}
