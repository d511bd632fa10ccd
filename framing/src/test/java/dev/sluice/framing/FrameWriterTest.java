package dev.sluice.framing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testing.TrackingAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("paranoid")
class FrameWriterTest {
    private static final MessageEncoder<String> TEXT =
            (message, out) -> out.buffer().writeBytes(message.getBytes(ISO_8859_1));

    private FrameWriter writer = FrameWriter.create(LengthFieldFraming.of(2), ByteBufAllocator.DEFAULT);

    @AfterEach
    void close() {
        writer.close();
    }

    @Test
    void hasNothingAtFirst() {
        assertThat(writer.poll()).isNull();
        assertThat(writer.pendingBytes()).isZero();
        assertThat(writer.writtenBytes()).isZero();
    }

    @Test
    void putsSmallMessagesIntoOneBuffer() {
        writer.write("a", TEXT);
        writer.write("", TEXT);
        writer.write("bc", TEXT);

        ByteBuf buffer = writer.poll();
        assertThat(ByteBufUtil.hexDump(buffer)).isEqualTo("00016100000002" + "6263");
        assertThat(buffer.release()).as("the caller's alone").isTrue();
        assertThat(writer.poll()).isNull();
    }

    @Test
    void countsWhatIsWrittenAndWhatIsPending() {
        writer.write("abc", TEXT);
        assertThat(writer.pendingBytes()).isEqualTo(5);
        writer.write("d", TEXT);
        assertThat(writer.pendingBytes()).isEqualTo(8);
        writer.poll().release();
        assertThat(writer.pendingBytes()).isZero();
        assertThat(writer.writtenBytes()).isEqualTo(8);
        writer.write("", TEXT);

        assertThat(writer.pendingBytes()).isEqualTo(2);
        assertThat(writer.writtenBytes()).isEqualTo(10);
    }

    @Test
    void goesOnBehindWhatWasPolled() {
        writer.write("a", TEXT);
        ByteBuf first = writer.poll();
        writer.write("b", TEXT);
        ByteBuf second = writer.poll();

        assertThat(ByteBufUtil.hexDump(first)).isEqualTo("000161");
        assertThat(ByteBufUtil.hexDump(second)).isEqualTo("000162");
        first.release();
        second.release();
    }

    @Test
    void beginsAnotherBufferWhenOneIsFull() {
        for (int i = 0; i < 1000; i++) {
            writer.write("x".repeat(100), TEXT);
        }

        List<ByteBuf> buffers = pollAll();
        assertThat(buffers).hasSizeBetween(6, 10);
        assertThat(decode(buffers)).hasSize(1000).containsOnly("x".repeat(100));
    }

    @Test
    void growsBeyondWrongSizeHint() {
        MessageEncoder<String> hintsNothing = new Hinting(0);
        writer.write("a", hintsNothing);
        writer.write("x".repeat(60_000), hintsNothing);
        writer.write("b", hintsNothing);

        assertThat(decode(pollAll())).containsExactly("a", "x".repeat(60_000), "b");
    }

    @Test
    void believesNoHugeAndNoNegativeSizeHint() {
        TrackingAllocator allocator = new TrackingAllocator();
        writer = FrameWriter.create(LengthFieldFraming.of(2), allocator);
        writer.write("a", new Hinting(Integer.MAX_VALUE));
        writer.write("b", new Hinting(Integer.MIN_VALUE));

        assertThat(allocator.largest()).isLessThanOrEqualTo(1024 * 1024 + 2);
        assertThat(decode(pollAll())).containsExactly("a", "b");
        assertThat(allocator.reserved()).isZero();
    }

    @Test
    void takesOneBufferOfTheHintedSize() {
        TrackingAllocator allocator = new TrackingAllocator();
        writer = FrameWriter.create(LengthFieldFraming.of(4), allocator);
        writer.write("x".repeat(100_000), new Hinting(100_000));

        assertThat(allocator.largest()).isEqualTo(100_004);
        assertThat(allocator.allocations()).as("that one and the one before it").isLessThanOrEqualTo(2);
        assertThat(decode(LengthFieldFraming.of(4), pollAll())).hasSize(1);
    }

