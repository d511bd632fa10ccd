package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.netty.Connection;

/** A channel that brings bytes inside the call that asks for them. */
@Tag("paranoid")
class LocalChannelTest {

    @ParameterizedTest
    @EnumSource
    void givesOneByOneWhenReadsAreNestedInRequests(Way way) throws Exception {
        try (Pair pair = new Pair(new Prefetch(2, 100))) {
            AtomicInteger messages = new AtomicInteger();
            AtomicInteger signals = new AtomicInteger();
            Probe<List<Integer>> probe = Probe.demanding(0);
            way.signals(pair.connection).subscribe(probe.whenNext(signal -> {
                messages.addAndGet(signal.size());
                signals.incrementAndGet();
            }));
            for (int i = 0; i < 5_000; i += 10) {
                pair.peer.writeAndFlush(Unpooled.wrappedBuffer(Frames.numbers(i, i + 10)));
            }
            int n = 0;
            while (messages.get() < 5_000) {
                int next = ++n;
                probe.request(1);
                Await.until("signal " + next, () -> signals.get() == next);
            }
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 5_000));
            pair.peer.close();
            probe.awaitCompletion();
        }
    }

    @ParameterizedTest
    @EnumSource
    void givesAllThatWasSentBeforeThePeerClosed(Way way) throws Exception {
        try (Pair pair = new Pair(Prefetch.DEFAULT)) {
            for (int i = 0; i < 5_000; i += 10) {
                pair.peer.writeAndFlush(Unpooled.wrappedBuffer(Frames.numbers(i, i + 10)));
            }
            pair.peer.close();
            Probe<List<Integer>> probe = Probe.unbounded();
            way.signals(pair.connection).subscribe(probe);
            probe.awaitCompletion();
            assertThat(Way.flat(probe)).isEqualTo(Frames.range(0, 5_000));
        }
    }

    @ParameterizedTest
    @EnumSource
    void failsReceiverWhenDisposed(Way way) throws Exception {
        try (Pair pair = new Pair(Prefetch.DEFAULT)) {
            Probe<List<Integer>> probe = Probe.demanding(0);
            way.signals(pair.connection).subscribe(probe);
            pair.connection.dispose();
            assertThat(probe.awaitError()).isInstanceOf(ConnectionClosedException.class);
            assertThat(pair.connection.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.DISPOSED);
        }
    }

    private static final class Pair implements AutoCloseable {
        private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, LocalIoHandler.newFactory());
        private final CompletableFuture<FrameConnection<Integer, Integer>> attached = new CompletableFuture<>();
        private final Channel server;
        private final Channel peer;
        private final FrameConnection<Integer, Integer> connection;

        Pair(Prefetch prefetch) throws Exception {
            ConnectionOptions options = ConnectionOptions.DEFAULT.prefetch(prefetch);
            server = new ServerBootstrap()
                    .group(group)
                    .channel(LocalServerChannel.class)
                    .childHandler(handler(channel -> attached.complete(
                            FrameConnection.attach(Connection.from(channel), Frames.NUMBERS, options))))
                    .bind(new LocalAddress(LocalChannelTest.class))
                    .sync()
                    .channel();
            peer = new Bootstrap()
                    .group(group)
                    .channel(LocalChannel.class)
                    .handler(handler(channel -> {}))
                    .connect(server.localAddress())
                    .sync()
                    .channel();
            connection = attached.get(Await.LIMIT.toSeconds(), TimeUnit.SECONDS);
        }

        private static ChannelHandler handler(Consumer<Channel> action) {
            return new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                    action.accept(channel);
                }
            };
        }

        @Override
        public void close() {
            connection.dispose();
            peer.close().syncUninterruptibly();
            server.close().syncUninterruptibly();
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }
}
