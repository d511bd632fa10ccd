package dev.sluice.framing.test;

import dev.sluice.framing.Codec;
import dev.sluice.framing.Framing;
import dev.sluice.framing.FramingException;
import dev.sluice.framing.TruncatedFrameException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All ways of one stream with its expectation, as {@link FramerVerifier} describes them. */
final class Verification {
    private static final int LONGEST_CUT_EVERYWHERE = 4 * 1024;
    private static final int LONGEST_ENDED_BYTE_BY_BYTE = 512;
    private static final int PLACES_IN_LONGER = 256;
    private static final int RANDOM_CUTS = 64;

    private final Framing framing;
    private final byte[] stream;
    private final List<Object> expected;
    private final @Nullable Class<? extends FramingException> failure;
    private final long discardedFrames;
    private final int lookAhead;
    private final boolean openLast;
    private final long seed;

    Verification(
            Framing framing,
            byte[] stream,
            List<Object> expected,
            @Nullable Class<? extends FramingException> failure,
            long discardedFrames,
            int lookAhead,
            boolean openLast,
            long seed) {
        this.framing = framing;
        this.stream = stream;
        this.expected = expected;
        this.failure = failure;
        this.discardedFrames = discardedFrames;
        this.lookAhead = lookAhead;
        this.openLast = openLast;
        this.seed = seed;
    }

    /** Fails unless every way of the stream, and of its beginnings, gives what is expected. */
    void decode(Codec<?, ?> codec) {
        Result whole = run(codec, firstWay(stream), List.of(), true, this::checkExpected);
        List<Long> due = whole.frameEnds().stream()
                .limit(openLast ? whole.beforeEnd() : Long.MAX_VALUE)
                .map(end -> end + lookAhead)
                .toList();
        Consumer<Result> same = result -> {
            checkExpected(result);
            checkSame(whole, result);
        };
        cuts().flatMap(Way::all).forEach(way -> run(codec, way, due, true, same));
        places(stream.length - 1).forEach(length -> decodeBeginning(codec, Arrays.copyOf(stream, length), due));
    }

    private Stream<Cut> cuts() {
        Stream<Cut> equal = IntStream.of(1, 2, 3, 7, 64).mapToObj(length -> Cut.every(stream, length));
        Stream<Cut> random =
                LongStream.range(seed, seed + RANDOM_CUTS).mapToObj(i -> Cut.random(stream, i, 1 + (int) (i - seed)));
        return Stream.of(
                        Stream.of(Cut.none(stream), Cut.withEmptyOnes(List.of(stream))),
                        equal,
                        places(stream.length).mapToObj(at -> Cut.at(stream, at)),
                        random)
                .flatMap(cuts -> cuts);
    }

    /** All places from 0 to this one, or so many of them. */
    private IntStream places(int last) {
        return last <= LONGEST_CUT_EVERYWHERE
                ? IntStream.rangeClosed(0, last)
                : new Random(seed).ints(PLACES_IN_LONGER, 0, last + 1);
    }

    /** The input ends behind these bytes. */
    private void decodeBeginning(Codec<?, ?> codec, byte[] beginning, List<Long> due) {
        Result whole =
                run(codec, firstWay(beginning), due, true, result -> checkBeginning(result, beginning.length, due));
        Cut cut = beginning.length <= LONGEST_ENDED_BYTE_BY_BYTE
                ? Cut.every(beginning, 1)
                : Cut.random(beginning, seed, beginning.length / 8);
        run(
                codec,
                new Way(cut, Memory.DIRECT, false, Way.Reading.AT_ONCE),
                due,
                true,
                result -> checkSame(whole, result));
    }

    private static Way firstWay(byte[] bytes) {
        return new Way(Cut.none(bytes), Memory.HEAP, false, Way.Reading.AT_ONCE);
    }

    // ---- what must come out

    private void checkExpected(Result result) {
        List<Object> got = result.messages();
        for (int i = 0; i < Math.min(expected.size(), got.size()); i++) {
            if (!expected.get(i).equals(got.get(i))) {
                throw new AssertionError("wrong message: message=" + i + ", expected=" + Content.show(expected.get(i))
                        + ", got=" + Content.show(got.get(i)));
            }
        }
        if (!Objects.equals(failure, result.kind())) {
            throw new AssertionError(
                    "wrong end of the stream: expected=" + (failure == null ? "complete" : failure.getSimpleName())
                            + " behind " + Content.show(expected) + ", got=" + result);
        }
        if (got.size() != expected.size()) {
            throw new AssertionError(
                    "wrong number of messages: expected=" + Content.show(expected) + ", got=" + result);
        }
        if (result.discarded() != discardedFrames) {
            throw new AssertionError(
                    "wrong number of discarded frames: expected=" + discardedFrames + ", got=" + result.discarded());
        }
    }

    private static void checkSame(Result whole, Result result) {
        if (!result.isSameAs(whole)) {
            throw new AssertionError(
                    "another outcome than in one chunk: expected=" + whole + " with frames that end at "
                            + whole.frameEnds() + ", got=" + result + " with frames that end at " + result.frameEnds());
        }
    }

    private void checkBeginning(Result result, int length, List<Long> due) {
        List<Object> got = result.messages();
        if (isExpectedFailure(result)) {
            return;
        }
        long whole = due.stream().filter(end -> end <= length).count();
        boolean mayBeMore = openLast || lookAhead > 0;
        boolean begins =
                got.size() <= expected.size() && expected.subList(0, got.size()).equals(got);
        if (!(begins || (openLast && isOpenLast(got))) || (got.size() > whole && !mayBeMore)) {
            throw new AssertionError("a message is made of a part of its frame when the input ends: expected="
                    + Content.show(expected.subList(0, (int) whole)) + ", got=" + result);
        }
        if (got.size() < whole) {
            throw new AssertionError("whole messages are lost when the input ends behind them: expected="
                    + Content.show(expected.subList(0, (int) whole)) + ", got=" + result);
        }
        if (result.failure() != null && !(result.failure() instanceof TruncatedFrameException) && !openLast) {
            throw new AssertionError(
                    "wrong failure when the input ends inside a frame: expected=TruncatedFrameException," + " got="
                            + result);
        }
    }

    private boolean isExpectedFailure(Result result) {
        return failure != null
                && failure.equals(result.kind())
                && result.messages().equals(expected);
    }

    /** All but the last are as expected. */
    private boolean isOpenLast(List<Object> got) {
        int last = got.size() - 1;
        return last >= 0 && last <= expected.size() && expected.subList(0, last).equals(got.subList(0, last));
    }

    // ---- telling what went wrong

    private <M> Result run(Codec<M, ?> codec, Way way, List<Long> due, boolean ends, Consumer<Result> judge) {
        try {
            return Run.of(codec, way, due, ends, judge);
        } catch (Throwable e) {
            throw broken(way.toString(), way.cut().length(), e);
        }
    }

    /** Runs a part of the round trip. */
    void encode(String what, Runnable check) {
        try {
            check.run();
        } catch (Throwable e) {
            throw broken("round trip of " + what, stream.length, e);
        }
    }

    private AssertionError broken(String way, int length, Throwable e) {
        String what = e instanceof AssertionError ? String.valueOf(e.getMessage()) : e.toString();
        String framer = framing.newFramer().getClass().getName();
        return new AssertionError(
                what.replace(BoundedFraming.framerName(), framer)
                        + "\n  way:     " + way
                        + "\n  stream:  " + length + " of " + stream.length + " bytes: " + Content.show(stream)
                        + "\n  framing: " + framing,
                e);
    }
}
