package dev.sluice;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/**
 * Gives batches: a full one as soon as it is full, the rest at the end of the drain. Messages that are not demanded wait in
 * the drain's ring, and so do those of a batch that forms when its receiver goes.
 */
final class BatchReceiver<I> extends DirectReceiver<I, FrameBatch<I>> {
    private static final int FIRST_CAPACITY = 16;

    private final int batchSize;
    /** The batch that forms. Behind its messages the ring has none as long as there is demand. */
    private @Nullable Object[] forming = {};

    private int[] lengths = {};
    private int formed;

    BatchReceiver(Drain<I> drain, CoreSubscriber<? super FrameBatch<I>> actual, int batchSize) {
        super(drain, actual);
        this.batchSize = batchSize;
    }

    @Override
    void giveHeld() {
        MessageRing<I> ring = drain.ring;
        while (wants() && !ring.isEmpty()) {
            int length = ring.oldestLength();
            add(ring.poll(), length);
        }
    }

    @Override
    public boolean message(I message, int payloadLength) {
        if (demands()) {
            add(message, payloadLength);
        } else {
            drain.ring.offer(message, payloadLength);
        }
        return goesOn();
    }

    private void add(I message, int length) {
        if (formed == forming.length) {
            grow();
        }
        forming[formed] = message;
        lengths[formed++] = length;
        if (formed == batchSize) {
            giveBatch();
        }
    }

    private void giveBatch() {
        FrameBatch<I> batch = new FrameBatch<>(forming, formed);
        // As large as the last one: batches of one drain tend to be full, those of small drains small.
        forming = new Object[formed];
        formed = 0;
        give(batch);
    }

    private void grow() {
        int capacity = Math.min(batchSize, Math.max(FIRST_CAPACITY, 2 * formed));
        forming = Arrays.copyOf(forming, capacity);
        if (lengths.length < capacity) {
            lengths = Arrays.copyOf(lengths, capacity);
        }
    }

    @Override
    boolean drainEnd() {
        giveHeld();
        while (formed > 0 && wants()) {
            giveBatch();
            giveHeld();
        }
        return goesOn();
    }

    @Override
    int held() {
        return formed;
    }

    @Override
    boolean isDrained() {
        return formed == 0;
    }

    /** The messages of the batch that forms are older than those in the ring. */
    @Override
    @SuppressWarnings("unchecked") // only add() fills it
    void handBack() {
        int behind = drain.ring.size();
        for (int i = 0; i < formed; i++) {
            drain.ring.offer((I) forming[i], lengths[i]);
        }
        drain.ring.rotate(behind);
        formed = 0;
        forming = new Object[0];
    }
}