    @Test
    void refusesPayloadAndKeepsMessagesBeforeIt() {
        writer.write("before", TEXT);
        assertThatThrownBy(() -> writer.write("x".repeat(65_536), TEXT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("length does not fit into its field: lengthField=65536, limit=65535, lengthFieldLength=2");
        assertThat(writer.pendingBytes()).isEqualTo(8);
        assertThat(writer.writtenBytes()).isEqualTo(8);
        writer.write("behind", TEXT);

        assertThat(decode(pollAll())).containsExactly("before", "behind");
    }

    @Test
    void collectsPayloadThatItsFramingMustSee() {
        LengthFieldFraming framing = LengthFieldFraming.builder()
                .lengthFieldLength(1)
                .initialBytesToStrip(0)
                .build();
        writer = FrameWriter.create(framing, ByteBufAllocator.DEFAULT);
        writer.write("\1a", TEXT);
        writer.write("\0", TEXT);
        assertThatThrownBy(() -> writer.write("\2a", TEXT))
                .hasMessage("length field of the message is wrong: headerByte=0, value=2, expected=1, lengthField=1");
        writer.write("\3bcd", (message, out) -> {
            out.buffer().writeByte(message.charAt(0));
            out.append(Unpooled.copiedBuffer(message.substring(1), ISO_8859_1));
        });

        assertThat(writer.writtenBytes()).isEqualTo(7);
        assertThat(decode(framing, pollAll())).containsExactly("\1a", "\0", "\3bcd");
    }

    @Test
    void collectsLargePayload() {
        LengthFieldFraming framing =
                LengthFieldFraming.builder().initialBytesToStrip(0).build();
        TrackingAllocator allocator = new TrackingAllocator();
        writer = FrameWriter.create(framing, allocator);
        String large = "\0\1\u0086\u00a0" + "x".repeat(100_000);
        writer.write("\0\0\0\1a", TEXT);
        writer.write(large, (message, out) -> {
            out.append(Unpooled.copiedBuffer(message, ISO_8859_1));
            assertThat(allocator.reserved()).isGreaterThan(100_000);
        });

        assertThat(decode(framing, pollAll())).containsExactly("\0\0\0\1a", large);
        assertThat(allocator.reserved()).as("kept for the next message").isLessThanOrEqualTo(16 * 1024);
    }

    @Test
    void releasesWhatWasNotPolled() {
        TrackingAllocator allocator = new TrackingAllocator();
        ByteBuf payload = Unpooled.wrappedBuffer(new byte[5000]);
        writer = FrameWriter.create(LengthFieldFraming.of(4), allocator);
        writer.write("a", TEXT);
        writer.write(payload, (message, out) -> out.append(message));

        writer.close();
        writer.close();

        assertThat(payload.refCnt()).isZero();
        assertThat(allocator.reserved()).isZero();
        assertThat(writer.poll()).isNull();
        assertThat(writer.pendingBytes()).isZero();
    }

    /** Whoever sends may stop half-way, and a buffer that is being sent must stay where it is. */
    @Test
    void leavesAloneWhatWasPolledWhenOtherMessagesFollow() {
        byte[] large = new byte[2000];
        writer.write("a", (message, out) -> out.append(Unpooled.wrappedBuffer(large)));
        ByteBuf header = writer.poll();
        ByteBuffer sending = header.nioBuffer();
        long address = header.hasMemoryAddress() ? header.memoryAddress() : 0;

        writer.write("x".repeat(60_000), new Hinting(0));

        assertThat(sending.getShort(0)).isEqualTo((short) 2000);
        assertThat(header.hasMemoryAddress() ? header.memoryAddress() : 0).isEqualTo(address);
        header.release();
        assertThat(pollAll().stream().mapToInt(buffer -> {
                    int length = buffer.readableBytes();
                    buffer.release();
                    return length;
                }))
                .containsExactly(2000, 60_002);
    }

    private static List<String> decode(List<ByteBuf> buffers) {
        return decode(LengthFieldFraming.of(2), buffers);
    }

    private static List<String> decode(Framing framing, List<ByteBuf> buffers) {
        ByteBuf all = Unpooled.wrappedBuffer(buffers.toArray(new ByteBuf[0]));
        return RoundTrip.decode(framing, all).stream()
                .map(payload -> new String(payload, ISO_8859_1))
                .toList();
    }

    private List<ByteBuf> pollAll() {
        List<ByteBuf> buffers = new ArrayList<>();
        for (ByteBuf buffer = writer.poll(); buffer != null; buffer = writer.poll()) {
            buffers.add(buffer);
        }
        return buffers;
    }

    private record Hinting(int hint) implements MessageEncoder<String> {
        @Override
        public void encode(String message, FrameWriter out) {
            TEXT.encode(message, out);
        }

        @Override
        public int sizeHint(String message) {
            return hint;
        }
    }
}
