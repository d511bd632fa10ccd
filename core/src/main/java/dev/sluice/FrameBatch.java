package dev.sluice;

import io.netty.util.ReferenceCountUtil;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Messages of one drain, in order, as one signal. Owned by whoever receives it: it is never used again by the connection,
 * outlives the call that brought it, and may be passed to another thread, but is used by one thread at a time.
 *
 * <p>Every message that an iterator returns is the caller's; a later iterator goes on behind it. {@link #release()} frees
 * the rest, which matters for reference-counted messages only. Where batches may be dropped on the way, let {@code
 * .doOnDiscard(FrameBatch.class, FrameBatch::release)} see to that.
 *
 * @param <I> the messages
 */
public final class FrameBatch<I> implements Iterable<I> {
    private final @Nullable Object[] messages;
    private final int end;
    private int taken;

    /** Takes over the array, whose first {@code count} elements are the messages. */
    FrameBatch(@Nullable Object[] messages, int count) {
        this.messages = messages;
        this.end = count;
    }

    /** Messages that no iterator has returned yet. */
    public int size() {
        return end - taken;
    }

    @Override
    public Iterator<I> iterator() {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return taken < end;
            }

            @Override
            public I next() {
                if (taken == end) {
                    throw new NoSuchElementException("no message left in the batch: batchSize=" + end);
                }
                return take();
            }
        };
    }

    @Override
    public void forEach(Consumer<? super I> action) {
        while (taken < end) {
            action.accept(take());
        }
    }

    /** Releases the messages that no iterator has returned yet. Idempotent; for plain objects it only drops them. */
    public void release() {
        while (taken < end) {
            ReferenceCountUtil.release(take());
        }
    }

    @SuppressWarnings("unchecked") // the receiver that filled it has messages of type I
    private I take() {
        I message = (I) messages[taken];
        messages[taken++] = null;
        return message;
    }

    @Override
    public String toString() {
        return "FrameBatch{size=" + size() + "}";
    }
}
