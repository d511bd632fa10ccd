package dev.sluice.framing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testing.TrackingAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link FrameWriter#append}, and headers whose length shows only behind it. */
@Tag("paranoid")
class FrameWriterAppendTest {
    private static final int LARGE = 5000;

    private FrameWriter writer = FrameWriter.create(LengthFieldFraming.of(4), ByteBufAllocator.DEFAULT);

    @AfterEach
    void close() {
        writer.close();
    }

    @Test
    void copiesSmallPayload() {
        ByteBuf payload = payload(1024);
        write(out -> out.append(payload));

        assertThat(payload.refCnt()).isZero();
        assertThat(pollLengths()).containsExactly(1028);
    }

    @Test
    void passesOnLargePayloadAsItIs() {
        ByteBuf payload = payload(1025);
        write(out -> out.append(payload));

        ByteBuf header = writer.poll();
        assertThat(ByteBufUtil.hexDump(header)).isEqualTo("00000401");
        header.release();
        assertThat(writer.poll()).isSameAs(payload);
        assertThat(payload.release()).isTrue();
        assertThat(writer.poll()).isNull();
    }

    @Test
    void takesReadableBytesOfPayload() {
        ByteBuf payload = payload(LARGE).setIndex(10, 20);
        write(out -> out.append(payload));

        assertThat(pollLengths()).containsExactly(14);
    }

    @Test
    void goesOnBehindAppendedPayload() {
        ByteBuf payload = payload(LARGE);
        byte[] expected = join("head".getBytes(ISO_8859_1), RoundTrip.bytes(payload), "tail".getBytes(ISO_8859_1));
        write(out -> out.buffer().writeByte(1));
        write(out -> {
            out.buffer().writeBytes("head".getBytes(ISO_8859_1));
            out.append(payload);
            out.buffer().writeBytes("tail".getBytes(ISO_8859_1));
        });
        write(out -> out.buffer().writeByte(2));

        assertThat(writer.pendingBytes()).isEqualTo(5 + 4 + expected.length + 5);
        assertThat(writer.writtenBytes()).isEqualTo(writer.pendingBytes());
        assertThat(decoded()).containsExactly(new byte[] {1}, expected, new byte[] {2});
    }

    @Test
    void appendsManyPayloadsToOneMessage() {
        write(out -> {
            for (int i = 0; i < 5; i++) {
                out.append(payload(2000));
                out.append(payload(10));
            }
        });

        assertThat(decoded())
                .singleElement()
                .satisfies(message -> assertThat(message).hasSize(10_050));
    }

    @Test
    void appendsEmptyPayload() {
        write(out -> out.append(Unpooled.EMPTY_BUFFER));
        write(out -> out.append(ByteBufAllocator.DEFAULT.buffer(8)));

        assertThat(decoded()).containsExactly(new byte[0], new byte[0]);
    }

    /** The hint of a message that is only appended says what waits to be sent, not what the writer has to reserve. */
    @Test
    void reservesNothingForPayloadThatIsNotCopied() {
        TrackingAllocator allocator = new TrackingAllocator();
        Codec<ByteBuf, ByteBuf> codec = Codec.slices(
                LengthFieldFraming.builder().maxPayloadLength(1 << 24).build());
        writer = FrameWriter.create(codec.framing(), allocator);
        ByteBuf message = payload(8 << 20);
        writer.write(message, codec.encoder());
        writer.write(message, codec.encoder());

        assertThat(allocator.reserved()).isLessThanOrEqualTo(16 * 1024);
        assertThat(pollLengths()).containsExactly(4, 8 << 20, 4, 8 << 20);
        message.release();
    }

