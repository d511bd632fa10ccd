package dev.sluice;

import reactor.core.CoreSubscriber;

/** Gives messages one by one: straight from the decoder while there is demand, so that the ring is passed by. */
final class MessageReceiver<I> extends Receiver<I, I> {
    MessageReceiver(Drain<I> drain, CoreSubscriber<? super I> actual) {
        super(drain, actual);
    }

    @Override
    Flow resume() {
        MessageRing<I> ring = drain.ring;
        while (wants() && !ring.isEmpty()) {
            give(ring.poll());
        }
        return flow();
    }

    @Override
    Flow message(I message, int length) {
        if (wants() && drain.ring.isEmpty()) {
            give(message);
            return flow();
        }
        drain.ring.offer(message, length);
        return resume();
    }

    @Override
    Flow drainEnd() {
        return flow();
    }
}
