package dev.sluice.testing;

import dev.sluice.framing.Codec;
import dev.sluice.framing.CorruptFrameException;
import dev.sluice.framing.FrameReader;
import dev.sluice.framing.FrameTooLongException;
import dev.sluice.framing.Framing;
import dev.sluice.framing.FramingException;
import dev.sluice.framing.TruncatedFrameException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One stream of bytes, brought to a {@link FrameReader} in one way. Besides what comes out it looks at what must hold in
 * every run: messages stay what they were, inputs are released once and never written to, a terminal is the last thing.
 *
 * @param <M> the messages
 */
public final class ReaderRun<M> {
    private static final byte[] BEHIND_THE_END = {1, 2, 3};

    private final Delivery delivery;
    private final End end;
    private final Function<? super M, String> content;
    private final Consumer<M> release;
    private final AtomicLong reports = new AtomicLong();
    private final FrameReader<M> reader;
    private final List<InputBuffer> inputs = new ArrayList<>();
    private final List<M> messages = new ArrayList<>();
    private final List<String> frames = new ArrayList<>();
    private @Nullable FramingException failure;

    private ReaderRun(
            Codec<M, ?> codec, Function<? super M, String> content, Consumer<M> release, Delivery delivery, End end) {
        this.delivery = delivery;
        this.end = end;
        this.content = content;
        this.release = release;
        this.reader = FrameReader.create(codec.listener((offset, length, limit) -> reports.incrementAndGet()));
    }

    /**
     * Fails unless this comes out of the stream, by payloads that are copied and by slices, in each of these deliveries.
     */
    public static void verify(Framing framing, Stream<Delivery> deliveries, End end, Outcome expected) {
        deliveries.forEach(delivery -> {
            check(delivery, "bytes", expected, bytes(framing, delivery, end));
            check(delivery, "slices", expected, slices(framing, delivery, end));
        });
    }

    /** What comes out with {@link Codec#bytes}. */
    public static Outcome bytes(Framing framing, Delivery delivery, End end) {
        Framing bounded = new BoundedFraming(framing, delivery.chunking());
        return new ReaderRun<>(Codec.bytes(bounded), ByteBufUtil::hexDump, message -> {}, delivery, end).run();
    }

    /** What comes out with {@link Codec#slices}. */
    public static Outcome slices(Framing framing, Delivery delivery, End end) {
        Framing bounded = new BoundedFraming(framing, delivery.chunking());
        return new ReaderRun<>(Codec.slices(bounded), ByteBufUtil::hexDump, ByteBuf::release, delivery, end).run();
    }

    private static void check(Delivery delivery, String codec, Outcome expected, Outcome actual) {
        if (!actual.equals(expected)) {
            throw new AssertionError(delivery + ", " + codec + ": expected " + expected + ", but got " + actual);
        }
    }

    private Outcome run() {
        for (byte[] chunk : delivery.chunking().chunks()) {
            bring(chunk);
        }
        if (end == End.COMPLETE) {
            reader.endOfInput();
        }
        readAll();
        if (end == End.COMPLETE || failure != null) {
            bring(BEHIND_THE_END);
            readAll();
        }
        String terminal = terminal();
        checkBytes();
        reader.close();
        check(reader.bytesAtHand() == 0, "bytes at hand after close");
        checkMessages();
        checkInputs();
        check(reader.discardedFrames() == reports.get(), "as many reports as discarded frames");
        return new Outcome(frames, terminal, reports.get());
    }

    private void bring(byte[] chunk) {
        InputBuffer input = delivery.kind().of(chunk);
        inputs.add(input);
        if (delivery.borrowed()) {
            reader.feedBorrowed(input.buffer());
            read();
            reader.endDrain();
            check(input.isUnchanged(), "chunk unchanged at the end of its drain");
            if (input.buffer().refCnt() == 1) { // otherwise a message holds it
                input.overwrite();
            }
            input.buffer().release();
        } else {
            boolean ended = failure != null;
            reader.feed(input.buffer());
            check(!ended || input.refCnt() == 0, "chunk released at once behind a failure");
            read();
        }
    }

    private void read() {
        switch (delivery.demand()) {
            case UNBOUNDED -> readAll();
            case ONE_BY_ONE -> readOne();
            case LATE -> {}
        }
    }

    private void readAll() {
        while (readOne()) {
            check(frames.size() <= delivery.chunking().length() + BEHIND_THE_END.length, "no more frames than bytes");
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
        frames.add(content.apply(message));
        return true;
    }

    private String terminal() {
        if (failure instanceof TruncatedFrameException) {
            return "TRUNCATED";
        }
        if (failure instanceof FrameTooLongException) {
            return "TOO_LONG";
        }
        if (failure instanceof CorruptFrameException) {
            return "CORRUPT";
        }
        return switch (end) {
            case COMPLETE -> "complete";
            case ERROR -> "SOURCE_ERROR";
            case OPEN -> "none";
        };
    }

    private void checkBytes() {
        long taken = reader.streamOffset() + reader.bytesAtHand();
        if (failure == null) {
            check(taken == delivery.chunking().length(), "every byte is taken or at hand");
            check(end != End.COMPLETE || reader.bytesAtHand() == 0, "no bytes at hand behind the end");
        } else {
            check(reader.bytesAtHand() == 0, "no bytes at hand after a failure");
        }
    }

    private void checkMessages() {
        for (int i = 0; i < messages.size(); i++) {
            check(content.apply(messages.get(i)).equals(frames.get(i)), "message " + i + " is still what it was");
            release.accept(messages.get(i));
        }
    }

    private void checkInputs() {
        for (int i = 0; i < inputs.size(); i++) {
            check(inputs.get(i).refCnt() == 0, "chunk " + i + " released");
            check(delivery.borrowed() || inputs.get(i).isUnchanged(), "chunk " + i + " unchanged");
        }
    }

    private void check(boolean right, String what) {
        if (!right) {
            throw new AssertionError(delivery + ": does not hold: " + what);
        }
    }
}
