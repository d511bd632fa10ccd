package dev.sluice.bench;

import dev.sluice.FrameClient;
import dev.sluice.FrameConnection;
import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import reactor.core.scheduler.Schedulers;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;

/**
 * How late a timer of an event loop is while a connection of the same loop is flooded with small messages: in each way of
 * demand a timer of 1 ms, and how much later than that it came.
 */
public final class LoopLateness {
    private static final int PERIOD_MICROS = 1_000;

    private LoopLateness() {}

    /** Options: {@code --payload 64 --seconds 5}, the latter for each way. */
    public static void main(String[] args) throws Exception {
        Arguments arguments = new Arguments(args, Set.of("--payload", "--seconds"));
        int payload = arguments.number("--payload", 64, 8);
        int seconds = arguments.number("--seconds", 5, 1);
        for (String way : new String[] {"unbounded", "requestOne", "otherThread"}) {
            print(way, measure(way, payload, seconds));
        }
        System.exit(0);
    }

    private static Latency measure(String way, int payload, int seconds) throws Exception {
        LoopResources loops = LoopResources.create("lateness", 1, true);
        try (ServerSocketChannel server =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
            PayloadDecoder decoder = PayloadDecoder.shared();
            Codec<Message, Void> codec = Codec.decoding(LengthFieldFraming.of(4), decoder);
            Tally tally = new Tally();
            FrameConnection<Message, Void> connection = FrameClient.from(
                            TcpClient.newConnection()
                                    .host("127.0.0.1")
                                    .port(port)
                                    .runOn(loops),
                            codec)
                    .connect()
                    .blockOptional()
                    .orElseThrow();
            SocketChannel peer = server.accept();
            Flood.start(peer, payload);
            switch (way) {
                case "unbounded" -> connection.receive().subscribe(tally.subscriber(tally::message));
                case "requestOne" -> connection.receive().subscribe(tally.oneByOne(tally::message));
                default ->
                    connection
                            .receive()
                            .publishOn(Schedulers.single(), 1_024)
                            .subscribe(tally.subscriber(tally::message));
            }
            TimeUnit.SECONDS.sleep(1);
            Latency lateness = lateness(connection.channel().eventLoop(), seconds * (1_000_000 / PERIOD_MICROS));
            if (tally.messages() == 0) {
                throw new IllegalStateException("flood has not come: stats=" + connection.stats());
            }
            connection.dispose();
            return lateness;
        } finally {
            loops.dispose();
        }
    }

    private static Latency lateness(EventLoop loop, int samples) throws Exception {
        long[] micros = new long[samples];
        for (int i = 0; i < samples; i++) {
            long due = System.nanoTime() + PERIOD_MICROS * 1_000L;
            Future<Long> late = loop.schedule(() -> System.nanoTime() - due, PERIOD_MICROS, TimeUnit.MICROSECONDS);
            micros[i] = late.get() / 1_000;
        }
        return Latency.of(micros);
    }

    private static void print(String way, Latency micros) {
        System.out.printf("%-12s timer of 1 ms late by µs: %s%n", way, micros.text());
    }
}
