package dev.sluice.bench;

import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import java.time.Duration;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;

/** The one event loop of a receiving JVM. */
final class EventLoop implements AutoCloseable {
    private final ReceiverSettings settings;
    private final LoopResources loops = LoopResources.create("receiver", 1, true);

    EventLoop(ReceiverSettings settings) {
        this.settings = settings;
    }

    LoopResources resources() {
        return loops;
    }

    EventLoopGroup group() {
        return loops.onClient(settings.nativeTransport());
    }

    TcpClient tcpClient() {
        TcpClient client =
                TcpClient.newConnection().remoteAddress(settings::address).runOn(loops, settings.nativeTransport());
        RecvByteBufAllocator allocator = settings.recvAllocator();
        return allocator == null ? client : client.option(ChannelOption.RECVBUF_ALLOCATOR, allocator);
    }

    Thread thread() throws Exception {
        return group().next().submit(Thread::currentThread).get();
    }

    @Override
    public void close() {
        loops.disposeLater(Duration.ZERO, Duration.ofSeconds(5)).block();
    }
}
