package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

class FrameClientTest {

    @ParameterizedTest
    @EnumSource
    void failsWhenNobodyListens(Transport transport) {
        int port;
        try (Peer.Listener listener = Peer.listen()) {
            port = listener.port();
        }
        assertThat(Await.error(
                        FrameClient.from(transport.client(port), Frames.NUMBERS).connect()))
                .isInstanceOf(ConnectException.class);
    }

    @Test
    void makesAConnectionForEachSubscription() {
        try (Peer.Listener listener = Peer.listen()) {
            Mono<FrameConnection<Integer, Integer>> connect = FrameClient.create(
                            "127.0.0.1", listener.port(), Frames.NUMBERS)
                    .connect();
            FrameConnection<Integer, Integer> first = connect.block(Await.LIMIT);
            FrameConnection<Integer, Integer> second = connect.block(Await.LIMIT);
            assertThat(first.channel()).isNotSameAs(second.channel());
            first.dispose();
            second.dispose();
            Await.completion(first.onDispose());
            Await.completion(second.onDispose());
        }
    }

    /** The peer talks first: what it says is there for whoever subscribes later. */
    @ParameterizedTest
    @EnumSource
    void losesNothingBetweenConnectingAndTheFirstReceiver(Transport transport) {
        for (int round = 0; round < 50; round++) {
            try (Peer.Listener listener = Peer.listen()) {
                Mono<FrameConnection<Integer, Integer>> connect = FrameClient.from(
                                transport.client(listener.port()), Frames.NUMBERS)
                        .connect();
                Mono<FrameConnection<Integer, Integer>> cached = connect.cache();
                cached.subscribe();
                try (Peer peer = listener.accept()) {
                    peer.send(Frames.numbers(0, 200)).fin();
                    FrameConnection<Integer, Integer> connection = cached.block(Await.LIMIT);
                    assertThat(connection.receive().collectList().block(Await.LIMIT))
                            .isEqualTo(Frames.range(0, 200));
                    connection.dispose();
                    Await.completion(connection.onDispose());
                }
            }
        }
    }

    @Test
    void isImmutable() {
        FrameClient<Integer, Integer> client = FrameClient.create("127.0.0.1", 1, Frames.NUMBERS);
        assertThat(client.options(ConnectionOptions.DEFAULT)).isNotSameAs(client);
        assertThatThrownBy(() -> client.options(null)).hasMessage("options");
    }
}
