package dev.sluice.bench;

import dev.sluice.framing.MessageDecoder;
import io.netty.buffer.ByteBuf;

/**
 * The same decoding for all: reads the fields of a {@link Message} where the payload lies, and adds them up, so that the
 * sums of two receivers can be compared and no read can be left out. Used by one thread.
 */
final class PayloadDecoder implements MessageDecoder<Message> {
    /** The shortest payload that has all fields. */
    static final int LEAST_PAYLOAD = 8;

    private static final Message SHARED = new Message(0, (byte) 0);

    private final boolean fresh;
    private long sum;

    private PayloadDecoder(boolean fresh) {
        this.fresh = fresh;
    }

    /** Makes a message for each payload. */
    static PayloadDecoder fresh() {
        return new PayloadDecoder(true);
    }

    /** Answers one and the same message each time: then what is allocated is the receiver's doing. */
    static PayloadDecoder shared() {
        return new PayloadDecoder(false);
    }

    @Override
    public Message decode(ByteBuf payload) {
        int begin = payload.readerIndex();
        long id = payload.getLong(begin);
        byte last = payload.getByte(begin + payload.readableBytes() - 1);
        return message(id, last);
    }

    /** For those whose payloads are no {@code ByteBuf}. */
    Message message(long id, byte last) {
        sum += id ^ last;
        return fresh ? new Message(id, last) : SHARED;
    }

    /** Of the fields of all payloads since the last call. */
    long takeSum() {
        long taken = sum;
        sum = 0;
        return taken;
    }
}
