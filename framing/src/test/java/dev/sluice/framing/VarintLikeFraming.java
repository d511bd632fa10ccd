package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** A header of one byte for payloads below 128, otherwise of four with the highest bit set: its length differs. */
final class VarintLikeFraming implements Framing {
    static final int LONGEST = 1 << 24;

    private final List<Long> lengths = new ArrayList<>();

    /** The lengths for which a header was written. */
    List<Long> lengths() {
        return lengths;
    }

    @Override
    public Framer newFramer() {
        return (unread, answer) -> {
            int begin = unread.readerIndex();
            int headerLength = unread.getByte(begin) >= 0 ? 1 : 4;
            if (unread.readableBytes() < headerLength) {
                answer.need(headerLength);
                return;
            }
            int payloadLength = headerLength == 1 ? unread.getByte(begin) : unread.getInt(begin) & Integer.MAX_VALUE;
            if (unread.readableBytes() < headerLength + payloadLength) {
                answer.need((long) headerLength + payloadLength);
            } else {
                answer.frame(headerLength + payloadLength, headerLength, payloadLength);
            }
        };
    }

    @Override
    public void encode(ByteBuf payload, ByteBuf target) {
        int length = payload.readableBytes();
        int header = headerLength(length);
        target.ensureWritable(header + length);
        setHeader(length, target, target.writerIndex());
        target.writerIndex(target.writerIndex() + header);
        target.writeBytes(payload, payload.readerIndex(), length);
    }

    @Override
    public int headerLength(long payloadLength) {
        return payloadLength < 128 ? 1 : 4;
    }

    @Override
    public void setHeader(long payloadLength, ByteBuf target, int index) {
        if (payloadLength > LONGEST) {
            throw new IllegalArgumentException(
                    "payload too long: payloadLength=" + payloadLength + ", limit=" + LONGEST);
        }
        lengths.add(payloadLength);
        if (payloadLength < 128) {
            target.setByte(index, (int) payloadLength);
        } else {
            target.setInt(index, (int) payloadLength | Integer.MIN_VALUE);
        }
    }

    @Override
    public String toString() {
        return "VarintLikeFraming";
    }
}
