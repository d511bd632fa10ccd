package dev.sluice.framing;

import static dev.sluice.framing.StreamCheck.hex;
import static dev.sluice.framing.Wires.assertRefused;
import static dev.sluice.framing.Wires.decode;
import static dev.sluice.framing.Wires.encode;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testing.End;
import dev.sluice.testing.Outcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;

class FixedLengthFramingTest {

    @Test
    void cutsFramesOfOneLength() {
        assertThat(decode(FixedLengthFraming.of(3), "616263808182")).containsExactly("616263", "808182");
        assertThat(decode(FixedLengthFraming.of(1), "6162")).containsExactly("61", "62");
        assertThat(decode(FixedLengthFraming.of(3), "")).isEmpty();
    }

    @Test
    void neverDeliversShortFrame() {
        Wires.verify(
                FixedLengthFraming.of(4),
                hex("616263646566"),
                End.COMPLETE,
                new Outcome(List.of("61626364"), "TRUNCATED", 0));
    }

    @Test
    void tellsHowMuchIsLacking() {
        try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(FixedLengthFraming.of(4)))) {
            reader.feed(Unpooled.wrappedBuffer(hex("6162")));
            assertThat(reader.read()).isNull();
            reader.endOfInput();

            assertThatThrownBy(reader::read)
                    .isInstanceOf(TruncatedFrameException.class)
                    .hasMessage("input ended inside a frame: bytesAtHand=2, bytesNeeded=4, streamOffset=0,"
                            + " firstBytes=6162");
        }
    }

    @Test
    void encodesPayloadAsItIs() {
        assertThat(encode(FixedLengthFraming.of(3), "616263")).isEqualTo("616263");
    }

    @Test
    void refusesPayloadOfAnotherLength() {
        FixedLengthFraming framing = FixedLengthFraming.of(3);

        assertRefused(
                framing, "6162", "payload is not of the one length that frames have: payloadLength=2, frameLength=3");
        assertRefused(
                framing,
                "61626364",
                "payload is not of the one length that frames have: payloadLength=4, frameLength=3");
        assertRefused(framing, "", "payload is not of the one length that frames have: payloadLength=0, frameLength=3");
    }

    @Test
    void sendsLargePayloadWithoutCopy() {
        ByteBuf payload = ByteBufAllocator.DEFAULT.buffer(5000).writeZero(5000);
        try (FrameWriter writer = FrameWriter.create(FixedLengthFraming.of(5000), ByteBufAllocator.DEFAULT)) {
            writer.write(payload, Codec.slices(FixedLengthFraming.of(5000)).encoder());

            assertThat(payload.refCnt()).as("held by the writer").isEqualTo(2);
            assertThat(writer.pendingBytes()).isEqualTo(5000);
        }
        payload.release();
    }

    @Test
    void refusesFramesOfNothing() {
        assertThatThrownBy(() -> FixedLengthFraming.of(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("frame too short: frameLength=0, limit=1");
        assertThatThrownBy(() -> FixedLengthFraming.of(-1)).hasMessage("frame too short: frameLength=-1, limit=1");
    }

    @Test
    void reservesNothingForLongFrame() {
        FixedLengthFraming framing = FixedLengthFraming.of(Integer.MAX_VALUE);
        try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(framing))) {
            reader.feed(Unpooled.wrappedBuffer(new byte[10]));
            assertThat(reader.read()).isNull();
            reader.feed(Unpooled.wrappedBuffer(new byte[10]));
            assertThat(reader.read()).isNull();
            assertThat(reader.bytesAtHand()).isEqualTo(20);
        }
    }

    @Test
    void tellsItsLength() {
        assertThat(FixedLengthFraming.of(188).frameLength()).isEqualTo(188);
        assertThat(FixedLengthFraming.of(188)).hasToString("FixedLengthFraming{frameLength=188}");
    }
}
