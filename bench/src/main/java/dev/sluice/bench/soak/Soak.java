package dev.sluice.bench.soak;

import dev.sluice.FrameClient;
import dev.sluice.FrameConnection;
import dev.sluice.FrameServer;
import dev.sluice.bench.Arguments;
import dev.sluice.framing.Codec;
import dev.sluice.framing.Framing;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.MessageDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.DisposableServer;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/**
 * Many connections at once, both ends in this JVM, that do at random what connections do: messages of all sizes both ways,
 * receivers of all kinds that demand a little or late and cancel, half closes, resets, with TLS and without. Each that has
 * ended makes room for another. Every message is checked, what is held is compared with its bounds, a connection that
 * stands still is found, and at the end no buffer may be alive.
 */
public final class Soak {
    static final int SOCKET_BUFFER = 512 * 1024;

    private static final int THREADS = 4;
    /** Between the first connections, so that the JIT compiler gets its share. */
    private static final long RAMP_MILLIS = 25;

    private static final int STUCK_SECONDS = 60;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Framing FRAMING =
            LengthFieldFraming.builder().maxPayloadLength(1 << 20).build();

    private final Findings findings = new Findings();
    private final Set<End> live = ConcurrentHashMap.newKeySet();
    private final List<Scheduler> threads = new ArrayList<>();
    private final List<DisposableServer> servers = new ArrayList<>();
    private final AtomicLong nextConnection = new AtomicLong();
    private final LoopResources loops;
    private final boolean preferNative;
    private final Certificates certificates;
    private final long seed;

    private Soak(boolean preferNative, Certificates certificates, long seed) {
        this.loops = LoopResources.create("soak", 2, true);
        this.preferNative = preferNative;
        this.certificates = certificates;
        this.seed = seed;
        for (int i = 0; i < THREADS; i++) {
            threads.add(Schedulers.newSingle("soak-receiver", true));
        }
        for (int kind = 0; kind < 4; kind++) {
            servers.add(serve(isEncrypted(kind), keepsSlices(kind)));
        }
    }

    /** Options: {@code --seconds 60 --connections 200 --transport native|nio --seed 1}. */
    public static void main(String[] args) throws Exception {
        Arguments arguments = new Arguments(args, Set.of("--seconds", "--connections", "--transport", "--seed"));
        int seconds = arguments.number("--seconds", 60, 1);
        int connections = arguments.number("--connections", 200, 1);
        boolean preferNative = arguments.oneOf("--transport", "native", "nio").equals("native");
        int seed = arguments.number("--seed", (int) (System.nanoTime() & 0xffffff), 0);
        LiveBuffers buffers = new LiveBuffers();
        buffers.checkThatTheyAreCounted();
        System.out.printf(
                "soak: seconds=%d connections=%d transport=%s seed=%d%n",
                seconds, connections, preferNative ? "native" : "nio", seed);

        Soak soak = new Soak(preferNative, Certificates.make(), seed);
        soak.run(seconds, connections);
        soak.end();
        if (!buffers.areGoneWithin(PATIENCE)) {
            soak.findings.fault("buffers are alive");
        }
        System.out.print(soak.findings);
        System.out.println(soak.findings.hasFaults() ? "FAILED" : "no buffer is alive: passed");
        System.exit(soak.findings.hasFaults() ? 1 : 0);
    }

