package dev.sluice;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Operators;

/**
 * Messages on their way to another thread: the drain adds, one consumer at a time takes, and the drain can take back what
 * was not taken, while the consumer takes on. Each slot is emptied by one atomic exchange, so every message goes to
 * exactly one of them. A consumer that the drain itself calls needs none.
 *
 * <pre>
 *  written by the drain            published by                 read by the consumer behind
 *    ends, slot                      slot (release)               slot (acquire)
 *  written by the consumer         published by                 read by the drain behind
 *    slot = null, consumedBytes      consumed (release)           consumed (acquire)
 * </pre>
 *
 * <p><b>Capacity.</b> What the consumer has demanded and not taken, up to {@code maxAhead} messages and 4 MiB, and the
 * bounds of the prefetch beyond that. A message taken counts as demanded. The bounds are looked at before a message is
 * decoded, so the one that reaches a bound passes.
 *
 * <p><b>Growing.</b> The slots are as many as the bounds ask for. When the drain enlarges them it moves what has not been
 * taken, by the same exchange as the consumer, to the same indices of a new table, and publishes that. A consumer that looks
 * at an old slot meanwhile finds it empty; so the drain tells it afterwards that there is something to take.
 *
 * <p><b>Parking.</b> The drain that finds no room sets {@link #parked}, then looks again at what was taken and requested,
 * and stays parked until half of the capacity of the moment is free. A consumer that takes looks at {@code parked} without
 * a fence and may miss it just then; it looks again behind a fence when it finds the ring empty or has taken all that it
 * demanded, and a request, which is a volatile write, looks too.
 */
