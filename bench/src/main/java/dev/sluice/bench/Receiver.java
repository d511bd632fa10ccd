package dev.sluice.bench;

import java.util.Map;

/** Connects to the sender, takes one connection's messages, and does so again when called again. */
interface Receiver extends AutoCloseable {
    /**
     * What came of one connection.
     *
     * @param messages that were taken
     * @param endNanos when the last one had been taken and the end was told, by {@link System#nanoTime()}
     * @param sum of the messages' fields; 0 if it does not decode
     * @param counters what it has counted besides, by name; none if it counts nothing
     */
    record Received(long messages, long endNanos, long sum, Map<String, Long> counters) {}

    Received receive() throws Exception;

    /** The thread that reads the socket. */
    Thread loopThread() throws Exception;

    @Override
    void close();

    static Receiver of(ReceiverSettings settings) throws Exception {
        return switch (settings.kind()) {
            case RECEIVE_OBJECT,
                    RECEIVE_LIMIT_RATE,
                    RECEIVE_REQUEST_ONE,
                    RECEIVE_SLICE,
                    BATCHES,
                    HOP,
                    HOP_PUBLISH_ON,
                    HOP_PUBLISH_ON_UNFUSED,
                    HOP_BATCHES -> SluiceReceiver.of(settings);
            case RN_RECEIVE_OBJECT, RN_LIMIT_RATE, RN_REQUEST_ONE, RN_RECEIVE_SLICE, RN_PUBLISH_ON ->
                new ReactorNettyReceiver(settings);
            case NETTY_HANDLER -> new NettyReceiver(settings);
            case NIO_LOOP_64K -> new NioReceiver(settings, 64 * 1024);
            case NIO_LOOP_256K -> new NioReceiver(settings, 256 * 1024);
            case NATIVE_LOOP -> throw new IllegalArgumentException("not a way of a JVM: kind=" + settings.kind());
        };
    }
}
