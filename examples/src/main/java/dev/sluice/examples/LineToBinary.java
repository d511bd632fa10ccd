package dev.sluice.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.FrameClient;
import dev.sluice.FrameConnection;
import dev.sluice.FrameServer;
import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.LineFraming;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;

/**
 * One connection, two protocols: client and server agree on the binary one in lines of text.
 *
 * <pre>
 *  client                          server
 *  HELLO\n            ──────────►
 *                     ◄──────────  HELLO\n
 *  BINARY\n           ──────────►            the server pauses behind this line
 *                     ◄──────────  OK\n      the client behind this one
 *  0000000f, 15 bytes ──────────►            both go on with lengths of four bytes
 * </pre>
 */
public final class LineToBinary {
    private static final String UPGRADE = "BINARY";
    private static final String UPGRADED = "OK";

    private static final Codec<String, String> LINES = Codec.text(LineFraming.lenient());
    private static final Codec<byte[], byte[]> BINARY = Codec.bytes(LengthFieldFraming.of(4));

    private LineToBinary() {}

    /** Runs it. */
    public static void main(String[] args) {
        DisposableServer server = startServer();
        System.out.println(talk(server.port(), "line\nbreaks", "are payload"));
        server.disposeNow();
    }

    /** Answers each line with itself, and each binary message with its length as text. */
    static DisposableServer startServer() {
        return FrameServer.create("localhost", 0, LINES.pauseAfter(UPGRADE::equals))
                .handle(LineToBinary::serve)
                .bindNow();
    }

    private static Mono<Void> serve(FrameConnection<String, String> connection) {
        return connection
                .receive()
                .concatMap(line -> line.equals(UPGRADE)
                        ? connection.send(UPGRADED).then(Mono.defer(() -> serveBinary(connection.upgrade(BINARY))))
                        : connection.send(line))
                .then();
    }

    private static Mono<Void> serveBinary(FrameConnection<byte[], byte[]> connection) {
        return connection
                .receive()
                .concatMap(message ->
                        connection.send(Integer.toString(message.length).getBytes(UTF_8)))
                .then();
    }

    static List<String> talk(int port, String... messages) {
        Mono<List<String>> answers = Mono.usingWhen(
                FrameClient.create("localhost", port, LINES.pauseAfter(UPGRADED::equals))
                        .connect(),
                connection -> Flux.just("HELLO", UPGRADE)
                        .concatMap(connection::send)
                        .thenMany(connection.receive().takeUntil(UPGRADED::equals))
                        .concatWith(Flux.defer(() -> talkBinary(connection.upgrade(BINARY), messages)))
                        .collectList(),
                FrameConnection::close);
        return answers.blockOptional().orElseThrow();
    }

    private static Flux<String> talkBinary(FrameConnection<byte[], byte[]> connection, String... messages) {
        return Flux.fromArray(messages)
                .concatMap(message -> connection.send(message.getBytes(UTF_8)))
                .thenMany(connection.receive().take(messages.length))
                .map(answer -> new String(answer, UTF_8));
    }
}
