package dev.sluice;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.NonBlocking;
import reactor.netty.resources.LoopResources;

/** Event loops of one transport, where Reactor Netty's own would be those of the best that the machine has. */
final class TransportLoops implements LoopResources {
    private final EventLoopGroup group;

    TransportLoops(String transport, int count, IoHandlerFactory handlers) {
        String prefix = "test-" + transport.toLowerCase(Locale.ROOT) + "-";
        AtomicInteger made = new AtomicInteger();
        ThreadFactory threads = run -> new LoopThread(run, prefix + made.incrementAndGet());
        group = new MultiThreadIoEventLoopGroup(count, threads, handlers);
    }

    @Override
    public EventLoopGroup onServer(boolean useNative) {
        return group;
    }

    @Override
    public EventLoopGroup onClient(boolean useNative) {
        return LoopResources.colocate(group);
    }

    @Override
    public Mono<Void> disposeLater(Duration quietPeriod, Duration timeout) {
        return Mono.create(
                sink -> group.shutdownGracefully(quietPeriod.toMillis(), timeout.toMillis(), TimeUnit.MILLISECONDS)
                        .addListener(ended -> sink.success()));
    }

    @Override
    public boolean isDisposed() {
        return group.isShuttingDown();
    }

    /** As Reactor Netty's loops: nothing may block it. */
    private static final class LoopThread extends FastThreadLocalThread implements NonBlocking {
        LoopThread(Runnable run, String name) {
            super(run, name);
            setDaemon(true);
        }
    }
}
