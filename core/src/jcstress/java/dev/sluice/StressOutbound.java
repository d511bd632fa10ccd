package dev.sluice;

import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** A sending half whose event loop is whichever thread says so, and runs its tasks only when told. */
final class StressOutbound {
    private static final ByteBufAllocator ALLOCATOR = new UnpooledByteBufAllocator(false);

    private static final Codec<Integer, Integer> CODEC = Codec.of(
            LengthFieldFraming.of(4),
            ByteBuf::readInt,
            (number, out) -> out.buffer().writeInt(number));

    final Outbound<Integer> outbound;
    private final ConnectionHandler<Integer, Integer> handler;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final StringBuffer wire = new StringBuffer();
    private final StringBuffer replies = new StringBuffer();
    private volatile @Nullable Thread loopThread;

    StressOutbound() {
        EventLoop loop = proxy(EventLoop.class, (self, method, arguments) -> switch (method.getName()) {
            case "inEventLoop" -> Thread.currentThread() == loopThread;
            case "execute" -> {
                tasks.add((Runnable) arguments[0]);
                yield null;
            }
            case "terminationFuture" -> throw new UnsupportedOperationException();
            default -> other(self, method.getName());
        });
        Channel channel = proxy(Channel.class, (self, method, arguments) -> switch (method.getName()) {
            case "eventLoop" -> loop;
            case "alloc" -> ALLOCATOR;
            case "isOpen" -> true;
            default -> other(self, method.getName());
        });
        ChannelHandlerContext context =
                proxy(ChannelHandlerContext.class, (self, method, arguments) -> switch (method.getName()) {
                    case "write" -> {
                        ByteBuf bytes = (ByteBuf) arguments[0];
                        while (bytes.isReadable()) {
                            wire.append(bytes.skipBytes(4).readInt());
                        }
                        bytes.release();
                        yield new DefaultChannelPromise(channel, ImmediateEventExecutor.INSTANCE).setSuccess();
                    }
                    case "channel" -> channel;
                    default -> other(self, method.getName());
                });
        handler = new ConnectionHandler<>(channel, CODEC, ConnectionOptions.DEFAULT);
        handler.handlerAdded(context);
        outbound = handler.outbound();
    }

    @SuppressWarnings("unchecked")
    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private static @Nullable Object other(Object self, String method) {
        return switch (method) {
            case "hashCode" -> System.identityHashCode(self);
            case "toString" -> "stress";
            default -> null;
        };
    }

    /** This thread is the event loop from now on. */
    void onLoop() {
        loopThread = Thread.currentThread();
    }

    void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    /** The channel has closed; tasks that are due will never run. */
    void channelGone() {
        outbound.channelGone();
    }

    SendResult trySend(int number) {
        return outbound.trySend(number, error -> replies.append(error == null ? "+" : "-")
                .append(number));
    }

    void mark(String text) {
        wire.append(text);
    }

    /** What was written, in order. */
    String wire() {
        return wire.toString();
    }

    /** Replies in order: {@code +} for sent, {@code -} for failed. */
    String replies() {
        return replies.toString();
    }
}
