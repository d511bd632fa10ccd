package dev.sluice;

import reactor.core.CoreSubscriber;

/**
 * Gives batches: a full one as soon as it is full, the rest at the end of the drain. A batch forms in the ring, so that a
 * receiver that cancels meanwhile leaves its messages there.
 */
final class BatchReceiver<I> extends DirectReceiver<I, FrameBatch<I>> {
    private final int batchSize;

    BatchReceiver(Drain<I> drain, CoreSubscriber<? super FrameBatch<I>> actual, int batchSize) {
        super(drain, actual);
        this.batchSize = batchSize;
    }

    @Override
    Flow giveHeld() {
        return giveBatches(batchSize);
    }

    @Override
    Flow message(I message, int length) {
        drain.ring.offer(message, length);
        return giveBatches(batchSize);
    }

    @Override
    Flow drainEnd() {
        return giveBatches(1);
    }

    private Flow giveBatches(int smallest) {
        MessageRing<I> ring = drain.ring;
        while (wants() && ring.size() >= smallest) {
            give(ring.pollBatch(Math.min(ring.size(), batchSize)));
        }
        return flow();
    }
}
