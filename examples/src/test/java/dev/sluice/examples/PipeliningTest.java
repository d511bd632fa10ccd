package dev.sluice.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.FrameServer;
import dev.sluice.framing.Codec;
import dev.sluice.framing.LineFraming;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Signal;
import reactor.core.scheduler.Schedulers;
import reactor.netty.DisposableServer;

class PipeliningTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void givesEachRequestItsOwnResponseWithThousandsInFlight() {
        DisposableServer server = Pipelining.startServer();
        Pipelining.Client client = Pipelining.Client.connect(server.port());
        List<Boolean> right = Flux.range(0, 8)
                .flatMap(thread -> Flux.range(0, 5_000)
                        .map(i -> "request " + thread + "/" + i)
                        .flatMap(
                                request -> client.ask(request)
                                        .map(response -> response.equals(request.toUpperCase(Locale.ROOT))),
                                1_000)
                        .subscribeOn(Schedulers.parallel()))
                .collectList()
                .block(LIMIT);
        assertThat(right).hasSize(40_000).doesNotContain(false);
        client.connection.close().block(LIMIT);
        server.disposeNow();
    }

    @Test
    void failsWhatWaitsWhenTheServerCloses() {
        DisposableServer server = FrameServer.create("localhost", 0, Codec.bytes(LineFraming.lenient()))
                .handle(connection -> connection.receive().take(10).then())
                .bindNow();
        Pipelining.Client client = Pipelining.Client.connect(server.port());
        List<Throwable> errors = Flux.fromStream(IntStream.range(0, 100).boxed())
                .flatMap(i -> client.ask("request " + i).materialize(), 100)
                .map(Signal::getThrowable)
                .map(Objects::requireNonNull)
                .collectList()
                .block(LIMIT);
        assertThat(errors).hasSize(100).hasOnlyElementsOfTypes(IOException.class, RuntimeException.class);
        client.connection.dispose();
        server.disposeNow();
    }
}
