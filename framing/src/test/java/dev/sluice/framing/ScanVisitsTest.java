package dev.sluice.framing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.VisitCountingBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Law 8, counted: how often a framer that searches looks at a byte. */
class ScanVisitsTest {
    private static final int KIB = 1024;
    private static final int MIB = 1024 * KIB;
    private static final JsonFraming JSON =
            JsonFraming.builder().maxPayloadLength(16 * MIB).build();
    private static final SlipFraming SLIP =
            SlipFraming.builder().maxPayloadLength(16 * MIB).build();
    private static final CobsFraming COBS =
            CobsFraming.builder().maxPayloadLength(16 * MIB).build();

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8 * KIB, 8 * MIB})
    void jsonLooksAtEachByteOfLargeObjectOnce(int chunkLength) {
        StringBuilder text = new StringBuilder("{");
        int length = chunkLength < KIB ? 64 * KIB : 8 * MIB;
        for (int i = 0; text.length() < length - 100; i++) {
            text.append("\"name\":[").append(i).append(",\"text with \\\" and }\"],");
        }
        text.append("\"last\":0}");
        VisitCountingBuf stream = new VisitCountingBuf(StreamCheck.text(text.toString()));

        assertThat(read(JSON, stream, chunkLength)).isEqualTo(1);
        assertThat(stream.mostVisits()).isEqualTo(1);
        assertThat(stream.allVisits()).isEqualTo(text.length());
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "[1]\n", "{\"a\":[1]} ", "{\"a\":1,\"b\":2}\r\n"})
    void jsonLooksAtEachByteOfSmallObjectsOnce(String frame) {
        VisitCountingBuf stream = new VisitCountingBuf(StreamCheck.text(frame.repeat(100_000)));

        assertThat(read(JSON, stream, MIB)).isEqualTo(100_000);
        assertThat(stream.mostVisits()).isEqualTo(1);
    }

    @Test
    void jsonLooksAtEachByteOfElementsOnce() {
        String elements = "[1" + ",2 , true,\"a\\\"b\",{\"c\":[]}".repeat(20_000) + "]";
        VisitCountingBuf stream = new VisitCountingBuf(StreamCheck.text(elements));

        assertThat(read(JsonFraming.arrayElements(), stream, 8 * KIB)).isEqualTo(80_001);
        assertThat(stream.mostVisits()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 3000, 8 * MIB})
    void slipLooksAtEachByteOnceAndOnceMoreToUnescape(int payloadLength) {
        VisitCountingBuf stream = frames(SLIP, payloadLength);
        long frames = Math.min(100_000, 8L * MIB / payloadLength);

        assertThat(read(SLIP, stream, payloadLength < KIB ? MIB : 8 * KIB)).isEqualTo(frames);
        assertThat(stream.mostVisits()).isLessThanOrEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 3000, 8 * MIB})
    void cobsLooksAtEachByteOnceAndOnceMoreToUnstuff(int payloadLength) {
        VisitCountingBuf stream = frames(COBS, payloadLength);
        long frames = Math.min(100_000, 8L * MIB / payloadLength);

        assertThat(read(COBS, stream, payloadLength < KIB ? MIB : 8 * KIB)).isEqualTo(frames);
        assertThat(stream.mostVisits()).isLessThanOrEqualTo(2);
    }

    @Test
    void slipAndCobsLookAtEachByteOfDiscardedFrameOnce() {
        for (Framing framing : new Framing[] {
            SlipFraming.builder().maxPayloadLength(9).oversize(Oversize.DISCARD).build(),
            CobsFraming.builder().maxPayloadLength(9).oversize(Oversize.DISCARD).build()
        }) {
            VisitCountingBuf stream = frames(framing instanceof SlipFraming ? SLIP : COBS, MIB);

            assertThat(read(framing, stream, 8 * KIB)).isZero();
            assertThat(stream.mostVisits()).isEqualTo(1);
        }
    }

    @Test
    void countsEachWayToReadByte() {
        VisitCountingBuf buffer = new VisitCountingBuf(new byte[16]);
        buffer.getByte(0);
        buffer.getLongLE(1);
        buffer.getUnsignedShortLE(9);
        buffer.getUnsignedIntLE(11);
        Unpooled.buffer().writeBytes(buffer, 15, 1);
        assertThat(buffer.allVisits()).isEqualTo(16);
        assertThat(buffer.mostVisits()).isEqualTo(1);

        assertThat(buffer.indexOf(0, 16, (byte) 1)).isNegative();
        assertThat(buffer.mostVisits()).isEqualTo(2);
        buffer.forgetVisits();
        assertThat(buffer.allVisits()).isZero();
    }

    /** Random payloads: one byte in 128 is escaped by SLIP, one in 256 a zero for COBS. */
    private static VisitCountingBuf frames(Framing framing, int payloadLength) {
        Random random = new Random(payloadLength);
        long frames = Math.min(100_000, 8L * MIB / payloadLength);
        ByteBuf stream = Unpooled.buffer();
        byte[] payload = new byte[payloadLength];
        for (int i = 0; i < frames; i++) {
            random.nextBytes(payload);
            framing.encode(Unpooled.wrappedBuffer(payload), stream);
        }
        return new VisitCountingBuf(RoundTrip.bytes(stream));
    }

    /** Reads the stream as it grows by chunks, as a reader does where all of it lies in one buffer; counts its frames. */
    private static int read(Framing framing, VisitCountingBuf stream, int chunkLength) {
        Framer framer = framing.newFramer();
        Framer.Answer answer = new Framer.Answer();
        int length = stream.writerIndex();
        int frames = 0;
        for (int there = 0; there < length; ) {
            there = Math.min(length, there + chunkLength);
            stream.writerIndex(there);
            while (stream.readableBytes() >= answer.lastNeed()) {
                answer.clear();
                framer.frame(stream, answer);
                int taken = 0;
                switch (answer.kind) {
                    case FRAME -> taken = answer.frameLength;
                    case ESCAPED_FRAME -> taken = unescape(framer, stream, answer);
                    case SKIP, DISCARD, DISCARD_MORE -> taken = (int) answer.bytes;
                    default -> assertThat(answer.lastNeed()).isGreaterThan(stream.readableBytes());
                }
                frames += answer.kind == Framer.Answer.Kind.FRAME || answer.kind == Framer.Answer.Kind.ESCAPED_FRAME
                        ? 1
                        : 0;
                if (taken > 0) {
                    stream.skipBytes(taken);
                    answer.frameBegins();
                }
            }
        }
        stream.release();
        return frames;
    }

    private static int unescape(Framer framer, ByteBuf stream, Framer.Answer answer) {
        int begin = stream.readerIndex();
        int there = stream.writerIndex();
        ByteBuf payload = Unpooled.buffer((int) answer.payloadLength);
        stream.writerIndex(begin + answer.frameLength);
        framer.unescape(stream, payload);
        stream.setIndex(begin, there);
        assertThat(payload.readableBytes()).isEqualTo((int) answer.payloadLength);
        return answer.frameLength;
    }
}
