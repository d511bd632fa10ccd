package dev.sluice.examples;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import reactor.core.publisher.Mono;
import reactor.netty.tcp.TcpClient;

/** The same messages without Sluice: Netty's frame decoder in the pipeline of Reactor Netty, and its {@code receive}. */
final class ReactorNettyReceiver {
    private final TcpClient client;

    ReactorNettyReceiver(TcpClient client) {
        this.client = client.doOnConnected(
                connection -> connection.addHandlerLast(new LengthFieldBasedFrameDecoder(1024 * 1024 + 4, 0, 4, 0, 4)));
    }

    Mono<Tally> receive() {
        return Mono.usingWhen(
                client.connect(),
                // receiveObject() is the faster way: receive() maps each message once more.
                connection -> connection
                        .inbound()
                        .receiveObject()
                        .collect(Tally::new, (tally, frame) -> tally.add(Trade.decode((ByteBuf) frame))),
                connection -> {
                    connection.dispose();
                    return connection.onDispose();
                });
    }
}
