package dev.sluice.framing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testing.TrackingAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One buffer for all reads of a stream, with headroom; and large frames that are read into their own buffers. */
@Tag("paranoid")
class FrameReaderHeadroomTest {
    private static final int MIB = 1 << 20;
    private static final int HEADROOM = 4 * 1024;
    private static final LengthFieldFraming WITH_LENGTH =
            LengthFieldFraming.builder().maxPayloadLength(16 * MIB).build();

    private final TrackingAllocator allocator = new TrackingAllocator();
    private final ByteBuf readBuffer = Unpooled.directBuffer(HEADROOM + MIB);

    @AfterEach
    void releaseBuffers() {
        readBuffer.release();
        assertThat(allocator.reserved()).isZero();
    }

    /** Reads like a transport: overwrites what it has read before. */
    private final class Stream implements AutoCloseable {
        private final FrameReader<byte[]> reader;
        private final List<byte[]> messages = new ArrayList<>();
        private int readIntoFrames;

        Stream(Framing framing) {
            reader = FrameReader.create(Codec.bytes(framing), allocator);
        }

        void read(byte[] bytes, int from, int to) {
            for (int at = from; at < to; ) {
                ByteBuf frame = reader.frameBuffer();
                int count;
                if (frame != null) {
                    count = Math.min(to - at, frame.writableBytes());
                    readIntoFrames += count;
                    reader.feed(frame.writeBytes(bytes, at, count));
                } else {
                    count = to - at;
                    readBuffer.setZero(0, HEADROOM + Math.min(MIB, 2 * count));
                    readBuffer.setIndex(HEADROOM, HEADROOM).writeBytes(bytes, at, count);
                    reader.feedBorrowed(readBuffer, HEADROOM);
                }
                readAll();
                reader.endDrain();
                at += count;
            }
        }

        void readAll() {
            for (byte[] message = reader.read(); message != null; message = reader.read()) {
                messages.add(message);
            }
        }

        void read(byte[] bytes, int chunkLength) {
            for (int at = 0; at < bytes.length; at += chunkLength) {
                read(bytes, at, Math.min(bytes.length, at + chunkLength));
            }
        }

