package dev.sluice.bench;

import com.typesafe.config.ConfigFactory;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteOrder;
import java.util.List;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.SystemMaterializer;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Framing;
import org.apache.pekko.stream.javadsl.JsonFraming;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;

/**
 * Pekko's framing as part of a stream that runs, fused, on a thread of Pekko's; it is materialised once for {@link
 * Chunks#FRAMES} frames. The chunks are arrays that are never copied.
 */
final class PekkoCutter implements Cutter {
    private static final int MAX_FRAME = 1024 * 1024;

    private final ActorSystem system = ActorSystem.create(
            "bench", ConfigFactory.parseString("pekko.loglevel = WARNING").withFallback(ConfigFactory.load()));
    private final Materializer materializer = SystemMaterializer.get(system).materializer();
    private final Source<ByteString, NotUsed> frames;
    private final FrameSink sink;
    private final int payloadOffset;

    private PekkoCutter(Source<ByteString, NotUsed> frames, int payloadOffset, FrameSink sink) {
        this.frames = frames;
        this.payloadOffset = payloadOffset;
        this.sink = sink;
    }

    /**
     * With Pekko's flow for this format.
     *
     * @throws IllegalArgumentException if it has none
     */
    static PekkoCutter of(FrameFormat format, Chunks chunks, FrameSink sink) {
        Flow<ByteString, ByteString, NotUsed> framing = framing(format);
        List<ByteString> bytes = chunks.mapped(chunk -> ByteString.fromArrayUnsafe(ByteBufUtil.getBytes(chunk)));
        int payloadOffset = format == FrameFormat.LENGTH_FIELD ? 4 : 0; // Pekko delivers the header, too
        return new PekkoCutter(Source.fromIterator(bytes::iterator).via(framing), payloadOffset, sink);
    }

    private static Flow<ByteString, ByteString, NotUsed> framing(FrameFormat format) {
        return switch (format) {
            case LENGTH_FIELD -> Framing.lengthField(4, 0, 4 + MAX_FRAME, ByteOrder.BIG_ENDIAN);
            case LINE -> Framing.delimiter(ByteString.fromString("\n"), MAX_FRAME);
            case DELIMITER -> Framing.delimiter(ByteString.fromString(FrameFormat.DELIMITER_TEXT), MAX_FRAME);
            case JSON -> JsonFraming.objectScanner(MAX_FRAME);
            case VARINT, FIXED, NETSTRING, SLIP, COBS -> throw format.missingIn("Pekko");
        };
    }

    @Override
    public void cut() throws Exception {
        frames.runForeach(this::taken, materializer).toCompletableFuture().get();
    }

    private void taken(ByteString frame) {
        long id = 0;
        for (int i = payloadOffset; i < payloadOffset + Long.BYTES; i++) {
            id = id << Byte.SIZE | Byte.toUnsignedLong(frame.apply(i));
        }
        sink.taken(sink.decoder().message(id, frame.apply(frame.length() - 1)));
    }

    @Override
    public void close() {
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().join();
    }
}
