package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Time limits on real sockets; they are so short that a test waits for nothing else. */
@Tag("paranoid")
class TimeOverSocketsTest {
    private static final Duration SHORT = Duration.ofMillis(30);

    @ParameterizedTest
    @EnumSource
    void closesConnectionOfASilentPeer(Transport transport) {
        ConnectionOptions options = ConnectionOptions.DEFAULT.readIdleTimeout(SHORT);
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS, options)) {
            Probe<Integer> probe = Probe.unbounded();
            link.peer.send(Frames.numbers(0, 3));
            link.connection.receive().subscribe(probe);
            assertThat(probe.awaitError()).hasMessage("connection is closed: reason=READ_IDLE");
            assertThat(probe.values()).containsExactly(0, 1, 2);
            assertThat(link.connection.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.READ_IDLE);
            assertThat(link.peer.receiveAll()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void closesConnectionOfAPeerThatDoesNotEndItsFrame(Transport transport) {
        ConnectionOptions options = ConnectionOptions.DEFAULT.frameTimeout(SHORT);
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS, options)) {
            Probe<Integer> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            link.peer.send(Frames.numbers(0, 3)).send(new byte[] {0, 0});
            assertThat(probe.awaitError()).hasMessage("connection is closed: reason=FRAME_TIMEOUT");
            assertThat(probe.values()).containsExactly(0, 1, 2);
            assertThat(link.connection.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.FRAME_TIMEOUT);
            assertThat(link.peer.receiveAll()).isEmpty();
        }
    }

    /** The other connection has the same limit, later, and has passed it: so this one has had its time, too. */
    @ParameterizedTest
    @EnumSource
    void sparesPeersThatAreHeldBack(Transport transport) {
        ConnectionOptions options = ConnectionOptions.DEFAULT
                .readIdleTimeout(SHORT)
                .frameTimeout(SHORT)
                .prefetch(new Prefetch(4, 1_000));
        try (Link<Integer, Integer> held =
                        Link.open(transport, Frames.NUMBERS, options.readIdleTimeout(Duration.ofMinutes(5)));
                Link<Integer, Integer> silent = Link.open(transport, Frames.NUMBERS, options)) {
            held.peer.send(Frames.numbers(0, 10_000));
            Await.until("full", () -> held.connection.stats().heldMessages() == 4);
            assertThat(silent.connection.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.READ_IDLE);
            assertThat(held.connection.channel().isOpen()).isTrue();
            assertThat(held.connection.receive().take(10_000).collectList().block(Await.LIMIT))
                    .isEqualTo(Frames.range(0, 10_000));
        }
    }

    /** A server whose queue of connections is full answers nothing. */
    @ParameterizedTest
    @EnumSource
    void failsWhenTheServerDoesNotAnswerInTime(Transport transport) throws IOException {
        List<SocketChannel> waiting = new ArrayList<>();
        try (ServerSocketChannel server =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1)) {
            InetSocketAddress address = (InetSocketAddress) server.getLocalAddress();
            for (int i = 0; i < 4; i++) {
                SocketChannel client = SocketChannel.open();
                waiting.add(client);
                client.configureBlocking(false);
                client.connect(address);
            }
            Throwable error = Await.error(FrameClient.from(transport.client(address.getPort()), Frames.NUMBERS)
                    .socketOptions(SocketOptions.DEFAULT.connectTimeout(SHORT))
                    .connect());
            assertThat(error).isInstanceOf(ConnectTimeoutException.class);
        } finally {
            for (SocketChannel client : waiting) {
                client.close();
            }
        }
    }
}
