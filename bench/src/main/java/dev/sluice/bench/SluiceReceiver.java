package dev.sluice.bench;

import dev.sluice.ConnectionOptions;
import dev.sluice.ConnectionStats;
import dev.sluice.FrameClient;
import dev.sluice.FrameConnection;
import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.SlicePolicy;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Sluice, in each of its ways to receive. */
final class SluiceReceiver<I> implements Receiver {
    /** Batches between the threads: with 64 messages each as many messages as {@code receiveOn} lets be in flight. */
    private static final int BATCHES_IN_FLIGHT = 16;

    static final int LIMIT_RATE = 64;

    private final ReceiverSettings settings;
    private final EventLoop loop;
    private final PayloadDecoder decoder;
    private final FrameClient<I, I> client;
    private final BiConsumer<FrameConnection<I, I>, Tally> way;

    private SluiceReceiver(
            ReceiverSettings settings,
            PayloadDecoder decoder,
            Codec<I, I> codec,
            ConnectionOptions options,
            BiConsumer<FrameConnection<I, I>, Tally> way) {
        this.settings = settings;
        this.loop = new EventLoop(settings);
        this.decoder = decoder;
        this.client = FrameClient.from(loop.tcpClient(), codec).options(options);
        this.way = way;
    }

    static Receiver of(ReceiverSettings settings) {
        if (settings.kind() == Kind.RECEIVE_SLICE) {
            return slices(settings);
        }
        Scheduler scheduler = settings.kind().hops() ? Schedulers.newSingle("consumer", true) : Schedulers.immediate();
        return switch (settings.kind()) {
            case RECEIVE_OBJECT ->
                objects(
                        settings,
                        (connection, tally) -> connection.receive().subscribe(tally.subscriber(tally::message)));
            case RECEIVE_LIMIT_RATE ->
                objects(
                        settings,
                        (connection, tally) ->
                                connection.receive().limitRate(LIMIT_RATE).subscribe(tally.subscriber(tally::message)));
            case RECEIVE_REQUEST_ONE ->
                objects(
                        settings,
                        (connection, tally) -> connection.receive().subscribe(tally.oneByOne(tally::message)));
            case BATCHES ->
                objects(settings, (connection, tally) -> {
                    Consumer<Message> each = tally::message;
                    connection.receiveBatches().subscribe(tally.subscriber(batch -> batch.forEach(each)));
                });
            case HOP ->
                objects(
                        settings,
                        (connection, tally) ->
                                connection.receiveOn(scheduler).subscribe(tally.subscriber(tally::message)));
            case HOP_PUBLISH_ON, HOP_PUBLISH_ON_UNFUSED ->
                objects(
                        settings,
                        (connection, tally) ->
                                connection.receive().publishOn(scheduler).subscribe(tally.subscriber(tally::message)));
            case HOP_BATCHES ->
                objects(settings, (connection, tally) -> {
                    Consumer<Message> each = tally::message;
                    connection
                            .receiveBatches()
                            .publishOn(scheduler, BATCHES_IN_FLIGHT)
                            .subscribe(tally.subscriber(batch -> batch.forEach(each)));
                });
            default -> throw new IllegalArgumentException("not a way of Sluice: kind=" + settings.kind());
        };
    }

    private static Receiver objects(
            ReceiverSettings settings, BiConsumer<FrameConnection<Message, Message>, Tally> way) {
        PayloadDecoder decoder = settings.newDecoder();
        Codec<Message, Message> codec = Codec.of(framing(settings), decoder, (message, out) -> {
            throw new UnsupportedOperationException("only receives");
        });
        ConnectionOptions options =
                ConnectionOptions.DEFAULT.fuseAcrossThreads(settings.kind() != Kind.HOP_PUBLISH_ON_UNFUSED);
        return new SluiceReceiver<>(settings, decoder, codec, options, way);
    }

    private static Receiver slices(ReceiverSettings settings) {
        PayloadDecoder decoder = settings.newDecoder();
        return new SluiceReceiver<ByteBuf>(
                settings,
                decoder,
                Codec.slices(framing(settings), SlicePolicy.ALWAYS_SLICE),
                ConnectionOptions.DEFAULT,
                (connection, tally) -> connection.receive().subscribe(tally.subscriber(payload -> {
                    tally.message(decoder.decode(payload));
                    payload.release();
                })));
    }

    private static LengthFieldFraming framing(ReceiverSettings settings) {
        return LengthFieldFraming.builder()
                .lengthFieldLength(4)
                .maxPayloadLength(settings.maxPayload())
                .build();
    }

    @Override
    public Received receive() throws InterruptedException {
        Tally tally = new Tally();
        Duration patience = Duration.ofSeconds(settings.timeout());
        FrameConnection<I, I> connection = client.connect()
                .doOnNext(connected -> way.accept(connected, tally)) // on the event loop, before the first read
                .blockOptional(patience)
                .orElseThrow();
        try {
            tally.await(settings.timeout());
        } catch (IllegalStateException e) {
            throw new IllegalStateException(e.getMessage() + ", stats=" + connection.stats(), e.getCause());
        }
        ConnectionStats stats = connection.stats();
        connection.close().block(patience);
        return new Received(tally.messages(), tally.endNanos(), decoder.takeSum(), counters(stats));
    }

    private static Map<String, Long> counters(ConnectionStats stats) {
        Map<String, Long> counters = new LinkedHashMap<>();
        counters.put("reads", stats.reads());
        counters.put("drains", stats.drains());
        counters.put("signals", stats.signals());
        counters.put("wakeUps", stats.wakeUps());
        counters.put("pauses", stats.pauses());
        counters.put("heldMessagesMax", (long) stats.heldMessagesMax());
        return counters;
    }

    @Override
    public Thread loopThread() throws Exception {
        return loop.thread();
    }

    @Override
    public void close() {
        loop.close();
    }
}
