package dev.sluice.framing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link FrameReader#rest()} gives the next protocol every byte that no frame has taken, wherever it lay. */
@Tag("paranoid")
class FrameReaderRestTest {
    private final FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(TestFramings.fixed(4)));

    @Test
    void isEmptyWhenNothingIsUnread() {
        assertRest("");
    }

    @Test
    void isEmptyWhenAllIsRead() {
        reader.feed(chunk("abcd"));
        reader.read();

        assertRest("");
    }

    @Test
    void isTheChunkItselfWhenOnlyThatIsThere() {
        ByteBuf chunk = chunk("abcdef");
        reader.feed(chunk);
        reader.read();

        ByteBuf rest = reader.rest();

        assertThat(rest).isSameAs(chunk);
        assertThat(rest.toString(ISO_8859_1)).isEqualTo("ef");
        assertThat(rest.release()).isTrue();
    }

    @Test
    void hasTornFrame() {
        reader.feed(chunk("abcdef"));
        reader.read();
        reader.read();

        assertRest("ef");
    }

    @Test
    void hasTornFrameThenChunkThenWaitingChunks() {
        reader.feed(chunk("ab"));
        reader.read();
        reader.feed(chunk("c"));
        reader.feed(chunk("de"));
        reader.feed(chunk("f"));

        assertRest("abcdef");
    }

    @Test
    void hasTornFrameOfWhichTooMuchWasTaken() {
        FrameReader<byte[]> lines = FrameReader.create(Codec.bytes(TestFramings.newline()));
        lines.feed(chunk("a"));
        lines.read();
        lines.feed(chunk("b\ncd"));
        lines.feed(chunk("ef"));
        assertThat(lines.read()).asString(ISO_8859_1).isEqualTo("ab");

        ByteBuf rest = lines.rest();

        assertThat(rest.toString(ISO_8859_1)).isEqualTo("cdef");
        rest.release();
    }

    @Test
    void hasFrameThatWasSeenAndNotRead() {
        reader.feed(chunk("abcdef"));
        assertThat(reader.hasFrame()).isTrue();

        assertRest("abcdef");
        assertThat(reader.hasFrame()).isFalse();
    }

    @Test
    void hasCopyOfBorrowedChunk() {
        ByteBuf borrowed = chunk("abcdef");
        reader.feedBorrowed(borrowed);
        reader.read();

        ByteBuf rest = reader.rest();

        assertThat(borrowed.setZero(0, 6).release()).isTrue();
        assertThat(rest.toString(ISO_8859_1)).isEqualTo("ef");
        rest.release();
    }

    @Test
    void hasAllPiecesOfLargeTornFrame() {
        FrameReader<byte[]> large = FrameReader.create(Codec.bytes(TestFramings.fixed(1 << 20)));
        byte[] bytes = new byte[100_000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31);
        }
        for (int at = 0; at < bytes.length; at += 1000) {
            large.feed(ByteBufAllocator.DEFAULT.buffer().writeBytes(bytes, at, 1000));
            assertThat(large.read()).isNull();
        }

        ByteBuf rest = large.rest();

        assertThat(RoundTrip.bytes(rest)).isEqualTo(bytes);
        rest.release();
    }

    @Test
    void isEmptyBehindFailure() {
        reader.feed(chunk("ab"));
        reader.endOfInput();
        assertThat(catchFailure()).isInstanceOf(TruncatedFrameException.class);

        assertRest("");
    }

    @Test
    void closesReader() {
        reader.feed(chunk("abcdef"));
        reader.rest().release();

        assertThat(reader.read()).isNull();
        ByteBuf late = chunk("x");
        reader.feed(late);
        assertThat(late.refCnt()).isZero();
    }

    @Test
    void goesOnInAnotherReaderAtAnyPlace() {
        String stream = "abcdefgh" + "\3one\3two";
        for (int cut = 8; cut <= stream.length(); cut++) {
            FrameReader<byte[]> first = FrameReader.create(Codec.bytes(TestFramings.fixed(4)));
            first.feed(chunk(stream.substring(0, 6)));
            assertThat(first.read()).isNotNull();
            first.feed(chunk(stream.substring(6, cut)));
            assertThat(first.read()).asString(ISO_8859_1).isEqualTo("efgh");

            try (FrameReader<byte[]> second = FrameReader.create(Codec.bytes(LengthFieldFraming.of(1)))) {
                second.feed(first.rest());
                second.feed(chunk(stream.substring(cut)));
                assertThat(Arrays.asList(second.read(), second.read(), second.read()))
                        .as("cut at " + cut)
                        .containsExactly("one".getBytes(ISO_8859_1), "two".getBytes(ISO_8859_1), null);
            }
        }
    }

    private Throwable catchFailure() {
        try {
            reader.read();
        } catch (RuntimeException e) {
            return e;
        }
        throw new AssertionError("reader has not failed");
    }

    private void assertRest(String expected) {
        ByteBuf rest = reader.rest();
        assertThat(rest.toString(ISO_8859_1)).isEqualTo(expected);
        assertThat(reader.bytesAtHand()).isZero();
        rest.release();
    }

    private static ByteBuf chunk(String bytes) {
        return ByteBufAllocator.DEFAULT.buffer().writeBytes(bytes.getBytes(ISO_8859_1));
    }
}
