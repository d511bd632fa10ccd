package dev.sluice.bench.soak;

import dev.sluice.FrameClient;
import dev.sluice.FrameConnection;
import dev.sluice.FrameServer;
import dev.sluice.bench.Arguments;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
 * receivers of all kinds that demand a little or late and cancel, protocols that change in the midst of the stream, half
 * closes, resets, with TLS from the start, later or not at all. Each that has ended makes room for another. Every message is checked, what is held is compared with its bounds, a connection that
 * stands still is found, and at the end no buffer may be alive.
 */
public final class Soak {
    static final int SOCKET_BUFFER = 512 * 1024;

    private static final int THREADS = 4;
    /** Between the first connections, so that the JIT compiler gets its share. */
    private static final long RAMP_MILLIS = 25;

    private static final int STUCK_SECONDS = 60;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Findings findings = new Findings();
    private final Set<End> live = ConcurrentHashMap.newKeySet();
    private final List<Scheduler> threads = new ArrayList<>();
    private final Map<Kind, DisposableServer> servers = new HashMap<>();
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
        for (Security security : Security.values()) {
            for (boolean slices : new boolean[] {false, true}) {
                Kind kind = new Kind(security, slices);
                servers.put(kind, serve(kind));
            }
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
        live.forEach(End::dispose);
        servers.values().forEach(DisposableServer::disposeNow);
        loops.disposeLater(Duration.ofMillis(100), Duration.ofSeconds(5)).block(PATIENCE);
        threads.forEach(Scheduler::dispose);
    }

    // ---- the server's side

    private DisposableServer serve(Kind kind) {
        TcpServer server = TcpServer.create()
                .runOn(loops, preferNative)
                .host("127.0.0.1")
                .port(0)
                .option(ChannelOption.SO_BACKLOG, 4_096)
                .childOption(ChannelOption.SO_RCVBUF, SOCKET_BUFFER);
        if (kind.security() == Security.FROM_THE_FIRST_BYTE) {
            server =
                    server.secure(spec -> spec.sslContext(certificates.server()).handshakeTimeout(PATIENCE));
        }
        return FrameServer.from(server, Protocol.LENGTH_FIELD.codec(kind.slices()))
                .handle(connection -> serve(connection, kind.security()))
                .bindNow();
    }

    /** The first message brings the plan; whoever receives next goes on with the second. */
    private Mono<Void> serve(FrameConnection<Object, Protocol.Frame> connection, Security security) {
        return connection
                .receive()
                .next()
                .onErrorComplete() // reset before it came
                .flatMap(first -> {
                    Plan plan = Plan.of(Script.headOf(first), security != Security.NONE);
                    Mono<Void> run = run(new End(connection, plan, false, thread(plan), findings));
                    if (security != Security.STARTED_LATER) {
                        return run;
                    }
                    connection.send(Script.opening(plan.seed(), true)).subscribe(none -> {}, error -> {});
                    return secured(connection, certificates.server(), plan).then(run);
                });
    }

    // ---- the client's

    private Mono<Void> connection() {
        return Mono.defer(() -> {
            SplittableRandom random = new SplittableRandom(seed + nextConnection.getAndIncrement());
            Security security = Security.any(random);
            Kind kind = new Kind(security, random.nextBoolean());
            Plan plan = Plan.of(random.nextLong() >>> 1, security != Security.NONE);
            return FrameClient.from(client(kind), Protocol.LENGTH_FIELD.codec(kind.slices()))
                    .connect()
                    .doOnError(e -> findings.fault("not connected: " + e))
                    .onErrorComplete()
                    .flatMap(connection -> {
                        findings.connections.increment();
                        findings.ending(plan.ending());
                        findings.security(security);
                        return open(connection, plan, security)
                                .then(run(new End(connection, plan, true, thread(plan), findings)))
                                .then(Mono.defer(() -> close(connection, plan)));
                    });
        });
    }

    private Mono<Void> open(FrameConnection<Object, Protocol.Frame> connection, Plan plan, Security security) {
        boolean startsTls = security == Security.STARTED_LATER;
        Mono<Void> sent =
                connection.send(Script.opening(plan.seed(), startsTls)).onErrorComplete();
        return startsTls
                ? sent.then(connection.receive().next())
                        .doOnNext(Script::headOf)
                        .then(secured(connection, certificates.client(), plan))
                : sent;
    }

    /** Starts TLS on either side. */
    private Mono<Void> secured(FrameConnection<?, ?> connection, SslContext context, Plan plan) {
        return Mono.defer(() -> {
                    SslHandler tls = context.newHandler(connection.channel().alloc());
                    tls.setHandshakeTimeoutMillis(PATIENCE.toMillis());
                    return connection.startTls(tls);
                })
                .onErrorResume(e -> {
                    if (plan.ending().isOrderly()) {
                        findings.fault("TLS not started: " + e + ", " + connection);
                    }
                    return Mono.empty();
                });
    }

    private TcpClient client(Kind kind) {
        TcpClient client = TcpClient.newConnection()
                .runOn(loops, preferNative)
                .host("127.0.0.1")
                .port(Objects.requireNonNull(servers.get(kind)).port())
                .option(ChannelOption.SO_RCVBUF, SOCKET_BUFFER);
        return kind.security() == Security.FROM_THE_FIRST_BYTE
                ? client.secure(spec -> spec.sslContext(certificates.client()).handshakeTimeout(PATIENCE))
                : client;
    }

    private static Mono<Void> close(FrameConnection<?, ?> connection, Plan plan) {
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

    /**
     * What a server is like.
     *
     * @param slices whether messages are slices of what was read at first
     */
    private record Kind(Security security, boolean slices) {}

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
