package dev.sluice.bench;

import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the receiving JVM is told.
 *
 * @param recvBuffer bytes that each read asks for; 0 for Netty's default allocator
 * @param nativeTransport epoll where it is there, as by Reactor Netty's default; else NIO
 * @param freshMessages an object for each message instead of a shared one
 * @param timeout seconds for one connection
 */
record ReceiverSettings(
        Kind kind,
        int port,
        long count,
        int payload,
        int connections,
        int recvBuffer,
        boolean nativeTransport,
        boolean freshMessages,
        int timeout) {
    private static final int LENGTH_FIELD = 4;
    private static final int LEAST_MAX_PAYLOAD = 1024 * 1024;

    static ReceiverSettings of(String[] args) {
        Arguments arguments = new Arguments(
                args,
                Set.of(
                        "--kind",
                        "--port",
                        "--count",
                        "--payload",
                        "--connections",
                        "--recv-buffer",
                        "--transport",
                        "--message",
                        "--timeout"));
        return new ReceiverSettings(
                Kind.of(arguments.text("--kind", "")),
                arguments.number("--port", 0, 1),
                Long.parseLong(arguments.text("--count", "")),
                arguments.number("--payload", 0, PayloadDecoder.LEAST_PAYLOAD),
                arguments.number("--connections", 1, 1),
                arguments.number("--recv-buffer", 0, 0),
                arguments.oneOf("--transport", "native", "nio").equals("native"),
                arguments.oneOf("--message", "shared", "fresh").equals("fresh"),
                arguments.number("--timeout", 60, 1));
    }

    /** What {@link #of} reads. */
    List<String> arguments() {
        return List.of(
                "--kind",
                kind.id(),
                "--port",
                Integer.toString(port),
                "--count",
                Long.toString(count),
                "--payload",
                Integer.toString(payload),
                "--connections",
                Integer.toString(connections),
                "--recv-buffer",
                Integer.toString(recvBuffer),
                "--transport",
                nativeTransport ? "native" : "nio",
                "--message",
                freshMessages ? "fresh" : "shared",
                "--timeout",
                Integer.toString(timeout));
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    PayloadDecoder newDecoder() {
        return freshMessages ? PayloadDecoder.fresh() : PayloadDecoder.shared();
    }

    int maxPayload() {
        return Math.max(payload, LEAST_MAX_PAYLOAD);
    }

    int maxFrame() {
        return LENGTH_FIELD + maxPayload();
    }

    /** {@code null} for Netty's default. */
    @Nullable RecvByteBufAllocator recvAllocator() {
        return recvBuffer == 0 ? null : new FixedRecvByteBufAllocator(recvBuffer);
    }
}