final class SpscRing<I> {
    private static final long MAX_AHEAD_BYTES = 4 * 1024 * 1024;
    /** Larger bounds than this, on either side of demand, are cut: each message has its slot. */
    private static final int MAX_BOUND = 32 * 1024;

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Object[].class);
    private static final VarHandle PRODUCED = longField(ProducerFields.class, "produced");
    private static final VarHandle CONSUMED = longField(ConsumerFields.class, "consumed");
    private static final AtomicLongFieldUpdater<RequestFields> REQUESTED =
            AtomicLongFieldUpdater.newUpdater(RequestFields.class, "requested");

    private static VarHandle longField(Class<?> owner, String name) {
        try {
            return MethodHandles.privateLookupIn(owner, MethodHandles.lookup()).findVarHandle(owner, name, long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // What each side writes lies between pads, in an object of its own: the other side reads the rest without waiting
    // for
    // a cache line.

    private static class Pad {
        @SuppressWarnings("unused")
        private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, pa, pb, pc, pd, pe;
    }

    private static class ProducerFields extends Pad {
        long produced;
        long producedBytes;
        long consumedSeen;
        long consumedBytesSeen;
        long requestedSeen;
    }

    private static final class Producer extends ProducerFields {
        @SuppressWarnings("unused")
        private long q0, q1, q2, q3, q4, q5, q6, q7, q8, q9, qa, qb, qc, qd, qe;
    }

    private static class ConsumerFields extends Pad {
        long consumed;
        long consumedBytes;
        /** Before so many are taken it cannot be low tide, unless more are requested: then the request looks. */
        long noLowTideBefore;
    }

    private static final class Consumer extends ConsumerFields {
        @SuppressWarnings("unused")
        private long q0, q1, q2, q3, q4, q5, q6, q7, q8, q9, qa, qb, qc, qd, qe;
    }

    private static class RequestFields extends Pad {
        volatile long requested;
    }

    private static final class Requests extends RequestFields {
        @SuppressWarnings("unused")
        private long q0, q1, q2, q3, q4, q5, q6, q7, q8, q9, qa, qb, qc, qd, qe;
    }

    /** A place for each message that may be held. */
    private static final class Table {
        final @Nullable Object[] slots;
        /** Bytes of all messages up to and with the one in the slot. */
        final long[] ends;

        final int mask;

        /** More than can be held, so that the end before the oldest message is never overwritten. */
        Table(int held) {
            int capacity = Integer.highestOneBit(Math.max(1, held)) << 1;
            slots = new Object[capacity];
            ends = new long[capacity];
            mask = capacity - 1;
        }
    }

    /** Replaced by the drain. Whoever has seen an index as produced, and reads this behind it, finds the index in it. */
    private volatile Table table;

    private final int maxAhead;
    private final Producer producer = new Producer();
    private final Consumer consumer = new Consumer();
    private final Requests requests = new Requests();

    // Written by the drain, seldom.
    private volatile int maxMessages;
    private volatile long maxBytes;
    private volatile boolean parked;
    private volatile boolean takenBack;

    SpscRing(Prefetch prefetch, int maxAhead) {
        this.maxMessages = Math.min(prefetch.messages(), MAX_BOUND);
        this.maxBytes = prefetch.bytes();
        this.maxAhead = Math.min(maxAhead, MAX_BOUND);
        this.table = new Table(maxMessages + this.maxAhead);
    }

    // ---- the drain

    /** Changes the bounds; whether the consumer has to be told, since it may have found the ring empty meanwhile. */
    boolean bounds(Prefetch prefetch) {
        int messages = Math.min(prefetch.messages(), MAX_BOUND);
        boolean grows = messages + maxAhead > table.mask;
        if (grows) {
            grow(messages + maxAhead);
        }
        maxMessages = messages;
        maxBytes = prefetch.bytes();
        return grows;
    }

    private void grow(int held) {
        Table old = table;
        Table larger = new Table(held);
        long oldest = (long) CONSUMED.getAcquire(consumer);
        // The ends of all indices that are looked at, the one before the oldest too; none of them is overwritten
        // meanwhile.
        for (long index = Math.max(0, oldest - 1); index < producer.produced; index++) {
            larger.ends[(int) index & larger.mask] = old.ends[(int) index & old.mask];
        }
        for (long index = oldest; index < producer.produced; index++) {
            larger.slots[(int) index & larger.mask] = SLOT.getAndSet(old.slots, (int) index & old.mask, null);
        }
        table = larger;
    }

    /** Adds a message; there is room. */
    void offer(I message, int length) {
        long index = producer.produced;
        Table t = table;
        int slot = (int) index & t.mask;
        producer.producedBytes += length;
        t.ends[slot] = producer.producedBytes;
        SLOT.setRelease(t.slots, slot, message);
        PRODUCED.setRelease(producer, index + 1);
    }

    boolean hasRoom() {
        long demandedEnd = producer.consumedSeen + ahead(producer.consumedSeen, producer.requestedSeen);
        if (producer.produced < demandedEnd && producer.producedBytes - producer.consumedBytesSeen < MAX_AHEAD_BYTES) {
            return true; // the usual case, by the shortest way
        }
        if (fits(producer.produced, producer.consumedSeen, producer.consumedBytesSeen, producer.requestedSeen)) {
            return true;
        }
        producer.consumedSeen = (long) CONSUMED.getVolatile(consumer);
        producer.consumedBytesSeen = consumer.consumedBytes;
        producer.requestedSeen = requests.requested;
        return fits(producer.produced, producer.consumedSeen, producer.consumedBytesSeen, producer.requestedSeen);
    }

    /** Bytes that fit before it is full, if enough messages are demanded. */
    long freeBytes() {
        boolean empty = (long) CONSUMED.getAcquire(consumer) == producer.produced;
        long heldBytes = empty ? 0 : producer.producedBytes - consumer.consumedBytes;
        return MAX_AHEAD_BYTES + maxBytes - heldBytes;
    }

    /** Whether a message may be decoded; if not, the drain is parked. */
    boolean hasRoomOrParks() {
        if (!parked && hasRoom()) {
            return true;
        }
        parked = true;
        if (isLowTide()) {
            parked = false;
            return true;
        }
        return false;
    }

    boolean isParked() {
        return parked;
    }

    /** Takes back what is left, in order, as the oldest of {@code target}. */
    void takeBack(MessageRing<I> target) {
        int younger = target.size();
        for (long index = (long) CONSUMED.getAcquire(consumer); index < producer.produced; index++) {
            int slot = (int) index & table.mask;
            I message = exchangeForNull(table.slots, slot);
            if (message != null) {
                target.offer(message, (int) (bytesUpTo(index + 1) - bytesUpTo(index)));
            }
        }
        target.rotate(younger);
        takenBack = true;
    }

    // ---- the consumer

    /** @param inDrain whether the drain is what calls, further up: then it neither takes back nor moves anything meanwhile */
    @Nullable I poll(boolean inDrain) {
        long index = consumer.consumed;
        Table t = table;
        int slot = (int) index & t.mask;
        @SuppressWarnings("unchecked") // only offer() fills it
        I message = (I) SLOT.getAcquire(t.slots, slot);
        if (message == null) {
            return null;
        }
        long end = t.ends[slot];
        if (inDrain) {
            SLOT.set(t.slots, slot, null);
        } else {
            message = exchangeForNull(t.slots, slot);
        }
        if (message != null) { // otherwise the drain has taken it back, or moved it
            consumer.consumedBytes = end;
            CONSUMED.setRelease(consumer, index + 1);
        }
        return message;
    }

    @SuppressWarnings("unchecked") // only offer() fills it
    private @Nullable I exchangeForNull(@Nullable Object[] slots, int slot) {
        return (I) SLOT.getAndSet(slots, slot, null);
    }

    /** Whether {@link #poll} would find none. */
    boolean hasNone() {
        Table t = table;
        return SLOT.getAcquire(t.slots, (int) consumer.consumed & t.mask) == null;
    }

    /** {@link #isLowTide()}, for the consumer, which asks behind each message. */
    boolean hasSunkToLowTide() {
        long consumed = consumer.consumed;
        if (consumed < consumer.noLowTideBefore) {
            return false;
        }
        if (isLowTide()) {
            return true;
        }
        long count = (long) PRODUCED.getAcquire(producer) - consumed;
        consumer.noLowTideBefore = consumed + count - (maxMessages + ahead(consumed, requests.requested)) / 2;
        return false;
    }

    // ---- any thread

    /** Messages added and neither taken nor taken back; one that is being taken counts. */
    int size() {
        // consumed first: it never passes produced
        long consumed = (long) CONSUMED.getVolatile(consumer);
        return takenBack ? 0 : (int) ((long) PRODUCED.getAcquire(producer) - consumed);
    }

    void request(long n) {
        Operators.addCap(REQUESTED, requests, n);
    }

    /** Requested and not taken. */
    long demanded() {
        long requested = requests.requested;
        return requested == Long.MAX_VALUE ? requested : Math.max(0, requested - (long) CONSUMED.getAcquire(consumer));
    }

    /** Whether half of the capacity of the moment is free. */
    boolean isLowTide() {
        long consumed = (long) CONSUMED.getVolatile(consumer);
        long consumedBytes = consumer.consumedBytes;
        long produced = (long) PRODUCED.getAcquire(producer);
        long requested = requests.requested;
        if (!fits(produced, consumed, consumedBytes, requested)) {
            return false;
        }
        long count = produced - consumed;
        long ahead = ahead(consumed, requested);
        if (count > (maxMessages + ahead) / 2) {
            return false;
        }
        return count < ahead
                ? bytesUpTo(produced) - consumedBytes <= (MAX_AHEAD_BYTES + maxBytes) / 2
                : bytesUpTo(produced) - bytesUpTo(consumed + ahead) <= maxBytes / 2;
    }

    /** Behind everything that this thread has done and before everything that it does now. */
    static void fence() {
        VarHandle.fullFence();
    }

    /** Whether one more may be held. Right too with values of the consumer's side that are old: it only takes more. */
    private boolean fits(long produced, long consumed, long consumedBytes, long requested) {
        long count = produced - consumed;
        long ahead = ahead(consumed, requested);
        if (bytesUpTo(produced) - consumedBytes >= MAX_AHEAD_BYTES + maxBytes) {
            return false;
        }
        return count < ahead
                // It would be held beyond demand.
                || (count - ahead < maxMessages && bytesUpTo(produced) - bytesUpTo(consumed + ahead) < maxBytes);
    }

    /** Messages that may be held because they are demanded. */
    private long ahead(long consumed, long requested) {
        return Math.min(Math.max(0, requested - consumed), maxAhead);
    }

    /** Bytes of all messages before this index, which is not before the oldest held. */
    private long bytesUpTo(long index) {
        Table t = table;
        return index == 0 ? 0 : t.ends[(int) (index - 1) & t.mask];
    }
}
