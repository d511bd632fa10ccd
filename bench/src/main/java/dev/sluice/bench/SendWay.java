package dev.sluice.bench;

import dev.sluice.FrameConnection;
import dev.sluice.SendResult;
import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.flush.FlushConsolidationHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.Connection;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;

/** One connection and a way to send on it; all ways send the same frames and hold at most 1 MiB. */
abstract class SendWay {
    private static final int CLOCK_EVERY = 32;
    private static final long WAIT_NANOS = 20_000;

    final Channel channel;
    final byte[] payload;

    SendWay(Channel channel, byte[] payload) {
        this.channel = channel;
        this.payload = payload;
    }

    static SendWay connect(SendKind kind, LoopResources loops, int port, byte[] payload) {
        TcpClient client = TcpClient.newConnection()
                .runOn(loops)
                .host("127.0.0.1")
                .port(port)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(512 * 1024, 1024 * 1024));
        if (kind == SendKind.SLUICE_TRY_SEND || kind == SendKind.SLUICE_REPLY) {
            Codec<byte[], byte[]> codec = Codec.bytes(LengthFieldFraming.of(4));
            FrameConnection<byte[], byte[]> connection = client.connect()
                    .map(made -> FrameConnection.attach(made, codec))
                    .blockOptional()
                    .orElseThrow();
            return new Sluice(connection, payload, kind == SendKind.SLUICE_REPLY);
        }
        Connection connection = client.connectNow();
        if (kind == SendKind.NETTY_CONSOLIDATED) {
            connection.addHandlerFirst(new FlushConsolidationHandler(256, true));
        }
        return switch (kind) {
            case NETTY_AWAITED -> new Netty(connection.channel(), payload, true);
            case RN_FLUX -> new RnFlux(connection, payload);
            case RN_OBJECT -> new RnObject(connection, payload);
            default -> new Netty(connection.channel(), payload, false);
        };
    }

    /** Sends until then, and returns how many messages the kernel has taken all of. By several threads. */
    abstract long sendUntil(long deadline);

    /** Sends one message, and returns the nanoseconds until the kernel had it. */
    abstract long sendAlone();

    void close() {
        channel.close().syncUninterruptibly();
    }

    final ByteBuf frame() {
        ByteBuf frame = channel.alloc().directBuffer(Integer.BYTES + payload.length);
        return frame.writeInt(payload.length).writeBytes(payload);
    }

    final void awaitWritable() {
        while (!channel.isWritable()) {
            LockSupport.parkNanos(WAIT_NANOS);
        }
    }

    private static final class Sluice extends SendWay {
        private final FrameConnection<byte[], byte[]> connection;
        private final boolean withReply;
        private final AtomicLong replies = new AtomicLong();

        Sluice(FrameConnection<byte[], byte[]> connection, byte[] payload, boolean withReply) {
            super(connection.channel(), payload);
            this.connection = connection;
            this.withReply = withReply;
        }

        @Override
        long sendUntil(long deadline) {
            long sent = 0;
            while (sent % CLOCK_EVERY != 0 || System.nanoTime() - deadline < 0) {
                SendResult result = withReply
                        ? connection.trySend(payload, error -> replies.lazySet(replies.get() + 1))
                        : connection.trySend(payload);
                if (result == SendResult.ACCEPTED) {
                    sent++;
                } else {
                    connection.writable().block();
                }
            }
            connection.send(payload).block();
            return sent + 1;
        }

        @Override
        long sendAlone() {
            CompletableFuture<Long> taken = new CompletableFuture<>();
            long begin = System.nanoTime();
            connection.trySend(payload, error -> taken.complete(System.nanoTime()));
            return taken.join() - begin;
        }
    }

    private static final class Netty extends SendWay {
        private final boolean awaits;

        Netty(Channel channel, byte[] payload, boolean awaits) {
            super(channel, payload);
            this.awaits = awaits;
        }

        @Override
        long sendUntil(long deadline) {
            long sent = 0;
            ChannelFuture last;
            do {
                awaitWritable();
                last = channel.writeAndFlush(frame());
                if (awaits) {
                    last.syncUninterruptibly();
                }
                sent++;
            } while (sent % CLOCK_EVERY != 0 || System.nanoTime() - deadline < 0);
            last.syncUninterruptibly();
            return sent;
        }

        @Override
        long sendAlone() {
            CompletableFuture<Long> taken = new CompletableFuture<>();
            long begin = System.nanoTime();
            channel.writeAndFlush(frame()).addListener(done -> taken.complete(System.nanoTime()));
            return taken.join() - begin;
        }
    }

    private static final class RnFlux extends SendWay {
        private final Connection connection;

        RnFlux(Connection connection, byte[] payload) {
            super(connection.channel(), payload);
            this.connection = connection;
        }

        /** A thread of its own brings the frames, whoever asks for them. */
        @Override
        long sendUntil(long deadline) {
            Scheduler thread = Schedulers.newSingle("source");
            long[] sent = new long[1];
            Flux<ByteBuf> frames = Flux.<ByteBuf>generate(sink -> {
                        if (sent[0] % CLOCK_EVERY == 0 && System.nanoTime() - deadline >= 0) {
                            sink.complete();
                        } else {
                            sent[0]++;
                            sink.next(frame());
                        }
                    })
                    .subscribeOn(thread);
            connection.outbound().send(frames).then().block();
            thread.dispose();
            return sent[0];
        }

        @Override
        long sendAlone() {
            return alone(
                    connection.outbound().send(Mono.fromSupplier(this::frame)).then());
        }
    }

    private static final class RnObject extends SendWay {
        private final Connection connection;

        RnObject(Connection connection, byte[] payload) {
            super(connection.channel(), payload);
            this.connection = connection;
        }

        @Override
        long sendUntil(long deadline) {
            long sent = 0;
            while (sent % CLOCK_EVERY != 0 || System.nanoTime() - deadline < 0) {
                awaitWritable();
                connection.outbound().sendObject(frame()).then().subscribe();
                sent++;
            }
            connection.outbound().sendObject(frame()).then().block();
            return sent + 1;
        }

        @Override
        long sendAlone() {
            return alone(
                    Mono.defer(() -> connection.outbound().sendObject(frame()).then()));
        }
    }

    private static long alone(Mono<Void> send) {
        CompletableFuture<Long> taken = new CompletableFuture<>();
        long begin = System.nanoTime();
        send.subscribe(done -> {}, taken::completeExceptionally, () -> taken.complete(System.nanoTime()));
        return taken.join() - begin;
    }
}
