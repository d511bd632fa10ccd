package dev.sluice.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.FrameClient;
import dev.sluice.FrameServer;
import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;

/** The smallest example: a server that sends back what it gets, and a client that talks to it. */
public final class Echo {
    /** Text behind a length of 4 bytes, in both directions. */
    private static final Codec<String, String> CODEC = Codec.of(
            LengthFieldFraming.of(4),
            payload -> payload.toString(UTF_8),
            (message, out) -> out.buffer().writeCharSequence(message, UTF_8));

    private Echo() {}

    /** Runs it. */
    public static void main(String[] args) {
        DisposableServer server = startServer();
        System.out.println(talk(server.port(), "one", "two", "three"));
        server.disposeNow();
    }

    static DisposableServer startServer() {
        return FrameServer.create("localhost", 0, CODEC)
                .handle(connection -> connection.sendAll(connection.receive()))
                .bindNow();
    }

    static List<String> talk(int port, String... words) {
        Mono<List<String>> answers = Mono.usingWhen(
                FrameClient.create("localhost", port, CODEC).connect(),
                connection -> Flux.fromArray(words)
                        .concatMap(connection::send)
                        .thenMany(connection.receive().take(words.length))
                        .collectList(),
                connection -> connection.close());
        return answers.blockOptional().orElseThrow();
    }
}
