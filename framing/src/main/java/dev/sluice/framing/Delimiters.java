package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;

/**
 * The automaton that finds the first of several delimiters to be completed, whatever the bytes, in one step a byte (Aho
 * and Corasick, Efficient String Matching, 1975). Immutable.
 *
 * <p>A state stands for the longest end of the bytes seen that begins a delimiter; {@link #START} for none. Since no
 * delimiter lies inside another but at its very end, only whole delimiters complete one, and where two end together the
 * state is that of the longer one. An automaton that starts at a frame's first byte never matches bytes before it.
 */
final class Delimiters {
    /** Nothing of a delimiter has been seen. */
    static final int START = 0;

    private final List<byte[]> delimiters;
    /** Of each byte value; 0 for those that no delimiter holds. */
    private final byte[] classes = new byte[256];

    private final int classCount;
    /** The next state, by state and class. */
    private final int[] next;
    /** Bytes of a delimiter seen, by state. */
    private final int[] begun;

    private final boolean[] complete;
    private final byte[] firstBytes;

    /**
     * @throws IllegalArgumentException if there is none, an empty one, one twice, or one inside another anywhere but at its
     *     very end
     */
    Delimiters(List<byte[]> delimiters) {
        this.delimiters = delimiters;
        check();
        int states = 1;
        int count = 1;
        for (byte[] delimiter : delimiters) {
            states += delimiter.length;
            for (byte value : delimiter) {
                if (classes[value & 0xff] == 0) {
                    classes[value & 0xff] = (byte) count++;
                }
            }
        }
        classCount = count;
        next = new int[states * classCount];
        begun = new int[states];
        complete = new boolean[states];
        addStates();
        addFallbacks();
        firstBytes = firstBytes();
    }

    private void check() {
        if (delimiters.isEmpty()) {
            throw new IllegalArgumentException("no delimiter: delimiters=0, limit=1");
        }
        for (int i = 0; i < delimiters.size(); i++) {
            if (delimiters.get(i).length == 0) {
                throw new IllegalArgumentException("empty delimiter: index=" + i + ", length=0, limit=1");
            }
            for (int j = 0; j < delimiters.size(); j++) {
                if (i != j) {
                    checkPair(delimiters.get(i), delimiters.get(j));
                }
            }
        }
    }

    private static void checkPair(byte[] one, byte[] other) {
        if (Arrays.equals(one, other)) {
            throw new IllegalArgumentException("delimiter given twice: delimiter=" + ByteBufUtil.hexDump(one));
        }
        for (int at = 0; at < other.length - one.length; at++) {
            if (Arrays.equals(one, 0, one.length, other, at, at + one.length)) {
                throw new IllegalArgumentException("delimiter inside another: delimiter=" + ByteBufUtil.hexDump(one)
                        + ", other=" + ByteBufUtil.hexDump(other) + ", index=" + at + ", limit="
                        + (other.length - one.length));
            }
        }
    }

    /** A state for each beginning of a delimiter, and the steps from one to the next. */
    private void addStates() {
        int states = 1;
        for (byte[] delimiter : delimiters) {
            int state = START;
            for (byte value : delimiter) {
                int step = step(state, value);
                if (next[step] == START) {
                    begun[states] = begun[state] + 1;
                    next[step] = states++;
                }
                state = next[step];
            }
            complete[state] = true;
        }
    }

    /** Where a delimiter does not go on: the steps of its longest proper end that begins one, shorter ones first. */
    private void addFallbacks() {
        int[] fallbacks = new int[begun.length];
        ArrayDeque<Integer> left = new ArrayDeque<>();
        left.add(START);
        while (!left.isEmpty()) {
            int state = left.remove();
            for (int group = 0; group < classCount; group++) {
                int step = state * classCount + group;
                int fallback = state == START ? START : next[fallbacks[state] * classCount + group];
                if (begun[next[step]] == begun[state] + 1) {
                    fallbacks[next[step]] = fallback;
                    left.add(next[step]);
                } else {
                    next[step] = fallback;
                }
            }
        }
    }

    private byte[] firstBytes() {
        byte[] values = new byte[delimiters.size()];
        int count = 0;
        for (int value = 0; value < classes.length; value++) {
            if (next(START, (byte) value) != START) {
                values[count++] = (byte) value;
            }
        }
        return Arrays.copyOf(values, count);
    }

    private int step(int state, byte value) {
        return state * classCount + (classes[value & 0xff] & 0xff);
    }

    /** The state behind this byte. */
    int next(int state, byte value) {
        return next[step(state, value)];
    }

    /** How many of the bytes seen begin a delimiter, or are one. */
    int begun(int state) {
        return begun[state];
    }

    /** Whether the bytes seen end with a delimiter. */
    boolean isComplete(int state) {
        return complete[state];
    }

    /** The one that is written. */
    byte[] first() {
        return delimiters.get(0);
    }

    /** A search for the bytes that lead away from {@link #START}. */
    ByteSearch newSearch() {
        return new ByteSearch(firstBytes);
    }

    /** Whether these bytes lead away from {@link #START} at all. */
    boolean mayBeginIn(ByteBuf bytes) {
        for (byte value : firstBytes) {
            if (bytes.bytesBefore(value) >= 0) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return delimiters.stream().map(ByteBufUtil::hexDump).toList().toString();
    }
}
