package dev.sluice.examples;

import dev.sluice.FrameClient;
import dev.sluice.FrameConnection;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;

/**
 * Receives the same stream of messages over loopback TCP in three ways: one by one, in batches, and by Reactor Netty with
 * Netty's own frame decoder. Says how fast each is, and how rarely the subscriber is woken.
 */
public final class Demo implements AutoCloseable {
    private static final int WARM_UP_ROUNDS = 5;
    /** The most that one read takes; the same for all three. */
    private static final int READ_SIZE = 256 * 1024;

    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final DemoOptions options;
    private final PrintStream out;
    private final LoopResources loops = LoopResources.create("demo-client", 1, true);
    private final DemoServer server;
    private final Tally expected;
    private final FrameClient<Trade, Trade> sluice;
    private final ReactorNettyReceiver reactorNetty;

    private Demo(DemoOptions options, PrintStream out) {
        this.options = options;
        this.out = out;
        server = new DemoServer(options);
        expected = server.expected();
        TcpClient client = TcpClient.newConnection()
                .remoteAddress(server::address)
                .runOn(loops, options.transport().prefersNative())
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_SIZE));
        sluice = FrameClient.from(client, Trade.codec(options.payload()));
        reactorNetty = new ReactorNettyReceiver(client);
    }

    // ---- what is shown: three ways to receive

    private void oneByOne(Series series) {
        receive(connection -> connection
                        .receive()
                        .collect(Tally::new, Tally::add)
                        .doOnNext(tally -> series.add(tally, connection.stats())))
                .check(expected);
    }

    private void inBatches(Series series) {
        receive(connection -> connection
                        .receiveBatches()
                        .collect(Tally::new, (tally, batch) -> batch.forEach(tally::add))
                        .doOnNext(tally -> series.add(tally, connection.stats())))
                .check(expected);
    }

    private void byReactorNetty(Series series) {
        await(reactorNetty.receive().doOnNext(series::add)).check(expected);
    }

    /** Connects, receives, and closes, however that ends. */
    private <T> T receive(Function<FrameConnection<Trade, Trade>, Mono<T>> way) {
        return await(Mono.usingWhen(sluice.connect(), way, FrameConnection::close));
    }

    /** In a round of its own: looking takes time. */
    private Histogram messagesPerDrain() {
        return receive(connection -> connection
                .receive()
                .bufferUntilChanged(trade -> connection.stats().drains())
                .collect(Histogram::new, (histogram, drain) -> histogram.add(drain.size())));
    }

    private Histogram messagesPerBatch() {
        return receive(connection ->
                connection.receiveBatches().collect(Histogram::new, (histogram, batch) -> histogram.add(batch.size())));
    }

    private static <T> T await(Mono<T> result) {
        return result.blockOptional(PATIENCE).orElseThrow();
    }

    // ---- the rounds

    private Report run() {
        say(
                "%d messages of %d bytes a round, transport %s; one event loop sends, one receives",
                options.messages(), options.payload(), options.transport());
        Report warmUp = new Report(options);
        for (int round = 1; round <= WARM_UP_ROUNDS; round++) {
            runRound("warm-up", round, WARM_UP_ROUNDS, warmUp);
        }
        Report report = new Report(options);
        for (int round = 1; round <= options.rounds(); round++) {
            runRound("round", round, options.rounds(), report);
        }
        report.histograms(messagesPerDrain(), messagesPerBatch());
        return report;
    }

    /** All three, one right after the other, beginning with another one each time. */
    private void runRound(String name, int round, int rounds, Report report) {
        List<Runnable> ways = new ArrayList<>();
        ways.add(() -> oneByOne(report.oneByOne));
        ways.add(() -> inBatches(report.inBatches));
        ways.add(() -> byReactorNetty(report.reactorNetty));
        Collections.rotate(ways, round);
        ways.forEach(Runnable::run);
        say(
                "%-8s %3d/%d  one by one %9.0f/s   batches %9.0f/s   Reactor Netty %9.0f/s",
                name,
                round,
                rounds,
                report.oneByOne.lastRate(),
                report.inBatches.lastRate(),
                report.reactorNetty.lastRate());
    }

    private void say(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
        out.flush();
    }

    @Override
    public void close() {
        loops.disposeLater(Duration.ZERO, Duration.ofSeconds(5)).block();
        server.close();
    }

    // ---- the program

    /** Runs it; {@code --help} tells the options. Exits with 1 if anything came wrong, with 2 if an option is. */
    public static void main(String[] args) {
        System.exit(run(args, System.out, System.err));
    }

    static int run(String[] args, PrintStream out, PrintStream err) {
        try {
            Arguments arguments = new Arguments(args, "--messages", "--payload", "--rounds", "--transport");
            if (arguments.wantsHelp()) {
                out.println(DemoOptions.HELP);
                return 0;
            }
            try (Demo demo = new Demo(DemoOptions.of(arguments), out)) {
                demo.run().lines().forEach(out::println);
            }
            return 0;
        } catch (Arguments.Wrong e) {
            err.println(e.getMessage());
            err.println(DemoOptions.HELP);
            return 2;
        } catch (RuntimeException e) {
            err.println("failed: " + Exceptions.unwrap(e));
            return 1;
        }
    }
}
