package dev.sluice.framing;

import java.util.Arrays;

/** The brackets that are open, one bit each: set for a curly one. It grows with the depth that is reached. */
final class BracketStack {
    private static final long[] NONE = {};

    private int depth;
    /** The innermost 64, the last one lowest. */
    private long top;
    /** Those further out, by 64. */
    private long[] outer = NONE;

    int depth() {
        return depth;
    }

    void push(int curly) {
        if ((depth & 63) == 0 && depth > 0) {
            spill();
        }
        top = top << 1 | curly;
        depth++;
    }

    /** Takes off the last one; says whether it is of this kind. */
    boolean pop(int curly) {
        boolean same = (top & 1) == curly;
        depth--;
        top >>>= 1;
        if ((depth & 63) == 0 && depth > 0) {
            top = outer[(depth >>> 6) - 1];
        }
        return same;
    }

    private void spill() {
        int at = (depth >>> 6) - 1;
        if (at == outer.length) {
            outer = Arrays.copyOf(outer, Math.max(8, 2 * at));
        }
        outer[at] = top;
    }
}
