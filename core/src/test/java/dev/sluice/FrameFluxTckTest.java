package dev.sluice;

import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/** {@link FrameFlux#apply} with plain subscribers. */
@Test
public class FrameFluxTckTest extends StreamTck<Integer> {
    public FrameFluxTckTest() {
        super(false);
    }

    @Override
    Flux<Integer> stream(int elements) {
        return FrameFlux.owned(Frames.NUMBERS)
                .apply(Flux.range(0, elements).map(i -> Upstream.buffer(Frames.numbers(i, i + 1))));
    }

    @Override
    Flux<Integer> failedStream() {
        return FrameFlux.owned(Frames.NUMBERS).apply(Flux.error(new IllegalStateException("source")));
    }
}
