package dev.sluice;

import static dev.sluice.Lines.lines;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.Codec;
import dev.sluice.framing.FixedLengthFraming;
import dev.sluice.framing.Framing;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.LineFraming;
import io.netty.handler.ssl.SslHandler;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;

/**
 * TLS that begins together with another codec, as PostgreSQL's: a request outside of the framing, an answer of one byte, and
 * behind it TLS and the messages, or the messages alone.
 */
@Tag("paranoid")
class StartTlsWithCodecTest {
    private static final String REQUEST = "SSLRequest";
    private static final String YES = "S";
    private static final String NO = "N";

    /** The server's first: a line comes, one byte goes. */
    private static final Codec<String, String> REQUESTS = codec(LineFraming.lenient(), "");

    private static final Codec<String, String> ANSWERS = codec(FixedLengthFraming.of(1), "\n");

    private static final Codec<String, String> ASKING =
            Codec.text(LineFraming.lenient()).pauseAfter(line -> line.equals(YES) || line.equals(REQUEST));

    private static final Codec<byte[], byte[]> MESSAGES = Codec.bytes(LengthFieldFraming.of(4));

    private static Codec<String, String> codec(Framing framing, String ending) {
        return Codec.<String, String>of(framing, payload -> payload.toString(UTF_8), (message, out) -> {
                    out.unframed();
                    out.buffer().writeBytes((message + ending).getBytes(UTF_8));
                })
                .pauseAfter(message -> true);
    }

    @ParameterizedTest
    @EnumSource
    void startsOnBothSidesFromInsideOnNext(Transport transport) {
        DisposableServer server = serve(transport);
        FrameConnection<String, String> client = connect(transport, server);
        Probe<byte[]> messages = Probe.unbounded();
        AtomicReference<FrameConnection<byte[], byte[]>> next = new AtomicReference<>();
        Probe<String> answers = Probe.unbounded();
        client.receive()
                .subscribe(answers.whenNext(answer -> client.startTls(Tls.clientHandler(), MESSAGES)
                        .subscribe(secured -> {
                            next.set(secured);
                            secured.receive().subscribe(messages);
                            secured.send(new byte[] {1, 2, 3}).subscribe();
                        })));
        Await.completion(client.send(REQUEST));
        answers.awaitCompletion();
        messages.awaitCount(2);
        assertThat(answers.values()).containsExactly(YES);
        assertThat(messages.values()).containsExactly(new byte[] {42}, new byte[] {1, 2, 3});
        assertThat(client.channel().pipeline().get(SslHandler.class)).isNotNull();
        assertThatOldViewIsRefused(client);
        Await.completion(next.get().close());
        assertThat(client.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.CLOSED);
        Transport.end(server);
    }

    @ParameterizedTest
    @EnumSource
    void startsFromAnotherThread(Transport transport) {
        DisposableServer server = serve(transport);
        FrameConnection<String, String> client = connect(transport, server);
        Await.completion(client.send(REQUEST));
        assertThat(client.receive().next().block(Await.LIMIT)).isEqualTo(YES);
        FrameConnection<byte[], byte[]> next =
                client.startTls(Tls.clientHandler(), MESSAGES).block(Await.LIMIT);
        Await.completion(next.send(new byte[] {1}));
        assertThat(next.receive().take(2).collectList().block(Await.LIMIT))
                .containsExactly(new byte[] {42}, new byte[] {1});
        assertThatOldViewIsRefused(client);
        next.dispose();
        Await.completion(next.onDispose());
        Transport.end(server);
    }

    /** The other answer: the messages come as they are. */
    @ParameterizedTest
    @EnumSource
    void goesOnWithoutTls(Transport transport) {
        DisposableServer server = FrameServer.from(transport.server(), REQUESTS)
                .handle(connection -> connection
                        .receive()
                        .next()
                        .flatMap(request ->
                                connection.send(NO).then(Mono.fromSupplier(() -> connection.upgrade(MESSAGES))))
                        .flatMap(StartTlsWithCodecTest::echo))
                .bindNow();
        FrameConnection<String, String> client = connect(transport, server);
        Await.completion(client.send(REQUEST));
        assertThat(client.receive().next().block(Await.LIMIT)).isEqualTo(NO);
        FrameConnection<byte[], byte[]> next = client.upgrade(MESSAGES);
        assertThat(next.receive().next().block(Await.LIMIT)).containsExactly(42);
        assertThat(client.channel().pipeline().get(SslHandler.class)).isNull();
        next.dispose();
        Await.completion(next.onDispose());
        Transport.end(server);
    }

