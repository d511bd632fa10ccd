package dev.sluice.framing;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testing.TrackingAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a reader reserves follows what has come, never what was announced. Chunks are not counted, only its own buffers. */
class FrameReaderMemoryTest {
    private static final int KIB = 1024;
    private static final int MIB = 1024 * KIB;
    private static final Framing UNLIMITED =
            LengthFieldFraming.builder().maxPayloadLength(Integer.MAX_VALUE).build();

    private final TrackingAllocator allocator = new TrackingAllocator();
    private FrameReader<Integer> reader = reader(UNLIMITED);

    @AfterEach
    void givesAllBack() {
        reader.close();
        assertThat(allocator.reserved()).isZero();
    }

    @Test
    void reservesNothingBigForLengthThatIsOnlyAnnounced() {
        feed(header(Integer.MAX_VALUE));
        for (int i = 0; i < 1000; i++) {
            feed(new byte[] {1});
        }

        assertThat(reader.read()).isNull();
        assertThat(allocator.highest()).isLessThanOrEqualTo(4 * KIB);
        assertThat(allocator.allocations()).as("pieces that grow").isLessThanOrEqualTo(16);
    }

    @Test
    void reservesNothingBigForLengthThatIsAnnouncedWithHeaderInPieces() {
        for (byte value : header(Integer.MAX_VALUE)) {
            feed(new byte[] {value});
        }
        feed(new byte[100]);

        assertThat(allocator.highest()).isLessThanOrEqualTo(KIB);
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 5000, 60_000, 70_000, 300_000, 5_000_000})
    void reservesAtMostFourTimesWhatIsThere(int payloadLength) {
        Random random = new Random(payloadLength);
        feed(header(payloadLength));
        long fed = 4;
        while (fed < payloadLength) { // stops before the last byte: then all that is there is held
            int count = (int) Math.min(payloadLength + 3 - fed, 1 + random.nextInt(9000));
            feed(new byte[count]);
            fed += count;

            assertThat(reader.bytesAtHand()).isEqualTo(fed);
            assertThat(allocator.reserved()).isLessThanOrEqualTo(64 + 4 * fed);
        }
        assertThat(allocator.reserved()).as("in the end").isLessThanOrEqualTo(64L + payloadLength + 4);
    }

    @Test
    void reservesAtMostTwiceLineThatGrows() {
        reader = reader(TestFramings.newline());
        for (int fed = 1000; fed <= MIB; fed += 1000) {
            feed(new byte[1000]);

            assertThat(allocator.reserved()).isLessThanOrEqualTo(2L * fed + 128);
        }
    }

    /** While a buffer moves into a larger one both are there. */
    @Test
    void reservesAtMostTheFrameAndAQuarterForLargeFrame() {
        feedLarge(8 * MIB, 8 * KIB);

        assertThat(reader.streamOffset()).isEqualTo(8 * MIB);
        assertThat(allocator.largest()).as("one buffer of the exact length").isEqualTo(8 * MIB);
        assertThat(allocator.highest()).isLessThanOrEqualTo(8 * MIB * 5L / 4 + 128 * KIB);
    }

    @ParameterizedTest
    @ValueSource(ints = {8 * KIB, 64 * KIB, 1000})
    void keepsNothingBigOfLargeFrame(int chunkLength) {
        feedLarge(8 * MIB, chunkLength);

        assertThat(reader.streamOffset()).isEqualTo(8 * MIB);
        assertThat(allocator.reserved()).isLessThanOrEqualTo(4 * KIB);
    }

    @Test
    void keepsNothingBigOfLargeFrameWhenSmallOnesFollowInItsLastChunk() {
        feed(header(MIB));
        feed(new byte[MIB - 1]);
        feed(new byte[] {0, 0, 0, 0, 1, 9, 0, 0});

        assertThat(reader.streamOffset()).isEqualTo(4 + MIB + 5);
        assertThat(reader.bytesAtHand()).isEqualTo(2);
        assertThat(allocator.reserved()).isLessThanOrEqualTo(4 * KIB);
    }

    @Test
    void holdsLittleWhenEveryChunkEndsInsideHeader() {
        // Each chunk has the rest of a header and its frame, then half a header.
        byte[] chunk = {0, 3, 1, 2, 3, 0, 0};
        feed(new byte[] {0, 0});
        for (int i = 0; i < 200_000; i++) {
            feed(chunk);
        }

        assertThat(reader.streamOffset()).isEqualTo(200_000L * 7);
        assertThat(allocator.highest()).isLessThanOrEqualTo(64 * KIB);
        assertThat(allocator.allocations()).as("one small buffer, used again").isLessThanOrEqualTo(4);
    }

    /** The same with headers whose end has to be found. */
    @Test
    void holdsLittleWhenEveryChunkEndsInsideVarint() {
        reader = reader(VarintFraming.of());
        byte[] chunk = new byte[1 + 200 + 1 + 3 + 1]; // the rest of a header, its frame, a small one, half a header
        chunk[0] = 1;
        chunk[201] = 3;
        chunk[205] = (byte) 0xc8;
        feed(new byte[] {(byte) 0xc8});
        for (int i = 0; i < 200_000; i++) {
            feed(chunk);
        }

        assertThat(reader.streamOffset()).isEqualTo(200_000L * 206);
        assertThat(allocator.highest()).isLessThanOrEqualTo(64 * KIB);
        assertThat(allocator.allocations()).as("few small buffers, used again").isLessThanOrEqualTo(4);
    }

    @Test
    void holdsLittleWhenEveryChunkEndsInsideDigitsOrTrailer() {
        reader = reader(Framings.netstring().build());
        String frame = "2:" + "x".repeat(12) + ",";
        byte[] inDigits = (frame + "1").getBytes(US_ASCII);
        byte[] inTrailer = frame.substring(0, frame.length() - 1).getBytes(US_ASCII);
        feed(new byte[] {'1'});
        for (int i = 0; i < 100_000; i++) {
            feed(inDigits);
            feed(inTrailer);
            feed(new byte[] {',', '1'});
        }

        assertThat(reader.streamOffset()).isEqualTo(200_000L * 16);
        assertThat(allocator.highest()).isLessThanOrEqualTo(64 * KIB);
        assertThat(allocator.allocations()).as("few small buffers, used again").isLessThanOrEqualTo(4);
    }

    @Test
    void keepsNothingBigOfLargeFrameOfAnyHeader() {
        for (Framing framing : List.of(
                VarintFraming.builder().maxPayloadLength(8 * MIB).build(),
                Framings.netstring().maxPayloadLength(8 * MIB).build(),
                Framings.octetCounting().maxPayloadLength(8 * MIB).build(),
                FixedLengthFraming.of(5 * MIB))) {
            reader.close();
            reader = reader(framing);
            ByteBuf frame = Unpooled.buffer();
            framing.encode(Unpooled.wrappedBuffer(new byte[5 * MIB]), frame);
            long length = frame.readableBytes();
            allocator.restart();
            while (frame.isReadable()) {
                feed(RoundTrip.bytes(frame.readSlice(Math.min(8 * KIB, frame.readableBytes()))));
            }

            assertThat(reader.streamOffset()).as(framing.toString()).isEqualTo(length);
            assertThat(allocator.largest()).as(framing.toString()).isLessThanOrEqualTo((int) length);
            assertThat(allocator.reserved()).as(framing.toString()).isLessThanOrEqualTo(4 * KIB);
        }
    }

    @Test
    void reservesNothingBigForLengthThatIsOnlyAnnouncedByAnyHeader() {
        for (Framing framing : List.of(
                VarintFraming.builder().maxPayloadLength(Integer.MAX_VALUE).build(),
                Framings.netstring().maxPayloadLength(Integer.MAX_VALUE).build())) {
            reader.close();
            reader = reader(framing);
            ByteBuf header = framing instanceof VarintFraming
                    ? Unpooled.wrappedBuffer(new byte[] {-1, -1, -1, -1, 7})
                    : Unpooled.copiedBuffer("2147483647:", US_ASCII);
            allocator.restart();
            while (header.isReadable()) {
                feed(new byte[] {header.readByte()});
            }
            feed(new byte[100]);

            assertThat(reader.read()).isNull();
            assertThat(allocator.highest()).as(framing.toString()).isLessThanOrEqualTo(KIB);
        }
    }

    @Test
    void reservesNothingForDigitsThatGoOnInFrameThatIsDiscarded() {
        reader = reader(Framings.netstring()
                .maxPayloadLength(10)
                .oversize(Oversize.DISCARD)
                .build());
        byte[] digits = "9".repeat(1000).getBytes(US_ASCII);
        for (int i = 0; i < 1000; i++) {
            feed(digits);
        }

        assertThat(reader.discardedFrames()).isEqualTo(1);
        assertThat(reader.streamOffset()).isEqualTo(1_000_000);
        assertThat(allocator.highest()).isZero();
    }

    @Test
    void holdsLittleWhenMessagesKeepTheirPayload() {
        FrameReader<ByteBuf> slices = FrameReader.create(Codec.slices(UNLIMITED), allocator);
        byte[] chunk = {0, 3, 1, 2, 3, 0, 0};
        slices.feed(Unpooled.wrappedBuffer(new byte[] {0, 0}));
        assertThat(slices.read()).isNull();
        for (int i = 0; i < 10_000; i++) {
            slices.feed(Unpooled.wrappedBuffer(chunk.clone()));
            ByteBuf message = slices.read();
            assertThat(slices.read()).isNull();
            message.release();
        }
        slices.close();

        assertThat(allocator.highest()).isLessThanOrEqualTo(64 * KIB);
    }

    /** Behind a torn line lies the beginning of the next one, in the same buffer. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10, 64, 200, 2000})
    void leavesLinesAloneThatMessagesKeep(int lineLength) {
        FrameReader<ByteBuf> slices = FrameReader.create(Codec.slices(LineFraming.lenient()), allocator);
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            lines.append(Character.toString('a' + i % 26).repeat(lineLength)).append('\n');
        }
        byte[] bytes = lines.toString().getBytes(US_ASCII);
        ArrayDeque<ByteBuf> messages = new ArrayDeque<>();
        int chunkLength = lineLength + 1;
        for (int at = -chunkLength / 2; at < bytes.length; at += chunkLength) {
            slices.feed(Unpooled.copiedBuffer(
                    Arrays.copyOfRange(bytes, Math.max(0, at), Math.min(bytes.length, at + chunkLength))));
            for (ByteBuf message = slices.read(); message != null; message = slices.read()) {
                messages.add(message);
            }
            assertThat(slices.bytesAtHand()).isLessThanOrEqualTo(chunkLength);
        }
        slices.close();

        assertThat(messages).hasSize(200);
        for (int i = 0; i < 200; i++) {
            ByteBuf message = messages.remove();
            assertThat(message.toString(US_ASCII))
                    .isEqualTo(Character.toString('a' + i % 26).repeat(lineLength));
            message.release();
        }
    }

    @Test
    void holdsLittleWhenEveryChunkEndsInsideLine() {
        reader = reader(LineFraming.lenient());
        byte[] chunk = "xxxxx\nxx\nxxxxxx".getBytes(US_ASCII);
        feed(new byte[] {'x'});
        for (int i = 0; i < 200_000; i++) {
            feed(chunk);
        }

        assertThat(reader.messages()).isEqualTo(400_000);
        assertThat(allocator.highest()).isLessThanOrEqualTo(KIB);
        assertThat(allocator.allocations()).as("few small buffers, used again").isLessThanOrEqualTo(4);
    }

    @Test
    void reservesNothingForPayloadOverTheLimit() {
        reader = reader(LengthFieldFraming.builder().maxPayloadLength(MIB).build());
        feed(new byte[] {0});
        byte[] rest = {0x10, 0, 1};

        assertThatThrownBy(() -> feed(rest))
                .isInstanceOf(FrameTooLongException.class)
                .hasMessage("payload too long: payloadLength=1048577, maxPayloadLength=1048576, streamOffset=0,"
                        + " firstBytes=00100001");
        assertThat(allocator.highest()).isLessThanOrEqualTo(KIB);
    }

    @Test
    void reservesNothingForFrameThatIsDiscarded() {
        reader = reader(LengthFieldFraming.builder()
                .maxPayloadLength(10)
                .oversize(Oversize.DISCARD)
                .build());
        feedLarge(16 * MIB, 64 * KIB);

        assertThat(reader.discardedFrames()).isEqualTo(1);
        assertThat(reader.streamOffset()).isEqualTo(16 * MIB);
        assertThat(allocator.highest()).isZero();
    }

    @Test
    void holdsNothingBehindTheEnd() {
        feed(new byte[] {0, 0});
        feed(new byte[] {0, 1, 9});
        reader.endOfInput();

        assertThat(reader.read()).isNull();
        assertThat(allocator.reserved()).isZero();
    }

    @Test
    void holdsNothingBehindLastFrameThatOnlyTheEndShows() {
        reader = reader(TestFramings.newlineOrEnd());
        feed(new byte[] {1, 2});
        reader.endOfInput();

        assertThat(reader.read()).isEqualTo(2);
        assertThat(reader.read()).isNull();
        assertThat(allocator.reserved()).isZero();
    }

    @Test
    void unescapesSmallPayloadsIntoOneBuffer() {
        Set<ByteBuf> payloads = Collections.newSetFromMap(new IdentityHashMap<>());
        Codec<Integer, Void> codec = Codec.decoding(SlipFraming.create(), payload -> {
            payloads.add(payload);
            return payload.readableBytes();
        });
        reader = FrameReader.create(codec, allocator);
        for (int i = 0; i < 1000; i++) {
            reader.feed(Unpooled.wrappedBuffer(new byte[] {1, (byte) 0xdb, (byte) 0xdc, (byte) 0xc0}));
            assertThat(reader.read()).isEqualTo(2);
        }
        assertThat(payloads)
                .hasSize(1)
                .allSatisfy(payload -> assertThat(payload.refCnt()).isEqualTo(1));
        assertThat(allocator.allocations()).isZero();

        reader.endOfInput();
        assertThat(reader.read()).isNull();
        assertThat(payloads)
                .as("behind the end")
                .allSatisfy(payload -> assertThat(payload.refCnt()).isZero());
    }

    @Test
    void keepsNoBufferOfLargeUnescapedPayload() {
        reader = reader(SlipFraming.create());
        byte[] frame = new byte[MIB];
        frame[0] = (byte) 0xdb;
        frame[1] = (byte) 0xdc;
        frame[MIB - 1] = (byte) 0xc0;
        feed(frame);

        assertThat(reader.streamOffset()).isEqualTo(MIB);
        assertThat(allocator.reserved()).isZero();
    }

    /** A frame of this length, header included, in chunks of that length. */
    private void feedLarge(int frameLength, int chunkLength) {
        byte[] header = header(frameLength - 4);
        for (int fed = 0; fed < frameLength; fed += chunkLength) {
            byte[] chunk = new byte[Math.min(chunkLength, frameLength - fed)];
            if (fed == 0) {
                System.arraycopy(header, 0, chunk, 0, 4);
            }
            feed(chunk);
        }
    }

    private void feed(byte[] bytes) {
        reader.feed(Unpooled.wrappedBuffer(bytes));
        while (reader.hasFrame()) {
            reader.read();
        }
    }

    private static byte[] header(int length) {
        return new byte[] {(byte) (length >>> 24), (byte) (length >>> 16), (byte) (length >>> 8), (byte) length};
    }

    private FrameReader<Integer> reader(Framing framing) {
        return FrameReader.create(Codec.of(framing, ByteBuf::readableBytes, (message, out) -> {}), allocator);
    }
}
