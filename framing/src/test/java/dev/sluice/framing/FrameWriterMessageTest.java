package dev.sluice.framing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What an encoder may do and may not, and what becomes of its message when it fails. */
@Tag("paranoid")
class FrameWriterMessageTest {
    private static final Framing HEADER_IN_PLACE = LengthFieldFraming.of(4);
    private static final Framing COLLECTED =
            LengthFieldFraming.builder().initialBytesToStrip(0).build();

    private FrameWriter writer = FrameWriter.create(HEADER_IN_PLACE, ByteBufAllocator.DEFAULT);

    @AfterEach
    void close() {
        writer.close();
    }

    static List<Framing> framings() {
        return List.of(HEADER_IN_PLACE, COLLECTED, new VarintLikeFraming());
    }

    @ParameterizedTest
    @MethodSource("framings")
    void rollsBackWhereverEncoderThrows(Framing framing) {
        List<Consumer<FrameWriter>> steps = List.of(
                out -> out.buffer().writeByte(1),
                out -> out.append(payload(10)),
                out -> out.append(payload(5000)),
                out -> out.buffer().writeZero(40_000),
                out -> out.append(payload(2000)),
                out -> out.buffer().writeByte(2));
        for (int failAt = 0; failAt <= steps.size(); failAt++) {
            IllegalStateException failure = new IllegalStateException("on purpose");
            int last = failAt;
            writer = FrameWriter.create(framing, ByteBufAllocator.DEFAULT);
            write(out -> out.unframed());
            write(out -> {
                out.unframed();
                out.buffer().writeBytes("earlier".getBytes(ISO_8859_1));
            });

            assertThatThrownBy(() -> write(out -> {
                        steps.subList(0, last).forEach(step -> step.accept(out));
                        throw failure;
                    }))
                    .isSameAs(failure);
            write(out -> {
                out.unframed();
                out.buffer().writeBytes(", later".getBytes(ISO_8859_1));
            });

            assertThat(writer.writtenBytes()).isEqualTo(14);
            assertThat(RoundTrip.poll(writer).toString(ISO_8859_1)).isEqualTo("earlier, later");
            writer.close();
        }
    }

    @ParameterizedTest
    @MethodSource("framings")
    void rollsBackUnframedMessage(Framing framing) {
        writer = FrameWriter.create(framing, ByteBufAllocator.DEFAULT);
        assertThatThrownBy(() -> write(out -> {
                    out.unframed();
                    out.append(payload(5000));
                    out.buffer().writeByte(1);
                    throw new IllegalStateException("on purpose");
                }))
                .hasMessage("on purpose");

        assertThat(writer.poll()).isNull();
        assertThat(writer.writtenBytes()).isZero();
    }

    @ParameterizedTest
    @MethodSource("framings")
    void writesUnframedMessageAsItIs(Framing framing) {
        writer = FrameWriter.create(framing, ByteBufAllocator.DEFAULT);
        ByteBuf large = payload(5000);
        String hex = ByteBufUtil.hexDump(large);
        write(out -> {
            out.unframed();
            out.buffer().writeByte(1);
            out.append(large);
            out.buffer().writeByte(2);
            out.append(payload(0));
        });

        assertThat(writer.writtenBytes()).isEqualTo(5002);
        assertThat(ByteBufUtil.hexDump(RoundTrip.poll(writer))).isEqualTo("01" + hex + "02");
    }

    @ParameterizedTest
    @MethodSource("framings")
    void takesUnframedAlsoWhenBufferWasLookedAt(Framing framing) {
        writer = FrameWriter.create(framing, ByteBufAllocator.DEFAULT);
        write(out -> {
            assertThat(out.buffer()).isNotNull();
            out.append(Unpooled.EMPTY_BUFFER);
            out.unframed();
            out.unframed();
            out.buffer().writeByte(1);
        });

        assertThat(ByteBufUtil.hexDump(RoundTrip.poll(writer))).isEqualTo("01");
    }

