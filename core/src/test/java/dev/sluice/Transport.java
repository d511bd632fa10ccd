package dev.sluice;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringSocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.netty.DisposableServer;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** Real sockets, on two event loops that all tests share. */
enum Transport {
    NIO(NioIoHandler::newFactory, NioSocketChannel.class),
    EPOLL(EpollIoHandler::newFactory, EpollSocketChannel.class),
    /** Kernels may lack it, or refuse it: then its tests are skipped. */
    IO_URING(IoUringIoHandler::newFactory, IoUringSocketChannel.class);

    /** Those that are open. */
    private static final Set<Channel> ACCEPTED = ConcurrentHashMap.newKeySet();

    private final Supplier<IoHandlerFactory> handlers;
    private final Class<? extends Channel> channelType;
    private @Nullable LoopResources loops;

    Transport(Supplier<IoHandlerFactory> handlers, Class<? extends Channel> channelType) {
        this.handlers = handlers;
        this.channelType = channelType;
    }

    /** Loops of this transport that belong to the caller, who passes them to {@link #client(LoopResources, int)}. */
    LoopResources newLoops(int count) {
        if (this == IO_URING) {
            assumeTrue(IoUring.isAvailable(), () -> "kernel has no io_uring: " + IoUring.unavailabilityCause());
        }
        return new TransportLoops(name(), count, handlers.get());
    }

    /** Ends a server of {@link #server()} and all connections that such have accepted, and waits for it. */
    static void end(DisposableServer server) {
        server.disposeNow();
        ACCEPTED.forEach(Channel::close);
        Await.until("accepted connections to close", ACCEPTED::isEmpty);
    }

    /**
     * Ends loops and waits for it. Not without a quiet period: with none Netty 4.2.17 may end a loop that has tasks without
     * closing its channels.
     */
    static void end(LoopResources loops) {
        Await.completion(loops.disposeLater(Duration.ofMillis(10), Duration.ofSeconds(5)));
    }

    TcpClient client(int port) {
        return client(loops(), port);
    }

    TcpClient client(LoopResources loopResources, int port) {
        return TcpClient.newConnection()
                .runOn(loopResources)
                .host("127.0.0.1")
                .port(port)
                .doOnConnected(connection -> check(connection.channel()));
    }

    TcpServer server() {
        return TcpServer.create().runOn(loops()).host("127.0.0.1").port(0).doOnConnection(connection -> {
            Channel channel = connection.channel();
            ACCEPTED.add(channel);
            channel.closeFuture().addListener(closed -> ACCEPTED.remove(channel));
        });
    }

    private synchronized LoopResources loops() {
        if (loops == null) {
            loops = newLoops(2);
        }
        return loops;
    }

    /** A test that ran on the other transport would prove nothing. */
    private void check(Channel channel) {
        if (!channelType.isInstance(channel)) {
            throw new AssertionError("wrong transport: channel=" + channel.getClass() + ", expected=" + channelType);
        }
    }
}
