package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.Codec;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;

/** Messages over TLS. The server talks first, so its messages may come with the last bytes of the handshake. */
@Tag("paranoid")
class TlsTest {
    /** Sends bytes as they are, so that a frame can be cut short. */
    private static final Codec<Integer, byte[]> RAW =
            Codec.of(Frames.FRAMING, payload -> payload.readInt(), (bytes, out) -> {
                out.unframed();
                out.buffer().writeBytes(bytes);
            });

    @ParameterizedTest
    @EnumSource
    void talksBothWaysFromTheFirstBytesOn(Transport transport) {
        DisposableServer server = serve(
                transport,
                Frames.NUMBERS,
                connection -> Flux.range(0, 100)
                        .flatMapSequential(connection::send)
                        .thenMany(connection.receive().concatMap(connection::send))
                        .then());
        for (int round = 0; round < 5; round++) {
            FrameConnection<Integer, Integer> client = connect(transport, server, Frames.NUMBERS);
            Flux.range(100, 100).flatMapSequential(client::send).subscribe();
            List<Integer> received = client.receive().take(200).collectList().block(Await.LIMIT);
            assertThat(received).isEqualTo(Frames.range(0, 200));
            client.dispose();
            Await.completion(client.onDispose());
        }
        Transport.end(server);
    }

    @ParameterizedTest
    @EnumSource
    void completesWhenThePeerSaysThatItCloses(Transport transport) {
        DisposableServer server =
                serve(transport, Frames.NUMBERS, connection -> Flux.range(0, 3).concatMap(connection::send));
        FrameConnection<Integer, Integer> client = connect(transport, server, Frames.NUMBERS);
        assertThat(client.receive().collectList().block(Await.LIMIT)).isEqualTo(Frames.range(0, 3));
        assertThat(client.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.PEER_CLOSED);
        Transport.end(server);
    }

    @ParameterizedTest
    @EnumSource
    void tellsTheClientOfAnEndThatTlsDidNotAnnounce(Transport transport) {
        for (boolean insideAFrame : new boolean[] {false, true}) {
            byte[] bytes = Lines.join(Frames.numbers(0, 3), new byte[insideAFrame ? 3 : 0]);
            DisposableServer server = serve(
                    transport,
                    RAW,
                    connection -> connection
                            .send(bytes)
                            .then(Mono.fromRunnable(() -> cut(connection)))
                            .then(Mono.never()));
            FrameConnection<Integer, byte[]> client = connect(transport, server, RAW);
            endsTruncated(client);
            client.dispose();
            assertThat(client.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.TLS_TRUNCATED);
            Transport.end(server);
        }
    }

    @ParameterizedTest
    @EnumSource
    void tellsTheServerOfAnEndThatTlsDidNotAnnounce(Transport transport) {
        CompletableFuture<FrameConnection<Integer, byte[]>> accepted = new CompletableFuture<>();
        DisposableServer server = serve(transport, RAW, connection -> {
            accepted.complete(connection);
            return Mono.never();
        });
        FrameConnection<Integer, byte[]> client = connect(transport, server, RAW);
        Await.completion(client.send(Frames.numbers(0, 3)));
        cut(client);
        endsTruncated(accepted.join());
        accepted.join().dispose();
        client.dispose();
        Await.completion(accepted.join().onDispose());
        Await.completion(client.onDispose());
        Transport.end(server);
    }

    private static void endsTruncated(FrameConnection<Integer, byte[]> connection) {
        Probe<Integer> probe = Probe.unbounded();
        connection.receive().subscribe(probe);
        assertThat(probe.awaitError())
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessage("connection is closed: reason=TLS_TRUNCATED");
        assertThat(probe.values()).isEqualTo(Frames.range(0, 3));
    }

    /** Ends the stream below TLS. */
    private static void cut(FrameConnection<?, ?> connection) {
        ((SocketChannel) connection.channel()).shutdownOutput();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IO_URING") // a close by force waits for the kernel there
    void failsWithTheErrorOfAReset(Transport transport) {
        DisposableServer server = serve(
                transport,
                Frames.NUMBERS,
                connection -> connection
                        .receive()
                        .next()
                        .then(Mono.fromRunnable(() -> {
                            connection.channel().config().setOption(ChannelOption.SO_LINGER, 0);
                            connection.channel().unsafe().closeForcibly();
                        }))
                        .then(Mono.never()));
        FrameConnection<Integer, Integer> client = connect(transport, server, Frames.NUMBERS);
        Await.completion(client.send(1));
        assertThat(Await.error(client.receive().then())).isInstanceOf(IOException.class);
        client.dispose();
        assertThat(client.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.CONNECTION_LOST);
        Transport.end(server);
    }

    /** A close that leaves input unread would reset the connection, and take from the peer what was sent to it. */
    @ParameterizedTest
    @EnumSource
    void losesNothingThatWasSentWhenItClosesWithUnreadInput(Transport transport) {
        int count = 500;
        Codec<byte[], byte[]> codec = Frames.BYTES;
        DisposableServer server = serve(
                transport,
                codec,
                connection -> connection
                        .receive()
                        .next()
                        .thenMany(Flux.range(0, count).concatMap(i -> connection.send(Frames.payload(i, 10_000)))));
        for (int round = 0; round < 5; round++) {
            FrameConnection<byte[], byte[]> client = connect(transport, server, codec);
            Flux.range(0, 400)
                    .concatMap(i -> client.send(Frames.payload(i, 10_000)).onErrorComplete())
                    .subscribe();
            assertThat(client.receive().count().block(Await.LIMIT)).isEqualTo(count);
            Await.completion(client.onDispose());
        }
        Transport.end(server);
    }

    private static <I, O> DisposableServer serve(
            Transport transport,
            Codec<I, O> codec,
            Function<FrameConnection<I, O>, ? extends Publisher<Void>> handler) {
        return FrameServer.from(transport.server().secure(spec -> spec.sslContext(Tls.SERVER)), codec)
                .handle(handler)
                .bindNow();
    }

    private static <I, O> FrameConnection<I, O> connect(
            Transport transport, DisposableServer server, Codec<I, O> codec) {
        return FrameClient.from(transport.client(server.port()).secure(spec -> spec.sslContext(Tls.CLIENT)), codec)
                .connect()
                .block(Await.LIMIT);
    }
}
