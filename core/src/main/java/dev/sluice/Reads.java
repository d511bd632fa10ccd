package dev.sluice;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.handler.ssl.AbstractSniHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.UncheckedBooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a connection's reads go, and how long they are: Netty asks before each read. One read a turn into the loop's {@link
 * ReadBuffer}, or straight into the large frame that is being put together. A connection that has switched to TLS, or to a
 * codec whose messages keep the payload, reads into buffers of its own: the channel asks this same object to its end.
 */
final class Reads implements RecvByteBufAllocator, RecvByteBufAllocator.ExtendedHandle {
    /** A read of fewer bytes is not worth its system call. */
    private static final int SHORTEST = 16 * 1024;

    private static final int OWN_READ = 64 * 1024;

    private static final int NETTYS_FIRST_GUESS = 2048;

    private final Inbound<?> inbound;
    private final ReadBuffer buffer;
    /** Chooses the length of the connection's own buffers, by what the reads have brought. */
    private @Nullable ExtendedHandle own;

    private int attemptedBytes;
    private int lastBytes;

    private Reads(Inbound<?> inbound, ReadBuffer buffer) {
        this.inbound = inbound;
        this.buffer = buffer;
    }

    /**
     * Chooses how this channel reads, on its event loop, before its first read. A receive allocator of the user's stays.
     *
     * @param keepsPayload whether messages may keep parts of the buffers that were read
     */
    static void configure(Channel channel, Inbound<?> inbound, boolean keepsPayload, boolean shared) {
        ChannelConfig config = channel.config();
        if (!isNettysDefault(config.getRecvByteBufAllocator())) {
            return;
        }
        if (shared && !keepsPayload && readsIntoAnyBuffer(channel) && !isEncrypted(channel)) {
            config.setRecvByteBufAllocator(new Reads(inbound, ReadBuffer.ofLoop()));
        } else {
            config.setRecvByteBufAllocator(ownBuffers());
        }
    }

    private static AdaptiveRecvByteBufAllocator ownBuffers() {
        return new AdaptiveRecvByteBufAllocator(SHORTEST, OWN_READ, OWN_READ);
    }

    private static boolean isNettysDefault(RecvByteBufAllocator allocator) {
        return allocator.getClass() == AdaptiveRecvByteBufAllocator.class
                && allocator.newHandle().guess() == NETTYS_FIRST_GUESS;
    }

    /** NIO and epoll; with io_uring the kernel owns a buffer from long before the read to its end. */
    private static boolean readsIntoAnyBuffer(Channel channel) {
        String name = channel.getClass().getName();
        return name.startsWith("io.netty.channel.socket.nio.") || name.startsWith("io.netty.channel.epoll.");
    }

    private static boolean isEncrypted(Channel channel) {
        return channel.pipeline().get(SslHandler.class) != null
                || channel.pipeline().get(AbstractSniHandler.class) != null;
    }

    @Override
    @SuppressWarnings("deprecation") // of Netty's two kinds of handle, all transports take this one
    public ExtendedHandle newHandle() {
        return this;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
        ByteBuf into = inbound.bufferForRead(buffer, SHORTEST);
        if (into != null) {
            return into;
        }
        if (own == null) {
            own = (ExtendedHandle) ownBuffers().newHandle();
        }
        return own.allocate(allocator);
    }

    @Override
    public int guess() {
        return own == null ? ReadBuffer.SIZE : own.guess();
    }

    @Override
    public void reset(ChannelConfig config) {
        if (own != null) {
            own.reset(config);
        }
    }

    @Override
    public void incMessagesRead(int count) {}

    @Override
    public void attemptedBytesRead(int bytes) {
        attemptedBytes = bytes;
    }

    @Override
    public int attemptedBytesRead() {
        return attemptedBytes;
    }

    @Override
    public void lastBytesRead(int bytes) {
        lastBytes = bytes;
        if (own != null) {
            own.attemptedBytesRead(attemptedBytes);
            own.lastBytesRead(bytes);
        }
    }

    @Override
    public int lastBytesRead() {
        return lastBytes;
    }

    /** The next read is for the next turn, so that others have theirs. */
    @Override
    public boolean continueReading() {
        return false;
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
        return false;
    }

    @Override
    public void readComplete() {
        if (own != null) {
            own.readComplete();
        }
    }
}