    private void run(int seconds, int connections) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        Mono<Void> all = Flux.range(0, connections)
                .flatMap(
                        i -> connection()
                                .repeat(() -> System.nanoTime() - end < 0)
                                .delaySubscription(Duration.ofMillis(i * RAMP_MILLIS)),
                        connections)
                .then();
        Monitor monitor = new Monitor();
        monitor.start();
        try {
            all.block(PATIENCE.plusSeconds(seconds));
            long begin = System.nanoTime();
            while (!live.isEmpty() && System.nanoTime() - begin < PATIENCE.toNanos()) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
        } catch (IllegalStateException e) {
            findings.fault("connections have not ended: " + e.getMessage());
        }
        live.forEach(left -> findings.fault("has not ended: " + left));
        monitor.interrupt();
        monitor.join();
    }

    private void end() {
        live.forEach(left -> left.connection.dispose());
        servers.forEach(DisposableServer::disposeNow);
        loops.disposeLater(Duration.ofMillis(100), Duration.ofSeconds(5)).block(PATIENCE);
        threads.forEach(Scheduler::dispose);
    }

    // ---- the server's side

    private DisposableServer serve(boolean tls, boolean slices) {
        TcpServer server = TcpServer.create()
                .runOn(loops, preferNative)
                .host("127.0.0.1")
                .port(0)
                .option(ChannelOption.SO_BACKLOG, 4_096)
                .childOption(ChannelOption.SO_RCVBUF, SOCKET_BUFFER);
        if (tls) {
            server =
                    server.secure(spec -> spec.sslContext(certificates.server()).handshakeTimeout(PATIENCE));
        }
        return FrameServer.from(server, codec(slices))
                .handle(connection -> serve(connection, tls))
                .bindNow();
    }

    /** The first message brings the plan; whoever receives next goes on with the second. */
    private Mono<Void> serve(FrameConnection<Object, ByteBuf> connection, boolean tls) {
        return connection
                .receive()
                .next()
                .onErrorComplete() // reset before it came
                .flatMap(first -> {
                    Plan plan = Plan.of(seedIn(first), tls);
                    return run(new End(connection, plan, false, thread(plan), findings));
                });
    }

    private static long seedIn(Object first) {
        if (first instanceof ByteBuf slice) {
            long seed = slice.readLong();
            slice.release();
            return seed;
        }
        return ((Script.Parcel) first).head();
    }

    // ---- the client's

    private Mono<Void> connection() {
        return Mono.defer(() -> {
            SplittableRandom random = new SplittableRandom(seed + nextConnection.getAndIncrement());
            int kind = random.nextInt(4);
            Plan plan = Plan.of(random.nextLong(), isEncrypted(kind));
            return FrameClient.from(client(kind), codec(keepsSlices(kind)))
                    .connect()
                    .doOnError(e -> findings.fault("not connected: " + e))
                    .onErrorComplete()
                    .flatMap(connection -> {
                        findings.connections.increment();
                        findings.ending(plan.ending());
                        ByteBuf hello =
                                ByteBufAllocator.DEFAULT.buffer(Long.BYTES).writeLong(plan.seed());
                        return connection
                                .send(hello)
                                .onErrorComplete()
                                .then(run(new End(connection, plan, true, thread(plan), findings)))
                                .then(close(connection, plan));
                    });
        });
    }

    private TcpClient client(int kind) {
        TcpClient client = TcpClient.newConnection()
                .runOn(loops, preferNative)
                .host("127.0.0.1")
                .port(servers.get(kind).port())
                .option(ChannelOption.SO_RCVBUF, SOCKET_BUFFER);
        return isEncrypted(kind)
                ? client.secure(spec -> spec.sslContext(certificates.client()).handshakeTimeout(PATIENCE))
                : client;
    }

    private static Mono<Void> close(FrameConnection<Object, ByteBuf> connection, Plan plan) {
        if (plan.ending().isOrderly()) {
            return connection.close();
        }
        connection.dispose();
        return connection.onDispose();
    }

    // ---- both

    private Mono<Void> run(End end) {
        return Mono.defer(() -> {
            live.add(end);
            return end.run().doFinally(signal -> live.remove(end));
        });
    }

    private Scheduler thread(Plan plan) {
        return threads.get((int) (plan.seed() & (THREADS - 1)));
    }

    private static boolean isEncrypted(int kind) {
        return (kind & 1) != 0;
    }

    private static boolean keepsSlices(int kind) {
        return (kind & 2) != 0;
    }

    /** Either objects that keep nothing, so that reads go to the loop's buffer, or slices of what was read. */
    private static Codec<Object, ByteBuf> codec(boolean slices) {
        MessageDecoder<Object> decoder = slices
                ? new MessageDecoder<>() {
                    @Override
                    public Object decode(ByteBuf payload) {
                        return payload.retainedSlice();
                    }

                    @Override
                    public boolean keepsPayload() {
                        return true;
                    }
                }
                : Script.Parcel::of;
        return Codec.of(FRAMING, decoder, Codec.slices(FRAMING).encoder());
    }

    /** Looks every second at what is held, and for connections that stand still. */
    private final class Monitor extends Thread {
        Monitor() {
            super("soak-monitor");
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    TimeUnit.SECONDS.sleep(1);
                    live.stream()
                            .filter(end -> end.isStuckSince(STUCK_SECONDS))
                            .forEach(end -> findings.fault("stands still: " + end));
                }
            } catch (InterruptedException e) {
                // The run has ended.
            }
        }
    }
}
