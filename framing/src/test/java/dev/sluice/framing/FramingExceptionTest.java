package dev.sluice.framing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class FramingExceptionTest {

    @Test
    void tellsOnlyWhatWentWrongWithoutReader() {
        FramingException e = new CorruptFrameException("wrong trailer: trailer=0, expected=44");

        assertThat(e).hasMessage("wrong trailer: trailer=0, expected=44");
        assertThat(e.streamOffset()).isEqualTo(-1);
        assertThat(e.firstBytes()).isEmpty();
    }

    @Test
    void tellsWhereItsFrameBegins() {
        FramingException e = new TruncatedFrameException("input ended");
        e.locate(
                1L << 40,
                Unpooled.wrappedBuffer(new byte[] {0, (byte) 0x80, (byte) 0xff}).skipBytes(1));

        assertThat(e).hasMessage("input ended, streamOffset=1099511627776, firstBytes=80ff");
        assertThat(e.streamOffset()).isEqualTo(1L << 40);
        assertThat(e.firstBytes()).isEqualTo("80ff");
    }

    @Test
    void showsAtMostSixteenBytes() {
        FramingException e = new CorruptFrameException("bad");
        e.locate(0, Unpooled.wrappedBuffer(new byte[17]));

        assertThat(e.firstBytes()).isEqualTo("00".repeat(16));
    }

    @Test
    void keepsItsFirstPlace() {
        FramingException e = new CorruptFrameException("bad");
        e.locate(3, Unpooled.EMPTY_BUFFER);
        e.locate(4, Unpooled.wrappedBuffer(new byte[] {1}));

        assertThat(e).hasMessage("bad, streamOffset=3, firstBytes=");
    }

    @Test
    void tellsPayloadLengthAndLimit() {
        FrameTooLongException e = new FrameTooLongException(11, 10);

        assertThat(e).hasMessage("payload too long: payloadLength=11, maxPayloadLength=10");
        assertThat(e.payloadLength()).isEqualTo(11);
        assertThat(e.maxPayloadLength()).isEqualTo(10);
    }

    @Test
    void tellsLengthBeyondSignedRange() {
        FrameTooLongException e = new FrameTooLongException(Long.MAX_VALUE, 10);

        assertThat(e).hasMessage("payload too long: payloadLength=2^63 or more, maxPayloadLength=10");
        assertThat(e.payloadLength()).isEqualTo(Long.MAX_VALUE);
    }
}