    @ParameterizedTest
    @EnumSource
    void startsInTheCallbackThatAttaches(Transport transport) {
        DisposableServer server = FrameServer.from(transport.server(), REQUESTS)
                .handle(connection ->
                        connection.startTls(Tls.serverHandler(), MESSAGES).flatMap(StartTlsWithCodecTest::echo))
                .bindNow();
        FrameConnection<byte[], byte[]> client = FrameClient.from(transport.client(server.port()), ANSWERS)
                .connect()
                .flatMap(connection -> connection.startTls(Tls.clientHandler(), MESSAGES))
                .block(Await.LIMIT);
        assertThat(client.receive().next().block(Await.LIMIT)).containsExactly(42);
        client.dispose();
        Await.completion(client.onDispose());
        Transport.end(server);
    }

    /** What was sent before goes out as it is, by the codec before; what is sent later does not. */
    @ParameterizedTest
    @EnumSource
    void flushesThePlaintextThatWasSentBefore(Transport transport) {
        try (Link<String, String> link = Link.open(transport, ASKING)) {
            link.connection.receive().subscribe(line -> {
                link.connection.send("one").subscribe();
                link.connection.send("two").subscribe();
                link.connection.startTls(Tls.clientHandler(), MESSAGES).subscribe(next -> {}, error -> {});
            });
            link.peer.send(lines(YES));
            byte[] plain = lines("one", "two");
            assertThat(link.peer.receive(plain.length)).isEqualTo(plain);
            assertThat(link.peer.receive(1)[0]).as("TLS handshake record").isEqualTo((byte) 22);
        }
    }

