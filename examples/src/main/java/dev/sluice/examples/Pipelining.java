package dev.sluice.examples;

import dev.sluice.FrameClient;
import dev.sluice.FrameConnection;
import dev.sluice.FrameServer;
import dev.sluice.framing.Codec;
import dev.sluice.framing.LineFraming;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.netty.DisposableServer;

/**
 * Requests and responses with thousands in flight on one connection, as databases and caches talk: a response has no
 * number, it is the next one. Any thread may ask.
 */
public final class Pipelining {
    private static final Codec<String, String> CODEC = Codec.text(LineFraming.lenient());

    private Pipelining() {}

    /** Asks 100,000 times, up to 4,096 at once. */
    public static void main(String[] args) {
        DisposableServer server = startServer();
        Client client = Client.connect(server.port());
        int requests = 100_000;
        long begin = System.nanoTime();
        Flux.range(0, requests).flatMap(i -> client.ask("request " + i), 4_096).blockLast();
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf(Locale.ROOT, "%,d requests in %.2f s: %s%n", requests, seconds, client.connection.stats());
        client.connection.close().block();
        server.disposeNow();
    }

    /** Answers each line with its upper case, and asks for lines only as fast as its answers are taken. */
    static DisposableServer startServer() {
        return FrameServer.create("localhost", 0, CODEC)
                .handle(connection ->
                        connection.sendAll(connection.receive().map(line -> line.toUpperCase(Locale.ROOT))))
                .bindNow();
    }

    /** Replies come on the event loop, in the order of sends, and before any response: so they queue those who wait. */
    static final class Client {
        final FrameConnection<String, String> connection;
        private final Queue<MonoSink<String>> waiting = new ArrayDeque<>(); // event loop only
        private @Nullable Throwable end; // event loop only

        private Client(FrameConnection<String, String> connection) {
            this.connection = connection;
            connection
                    .receive()
                    .subscribe(
                            response -> waiting.remove().success(response),
                            this::end,
                            () -> end(new IOException("server has closed")));
        }

        static Client connect(int port) {
            return FrameClient.create("localhost", port, CODEC)
                    .connect()
                    .map(Client::new)
                    .blockOptional()
                    .orElseThrow();
        }

        Mono<String> ask(String request) {
            return Mono.create(sink -> ask(request, sink));
        }

        private void ask(String request, MonoSink<String> sink) {
            switch (connection.trySend(request, error -> sent(sink, error))) {
                case ACCEPTED -> {}
                case BUSY -> connection.writable().subscribe(done -> {}, sink::error, () -> ask(request, sink));
                case CLOSED -> sink.error(new IOException("connection is closed"));
            }
        }

        private void sent(MonoSink<String> sink, @Nullable Throwable error) {
            Throwable failure = error == null ? end : error;
            if (failure == null) {
                waiting.add(sink);
            } else {
                sink.error(failure);
            }
        }

        private void end(Throwable reason) {
            end = reason;
            for (MonoSink<String> sink = waiting.poll(); sink != null; sink = waiting.poll()) {
                sink.error(reason);
            }
        }
    }
}
