package dev.sluice.bench;

/** Where a stream of frames is cut into chunks. */
public enum Chunking {
    /** Chunks of 64 KiB, each of which ends within a frame, but the last. */
    READS_64K(64 * 1024),
    /** Chunks of 1,000 bytes: a long frame comes in many. */
    READS_1000(1000),
    /** Each frame is a chunk. */
    ONE_FRAME(0),
    /** Each frame is cut in the middle: a chunk is the second half of one and the first half of the next. */
    HALVES(0);

    /** The first chunk is so much shorter, so that frames are cut whose length divides that of the chunks. */
    private static final int SHIFT = 32;

    private final int size;

    Chunking(int size) {
        this.size = size;
    }

    /**
     * Where chunks end; the last one at the end of the stream.
     *
     * @param frameEnds where frames end, in order
     */
    int[] ends(int[] frameEnds) {
        int length = frameEnds[frameEnds.length - 1];
        return switch (this) {
            case ONE_FRAME -> frameEnds;
            case HALVES -> {
                int[] ends = new int[frameEnds.length + 1];
                int begin = 0;
                for (int i = 0; i < frameEnds.length; i++) {
                    ends[i] = begin + (frameEnds[i] - begin) / 2;
                    begin = frameEnds[i];
                }
                ends[frameEnds.length] = length;
                yield ends;
            }
            case READS_64K, READS_1000 -> {
                int[] ends = new int[(length + SHIFT + size - 1) / size];
                for (int i = 0; i < ends.length; i++) {
                    ends[i] = Math.min((i + 1) * size - SHIFT, length);
                }
                yield ends;
            }
        };
    }
}
