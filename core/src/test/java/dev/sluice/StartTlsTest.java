package dev.sluice;

import static dev.sluice.Lines.lines;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.Codec;
import dev.sluice.framing.LineFraming;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;

/** TLS that begins in the midst of a stream. */
@Tag("paranoid")
class StartTlsTest {
    private static final String START = "STARTTLS";
    private static final String READY = "ready";

    private static final Codec<String, String> CODEC =
            Codec.text(LineFraming.lenient()).pauseAfter(line -> line.equals(START) || line.equals(READY));

    @ParameterizedTest
    @EnumSource
    void startsOnBothSides(Transport transport) {
        DisposableServer server = serve(transport);
        for (int round = 0; round < 5; round++) {
            FrameConnection<String, String> client = connect(transport, server);
            Probe<String> probe = Probe.unbounded();
            client.receive().subscribe(probe.whenNext(line -> {
                if (line.equals(READY)) {
                    client.startTls(Tls.clientHandler()).subscribe();
                    client.send("secret").subscribe();
                }
            }));
            Flux.just("open", START).concatMap(client::send).subscribe();
            probe.awaitCount(4);
            assertThat(probe.values()).containsExactly("echo open", READY, "welcome", "echo secret");
            assertThat(client.channel().pipeline().get(SslHandler.class)).isNotNull();
            Await.completion(client.close());
            probe.awaitError();
            assertThat(client.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.CLOSED);
        }
        Transport.end(server);
    }

    @ParameterizedTest
    @EnumSource
    void startsFromAnotherThread(Transport transport) {
        DisposableServer server = serve(transport);
        FrameConnection<String, String> client = connect(transport, server);
        Await.completion(client.send(START));
        assertThat(client.receive().next().block(Await.LIMIT)).isEqualTo(READY);
        Await.completion(client.startTls(Tls.clientHandler()));
        Await.completion(client.send("secret"));
        assertThat(client.receive().take(2).collectList().block(Await.LIMIT)).containsExactly("welcome", "echo secret");
        client.dispose();
        Await.completion(client.onDispose());
        Transport.end(server);
    }

    @ParameterizedTest
    @EnumSource
    void startsInTheCallbackThatAttaches(Transport transport) {
        DisposableServer server = FrameServer.from(transport.server(), CODEC)
                .handle(connection -> connection
                        .startTls(Tls.serverHandler())
                        .thenMany(connection.receive().concatMap(line -> connection.send("echo " + line))))
                .bindNow();
        FrameConnection<String, String> client = FrameClient.from(transport.client(server.port()), CODEC)
                .connect()
                .flatMap(connection -> connection.startTls(Tls.clientHandler()).thenReturn(connection))
                .block(Await.LIMIT);
        Await.completion(client.send("secret"));
        assertThat(client.receive().next().block(Await.LIMIT)).isEqualTo("echo secret");
        client.dispose();
        Await.completion(client.onDispose());
        Transport.end(server);
    }

    /** What was sent before goes out as it is, what is sent later does not. */
    @ParameterizedTest
    @EnumSource
    void flushesThePlaintextThatWasSentBefore(Transport transport) {
        try (Link<String, String> link = Link.open(transport, CODEC)) {
            link.connection.receive().subscribe(line -> {
                link.connection.send("one").subscribe();
                link.connection.send("two").subscribe();
                link.connection.startTls(Tls.clientHandler()).subscribe(null, error -> {});
                link.connection.send("secret").subscribe(null, error -> {});
            });
            link.peer.send(lines(READY));
            byte[] plain = lines("one", "two");
            assertThat(link.peer.receive(plain.length)).isEqualTo(plain);
            byte[] record = link.peer.receive(3);
            assertThat(record[0]).as("TLS handshake record").isEqualTo((byte) 22);
            assertThat(record[1]).as("TLS version").isEqualTo((byte) 3);
        }
    }

    /** Somebody in between may have put them there. */
    @ParameterizedTest
    @EnumSource
    void refusesPlaintextBehindThePausingMessage(Transport transport) {
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        CompletableFuture<Throwable> received = new CompletableFuture<>();
        CompletableFuture<Throwable> sent = new CompletableFuture<>();
        DisposableServer server = FrameServer.from(transport.server(), CODEC)
                .handle(connection -> {
                    connection
                            .receive()
                            .subscribe(
                                    line -> {
                                        connection.send(READY).subscribe();
                                        connection.startTls(Tls.serverHandler()).subscribe(null, refused::complete);
                                        connection.send("secret").subscribe(null, sent::complete);
                                    },
                                    received::complete);
                    return Mono.never();
                })
                .bindNow();
        try (Peer peer = Peer.connect((InetSocketAddress) server.address())) {
            peer.send(lines(START, "injected"));
            assertThat(refused.join())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("plaintext follows the message behind which TLS starts: bytesAtHand=9, limit=0");
            assertThat(received.join()).hasMessage("connection is closed: reason=PROTOCOL_ERROR");
            assertThat(sent.join()).hasMessage("connection is closed: reason=PROTOCOL_ERROR");
            assertThat(new String(peer.receiveAll(), StandardCharsets.UTF_8)).isIn("", READY + "\n");
        } catch (UncheckedIOException e) {
            assertThat(e).hasMessageContaining("reset"); // what it has sent was not read
        }
        Transport.end(server);
    }

