package dev.sluice.bench;

import java.util.Map;

/**
 * What one row of {@link FramingComparison} has come to.
 *
 * @param cells by way, in the order of their runs; a way that has not the framing, or has failed, is missing
 */
record FramingResult(FramingOptions.Row row, Map<FramingWay, Cell> cells) {
    /**
     * One way's.
     *
     * @param nanos for a frame, over all iterations
     * @param allocatedBytes for a frame, by all threads
     */
    record Cell(Spread nanos, double allocatedBytes) {}
}
