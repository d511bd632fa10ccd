package dev.sluice;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.time.Duration;
import java.util.Locale;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** Real sockets, on two event loops that all tests share. */
enum Transport {
    NIO(false, NioSocketChannel.class),
    EPOLL(true, EpollSocketChannel.class);

    private final boolean preferNative;
    private final Class<? extends Channel> channelType;
    private final LoopResources loops;

    Transport(boolean preferNative, Class<? extends Channel> channelType) {
        this.preferNative = preferNative;
        this.channelType = channelType;
        this.loops = newLoops(2);
    }

    /** Loops of this transport that belong to the caller, who passes them to {@link #client(LoopResources, int)}. */
    LoopResources newLoops(int count) {
        return LoopResources.create("test-" + name().toLowerCase(Locale.ROOT), 1, count, true);
    }

    /**
     * Ends loops and waits for it. Not without a quiet period: with none Netty 4.2.17 may end a loop that has tasks without
     * closing its channels.
     */
    static void end(LoopResources loops) {
        Await.completion(loops.disposeLater(Duration.ofMillis(10), Duration.ofSeconds(5)));
    }

    TcpClient client(int port) {
        return client(loops, port);
    }

    TcpClient client(LoopResources loopResources, int port) {
        return TcpClient.newConnection()
                .runOn(loopResources, preferNative)
                .host("127.0.0.1")
                .port(port)
                .doOnConnected(connection -> check(connection.channel()));
    }

    TcpServer server() {
        return TcpServer.create().runOn(loops, preferNative).host("127.0.0.1").port(0);
    }

    /** A test that ran on the other transport would prove nothing. */
    private void check(Channel channel) {
        if (!channelType.isInstance(channel)) {
            throw new AssertionError("wrong transport: channel=" + channel.getClass() + ", expected=" + channelType);
        }
    }
}
