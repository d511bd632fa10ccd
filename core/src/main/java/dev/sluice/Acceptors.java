package dev.sluice;

import io.netty.channel.Channel;
import io.netty.channel.unix.UnixChannelOption;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableChannel;
import reactor.netty.DisposableServer;
import reactor.netty.tcp.TcpServer;

/** Several sockets that listen at one address (SO_REUSEPORT): the kernel spreads connections over them. */
final class Acceptors implements DisposableServer {
    private final List<DisposableServer> all;

    private Acceptors(List<DisposableServer> all) {
        this.all = List.copyOf(all);
    }

    /** Binds them all, or none. The first one chooses the port if any will do. */
    static Mono<DisposableServer> bind(TcpServer server, int count) {
        TcpServer reusing = server.option(UnixChannelOption.SO_REUSEPORT, true);
        return Mono.defer(() -> {
            List<DisposableServer> bound = new ArrayList<>();
            return reusing.bind()
                    .flatMapMany(first -> {
                        bound.add(first);
                        return Flux.range(1, count - 1)
                                .concatMap(i -> reusing.port(first.port()).bind());
                    })
                    .doOnNext(bound::add)
                    .then(Mono.<DisposableServer>fromSupplier(() -> new Acceptors(bound)))
                    .doOnError(e -> bound.forEach(DisposableChannel::dispose))
                    .doOnCancel(() -> bound.forEach(DisposableChannel::dispose));
        });
    }

    @Override
    public Channel channel() {
        return all.get(0).channel();
    }

    @Override
    public InetSocketAddress address() {
        return (InetSocketAddress) channel().localAddress();
    }

    @Override
    public String host() {
        return all.get(0).host();
    }

    @Override
    public int port() {
        return all.get(0).port();
    }

    @Override
    public void dispose() {
        all.forEach(DisposableChannel::dispose);
    }

    @Override
    public void disposeNow(Duration timeout) {
        dispose();
        onDispose().block(timeout);
    }

    @Override
    public boolean isDisposed() {
        return all.stream().allMatch(DisposableChannel::isDisposed);
    }

    @Override
    public CoreSubscriber<Void> disposeSubscriber() {
        return all.get(0).disposeSubscriber();
    }

    @Override
    public Mono<Void> onDispose() {
        return Mono.when(all.stream().map(DisposableChannel::onDispose).toList());
    }
}
