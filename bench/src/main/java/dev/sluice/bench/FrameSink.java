package dev.sluice.bench;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/**
 * Where all frames end, whoever has cut them: the same fields of each are decoded to one shared object, so that what is
 * allocated is not the messages, and these are counted. Used by one thread at a time.
 */
final class FrameSink {
    private final PayloadDecoder decoder = PayloadDecoder.shared();
    private final long expectedSum;
    private final Consumer<Message> consumer;
    private int messages;

    FrameSink(long expectedSum, Consumer<Message> consumer) {
        this.expectedSum = expectedSum;
        this.consumer = consumer;
    }

    /** For those who decode by themselves; what it decodes has to be {@link #taken taken}. */
    PayloadDecoder decoder() {
        return decoder;
    }

    void taken(Message message) {
        messages++;
        consumer.accept(message);
    }

    /** Decodes it first; it is released by the caller. */
    void takenPayload(ByteBuf payload) {
        taken(decoder.decode(payload));
    }

    /** At the end of the stream, when all messages must have come, and as they were sent. */
    void endOfStream() {
        int taken = messages;
        long sum = decoder.takeSum();
        messages = 0;
        if (taken != Chunks.FRAMES) {
            throw new IllegalStateException("frames are missing: messages=" + taken + ", expected=" + Chunks.FRAMES);
        }
        if (sum != expectedSum) {
            throw new IllegalStateException("other payloads: sum=" + sum + ", expected=" + expectedSum);
        }
    }
}
