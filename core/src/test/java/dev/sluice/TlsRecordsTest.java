package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.netty.Connection;

/** TLS on one thread: the bytes of both sides are carried over by hand, cut anywhere. */
@Tag("paranoid")
class TlsRecordsTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 6, 29, 100, 1_000, 100_000})
    void readsRecordsThatAreTornAcrossReads(int chunk) {
        for (boolean server : new boolean[] {false, true}) {
            try (Ends ends = new Ends(server, chunk)) {
                Probe<Integer> probe = Probe.demanding(1);
                ends.connection.receive().subscribe(probe);
                ends.send(Frames.numbers(0, 20));
                ends.send(Frames.numbers(20, 40));
                assertThat(probe.values()).containsExactly(0);
                probe.request(Long.MAX_VALUE);
                ends.send(Frames.numbers(40, 60));
                assertThat(probe.values()).isEqualTo(Frames.range(0, 60));

                ends.peer.close(); // close_notify
                ends.carry();
                assertThat(probe.isCompleted()).isTrue();
                ends.connection.dispose();
                ends.channel.runPendingTasks();
                assertThat(ends.connection.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.PEER_CLOSED);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void saysInTlsThatItCloses(boolean server) {
        try (Ends ends = new Ends(server, 1_000)) {
            ends.connection.send(1).subscribe();
            ends.connection.close().subscribe();
            ends.carry();
            assertThat(ends.received()).isEqualTo(Frames.numbers(1, 2));
            assertThat(ends.closeNotified).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void takesABareEndForATruncation(boolean server) {
        try (Ends ends = new Ends(server, 1_000)) {
            Probe<Integer> probe = Probe.unbounded();
            ends.connection.receive().subscribe(probe);
            ends.send(Frames.numbers(0, 2));
            ends.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            assertThat(probe.values()).containsExactly(0, 1);
            assertThat(probe.error()).hasMessage("connection is closed: reason=TLS_TRUNCATED");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void endsAHandshakeThatThePeerLeaves(boolean server) {
        EmbeddedChannel channel = new EmbeddedChannel(server ? Tls.serverHandler() : Tls.clientHandler());
        FrameConnection<Integer, Integer> connection = FrameConnection.attach(Connection.from(channel), Frames.NUMBERS);
        Probe<Integer> probe = Probe.unbounded();
        connection.receive().subscribe(probe);
        channel.runPendingTasks();
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        channel.runPendingTasks();
        assertThat(probe.error()).hasMessage("connection is closed: reason=TLS_TRUNCATED");
        assertThat(channel.isOpen()).isFalse();
        channel.finishAndReleaseAll();
    }

    /** A connection, and the peer's TLS. */
    private static final class Ends implements AutoCloseable {
        final EmbeddedChannel channel;
        final FrameConnection<Integer, Integer> connection;
        final EmbeddedChannel peer;
        private final int chunk;
        private boolean closeNotified;

        Ends(boolean server, int chunk) {
            this.chunk = chunk;
            channel = new EmbeddedChannel(server ? Tls.serverHandler() : Tls.clientHandler());
            connection = FrameConnection.attach(Connection.from(channel), Frames.NUMBERS);
            peer = new EmbeddedChannel(
                    server ? Tls.clientHandler() : Tls.serverHandler(), new ChannelInboundHandlerAdapter() {
                        @Override
                        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                            closeNotified |= event == SslCloseCompletionEvent.SUCCESS;
                        }
                    });
            carry();
            assertThat(channel.pipeline()
                            .get(SslHandler.class)
                            .handshakeFuture()
                            .isSuccess())
                    .isTrue();
        }

        void send(byte[] bytes) {
            peer.writeOutbound(Unpooled.wrappedBuffer(bytes));
            carry();
        }

        /** Carries the bytes of both sides over until there are none. */
        void carry() {
            while (carry(peer, channel) | carry(channel, peer)) {
                // more may have come of it
            }
        }

        private boolean carry(EmbeddedChannel from, EmbeddedChannel to) {
            from.runPendingTasks();
            ByteBuf bytes = from.readOutbound();
            if (bytes == null) {
                return false;
            }
            while (bytes.isReadable()) {
                ByteBuf part = bytes.readRetainedSlice(Math.min(chunk, bytes.readableBytes()));
                to.pipeline().fireChannelRead(part);
                to.pipeline().fireChannelReadComplete();
                to.runPendingTasks();
            }
            bytes.release();
            return true;
        }

        /** What the peer has received. */
        byte[] received() {
            byte[] all = {};
            for (ByteBuf bytes = peer.readInbound(); bytes != null; bytes = peer.readInbound()) {
                byte[] part = new byte[bytes.readableBytes()];
                bytes.readBytes(part).release();
                all = Lines.join(all, part);
            }
            return all;
        }

        @Override
        public void close() {
            connection.dispose();
            channel.finishAndReleaseAll();
            peer.finishAndReleaseAll();
        }
    }
}
