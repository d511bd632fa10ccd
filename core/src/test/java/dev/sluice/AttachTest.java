package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.channel.ChannelOperations;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.tcp.TcpClient;

/** What attaching asks for and changes. */
class AttachTest {
    private static final String LATE = "attach while the connection is being made, in doOnConnected, doOnConnection or"
            + " handle: later bytes may be lost";

    @ParameterizedTest
    @EnumSource
    void refusesOffTheEventLoop(Transport transport) {
        try (Peer.Listener listener = Peer.listen()) {
            Connection connection = transport.client(listener.port()).connectNow();
            assertThatThrownBy(() -> FrameConnection.attach(connection, Frames.NUMBERS))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(LATE);
            connection.disposeNow();
        }
    }

    /** On the event loop, in time, but behind a receiver that may take bytes. */
    @ParameterizedTest
    @EnumSource
    void refusesBehindAReceiverOfReactorNetty(Transport transport) {
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        try (Peer.Listener listener = Peer.listen()) {
            Connection connection = transport
                    .client(listener.port())
                    .doOnConnected(made -> {
                        made.inbound().receive().subscribe();
                        refusal.set(catchThrowable(() -> FrameConnection.attach(made, Frames.NUMBERS)));
                    })
                    .connectNow();
            Await.until("refused", () -> refusal.get() != null); // connectNow() may be told before
            assertThat(refusal.get()).isInstanceOf(IllegalStateException.class).hasMessage(LATE);
            assertThat(connection.isDisposed()).as("it is its owner's").isFalse();
            connection.disposeNow();
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesOnceBytesWereRead(Transport transport) {
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        try (Peer.Listener listener = Peer.listen()) {
            Connection connection = transport.client(listener.port()).connectNow();
            try (Peer peer = listener.accept()) {
                peer.send(Frames.numbers(0, 10));
                Await.completion(connection.inbound().receive().next());
                connection.channel().eventLoop().execute(() -> {
                    refusal.set(catchThrowable(() -> FrameConnection.attach(connection, Frames.NUMBERS)));
                });
                Await.until("refused", () -> refusal.get() != null);
                assertThat(refusal.get())
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage(LATE);
            }
            connection.disposeNow();
        }
    }

    /** On the event loop, but so late that a handler in front has passed bytes on: as that of TLS, those of the handshake's read. */
    @ParameterizedTest
    @EnumSource
    void refusesAndClosesWhereBytesWait(Transport transport) {
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        try (Peer.Listener listener = Peer.listen()) {
            Connection connection = transport.client(listener.port()).connectNow();
            connection.channel().eventLoop().execute(() -> {
                for (int i = 0; i < 3; i++) {
                    connection
                            .channel()
                            .pipeline()
                            .fireChannelRead(
                                    connection.channel().alloc().buffer().writeBytes(Frames.numbers(i, i + 1)));
                }
                refusal.set(catchThrowable(() -> FrameConnection.attach(connection, Frames.NUMBERS)));
            });
            Await.until("refused", () -> refusal.get() != null);
            assertThat(refusal.get()).isInstanceOf(IllegalStateException.class).hasMessage(LATE);
            Await.completion(connection.onDispose());
        }
    }

    /** Where nobody has asked for them none have been read. */
    @ParameterizedTest
    @EnumSource
    void attachesLateOnTheEventLoop(Transport transport) {
        AtomicReference<FrameConnection<Integer, Integer>> attached = new AtomicReference<>();
        try (Peer.Listener listener = Peer.listen()) {
            Connection connection = transport.client(listener.port()).connectNow();
            try (Peer peer = listener.accept()) {
                peer.send(Frames.numbers(0, 3));
                connection
                        .channel()
                        .eventLoop()
                        .execute(() -> attached.set(FrameConnection.attach(connection, Frames.NUMBERS)));
                Await.until("attached", () -> attached.get() != null);
                // Not before: epoll reads all that there is once the peer has ended its stream, asked or not.
                peer.fin();
                assertThat(attached.get().receive().collectList().block(Await.LIMIT))
                        .containsExactly(0, 1, 2);
            }
            connection.disposeNow();
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesOnceItHasEnded(Transport transport) {
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        try (Peer.Listener listener = Peer.listen()) {
            Connection connection = transport.client(listener.port()).connectNow();
            connection
                    .inbound()
                    .receive()
                    .doOnComplete(
                            () -> refusal.set(catchThrowable(() -> FrameConnection.attach(connection, Frames.NUMBERS))))
                    .subscribe();
            try (Peer peer = listener.accept()) {
                peer.send(Frames.numbers(0, 10)).fin();
                Await.until("refused", () -> refusal.get() != null);
                assertThat(refusal.get())
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageStartingWith("connection has ended: channel=");
            }
            connection.disposeNow();
        }
    }

    /** Instead of waiting for what does not come. */
    @ParameterizedTest
    @EnumSource
    void refusesReactorNettysReceiversFromThenOn(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            assertThat(Await.error(ChannelOperations.get(link.connection.channel())
                            .receive()
                            .then()))
                    .isInstanceOf(IllegalStateException.class);
            link.peer.send(Frames.numbers(0, 3)).fin();
            assertThat(link.connection.receive().collectList().block(Await.LIMIT))
                    .containsExactly(0, 1, 2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void leavesNoConnectionOpenThatAClientCannotAttachTo(Transport transport) {
        try (Peer.Listener listener = Peer.listen()) {
            TcpClient taken = transport
                    .client(listener.port())
                    .doOnChannelInit((observer, channel, address) ->
                            channel.pipeline().addLast("sluice.connection", new ChannelInboundHandlerAdapter()));
            assertThat(Await.error(FrameClient.from(taken, Frames.NUMBERS).connect()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("connection has a FrameConnection already: channel=");
            try (Peer peer = listener.accept()) {
                assertThat(peer.receiveAll()).isEmpty();
            }
        }
    }

    @Test
    void refusesToAttachTwice() {
        EmbeddedChannel channel = new EmbeddedChannel();
        Connection connection = Connection.from(channel);
        FrameConnection<Integer, Integer> first = FrameConnection.attach(connection, Frames.NUMBERS);
        assertThatThrownBy(() -> FrameConnection.attach(connection, Frames.NUMBERS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("connection has a FrameConnection already: channel=" + channel);
        assertThat(first.channel()).isSameAs(channel);
        assertThat(first).hasToString("FrameConnection{" + channel + "}");
        channel.finishAndReleaseAll();
    }

    @Test
    void refusesNull() {
        EmbeddedChannel channel = new EmbeddedChannel();
        Connection connection = Connection.from(channel);
        assertThatThrownBy(() -> FrameConnection.attach(connection, null)).hasMessage("codec");
        assertThatThrownBy(() -> FrameConnection.attach(connection, Frames.NUMBERS, null))
                .hasMessage("options");
        channel.finishAndReleaseAll();
    }

    @Test
    void refusesBatchesOfNothing() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            assertThatThrownBy(() -> wire.connection.receiveBatches(0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("batch holds no message: maxMessages=0, limit=1");
            assertThatThrownBy(() -> wire.connection.send(null)).hasMessage("message");
            assertThatThrownBy(() -> wire.connection.prefetch(null)).hasMessage("prefetch");
        }
    }

    @ParameterizedTest
    @EnumSource
    void setsWhatItNeedsOfTheChannel(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            assertThat(link.connection.channel().config().isAutoRead()).isFalse();
            assertThat(link.connection.channel().config().getOption(ChannelOption.ALLOW_HALF_CLOSURE))
                    .isTrue();
            assertThat(link.connection.channel().config().getOption(ChannelOption.TCP_NODELAY))
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void turnsOffNoDelayByOption(Transport transport) {
        ConnectionOptions options = ConnectionOptions.DEFAULT.noDelay(false);
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS, options)) {
            assertThat(link.connection.channel().config().getOption(ChannelOption.TCP_NODELAY))
                    .isFalse();
        }
    }

    @Test
    void attachesToChannelsWithoutNoDelay() {
        try (Wire<Integer, Integer> wire = Wire.ofNumbers()) {
            assertThat(wire.channel.config().getOption(ChannelOption.TCP_NODELAY))
                    .isNull();
            assertThat(wire.channel.config().isAutoRead()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void attachesInDoOnConnected(Transport transport) {
        attachesIn(
                transport,
                (client, attached) -> client.doOnConnected(
                        connection -> attached.set(FrameConnection.attach(connection, Frames.NUMBERS))));
    }

    @ParameterizedTest
    @EnumSource
    void attachesInHandle(Transport transport) {
        attachesIn(
                transport,
                (client, attached) -> client.handle((in, out) -> {
                    in.withConnection(connection -> attached.set(FrameConnection.attach(connection, Frames.NUMBERS)));
                    return Mono.never();
                }));
    }

    private static void attachesIn(Transport transport, Attaching attaching) {
        AtomicReference<FrameConnection<Integer, Integer>> attached = new AtomicReference<>();
        try (Peer.Listener listener = Peer.listen()) {
            Connection connection =
                    attaching.to(transport.client(listener.port()), attached).connectNow();
            try (Peer peer = listener.accept()) {
                Await.until("attached", () -> attached.get() != null);
                peer.send(Frames.numbers(0, 3)).fin();
                assertThat(attached.get().receive().collectList().block(Await.LIMIT))
                        .containsExactly(0, 1, 2);
                Await.completion(attached.get().send(4));
                assertThat(peer.receiveNumbers(1)).containsExactly(4);
            }
            connection.disposeNow();
        }
    }

    @ParameterizedTest
    @EnumSource
    void attachesOnTheServersSide(Transport transport) {
        DisposableServer server = transport
                .server()
                .doOnConnection(connection -> {
                    FrameConnection<Integer, Integer> attached = FrameConnection.attach(connection, Frames.NUMBERS);
                    attached.receive()
                            .concatMap(attached::send)
                            .then(attached.close())
                            .subscribe();
                })
                .bindNow();
        try (Peer peer = Peer.connect((InetSocketAddress) server.address())) {
            peer.send(Frames.numbers(0, 100)).fin();
            assertThat(Frames.decode(peer.receiveAll())).isEqualTo(Frames.range(0, 100));
        }
        Transport.end(server);
    }

    /** Bytes of one connection's stream must not reach the next user of a pooled channel. */
    @Test
    void isNotReturnedToAPool() {
        ConnectionProvider pool = ConnectionProvider.create("test", 1);
        try (Peer.Listener listener = Peer.listen()) {
            FrameClient<Integer, Integer> client =
                    FrameClient.from(TcpClient.create(pool).host("127.0.0.1").port(listener.port()), Frames.NUMBERS);
            List<String> channels = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                FrameConnection<Integer, Integer> connection = client.connect().block(Await.LIMIT);
                try (Peer peer = listener.accept()) {
                    peer.send(Frames.numbers(0, 10));
                    assertThat(connection.receive().next().block(Await.LIMIT)).isZero();
                    channels.add(connection.channel().id().asLongText());
                    connection.dispose();
                    Await.completion(connection.onDispose());
                }
            }
            assertThat(channels).doesNotHaveDuplicates();
        } finally {
            pool.disposeLater().block(Await.LIMIT);
        }
    }

    private interface Attaching {
        TcpClient to(TcpClient client, AtomicReference<FrameConnection<Integer, Integer>> attached);
    }
}
