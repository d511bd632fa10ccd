package dev.sluice;

import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable;

/** A drain on an event loop that is one actor of a test. Its frames hold one byte each: 1, 2, 3, … */
final class StressDrain extends HandDrain<Integer> {
    StressDrain(Prefetch prefetch, int frames) {
        this(prefetch, frames, Integer.MAX_VALUE);
    }

    /** Pauses behind one of its frames. */
    StressDrain(Prefetch prefetch, int frames, int pauseAfter) {
        super(codec().pauseAfter(frame -> frame == pauseAfter), UnpooledByteBufAllocator.DEFAULT, prefetch);
        ByteBuf bytes = Unpooled.buffer(2 * frames);
        for (int i = 1; i <= frames; i++) {
            bytes.writeByte(1).writeByte(i);
        }
        takeTurn(bytes);
    }

    static Codec<Integer, Integer> codec() {
        return Codec.of(
                LengthFieldFraming.of(1),
                payload -> (int) payload.getByte(payload.readerIndex()),
                (message, out) -> out.buffer().writeByte(message));
    }

    @Override
    void runTasks() {
        onLoop();
        super.runTasks();
    }

    /** Writes down what it is given; never two signals at a time. */
    static final class Log implements CoreSubscriber<Integer> {
        private final int fusion;
        private final StringBuilder given = new StringBuilder();
        private volatile int terminals;
        Fuseable.QueueSubscription<Integer> subscription;

        Log(int fusion) {
            this.fusion = fusion;
        }

        @Override
        @SuppressWarnings("unchecked")
        public void onSubscribe(Subscription s) {
            subscription = (Fuseable.QueueSubscription<Integer>) s;
            if (fusion != Fuseable.NONE) {
                subscription.requestFusion(fusion);
            }
        }

        @Override
        public void onNext(Integer message) {
            if (message != null) {
                given.append(message);
            }
        }

        @Override
        public void onError(Throwable t) {
            terminals++;
        }

        @Override
        public void onComplete() {
            terminals++;
        }

        /** Polls once; what it got is written down. */
        boolean poll() {
            Integer message = subscription.poll();
            if (message == null) {
                return false;
            }
            given.append(message);
            return true;
        }

        int terminals() {
            return terminals;
        }

        /** The messages. */
        @Override
        public String toString() {
            return given.toString();
        }
    }

    Log subscribe(int fusion) {
        Log log = new Log(fusion);
        receive().subscribe(log);
        return log;
    }
}