        @Override
        public void close() {
            reader.close();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void givesSameMessagesWhateverTheReads(long seed) {
        Random random = new Random(seed);
        ByteBuf bytes = Unpooled.buffer();
        List<byte[]> expected = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            byte[] payload = new byte[random.nextInt(10) == 0 ? random.nextInt(300_000) : random.nextInt(3_000)];
            random.nextBytes(payload);
            expected.add(payload);
            bytes.writeInt(payload.length).writeBytes(payload);
        }
        byte[] stream = ByteBufUtil.getBytes(bytes);
        try (Stream reads = new Stream(WITH_LENGTH)) {
            for (int at = 0; at < stream.length; ) {
                int longest = random.nextInt(5) == 0 ? 100 : random.nextBoolean() ? 10_000 : 200_000;
                int count = Math.min(stream.length - at, 1 + random.nextInt(longest));
                reads.read(stream, at, at + count);
                at += count;
            }
            assertThat(reads.messages)
                    .as("seed %d", seed)
                    .usingElementComparator(Arrays::compare)
                    .isEqualTo(expected);
            assertThat(reads.reader.bytesAtHand()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "7", "100", "5000"})
    void givesSameLinesWhateverTheReads(int chunkLength) {
        byte[] stream = lines(300, 400);
        try (Stream reads = new Stream(TestFramings.newline())) {
            reads.read(stream, chunkLength);
            assertThat(reads.messages)
                    .hasSize(300)
                    .allSatisfy(line -> assertThat(line).isNotEmpty().containsOnly('x'));
            assertThat(reads.reader.streamOffset()).isEqualTo(stream.length);
        }
    }

    @Test
    void putsTornFrameInFrontOfTheNextRead() {
        byte[] stream = frames(50, 1_000);
        try (Stream reads = new Stream(WITH_LENGTH)) {
            reads.read(stream, 2_500);
            assertThat(reads.messages).hasSize(50);
            assertThat(allocator.allocations())
                    .as("the torn frame's buffer, kept")
                    .isEqualTo(1);
            long tornBytes = reads.reader.copiedBytes();
            assertThat(tornBytes).isLessThanOrEqualTo(2L * 20 * 1_004);
        }
    }

    /** What the torn frame needed says nothing about the frame behind it. */
    @Test
    void readsShortFrameBehindTornOneThatWasLonger() {
        byte[] stream = ByteBufUtil.getBytes(Unpooled.wrappedBuffer(frames(1, 3_000), frames(2, 10)));
        try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(WITH_LENGTH), allocator)) {
            readBuffer.setIndex(HEADROOM, HEADROOM).writeBytes(stream, 0, 2_000);
            reader.feedBorrowed(readBuffer, HEADROOM);
            assertThat(reader.hasFrame()).isFalse();
            reader.endDrain();
            readBuffer.setIndex(HEADROOM, HEADROOM).writeBytes(stream, 2_000, stream.length - 2_000);
            reader.feedBorrowed(readBuffer, HEADROOM);
            assertThat(reader.read((message, length) -> false, 9)).isFalse();
            reader.endDrain();
            assertThat(reader.hasFrame()).isTrue();
            assertThat(reader.read()).hasSize(10);
            assertThat(reader.read()).hasSize(10);
            reader.endOfInput();
            assertThat(reader.read()).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 100, 1_000, 3_900})
    void copiesTornFrameTwiceWhenTheNextReadCompletesIt(int payloadLength) {
        byte[] frame = frames(1, payloadLength);
        for (int cut = 1; cut < frame.length; cut += Math.max(1, frame.length / 50)) {
            try (Stream reads = new Stream(WITH_LENGTH)) {
                reads.read(frame, 0, cut);
                reads.read(frame, cut, frame.length);
                assertThat(reads.messages).hasSize(1);
                assertThat(reads.reader.copiedBytes()).as("cut at %d", cut).isEqualTo(2L * cut);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 100, 1_000})
    void copiesFrameAtMostFourTimesHoweverManyReadsItTakes(int chunkLength) {
        byte[] frame = frames(1, 64 * 1024 - 4);
        try (Stream reads = new Stream(WITH_LENGTH)) {
            reads.read(frame, chunkLength);
            assertThat(reads.messages).hasSize(1);
            assertThat(reads.reader.copiedBytes()).isLessThanOrEqualTo(4L * frame.length);
        }
        byte[] line = lines(1, 64 * 1024);
        try (Stream reads = new Stream(TestFramings.newline())) {
            reads.read(line, chunkLength);
            assertThat(reads.messages).hasSize(1);
            assertThat(reads.reader.copiedBytes()).isLessThanOrEqualTo(4L * line.length);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {8_192, 65_536, 262_144, 1_000_000})
    void readsLargeFrameIntoItsOwnBufferOnceAQuarterIsThere(int chunkLength) {
        byte[] stream = frames(2, 8 * MIB);
        try (Stream reads = new Stream(WITH_LENGTH)) {
            reads.read(stream, chunkLength);
            assertThat(reads.messages)
                    .hasSize(2)
                    .allSatisfy(message -> assertThat(message).hasSize(8 * MIB));
            assertThat(reads.readIntoFrames).isGreaterThanOrEqualTo(stream.length / 2);
            assertThat(reads.reader.copiedBytes()).isLessThanOrEqualTo(stream.length * 5L / 4);
        }
    }

    @Test
    void offersNoBufferBeforeAQuarterIsThere() {
        byte[] frame = frames(1, MIB - 4);
        try (Stream reads = new Stream(WITH_LENGTH)) {
            reads.read(frame, 0, MIB / 4 - 1);
            assertThat(reads.reader.frameBuffer()).isNull();
            assertThat(allocator.largest()).isLessThan(MIB / 2);
            reads.read(frame, MIB / 4 - 1, MIB / 4);
            ByteBuf buffer = reads.reader.frameBuffer();
            assertThat(buffer).isNotNull();
            assertThat(buffer.writableBytes()).isEqualTo(MIB - MIB / 4);
            buffer.release();
        }
    }

    @Test
    void offersNoBufferForSmallFramesNorWithoutOne() {
        try (Stream reads = new Stream(WITH_LENGTH)) {
            assertThat(reads.reader.frameBuffer()).isNull();
            reads.read(frames(1, 10_000), 0, 9_000);
            assertThat(reads.reader.frameBuffer()).isNull();
        }
    }

    @Test
    void releasesFrameBufferWhenClosedOrEndedInside() {
        byte[] frame = frames(1, MIB);
        try (Stream reads = new Stream(WITH_LENGTH)) {
            reads.read(frame, 0, MIB / 2);
            ByteBuf buffer = reads.reader.frameBuffer();
            reads.reader.close();
            reads.reader.feed(buffer.writeZero(10));
            assertThat(buffer.refCnt()).isZero();
        }
        try (Stream reads = new Stream(WITH_LENGTH)) {
            reads.read(frame, 0, MIB / 2);
            reads.reader.endOfInput();
            assertThat(reads.reader.frameBuffer()).isNull();
            assertThatThrownBy(reads::readAll).isInstanceOf(TruncatedFrameException.class);
        }
    }

    @Test
    void keepsUndecodedFramesOfALentBuffer() {
        byte[] stream = frames(30, 100);
        try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(WITH_LENGTH), allocator)) {
            readBuffer.setIndex(HEADROOM, HEADROOM).writeBytes(stream);
            reader.feedBorrowed(readBuffer, HEADROOM);
            assertThat(reader.read((message, length) -> false, 30)).isFalse();
            reader.endDrain();
            readBuffer.setZero(0, readBuffer.capacity());
            assertThat(reader.copiedBytes()).isEqualTo(29L * 104);
            assertThat(reader.read((message, length) -> message.length == 100, 30))
                    .isTrue();
            assertThat(reader.messages()).isEqualTo(30);
        }
    }

