package dev.sluice;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;

/**
 * How connections of tests read: into a shared {@link ReadBuffer}, or each into buffers of its own. The suite runs once with
 * each ({@code -Dsluice.reads=own}).
 */
enum ReadMode {
    SHARED,
    OWN;

    static final ReadMode NOW = "own".equals(System.getProperty("sluice.reads")) ? OWN : SHARED;

    ConnectionOptions apply(ConnectionOptions options) {
        return this == OWN ? options.shareReadBuffer(false) : options;
    }

    /** Brings bytes to an embedded channel, as its transport would. */
    void read(Channel channel, ReadBuffer shared, byte[] bytes) {
        if (this == OWN) {
            channel.pipeline()
                    .fireChannelRead(channel.alloc().buffer(bytes.length).writeBytes(bytes));
            return;
        }
        Inbound<?> inbound = ((ConnectionHandler<?, ?>) channel.pipeline().get("sluice.connection")).inbound();
        for (int at = 0; at < bytes.length; ) {
            ByteBuf target = inbound.bufferForRead(shared, ReadBuffer.SIZE);
            if (target == null) { // switched to buffers of its own
                target = channel.alloc().buffer(bytes.length - at);
            }
            int count = Math.min(bytes.length - at, target.writableBytes());
            channel.pipeline().fireChannelRead(target.writeBytes(bytes, at, count));
            at += count;
        }
    }
}
