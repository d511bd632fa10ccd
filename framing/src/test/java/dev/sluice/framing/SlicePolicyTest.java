package dev.sluice.framing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testing.TrackingAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlicePolicyTest {
    private static final int KIB = 1024;
    private static final Framing FRAMING = LengthFieldFraming.of(4);

    @ParameterizedTest
    @CsvSource({
        "65536, 2047, false",
        "65536, 2048, true",
        "65536, 65536, true",
        "65536, 1, false",
        "65536, 0, false",
        "1025, 32, false",
        "1025, 33, true",
        "1024, 1, true",
        "1024, 0, true"
    })
    void copiesWhatWouldPinMoreThan32TimesItsLength(int chunkCapacity, int length, boolean slice) {
        assertThat(isSlice(SlicePolicy.DEFAULT, chunkCapacity, length)).isEqualTo(slice);
    }

    @ParameterizedTest
    @CsvSource({"1, 2048, 2048, true", "1, 2048, 2047, false", "64, 65536, 1024, true", "64, 65536, 1023, false"})
    void followsTheTimesThatAreSet(int maxPinnedTimes, int chunkCapacity, int length, boolean slice) {
        assertThat(isSlice(SlicePolicy.pinningAtMost(maxPinnedTimes), chunkCapacity, length))
                .isEqualTo(slice);
    }

    @Test
    void copiesNothingIfSlicesAreAlwaysAskedFor() {
        assertThat(isSlice(SlicePolicy.ALWAYS_SLICE, 1 << 20, 1)).isTrue();
    }

    /** Whether what is kept lies in the chunk; it has the right bytes and an owner of its own either way. */
    private static boolean isSlice(SlicePolicy policy, int chunkCapacity, int length) {
        ByteBuf chunk = ByteBufAllocator.DEFAULT.buffer(chunkCapacity, chunkCapacity);
        for (int i = 0; i < chunkCapacity; i++) {
            chunk.writeByte(i);
        }
        chunk.setIndex(chunkCapacity - length, chunkCapacity);
        ByteBuf kept = policy.keep(chunk);
        assertThat(chunk.readerIndex()).isEqualTo(chunkCapacity - length);
        assertThat(chunk.readableBytes()).isEqualTo(length);
        assertThat(kept).isEqualTo(chunk);
        assertThat(kept.readerIndex()).isZero();
        boolean slice = chunk.refCnt() == 2;
        chunk.release();
        for (int i = 0; i < length; i++) {
            assertThat(kept.getByte(i)).isEqualTo((byte) (chunkCapacity - length + i));
        }
        kept.release();
        assertThat(chunk.refCnt()).isZero();
        return slice;
    }

    @Test
    void boundsWhatOneSmallMessageOfEachChunkPins() {
        assertThat(pinnedByOneMessageOfEachChunk(SlicePolicy.ALWAYS_SLICE))
                .as("whole chunks")
                .isEqualTo(1000L * 64 * KIB);
        assertThat(pinnedByOneMessageOfEachChunk(SlicePolicy.DEFAULT))
                .as("chunks of which nothing is left but copies")
                .isZero();
    }

    /** Bytes of chunks that are alive while one message of 16 B is kept out of each of 1,000 chunks of 64 KiB. */
    private static long pinnedByOneMessageOfEachChunk(SlicePolicy policy) {
        TrackingAllocator chunks = new TrackingAllocator();
        List<ByteBuf> kept = new ArrayList<>();
        try (FrameReader<ByteBuf> reader = FrameReader.create(Codec.slices(FRAMING, policy))) {
            for (int i = 0; i < 1000; i++) {
                ByteBuf chunk = chunks.buffer(64 * KIB, 64 * KIB);
                while (chunk.isWritable(4 + 16 + 4 + 16)) {
                    chunk.writeInt(16).writeLong(i).writeLong(chunk.writerIndex());
                }
                chunk.writeInt(chunk.writableBytes() - 4).writeZero(chunk.writableBytes());
                reader.feed(chunk);
                kept.add(reader.read());
                for (ByteBuf message = reader.read(); message != null; message = reader.read()) {
                    message.release();
                }
            }
        }
        long pinned = chunks.reserved();
        for (int i = 0; i < kept.size(); i++) {
            assertThat(kept.get(i).readableBytes()).isEqualTo(16);
            assertThat(kept.get(i).getLong(0)).isEqualTo(i);
            kept.get(i).release();
        }
        assertThat(chunks.reserved()).isZero();
        return pinned;
    }

    @Test
    void isWhatSlicesHaveUnlessToldOtherwise() {
        assertThat(pinned(Codec.slices(FRAMING))).isFalse();
        assertThat(pinned(Codec.slices(FRAMING, SlicePolicy.pinningAtMost(32)))).isFalse();
        assertThat(pinned(Codec.slices(FRAMING, SlicePolicy.pinningAtMost(256))))
                .isTrue();
    }

    /** Whether a message of 16 B pins its chunk of 4 KiB. */
    private static boolean pinned(Codec<ByteBuf, ByteBuf> codec) {
        assertThat(codec.decoder().keepsPayload()).isTrue();
        ByteBuf chunk = ByteBufAllocator.DEFAULT.buffer(4 * KIB, 4 * KIB);
        ByteBuf message;
        try (FrameReader<ByteBuf> reader = FrameReader.create(codec)) {
            reader.feed(chunk.writeInt(16).writeZero(16));
            message = reader.read();
        }
        boolean pinned = chunk.refCnt() > 0;
        message.release();
        assertThat(chunk.refCnt()).isZero();
        return pinned;
    }

    @Test
    void servesDecodersThatKeepPartOfPayload() {
        MessageDecoder<ByteBuf> behindType = new MessageDecoder<>() {
            @Override
            public ByteBuf decode(ByteBuf payload) {
                payload.skipBytes(1);
                return SlicePolicy.DEFAULT.keep(payload);
            }

            @Override
            public boolean keepsPayload() {
                return true;
            }
        };
        try (FrameReader<ByteBuf> reader = FrameReader.create(Codec.decoding(FRAMING, behindType))) {
            reader.feed(ByteBufAllocator.DEFAULT.buffer(4 * KIB).writeInt(3).writeMedium(0x010203));
            ByteBuf message = reader.read();

            assertThat(RoundTrip.bytes(message)).containsExactly(2, 3);
            message.release();
        }
    }

    @Test
    void isCheckedWhenMade() {
        assertThatThrownBy(() -> SlicePolicy.pinningAtMost(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxPinnedTimes below one: maxPinnedTimes=0, limit=1");
        assertThatThrownBy(() -> Codec.slices(FRAMING, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("policy");
        assertThat(SlicePolicy.DEFAULT).hasToString("SlicePolicy{maxPinnedTimes=32}");
        assertThat(SlicePolicy.ALWAYS_SLICE).hasToString("SlicePolicy{always slices}");
    }
}