    @Test
    void refusesPayloadThatIsTooLongWithWhatWasAppended() {
        writer = FrameWriter.create(LengthFieldFraming.of(1), ByteBufAllocator.DEFAULT);
        ByteBuf payload = payload(LARGE);
        write(out -> out.buffer().writeByte(7));
        assertThatThrownBy(() -> write(out -> {
                    out.append(payload);
                    out.buffer().writeByte(1);
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("length does not fit into its field: lengthField=5001, limit=255, lengthFieldLength=1");

        assertThat(payload.refCnt()).isZero();
        assertThat(pollLengths()).containsExactly(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, 127, 128, 129, 1000, 70_000})
    void movesPayloadBehindHeaderOfAnotherLengthThanHinted(int length) {
        for (int hint : new int[] {0, 127, 128, 100_000}) {
            VarintLikeFraming framing = new VarintLikeFraming();
            writer = FrameWriter.create(framing, ByteBufAllocator.DEFAULT);
            byte[] message = bytes(length);
            writer.write(
                    new byte[] {5}, hinting(hint, (bytes, out) -> out.buffer().writeBytes(bytes)));
            writer.write(message, hinting(hint, (bytes, out) -> out.buffer().writeBytes(bytes)));
            writer.write(
                    new byte[] {6}, hinting(hint, (bytes, out) -> out.buffer().writeBytes(bytes)));

            assertThat(decoded(framing)).as("hint " + hint).containsExactly(new byte[] {5}, message, new byte[] {6});
            assertThat(framing.lengths()).containsExactly(1L, (long) length, 1L);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 127, 128, 1000, 5000})
    void rebuildsMessageWithAppendedPartsWhenItsHeaderDoesNotFit(int before) {
        for (int hint : new int[] {0, 128}) {
            for (boolean first : new boolean[] {true, false}) {
                VarintLikeFraming framing = new VarintLikeFraming();
                writer = FrameWriter.create(framing, ByteBufAllocator.DEFAULT);
                List<byte[]> expected = new ArrayList<>();
                if (!first) {
                    writer.write(
                            new byte[] {5},
                            hinting(hint, (bytes, out) -> out.buffer().writeBytes(bytes)));
                    expected.add(new byte[] {5});
                }
                byte[] head = bytes(before);
                byte[] tail = bytes(3);
                ByteBuf part = payload(2000);
                ByteBuf another = payload(3000);
                expected.add(join(head, RoundTrip.bytes(part), RoundTrip.bytes(another), tail));
                writer.write(head, hinting(hint, (bytes, out) -> {
                    out.buffer().writeBytes(bytes);
                    out.append(part);
                    out.append(another);
                    out.buffer().writeBytes(tail);
                }));
                writer.write(
                        new byte[] {6},
                        hinting(hint, (bytes, out) -> out.buffer().writeBytes(bytes)));
                expected.add(new byte[] {6});

                assertThat(writer.pendingBytes()).isEqualTo(writer.writtenBytes());
                assertThat(decoded(framing)).as("hint " + hint).containsExactly(expected.toArray(new byte[0][]));
            }
        }
    }

    @Test
    void rollsBackRebuiltMessageThatIsRefused() {
        VarintLikeFraming framing = new VarintLikeFraming();
        writer = FrameWriter.create(framing, ByteBufAllocator.DEFAULT);
        ByteBuf part = payload(VarintLikeFraming.LONGEST);
        write(out -> out.buffer().writeByte(5));
        assertThatThrownBy(() -> writer.write(part, hinting(0, (payload, out) -> {
                    out.append(payload);
                    out.buffer().writeByte(1);
                })))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("payload too long: payloadLength=16777217, limit=16777216");
        write(out -> out.buffer().writeByte(6));

        assertThat(part.refCnt()).isZero();
        assertThat(decoded(framing)).containsExactly(new byte[] {5}, new byte[] {6});
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void encodesRandomMessagesInRandomParts(long seed) {
        Random random = new Random(seed);
        for (Framing framing : List.of(LengthFieldFraming.of(4), new VarintLikeFraming())) {
            writer = FrameWriter.create(framing, ByteBufAllocator.DEFAULT);
            List<byte[]> expected = new ArrayList<>();
            ByteBuf sent = Unpooled.buffer();
            for (int i = 0; i < 100; i++) {
                List<byte[]> parts = new ArrayList<>();
                int count = random.nextInt(5);
                for (int j = 0; j < count; j++) {
                    parts.add(bytes(random.nextInt(random.nextBoolean() ? 100 : 4000)));
                }
                boolean fails = random.nextInt(4) == 0;
                try {
                    writer.write(parts, hinting(random.nextInt(400), (list, out) -> {
                        for (byte[] part : list) {
                            if (random.nextBoolean()) {
                                out.append(ByteBufAllocator.DEFAULT.buffer().writeBytes(part));
                            } else {
                                out.buffer().writeBytes(part);
                            }
                        }
                        if (fails) {
                            throw new IllegalArgumentException("on purpose");
                        }
                    }));
                    expected.add(join(parts.toArray(new byte[0][])));
                } catch (IllegalArgumentException e) {
                    assertThat(e).hasMessage("on purpose");
                }
                for (int j = random.nextInt(4); j > 0; j--) {
                    ByteBuf buffer = writer.poll();
                    if (buffer != null) {
                        sent.writeBytes(buffer);
                        buffer.release();
                    }
                }
            }
            sent.writeBytes(RoundTrip.poll(writer));

            assertThat(sent.readableBytes()).isEqualTo((int) writer.writtenBytes());
            assertThat(RoundTrip.decode(framing, sent))
                    .as("seed=" + seed)
                    .containsExactly(expected.toArray(new byte[0][]));
            writer.close();
        }
    }

    private void write(Consumer<FrameWriter> encoder) {
        writer.write("", (message, out) -> encoder.accept(out));
    }

    private static <O> MessageEncoder<O> hinting(int hint, MessageEncoder<O> encoder) {
        return new MessageEncoder<>() {
            @Override
            public void encode(O message, FrameWriter out) {
                encoder.encode(message, out);
            }

            @Override
            public int sizeHint(O message) {
                return hint;
            }
        };
    }

    private List<byte[]> decoded() {
        return decoded(LengthFieldFraming.of(4));
    }

    private List<byte[]> decoded(Framing framing) {
        return RoundTrip.decode(framing, RoundTrip.poll(writer));
    }

    private List<Integer> pollLengths() {
        List<Integer> lengths = new ArrayList<>();
        for (ByteBuf buffer = writer.poll(); buffer != null; buffer = writer.poll()) {
            lengths.add(buffer.readableBytes());
            buffer.release();
        }
        return lengths;
    }

    private static ByteBuf payload(int length) {
        return ByteBufAllocator.DEFAULT.buffer(length).writeBytes(bytes(length));
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static byte[] join(byte[]... parts) {
        byte[] all = {};
        for (byte[] part : parts) {
            int at = all.length;
            all = Arrays.copyOf(all, at + part.length);
            System.arraycopy(part, 0, all, at, part.length);
        }
        return all;
    }
}
