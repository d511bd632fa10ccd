package dev.sluice.bench;

import java.util.Arrays;

/** Who cuts the frames, and how; each is a method of {@link FramingBenchmark}. */
enum FramingWay {
    /** Sluice's {@code FrameReader}. */
    READER("reader"),
    /** Sluice's {@code FrameFlux}, message by message. */
    FLUX("flux"),
    /** Sluice's {@code FrameFlux}, in batches. */
    BATCHES("batches"),
    /** Netty's decoder alone. */
    NETTY_LOOP("nettyLoop"),
    /** Netty's decoder in a pipeline. */
    NETTY_CHANNEL("nettyChannel"),
    /** Pekko's flow. */
    PEKKO("pekko");

    private final String method;

    FramingWay(String method) {
        this.method = method;
    }

    String method() {
        return method;
    }

    static FramingWay ofMethod(String method) {
        return Arrays.stream(values())
                .filter(way -> way.method.equals(method))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such way: way=" + method + ", one of "
                        + Arrays.stream(values()).map(FramingWay::method).toList()));
    }

    boolean has(FrameFormat format) {
        return switch (this) {
            case READER, FLUX, BATCHES -> true;
            case NETTY_LOOP, NETTY_CHANNEL -> format.inNetty();
            case PEKKO -> format.inPekko();
        };
    }

    /**
     * Cuts these chunks, again and again.
     *
     * @param payload bytes of each payload
     * @throws IllegalArgumentException if it does not {@linkplain #has have} the format
     */
    Cutter cutter(FrameFormat format, int payload, Chunks chunks, FrameSink sink) {
        return switch (this) {
            case READER -> SluiceCutters.reader(format.framing(payload), chunks, sink);
            case FLUX -> SluiceCutters.flux(format.framing(payload), chunks, sink);
            case BATCHES -> SluiceCutters.batches(format.framing(payload), chunks, sink);
            case NETTY_LOOP -> NettyCutters.loop(NettyDecoder.of(format, payload), chunks, sink);
            case NETTY_CHANNEL -> NettyCutters.channel(NettyDecoder.of(format, payload), chunks, sink);
            case PEKKO -> PekkoCutter.of(format, chunks, sink);
        };
    }
}
