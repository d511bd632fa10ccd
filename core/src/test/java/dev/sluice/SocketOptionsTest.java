package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.channel.ChannelOption;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.DisposableServer;

class SocketOptionsTest {
    private static final SocketOptions CHANGED = SocketOptions.DEFAULT
            .keepAlive(true)
            .reuseAddress(true)
            .sendBuffer(50_000)
            .receiveBuffer(60_000)
            .linger(Duration.ofSeconds(7))
            .connectTimeout(Duration.ofSeconds(3));

    @ParameterizedTest
    @EnumSource
    void areSetOnClientAndServer(Transport transport) {
        Sinks.One<FrameConnection<Integer, Integer>> accepted = Sinks.one();
        DisposableServer server = FrameServer.from(transport.server(), Frames.NUMBERS)
                .socketOptions(CHANGED)
                .handle(connection -> {
                    accepted.tryEmitValue(connection);
                    return Mono.never();
                })
                .bindNow();
        FrameConnection<Integer, Integer> client = FrameClient.from(transport.client(server.port()), Frames.NUMBERS)
                .socketOptions(CHANGED)
                .connect()
                .block(Await.LIMIT);
        FrameConnection<Integer, Integer> serverSide = accepted.asMono().block(Await.LIMIT);
        for (FrameConnection<Integer, Integer> connection : List.of(client, serverSide)) {
            assertThat(option(connection, ChannelOption.SO_KEEPALIVE)).isTrue();
            assertThat(option(connection, ChannelOption.SO_LINGER)).isEqualTo(7);
            assertThat(option(connection, ChannelOption.SO_SNDBUF)).isBetween(50_000, 100_000);
            assertThat(option(connection, ChannelOption.SO_RCVBUF)).isBetween(60_000, 120_000);
            assertThat(option(connection, ChannelOption.TCP_NODELAY)).isTrue();
            connection.noDelay(false);
            assertThat(option(connection, ChannelOption.TCP_NODELAY)).isFalse();
        }
        assertThat(option(client, ChannelOption.CONNECT_TIMEOUT_MILLIS)).isEqualTo(3_000);
        assertThat(server.channel().config().getOption(ChannelOption.SO_REUSEADDR))
                .isTrue();
        client.dispose();
        serverSide.dispose();
        Await.completion(Mono.when(client.onDispose(), serverSide.onDispose()));
        Transport.end(server);
    }

    private static <T> T option(FrameConnection<?, ?> connection, ChannelOption<T> option) {
        return connection.channel().config().getOption(option);
    }

    @Test
    void leaveOutNoDelayWhereItDoesNotApply() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            assertThat(wire.connection.noDelay(false)).isSameAs(wire.connection);
        }
    }

    @Test
    void severalAcceptorsShareOnePort() {
        DisposableServer server = FrameServer.from(Transport.EPOLL.server(), Frames.NUMBERS)
                .acceptors(4)
                .handle(connection -> connection.receive().concatMap(connection::send))
                .bindNow();
        assertThat(((InetSocketAddress) server.address()).getPort())
                .isEqualTo(server.port())
                .isPositive();
        for (int i = 0; i < 20; i++) {
            try (Peer peer = Peer.connect(new InetSocketAddress("127.0.0.1", server.port()))) {
                peer.send(Frames.numbers(i, i + 1));
                assertThat(peer.receiveNumbers(1)).containsExactly(i);
                peer.fin();
                assertThat(peer.receiveAll()).isEmpty();
            }
        }
        server.disposeNow(Duration.ofSeconds(5));
        assertThat(server.isDisposed()).isTrue();
    }

    @Test
    void severalAcceptorsNeedTheNativeTransport() {
        assertThat(Await.error(FrameServer.from(Transport.NIO.server(), Frames.NUMBERS)
                        .acceptors(2)
                        .bind()))
                .hasRootCauseInstanceOf(BindException.class);
    }

    @Test
    void refuseWhatIsNoOption() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SocketOptions.DEFAULT.sendBuffer(0))
                .withMessage("sendBuffer too small: sendBuffer=0, limit=1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SocketOptions.DEFAULT.receiveBuffer(-1))
                .withMessage("receiveBuffer too small: receiveBuffer=-1, limit=1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SocketOptions.DEFAULT.linger(Duration.ofMillis(1_500)))
                .withMessage("linger is no number of seconds: linger=PT1.5S, limit=65535");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SocketOptions.DEFAULT.connectTimeout(Duration.ZERO))
                .withMessage("connectTimeout too small: connectTimeout=PT0S, limit=PT0.001S");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> FrameServer.create("localhost", 0, Frames.NUMBERS).acceptors(0))
                .withMessage("nobody accepts: acceptors=0, limit=1");
    }
}
