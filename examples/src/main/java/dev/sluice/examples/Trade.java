package dev.sluice.examples;

import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import io.netty.buffer.ByteBuf;

/**
 * The messages of the {@link Demo}: a plain object made from a payload, with nothing to release.
 *
 * <pre>
 *   8 bytes    8 bytes   4 bytes                8 bytes
 * +----------+---------+----------+-----------+----------+
 * | sequence | price   | quantity | filler    | checksum |
 * +----------+---------+----------+-----------+----------+
 * </pre>
 *
 * The checksum stands at the far end and covers the length too, so a payload that was cut wrongly does not pass.
 */
record Trade(long sequence, long price, int quantity) {
    static final int SMALLEST_PAYLOAD = 28;

    /** A length of 4 bytes in front of each. */
    static Codec<Trade, Trade> codec(int payloadLength) {
        return Codec.of(
                LengthFieldFraming.of(4), Trade::decode, (trade, out) -> trade.encode(out.buffer(), payloadLength));
    }

    static Trade decode(ByteBuf payload) {
        int length = payload.readableBytes();
        long checksum = payload.getLong(payload.readerIndex() + length - Long.BYTES);
        Trade trade = new Trade(payload.readLong(), payload.readLong(), payload.readInt());
        if (checksum != trade.checksum(length)) {
            throw new IllegalArgumentException("wrong checksum: " + trade + ", payloadLength=" + length);
        }
        return trade;
    }

    void encode(ByteBuf target, int payloadLength) {
        target.writeLong(sequence).writeLong(price).writeInt(quantity);
        target.writeZero(payloadLength - SMALLEST_PAYLOAD);
        target.writeLong(checksum(payloadLength));
    }

    private long checksum(int payloadLength) {
        return ((sequence * 31 + price) * 31 + quantity) * 31 + payloadLength;
    }
}