    @ParameterizedTest
    @MethodSource("framings")
    void refusesUnframedBehindFirstByte(Framing framing) {
        writer = FrameWriter.create(framing, ByteBufAllocator.DEFAULT);
        assertThatThrownBy(() -> write(out -> {
                    out.buffer().writeShort(1);
                    out.unframed();
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("unframed() comes before the first byte of a message: bytesWritten=2, limit=0");
        assertThatThrownBy(() -> write(out -> {
                    out.append(payload(5000));
                    out.unframed();
                }))
                .hasMessage("unframed() comes before the first byte of a message: bytesWritten=5000, limit=0");

        assertThat(writer.poll()).isNull();
    }

    @Test
    void framesMessageBehindUnframedOne() {
        write(FrameWriter::unframed);
        write(out -> {
            out.unframed();
            out.buffer().writeByte(9);
        });
        write(out -> out.buffer().writeByte(8));

        assertThat(ByteBufUtil.hexDump(RoundTrip.poll(writer))).isEqualTo("090000000108");
    }

    @Test
    void showsWriterIndexOfThisMessageOnly() {
        write(out -> out.buffer().writeZero(10));
        write(out -> {
            ByteBuf buffer = out.buffer();
            int lengthAt = buffer.writerIndex();
            buffer.writeShort(0).writeBytes("abc".getBytes(ISO_8859_1));
            buffer.setShort(lengthAt, buffer.writerIndex() - lengthAt);
        });

        assertThat(ByteBufUtil.hexDump(RoundTrip.poll(writer))).endsWith("00000005" + "0005616263");
    }

    @Test
    void refusesSideOfMessageOutsideOne() {
        ByteBuf payload = payload(5);
        String message = "only an encoder may do this, while it encodes";

        assertThatThrownBy(writer::buffer)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(message);
        assertThatThrownBy(writer::unframed).hasMessage(message);
        assertThatThrownBy(() -> writer.append(payload)).hasMessage(message);
        assertThat(payload.refCnt()).as("owned from the call on").isZero();
    }

    @Test
    void refusesSideOfSenderInsideMessage() {
        List<Throwable> refusals = new ArrayList<>();
        write(out -> out.buffer().writeByte(1));
        write(out -> {
            out.buffer().writeByte(2);
            for (Runnable misuse : List.<Runnable>of(() -> write(FrameWriter::unframed), out::poll, out::close)) {
                try {
                    misuse.run();
                } catch (IllegalStateException e) {
                    refusals.add(e);
                }
            }
            out.buffer().writeByte(3);
        });

        assertThat(refusals)
                .extracting(Throwable::getMessage)
                .containsExactly(
                        "an encoder may not write other messages",
                        "an encoder may not take what was written before",
                        "an encoder may not close the writer");
        assertThat(ByteBufUtil.hexDump(RoundTrip.poll(writer))).isEqualTo("0000000101" + "000000020203");
    }

    @Test
    void rollsBackWhenSizeHintThrows() {
        MessageEncoder<String> encoder = new MessageEncoder<>() {
            @Override
            public void encode(String message, FrameWriter out) {
                out.buffer().writeByte(1);
            }

            @Override
            public int sizeHint(String message) {
                throw new IllegalStateException("no idea");
            }
        };
        write(out -> out.buffer().writeByte(7));

        assertThatThrownBy(() -> writer.write("", encoder)).hasMessage("no idea");
        assertThatCode(() -> write(out -> out.buffer().writeByte(8))).doesNotThrowAnyException();
        assertThat(ByteBufUtil.hexDump(RoundTrip.poll(writer))).isEqualTo("0000000107" + "0000000108");
    }

    @Test
    void namesFramingThatHasHeadersForSomeLengthsOnly() {
        Framing odd = new Framing() {
            @Override
            public Framer newFramer() {
                throw new UnsupportedOperationException();
            }

            @Override
            public void encode(ByteBuf payload, ByteBuf target) {
                throw new UnsupportedOperationException();
            }

            @Override
            public int headerLength(long payloadLength) {
                return payloadLength == 3 ? -1 : 0;
            }
        };
        writer = FrameWriter.create(odd, ByteBufAllocator.DEFAULT);

        assertThatThrownBy(() -> write(out -> out.buffer().writeMedium(0)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("framing has headers for some lengths only: framing="
                        + odd.getClass().getName() + ", payloadLength=3, headerLength=-1");
        assertThat(writer.poll()).isNull();
    }

    @Test
    void namesFramingThatTellsHeaderLengthButSetsNone() {
        Framing odd = new Framing() {
            @Override
            public Framer newFramer() {
                throw new UnsupportedOperationException();
            }

            @Override
            public void encode(ByteBuf payload, ByteBuf target) {
                throw new UnsupportedOperationException();
            }

            @Override
            public int headerLength(long payloadLength) {
                return 2;
            }
        };
        writer = FrameWriter.create(odd, ByteBufAllocator.DEFAULT);

        assertThatThrownBy(() -> write(out -> out.buffer().writeByte(0)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage(odd.getClass().getName() + " builds frames by encode");
        assertThat(writer.poll()).isNull();
    }

    private void write(Consumer<FrameWriter> encoder) {
        writer.write("", (message, out) -> encoder.accept(out));
    }

    private static ByteBuf payload(int length) {
        return ByteBufAllocator.DEFAULT.buffer(length).writeZero(length);
    }
}