    /** Somebody in between may have put them there: no codec gets to see them. */
    @ParameterizedTest
    @EnumSource
    void refusesPlaintextBehindThePausingMessage(Transport transport) {
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        CompletableFuture<String> received = new CompletableFuture<>();
        DisposableServer server = FrameServer.from(transport.server(), ASKING)
                .handle(connection -> {
                    connection
                            .receive()
                            .subscribe(
                                    line -> connection
                                            .startTls(Tls.serverHandler(), MESSAGES)
                                            .subscribe(next -> {}, refused::complete),
                                    error -> received.complete(error.toString()),
                                    () -> received.complete("completed"));
                    return Mono.never();
                })
                .bindNow();
        try (Peer peer = Peer.connect((InetSocketAddress) server.address())) {
            peer.send(lines(REQUEST, "injected"));
            assertThat(Mono.fromFuture(refused).block(Await.LIMIT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("plaintext follows the message behind which TLS starts: bytesAtHand=9, limit=0");
            assertThat(Mono.fromFuture(received).block(Await.LIMIT)).isEqualTo("completed");
            assertThat(peer.receiveAll()).isEmpty();
        } catch (UncheckedIOException e) {
            assertThat(e).hasMessageContaining("reset"); // what it has sent was not read
        }
        Transport.end(server);
    }

    @ParameterizedTest
    @EnumSource
    void failsWithTheHandshake(Transport transport) {
        try (Link<String, String> link = Link.open(transport, ASKING)) {
            link.peer.send(lines(YES));
            assertThat(link.connection.receive().next().block(Await.LIMIT)).isEqualTo(YES);
            CompletableFuture<?> started =
                    link.connection.startTls(Tls.clientHandler(), MESSAGES).toFuture();
            link.peer.receive(1);
            link.peer.send(lines("what is this supposed to mean"));
            assertThat(Await.error(Mono.fromFuture(started))).isInstanceOf(SSLException.class);
            Await.completion(link.connection.onDispose());
        }
    }

    @Test
    void leavesTheConnectionAsItIsUnlessPaused() {
        try (Wire<String, String> wire = Wire.of(ASKING)) {
            assertThat(Await.error(wire.connection.startTls(Tls.clientHandler(), MESSAGES)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("decoding is not paused");
            wire.feed(lines("a"));
            assertThat(wire.connection.receive().next().block()).isEqualTo("a");
        }
    }

    @Test
    void leavesTheConnectionAsItIsWhileMessagesAreHeld() {
        try (Wire<String, String> wire = Wire.of(ASKING)) {
            wire.feed(lines("a", YES));
            assertThat(Await.error(wire.connection.startTls(Tls.clientHandler(), MESSAGES)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("messages are held that no receiver was given: heldMessages=2, limit=0");
            assertThat(wire.connection.receive().take(2).collectList().block()).containsExactly("a", YES);
            wire.connection.resumeDecoding();
            wire.feed(lines("b"));
            assertThat(wire.connection.receive().next().block()).isEqualTo("b");
        }
    }

    @Test
    void leavesTheConnectionAsItIsWithTlsAlready() {
        try (Wire<String, String> wire = Wire.of(ASKING)) {
            wire.channel.pipeline().addFirst(Tls.clientHandler());
            wire.channel.releaseOutbound();
            ((ConnectionHandler<?, ?>) wire.channel.pipeline().get("sluice.connection"))
                    .inbound()
                    .feed(wire.channel.alloc().buffer().writeBytes(lines(YES)));
            assertThat(wire.connection.receive().next().block()).isEqualTo(YES);
            assertThat(Await.error(wire.connection.startTls(Tls.clientHandler(), MESSAGES)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("connection has TLS already: channel=" + wire.channel);
            wire.connection.resumeDecoding(); // the pause goes on until somebody ends it
        }
    }

    /** Nobody would have the connection that goes on. */
    @Test
    void closesAConnectionWhoseInputHasEnded() {
        try (Wire<String, String> wire = Wire.of(ASKING)) {
            Probe<String> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(lines(YES));
            wire.feed(lines("of which protocol?"));
            wire.end();
            assertThat(Await.error(wire.connection.startTls(Tls.clientHandler(), MESSAGES)))
                    .hasMessage("connection is closed: reason=PEER_CLOSED");
            probe.awaitCompletion();
            assertThat(probe.values()).containsExactly(YES);
            assertThat(wire.channel.isOpen()).isFalse();
        }
    }

    @Test
    void failsWhenTheConnectionIsDisposedBefore() {
        try (Wire<String, String> wire = Wire.of(ASKING)) {
            wire.feed(lines(YES));
            assertThat(wire.connection.receive().next().block()).isEqualTo(YES);
            wire.connection.dispose();
            assertThat(Await.error(wire.connection.startTls(Tls.clientHandler(), MESSAGES)))
                    .hasMessage("connection is closed: reason=DISPOSED");
        }
    }

    private static DisposableServer serve(Transport transport) {
        return FrameServer.from(transport.server(), REQUESTS)
                .handle(connection -> connection
                        .receive()
                        .next()
                        .flatMap(request ->
                                connection.send(YES).then(connection.startTls(Tls.serverHandler(), MESSAGES)))
                        .flatMap(StartTlsWithCodecTest::echo))
                .bindNow();
    }

    private static Mono<Void> echo(FrameConnection<byte[], byte[]> connection) {
        return Flux.just(new byte[] {42})
                .concatWith(connection.receive())
                .concatMap(connection::send)
                .then();
    }

    private static FrameConnection<String, String> connect(Transport transport, DisposableServer server) {
        return FrameClient.from(transport.client(server.port()), ANSWERS)
                .connect()
                .block(Await.LIMIT);
    }

    private static void assertThatOldViewIsRefused(FrameConnection<String, String> old) {
        assertThat(Await.error(old.receive().then())).hasMessageStartingWith("connection was upgraded");
        assertThat(Await.error(old.send("x"))).hasMessageStartingWith("connection was upgraded");
        assertThat(old.trySend("x")).isEqualTo(SendResult.CLOSED);
        assertThat(Await.error(old.startTls(Tls.clientHandler(), MESSAGES))).isInstanceOf(IllegalStateException.class);
    }
}
