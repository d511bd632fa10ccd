package dev.sluice.framing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("paranoid")
class FrameReaderTest {
    private final List<String> decoded = new ArrayList<>();
    private final MessageDecoder<String> text = payload -> {
        String message = payload.toString(ISO_8859_1);
        decoded.add(message);
        return message;
    };
    private FrameReader<String> reader = reader(TestFramings.fixed(3));

    @AfterEach
    void close() {
        reader.close();
    }

    @Test
    void readsNothingFromNothing() {
        assertThat(reader.read()).isNull();
        assertThat(reader.hasFrame()).isFalse();
        assertThat(reader.bytesAtHand()).isZero();
        assertThat(reader.streamOffset()).isZero();
    }

    @Test
    void emitsFrameSplitAcrossThreeChunks() {
        reader.feed(chunk("a"));
        assertThat(reader.read()).isNull();
        reader.feed(chunk("b"));
        assertThat(reader.read()).isNull();
        reader.feed(chunk("cd"));

        assertThat(reader.read()).isEqualTo("abc");
        assertThat(reader.read()).isNull();
        assertThat(reader.bytesAtHand()).isEqualTo(1);
    }

    @Test
    void readsChunksFedBeforeTheFirstRead() {
        reader.feed(chunk("ab"));
        reader.feed(chunk("c"));
        reader.feed(chunk("defg"));

        assertThat(readAll()).containsExactly("abc", "def");
    }

    @Test
    void looksForFrameWithoutDecodingIt() {
        reader.feed(chunk("abcdef"));

        assertThat(reader.hasFrame()).isTrue();
        assertThat(reader.hasFrame()).isTrue();
        assertThat(decoded).isEmpty();
        assertThat(reader.streamOffset()).isZero();
        assertThat(reader.bytesAtHand()).isEqualTo(6);
        assertThat(reader.read()).isEqualTo("abc");
        assertThat(decoded).containsExactly("abc");
    }

    @Test
    void readsFrameThatWasSeenBeforeItsChunkWasCopied() {
        ByteBuf borrowed = chunk("abcd");
        reader.feedBorrowed(borrowed);
        assertThat(reader.hasFrame()).isTrue();
        reader.endDrain();
        borrowed.setZero(0, borrowed.capacity()).release();

        assertThat(reader.read()).isEqualTo("abc");
    }

    @Test
    void countsBytesAtHandAndTaken() {
        reader.feed(chunk("ab"));
        assertThat(reader.bytesAtHand()).isEqualTo(2);
        assertThat(reader.read()).isNull();
        assertThat(reader.bytesAtHand()).as("torn frame").isEqualTo(2);
        reader.feed(chunk("cdefgh"));
        reader.feed(chunk("ij"));
        assertThat(reader.bytesAtHand()).isEqualTo(10);

        reader.read();

        assertThat(reader.bytesAtHand()).isEqualTo(7);
        assertThat(reader.streamOffset()).isEqualTo(3);
        readAll();
        assertThat(reader.bytesAtHand()).isEqualTo(1);
        assertThat(reader.streamOffset()).isEqualTo(9);
    }

    @Test
    void tellsPayloadLengthOfMessageReadLast() {
        reader = reader(LengthFieldFraming.of(1));
        reader.feed(chunk("\3abc\0"));

        reader.read();
        assertThat(reader.lastPayloadLength()).isEqualTo(3);
        reader.read();
        assertThat(reader.lastPayloadLength()).isZero();
    }

    @Test
    void releasesChunkWithItsLastFrame() {
        ByteBuf chunk = chunk("abcdef");
        reader.feed(chunk);

        reader.read();
        assertThat(chunk.refCnt()).isEqualTo(1);
        reader.read();
        assertThat(chunk.refCnt()).isZero();
    }

    @Test
    void letsGoOfChunkWhoseRestIsCarried() {
        ByteBuf chunk = chunk("abcd");
        reader.feed(chunk);

        assertThat(readAll()).containsExactly("abc");
        assertThat(chunk.refCnt()).isZero();
    }

    @Test
    void leavesBorrowedChunkToItsOwner() {
        ByteBuf borrowed = chunk("abcd");
        reader.feedBorrowed(borrowed);

        assertThat(readAll()).containsExactly("abc");
        reader.endDrain();

        assertThat(borrowed.refCnt()).isEqualTo(1);
        borrowed.setZero(0, borrowed.capacity()).release();
        reader.feed(chunk("ef"));
        assertThat(reader.read()).isEqualTo("def");
    }

    @Test
    void copiesBorrowedChunkThatWaitsBehindAnother() {
        ByteBuf first = chunk("ab");
        ByteBuf second = chunk("cdef");
        reader.feedBorrowed(first);
        reader.feedBorrowed(second);
        reader.endDrain();
        first.setZero(0, 2).release();
        second.setZero(0, 4).release();

        assertThat(readAll()).containsExactly("abc", "def");
    }

    @Test
    void endsDrainWithoutBorrowedChunk() {
        reader.endDrain();
        reader.feed(chunk("abc"));
        reader.endDrain();

        assertThat(reader.read()).isEqualTo("abc");
        assertThat(reader.copiedBytes()).isZero();
    }

    @Test
    void completesAtFrameBorder() {
        reader.feed(chunk("abc"));
        reader.endOfInput();

        assertThat(readAll()).containsExactly("abc");
        assertThat(reader.hasFrame()).isFalse();
        assertThat(reader.read()).isNull();
    }