    @Test
    void readsAtMostSoManyMessages() {
        try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(WITH_LENGTH), allocator)) {
            reader.feed(allocator.buffer().writeBytes(frames(10, 4)));
            List<Integer> lengths = new ArrayList<>();
            assertThat(reader.read((message, length) -> lengths.add(length), 4)).isFalse();
            assertThat(lengths).containsExactly(4, 4, 4, 4);
            assertThat(reader.read((message, length) -> lengths.add(length), 6)).isTrue();
            assertThat(lengths).hasSize(10);
        }
    }

    @Test
    void sinkThatThrowsDoesNotEndTheReader() {
        IllegalStateException thrown = new IllegalStateException("sink");
        try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(WITH_LENGTH), allocator)) {
            reader.feed(allocator.buffer().writeBytes(frames(2, 4)));
            assertThatThrownBy(() -> reader.read(
                            (message, length) -> {
                                throw thrown;
                            },
                            2))
                    .isSameAs(thrown);
            assertThat(reader.hasFailed()).isFalse();
            assertThat(reader.read()).hasSize(4);
        }
    }

    private static byte[] frames(int count, int payloadLength) {
        ByteBuf frames = Unpooled.buffer(count * (4 + payloadLength));
        for (int i = 0; i < count; i++) {
            frames.writeInt(payloadLength).writeZero(payloadLength);
        }
        return ByteBufUtil.getBytes(frames);
    }

    private static byte[] lines(int count, int length) {
        byte[] lines = new byte[count * length];
        Arrays.fill(lines, (byte) 'x');
        for (int i = 1; i <= count; i++) {
            lines[i * length - 1] = '\n';
        }
        return lines;
    }
}
