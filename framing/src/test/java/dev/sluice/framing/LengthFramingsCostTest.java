package dev.sluice.framing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.TrackingAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Law 8 for framings with a length, counted: their headers and trailers are looked at, at most twice, and nothing else. */
class LengthFramingsCostTest {
    private static final int[] CHUNK_LENGTHS = {1, 2, 3, 7, 100, 4096, 1 << 20};

    private final TrackingAllocator allocator = new TrackingAllocator();
    private final LookCounter looks = new LookCounter(allocator);
    private long frames;

    /**
     * A format.
     *
     * @param encoder writes what the framing reads, also what is too long for it
     * @param brought header bytes that a message begins with; zeros, filled in
     * @param frameLength if there is only one; or 0
     */
    private record Format(Framing framing, Framing encoder, int brought, int frameLength) {
        static Format stripped(Framing framing) {
            return new Format(framing, framing, 0, 0);
        }

        static Format delivered(Framing framing, int brought) {
            return new Format(framing, framing, brought, 0);
        }

        /** Appends a frame; returns its bytes that are no payload. */
        int append(int payloadLength, ByteBuf stream) {
            int length = frameLength > 0 ? frameLength : payloadLength;
            int before = stream.writerIndex();
            encoder.encode(Unpooled.wrappedBuffer(new byte[brought + length]), stream);
            return stream.writerIndex() - before - length;
        }

        @Override
        public String toString() {
            return framing.toString();
        }
    }

    static Stream<Format> formats() {
        return Stream.of(
                Format.stripped(VarintFraming.of()),
                Format.stripped(VarintFraming.builder().lengthFieldOffset(5).build()),
                Format.delivered(Framings.mqtt().build(), 2),
                Format.stripped(Framings.netstring().build()),
                Format.stripped(Framings.octetCounting().build()),
                Format.stripped(AsciiLengthFraming.builder()
                        .base(16)
                        .terminator('\n')
                        .trailer((byte) '\r', (byte) '\n')
                        .build()),
                Format.delivered(Framings.grpc().build(), 5),
                Format.delivered(Framings.postgres().build(), 5),
                new Format(FixedLengthFraming.of(30), FixedLengthFraming.of(30), 0, 30),
                new Format(
                        VarintFraming.builder()
                                .oversize(Oversize.DISCARD)
                                .maxPayloadLength(20)
                                .build(),
                        VarintFraming.of(),
                        0,
                        0),
                new Format(
                        Framings.netstring()
                                .oversize(Oversize.DISCARD)
                                .maxPayloadLength(20)
                                .build(),
                        Framings.netstring().build(),
                        0,
                        0));
    }

    @ParameterizedTest
    @MethodSource("formats")
    void looksAtNoByteOfHeaderMoreThanTwice(Format format) {
        for (int chunkLength : CHUNK_LENGTHS) {
            Random random = new Random(chunkLength);
            ByteBuf stream = Unpooled.buffer();
            long headers = 0;
            for (int i = 0; i < 1000; i++) {
                headers += format.append(random.nextInt(200), stream);
            }
            read(format, stream, chunkLength);

            assertThat(frames).isEqualTo(1000);
            assertThat(looks.visits()).as("chunks of " + chunkLength).isBetween(leastVisits(format), 2 * headers);
        }
    }

    /** 100,000 small frames in one chunk: nothing depends on where in the chunk a frame lies. */
    @ParameterizedTest
    @MethodSource("formats")
    void looksAtSmallFramesInOneLargeChunkOnce(Format format) {
        ByteBuf stream = Unpooled.buffer();
        long headers = 0;
        for (int i = 0; i < 100_000; i++) {
            headers += format.append(4, stream);
        }
        read(format, stream, stream.readableBytes());

        assertThat(looks.visits()).isBetween(leastVisits(format), headers);
        assertThat(looks.calls()).as("one a frame").isEqualTo(100_000);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void isAskedAFewTimesForLargeFrameInSmallChunks(Format format) {
        ByteBuf stream = Unpooled.buffer();
        long headers = format.append(1024 * 1024 - 100, stream);
        read(format, stream, 64);

        assertThat(frames).isEqualTo(1);
        assertThat(looks.visits()).isBetween(leastVisits(format), 2 * headers);
        assertThat(looks.calls()).isLessThanOrEqualTo(4);
    }

    private static long leastVisits(Format format) {
        return format.frameLength() > 0 ? 0 : 1;
    }

    private void read(Format format, ByteBuf stream, int chunkLength) {
        frames = 0;
        try (FrameReader<Integer> reader =
                FrameReader.create(Codec.decoding(looks.of(format.framing()), ByteBuf::readableBytes), allocator)) {
            while (stream.isReadable()) {
                int count = Math.min(chunkLength, stream.readableBytes());
                reader.feed(allocator.buffer(count).writeBytes(stream, count));
                while (reader.read() != null) {
                    frames++;
                }
            }
            frames += reader.discardedFrames();
            assertThat(reader.bytesAtHand()).isZero();
        }
    }
}
