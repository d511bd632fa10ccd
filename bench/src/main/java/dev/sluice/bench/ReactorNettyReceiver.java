package dev.sluice.bench;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.time.Duration;
import java.util.Map;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.Connection;
import reactor.netty.NettyInbound;
import reactor.netty.tcp.TcpClient;

/** Reactor Netty with Netty's frame decoder in its pipeline, and its own ways to receive. */
final class ReactorNettyReceiver implements Receiver {
    private final ReceiverSettings settings;
    private final EventLoop loop;
    private final PayloadDecoder decoder;
    private final TcpClient client;
    private final Scheduler scheduler;

    ReactorNettyReceiver(ReceiverSettings settings) {
        this.settings = settings;
        this.loop = new EventLoop(settings);
        this.decoder = settings.newDecoder();
        this.client = loop.tcpClient()
                .doOnConnected(connection ->
                        connection.addHandlerLast(new LengthFieldBasedFrameDecoder(settings.maxFrame(), 0, 4, 0, 4)));
        this.scheduler = settings.kind().hops() ? Schedulers.newSingle("consumer", true) : Schedulers.immediate();
    }

    @Override
    public Received receive() throws InterruptedException {
        Tally tally = new Tally();
        Duration patience = Duration.ofSeconds(settings.timeout());
        Connection connection = client.connect()
                .doOnNext(
                        connected -> subscribe(connected.inbound(), tally)) // on the event loop, before the first read
                .blockOptional(patience)
                .orElseThrow();
        tally.await(settings.timeout());
        connection.dispose();
        connection.onDispose().block(patience);
        return new Received(tally.messages(), tally.endNanos(), decoder.takeSum(), Map.of());
    }

    /** {@code receiveObject()} releases each frame when onNext has returned; {@code receive()} maps it once more. */
    private void subscribe(NettyInbound inbound, Tally tally) {
        switch (settings.kind()) {
            case RN_RECEIVE_OBJECT ->
                inbound.receiveObject()
                        .subscribe(tally.subscriber(frame -> tally.message(decoder.decode((ByteBuf) frame))));
            case RN_LIMIT_RATE ->
                inbound.receiveObject()
                        .map(frame -> decoder.decode((ByteBuf) frame)) // before it is queued, and released
                        .limitRate(SluiceReceiver.LIMIT_RATE)
                        .subscribe(tally.subscriber(tally::message));
            case RN_REQUEST_ONE ->
                inbound.receiveObject()
                        .subscribe(tally.oneByOne(frame -> tally.message(decoder.decode((ByteBuf) frame))));
            case RN_RECEIVE_SLICE ->
                inbound.receive().retain().subscribe(tally.subscriber(frame -> {
                    tally.message(decoder.decode(frame));
                    frame.release();
                }));
            case RN_PUBLISH_ON ->
                inbound.receiveObject()
                        .map(frame -> decoder.decode((ByteBuf) frame))
                        .publishOn(scheduler)
                        .subscribe(tally.subscriber(tally::message));
            default -> throw new IllegalArgumentException("not a way of Reactor Netty: kind=" + settings.kind());
        }
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
