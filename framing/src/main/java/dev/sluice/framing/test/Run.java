package dev.sluice.framing.test;

import dev.sluice.framing.Codec;
import dev.sluice.framing.FrameReader;
import dev.sluice.framing.FramingException;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One stream of bytes, brought to a {@link FrameReader} in one way. Besides what comes out it looks at what must hold
 * in every run: messages stay what they were, every buffer is released once, inputs are never written to, a message is
 * there with its last byte, a terminal is the last thing.
 *
 * @param <M> the messages
 */
final class Run<M> {
    private static final byte[] BEHIND_THE_END = {1, 2, 3};

    private final Way way;
    private final List<Long> due;
    private final AtomicLong reports = new AtomicLong();
    private final CheckedAllocator allocator;
    private final FrameReader<M> reader;
    private final List<Input> inputs = new ArrayList<>();
    private final List<M> messages = new ArrayList<>();
    private final List<Object> contents = new ArrayList<>();
    private final List<Long> frameEnds = new ArrayList<>();
    private long fed;
    private int released;
    private @Nullable FramingException failure;

    private Run(Codec<M, ?> codec, Way way, List<Long> due) {
        this.way = way;
        this.due = due;
        this.allocator = new CheckedAllocator(way.memory() == Memory.DIRECT);
        Codec<M, ?> bounded = Codec.<M, Object>of(
                        new BoundedFraming(codec.framing(), way.cut()), codec.decoder(), (message, out) -> {})
                .listener((offset, length, limit) -> reports.incrementAndGet());
        this.reader = FrameReader.create(bounded, allocator);
    }

    /**
     * Brings the stream and says what came out.
     *
     * @param due bytes of the stream that must have come before the first, the second … message is there; as far as
     *     known
     * @param ends whether the input ends behind the last chunk, or stays silent
     * @param judge looks at the result while the messages are alive
     * @throws AssertionError if something does not hold
     */
    static <M> Result of(Codec<M, ?> codec, Way way, List<Long> due, boolean ends, Consumer<Result> judge) {
        Run<M> run = new Run<>(codec, way, due);
        try {
            return run.bringAll(ends, judge);
        } finally {
            run.drop();
        }
    }

    private Result bringAll(boolean ends, Consumer<Result> judge) {
        for (byte[] chunk : way.cut().chunks()) {
            bring(chunk);
            fed += chunk.length;
            checkNoStall();
        }
        int beforeEnd = contents.size();
        if (ends) {
            reader.endOfInput();
        }
        readAll();
        if (ends || failure != null) {
            bring(BEHIND_THE_END);
            readAll();
        }
        checkBytes(ends);
        Result result = new Result(List.copyOf(contents), List.copyOf(frameEnds), beforeEnd, failure, reports.get());
        judge.accept(result);
        reader.close();
        check(reader.bytesAtHand() == 0, "no bytes at hand after close");
        check(reader.discardedFrames() == reports.get(), "as many reports as discarded frames");
        checkMessages();
        checkBuffers();
        return result;
    }

    private void bring(byte[] chunk) {
        Input input = way.memory().of(chunk);
        inputs.add(input);
        if (way.borrowed()) {
            reader.feedBorrowed(input.buffer());
            read();
            reader.endDrain();
            check(input.isUnchanged(), "nothing was written to the chunk");
            if (input.buffer().refCnt() == 1) { // otherwise a message holds it
                input.overwrite();
            }
            input.buffer().release();
        } else {
            boolean ended = failure != null;
            reader.feed(input.buffer());
            check(!ended || input.refCnt() == 0, "chunk behind a failure is released at once");
            read();
        }
    }

    private void read() {
        switch (way.reading()) {
            case AT_ONCE -> readAll();
            case ONE_BY_ONE -> readOne();
            case LATE -> {}
        }
    }

    private void checkNoStall() {
        int next = contents.size();
        if (way.reading() == Way.Reading.AT_ONCE && failure == null && next < due.size() && due.get(next) <= fed) {
            throw new AssertionError("message not delivered although all of it is there: message=" + next
                    + ", bytesNeeded=" + due.get(next) + ", bytesThere=" + fed);
        }
    }

    private void readAll() {
        while (readOne()) {
            check(contents.size() <= way.cut().length() + BEHIND_THE_END.length, "no more frames than bytes");
        }
    }

    private boolean readOne() {
        boolean ready;
        M message;
        try {
            ready = reader.hasFrame();
            message = reader.read();
        } catch (FramingException e) {
            check(failure == null || failure == e, "the same failure each time");
            failure = e;
            return false;
        }
        check(failure == null, "nothing behind a failure");
        check(ready == (message != null), "hasFrame tells what read has");
        if (message == null) {
            return false;
        }
        messages.add(message);
        contents.add(Content.of(message));
        frameEnds.add(reader.streamOffset());
        return true;
    }

    private void checkBytes(boolean ended) {
        if (failure != null) {
            check(reader.bytesAtHand() == 0, "no bytes at hand after a failure");
            return;
        }
        long taken = reader.streamOffset() + reader.bytesAtHand();
        if (ended && taken < way.cut().length()) {
            throw new AssertionError("framer completed although bytes are left: bytesTaken=" + taken + ", streamLength="
                    + way.cut().length());
        }
        check(taken == way.cut().length(), "every byte is taken or at hand");
    }

    private void checkMessages() {
        for (int i = 0; i < messages.size(); i++) {
            Object content = Content.of(messages.get(i));
            if (!content.equals(contents.get(i))) {
                throw new AssertionError("message changed when the bytes it came from were used again: message=" + i
                        + ", expected=" + Content.show(contents.get(i)) + ", got=" + Content.show(content));
            }
        }
        releaseMessages();
    }

    private void checkBuffers() {
        for (int i = 0; i < inputs.size(); i++) {
            if (inputs.get(i).refCnt() > 0) {
                throw new AssertionError("chunk was not released: chunk=" + i + ", references="
                        + inputs.get(i).refCnt());
            }
            check(way.borrowed() || inputs.get(i).isUnchanged(), "nothing was written to chunk " + i);
        }
        long alive = allocator.alive();
        if (alive > 0) {
            throw new AssertionError("buffers for torn or unescaped frames were not released: buffers=" + alive);
        }
    }

    private void releaseMessages() {
        while (released < messages.size()) {
            ReferenceCountUtil.release(messages.get(released++));
        }
    }

    /** After a failure of the run itself, whose buffers are nobody else's leak. */
    private void drop() {
        quietly(reader::close);
        while (released < messages.size()) {
            quietly(this::releaseMessages);
        }
        inputs.forEach(Input::drop);
        allocator.drop();
    }

    /** Somebody may have released what was not his; the run has failed for that already. */
    private static void quietly(Runnable release) {
        try {
            release.run();
        } catch (RuntimeException e) {
            // See above.
        }
    }

    private void check(boolean right, String what) {
        if (!right) {
            throw new AssertionError("does not hold: " + what);
        }
    }
}