    @Test
    void deliversFramesBeforeTruncation() {
        reader.feed(chunk("abcde"));
        reader.endOfInput();

        assertThat(reader.read()).isEqualTo("abc");
        assertThatThrownBy(reader::read)
                .isInstanceOf(TruncatedFrameException.class)
                .hasMessage(
                        "input ended inside a frame: bytesAtHand=2, bytesNeeded=3, streamOffset=3, firstBytes=6465");
    }

    @Test
    void failsFromLookingAsFromReading() {
        reader.feed(chunk("ab"));
        reader.endOfInput();

        assertThatThrownBy(reader::hasFrame).isInstanceOf(TruncatedFrameException.class);
    }

    @Test
    void throwsSameExceptionEachTime() {
        reader.feed(chunk("ab"));
        reader.endOfInput();
        Throwable first = catchFailure();

        assertThat(catchFailure()).isSameAs(first);
        assertThatThrownBy(reader::hasFrame).isSameAs(first);
        reader.close();
        assertThat(catchFailure()).isSameAs(first);
    }

    @Test
    void releasesWhatIsFedBehindTheEnd() {
        reader.endOfInput();
        assertThat(reader.read()).isNull();

        assertThatIsRefused();
    }

    @Test
    void releasesWhatIsFedBehindFailure() {
        ByteBuf waiting = chunk("def");
        reader = reader(TestFramings.of((unread, answer) -> {
            throw new CorruptFrameException("bad");
        }));
        reader.feed(chunk("abc"));
        reader.feed(waiting);
        catchFailure();

        assertThat(waiting.refCnt()).isZero();
        assertThatIsRefused();
    }

    @Test
    void releasesWhatIsFedBehindClose() {
        ByteBuf held = chunk("abcdef");
        reader.feed(held);
        reader.read();
        reader.close();

        assertThat(held.refCnt()).isZero();
        assertThatIsRefused();
        assertThat(reader.read()).isNull();
    }

    @Test
    void releasesEmptyChunkAtOnce() {
        ByteBuf empty = ByteBufAllocator.DEFAULT.buffer(8);
        reader.feed(empty);

        assertThat(empty.refCnt()).isZero();
        assertThat(reader.bytesAtHand()).isZero();
    }

    @Test
    void closesTwice() {
        ByteBuf torn = chunk("a");
        ByteBuf chunk = chunk("bcd");
        ByteBuf waiting = chunk("e");
        reader.feed(torn);
        reader.read();
        reader.feed(chunk);
        reader.feed(waiting);

        reader.close();
        reader.close();

        assertThat(List.of(torn.refCnt(), chunk.refCnt(), waiting.refCnt())).containsOnly(0);
        assertThat(reader.bytesAtHand()).isZero();
    }

    @Test
    void leavesBorrowedChunkToItsOwnerWhenClosed() {
        ByteBuf borrowed = chunk("ab");
        reader.feedBorrowed(borrowed);
        reader.close();
        reader.endDrain();

        assertThat(borrowed.release()).isTrue();
    }

    @Test
    void keepsSlicesOfTornFrameApartFromFramesBehindIt() {
        try (FrameReader<ByteBuf> slices = FrameReader.create(Codec.slices(TestFramings.fixed(3)))) {
            List<ByteBuf> messages = new ArrayList<>();
            for (String part : List.of("ab", "cde", "fgh", "i")) {
                slices.feed(chunk(part));
                for (ByteBuf message = slices.read(); message != null; message = slices.read()) {
                    messages.add(message);
                }
            }

            assertThat(messages.stream().map(message -> message.toString(ISO_8859_1)))
                    .containsExactly("abc", "def", "ghi");
            messages.forEach(ByteBuf::release);
        }
    }

    @Test
    void handsPayloadToDecoderAsItsReadableBytes() {
        List<Integer> moved = new ArrayList<>();
        FrameReader<Integer> sums = FrameReader.create(Codec.of(
                LengthFieldFraming.of(1),
                payload -> {
                    moved.add(payload.readableBytes());
                    int sum = 0;
                    while (payload.isReadable()) { // moving the index is allowed, and no index of ours
                        sum += payload.readUnsignedByte();
                    }
                    return sum;
                },
                (message, out) -> {}));
        try (sums) {
            sums.feed(chunk("\2\u0080\u0081\1\1"));

            assertThat(sums.read()).isEqualTo(0x101);
            assertThat(sums.read()).isEqualTo(1);
            assertThat(moved).containsExactly(2, 1);
        }
    }

    private void assertThatIsRefused() {
        ByteBuf owned = chunk("xyz");
        ByteBuf borrowed = chunk("xyz");
        reader.feed(owned);
        reader.feedBorrowed(borrowed);

        assertThat(owned.refCnt()).isZero();
        assertThat(borrowed.readableBytes()).as("unread").isEqualTo(3);
        assertThat(borrowed.release()).isTrue();
        assertThat(reader.bytesAtHand()).isZero();
    }

    private Throwable catchFailure() {
        try {
            reader.read();
        } catch (RuntimeException e) {
            return e;
        }
        throw new AssertionError("reader has not failed");
    }

    private List<String> readAll() {
        List<String> messages = new ArrayList<>();
        for (String message = reader.read(); message != null; message = reader.read()) {
            messages.add(message);
        }
        return messages;
    }

    private FrameReader<String> reader(Framing framing) {
        return FrameReader.create(Codec.of(framing, text, (message, out) -> {}));
    }

    private static ByteBuf chunk(String bytes) {
        return ByteBufAllocator.DEFAULT.buffer().writeBytes(bytes.getBytes(ISO_8859_1));
    }
}
