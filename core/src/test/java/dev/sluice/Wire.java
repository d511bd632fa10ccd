package dev.sluice;

import dev.sluice.framing.Codec;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import java.io.ByteArrayOutputStream;
import java.util.List;
import reactor.netty.Connection;

/** A connection on an {@link EmbeddedChannel}, on this thread alone: read turns and the peer's end come when called. */
final class Wire<I, O> implements AutoCloseable {
    final EmbeddedChannel channel;
    final FrameConnection<I, O> connection;
    private final Counter counter = new Counter();
    private final ReadBuffer readBuffer = new ReadBuffer();
    private final ReadMode readMode;

    private Wire(Codec<I, O> codec, ConnectionOptions options) {
        readMode = codec.decoder().keepsPayload() ? ReadMode.OWN : ReadMode.NOW;
        channel = new EmbeddedChannel(counter);
        connection = FrameConnection.attach(Connection.from(channel), codec, options);
        channel.runPendingTasks();
    }

    static <I, O> Wire<I, O> of(Codec<I, O> codec) {
        return of(codec, ConnectionOptions.DEFAULT);
    }

    static <I, O> Wire<I, O> of(Codec<I, O> codec, ConnectionOptions options) {
        return new Wire<>(codec, options);
    }

    static Wire<Integer, Integer> ofNumbers() {
        return of(Frames.NUMBERS);
    }

    static Wire<Integer, Integer> ofNumbers(Prefetch prefetch) {
        return of(Frames.NUMBERS, ConnectionOptions.DEFAULT.prefetch(prefetch));
    }

    /** One read turn that brings these chunks. */
    void feed(byte[]... chunks) {
        for (byte[] chunk : chunks) {
            readMode.read(channel, readBuffer, chunk);
        }
        channel.pipeline().fireChannelReadComplete();
        channel.runPendingTasks();
        channel.checkException();
    }

    /** One read turn that brings this buffer, whatever has happened to the channel. */
    void feedRaw(ByteBuf chunk) {
        channel.pipeline().fireChannelRead(chunk);
        channel.pipeline().fireChannelReadComplete();
    }

    /** The peer ends its stream. */
    void end() {
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        channel.runPendingTasks();
    }

    /** Reading fails. */
    void fail(Throwable error) {
        channel.pipeline().fireExceptionCaught(error);
        channel.runPendingTasks();
    }

    /** Closes the channel as anybody else would: {@link EmbeddedChannel#close()} also cancels what is scheduled. */
    void closeChannel() {
        channel.pipeline().close();
        channel.runPendingTasks();
    }

    /** Runs what was left for later. */
    void settle() {
        channel.runPendingTasks();
    }

    /** Bytes that went out since the last call. */
    byte[] sent() {
        settle();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (ByteBuf buffer = channel.readOutbound(); buffer != null; buffer = channel.readOutbound()) {
            byte[] part = new byte[buffer.readableBytes()];
            buffer.readBytes(part).release();
            bytes.writeBytes(part);
        }
        return bytes.toByteArray();
    }

    /** Numbers that went out since the last call. */
    List<Integer> sentNumbers() {
        return Frames.decode(sent());
    }

    /** From now on flushed bytes stay where they are, as if the kernel took none. */
    void holdWrites() {
        counter.holding = true;
    }

    /** Flushes what was held. */
    void releaseWrites() {
        counter.holding = false;
        channel.flush();
    }

    /** Flushes that reached the channel. */
    int flushes() {
        return counter.flushes;
    }

    /** Reads that the channel was asked for. */
    int reads() {
        return counter.reads;
    }

    ConnectionStats stats() {
        return connection.stats();
    }

    @Override
    public void close() {
        connection.dispose();
        readBuffer.free();
        channel.finishAndReleaseAll();
    }

    private static final class Counter extends ChannelOutboundHandlerAdapter {
        private int flushes;
        private int reads;
        private boolean holding;

        @Override
        public void flush(ChannelHandlerContext ctx) {
            flushes++;
            if (!holding) {
                ctx.flush();
            }
        }

        @Override
        public void read(ChannelHandlerContext ctx) {
            reads++;
            ctx.read();
        }
    }
}
