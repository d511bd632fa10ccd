package dev.sluice.framing.test;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * One way to bring a stream of bytes to a reader. What comes out is the same for all of them.
 *
 * @param cut where the stream is cut
 * @param memory what its chunks lie in
 * @param borrowed whether chunks are lent for one drain each, or given away
 * @param reading when messages are read
 */
record Way(Cut cut, Memory memory, boolean borrowed, Reading reading) {
    /** When messages are read. */
    enum Reading {
        /** Behind each chunk, all that are there. */
        AT_ONCE,
        /** Behind each chunk one, and all at the end. */
        ONE_BY_ONE,
        /** All at the end. */
        LATE
    }

    /** This cut in every kind of memory; on the heap also borrowed, and read later. */
    static Stream<Way> all(Cut cut) {
        List<Way> ways = new ArrayList<>();
        for (Memory memory : Memory.values()) {
            ways.add(new Way(cut, memory, false, Reading.AT_ONCE));
        }
        ways.add(new Way(cut, Memory.HEAP, true, Reading.AT_ONCE));
        ways.add(new Way(cut, Memory.HEAP, true, Reading.LATE));
        ways.add(new Way(cut, Memory.HEAP, false, Reading.ONE_BY_ONE));
        ways.add(new Way(cut, Memory.HEAP, false, Reading.LATE));
        return ways.stream();
    }

    @Override
    public String toString() {
        return cut.name() + ", " + memory + (borrowed ? ", borrowed" : ", owned") + ", read "
                + reading.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
