package dev.sluice;

import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/** {@link FrameFlux#batches} of one message each, with plain subscribers. */
@Test
public class FrameFluxBatchesTckTest extends StreamTck<FrameBatch<Integer>> {
    public FrameFluxBatchesTckTest() {
        super(false);
    }

    @Override
    Flux<FrameBatch<Integer>> stream(int elements) {
        return FrameFlux.owned(Frames.NUMBERS)
                .batches(Flux.range(0, elements).map(i -> Upstream.buffer(Frames.numbers(i, i + 1))), 1);
    }

    @Override
    Flux<FrameBatch<Integer>> failedStream() {
        return FrameFlux.owned(Frames.NUMBERS).batches(Flux.error(new IllegalStateException("source")));
    }
}