    @ParameterizedTest
    @EnumSource
    void failsWithTheHandshake(Transport transport) {
        try (Link<String, String> link = Link.open(transport, CODEC)) {
            link.peer.send(lines(READY));
            assertThat(link.connection.receive().next().block(Await.LIMIT)).isEqualTo(READY);
            CompletableFuture<Void> started =
                    link.connection.startTls(Tls.clientHandler()).toFuture();
            link.peer.receive(1);
            link.peer.send(lines("what is this supposed to mean"));
            assertThat(Await.error(Mono.fromFuture(started))).isInstanceOf(SSLException.class);
            assertThat(Await.error(link.connection.receive().then())).hasCauseInstanceOf(SSLException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void failsWhenThePeerEndsInTheHandshake(Transport transport) {
        try (Link<String, String> link = Link.open(transport, CODEC)) {
            link.peer.send(lines(READY));
            assertThat(link.connection.receive().next().block(Await.LIMIT)).isEqualTo(READY);
            CompletableFuture<Void> started =
                    link.connection.startTls(Tls.clientHandler()).toFuture();
            link.peer.receive(1);
            link.peer.fin();
            assertThat(Await.error(Mono.fromFuture(started))).isInstanceOf(IOException.class);
            assertThat(Await.error(link.connection.receive().then()))
                    .hasMessage("connection is closed: reason=TLS_TRUNCATED");
        }
    }

    @Test
    void refusesUnlessPaused() {
        try (Wire<String, String> wire = Wire.of(CODEC)) {
            assertThat(Await.error(wire.connection.startTls(Tls.clientHandler())))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("decoding is not paused");
        }
    }

    @Test
    void refusesASecondTime() {
        try (Wire<String, String> wire = Wire.of(CODEC)) {
            wire.channel.pipeline().addFirst(Tls.clientHandler());
            wire.channel.releaseOutbound();
            ((ConnectionHandler<?, ?>) wire.channel.pipeline().get("sluice.connection"))
                    .inbound()
                    .feed(wire.channel.alloc().buffer().writeBytes(lines(READY)));
            assertThat(wire.connection.receive().next().block()).isEqualTo(READY);
            assertThat(Await.error(wire.connection.startTls(Tls.clientHandler())))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("connection has TLS already: channel=" + wire.channel);
            wire.connection.resumeDecoding(); // the pause goes on until somebody ends it
            assertThat(Await.error(wire.connection.startTls(Tls.clientHandler())))
                    .hasMessageStartingWith("decoding is not paused");
        }
    }

    @Test
    void failsOnAConnectionThatHasEnded() {
        try (Wire<String, String> wire = Wire.of(CODEC)) {
            wire.feed(lines(READY));
            assertThat(wire.connection.receive().next().block()).isEqualTo(READY);
            wire.end();
            assertThat(Await.error(wire.connection.startTls(Tls.clientHandler())))
                    .hasMessage("connection is closed: reason=PEER_CLOSED");
        }
        try (Wire<String, String> wire = Wire.of(CODEC)) {
            wire.feed(lines(READY));
            assertThat(wire.connection.receive().next().block()).isEqualTo(READY);
            wire.connection.dispose();
            assertThat(Await.error(wire.connection.startTls(Tls.clientHandler())))
                    .hasMessage("connection is closed: reason=DISPOSED");
        }
    }

    private static DisposableServer serve(Transport transport) {
        return FrameServer.from(transport.server(), CODEC)
                .handle(connection -> connection
                        .receive()
                        .concatMap(line -> line.equals(START)
                                ? connection
                                        .send(READY)
                                        .then(connection.startTls(Tls.serverHandler()))
                                        .then(connection.send("welcome"))
                                : connection.send("echo " + line)))
                .bindNow();
    }

    private static FrameConnection<String, String> connect(Transport transport, DisposableServer server) {
        return FrameClient.from(transport.client(server.port()), CODEC)
                .connect()
                .block(Await.LIMIT);
    }
}
