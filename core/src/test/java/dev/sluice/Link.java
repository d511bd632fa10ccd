package dev.sluice;

import dev.sluice.framing.Codec;
import io.netty.channel.ChannelOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.tcp.TcpClient;

/** A connection over real sockets, and the {@link Peer} at its other end. */
final class Link<I, O> implements AutoCloseable {
    final FrameConnection<I, O> connection;
    final Peer peer;

    private Link(FrameConnection<I, O> connection, Peer peer) {
        this.connection = connection;
        this.peer = peer;
    }

    static <I, O> Link<I, O> open(Transport transport, Codec<I, O> codec) {
        return open(transport, codec, ConnectionOptions.DEFAULT);
    }

    static <I, O> Link<I, O> open(Transport transport, Codec<I, O> codec, ConnectionOptions options) {
        return open(codec, options, 0, transport::client);
    }

    /** With small buffers in the kernel, so that they are full soon. */
    static <I, O> Link<I, O> openNarrow(Transport transport, Codec<I, O> codec, ConnectionOptions options) {
        int narrow = 64 * 1024;
        return open(
                codec,
                options,
                narrow,
                port -> transport
                        .client(port)
                        .option(ChannelOption.SO_RCVBUF, narrow)
                        .option(ChannelOption.SO_SNDBUF, narrow));
    }

    static <I, O> Link<I, O> open(
            Codec<I, O> codec, ConnectionOptions options, int receiveBuffer, ClientFactory clients) {
        try (Peer.Listener listener = Peer.listen(receiveBuffer)) {
            FrameConnection<I, O> connection = FrameClient.from(clients.to(listener.port()), codec)
                    .options(ReadMode.NOW.apply(options))
                    .connect()
                    .block(Await.LIMIT);
            return new Link<>(connection, listener.accept());
        }
    }

    /** Runs on the connection's event loop and waits for it. */
    void onLoop(Runnable action) {
        Await.completion(Mono.fromRunnable(action)
                .subscribeOn(Schedulers.fromExecutor(connection.channel().eventLoop())));
    }

    /** Runs it on this thread while the event loop comes to nothing else. */
    void whileBlocked(Runnable action) {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        connection.channel().eventLoop().execute(() -> {
            blocked.countDown();
            await(done);
        });
        await(blocked);
        try {
            action.run();
        } finally {
            done.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(Await.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("event loop was not blocked or not released");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    @Override
    public void close() {
        connection.dispose();
        Await.completion(connection.onDispose());
        peer.close();
    }

    interface ClientFactory {
        TcpClient to(int port);
    }
}
