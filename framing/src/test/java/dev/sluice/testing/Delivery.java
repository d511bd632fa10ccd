package dev.sluice.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * One way to bring a stream of bytes to whoever frames it. What comes out is the same for all of them.
 *
 * @param chunking where the stream is cut
 * @param kind what its chunks lie in
 * @param borrowed whether chunks are lent for one drain each, or given away
 * @param demand when messages are asked for
 */
public record Delivery(Chunking chunking, BufferKind kind, boolean borrowed, Demand demand) {
    /**
     * The deliveries that every stream is tried with: its own chunks, one chunk and chunks of one byte in every kind of
     * buffer, owned and borrowed, with every demand; the other chunkings with one of these varied at a time.
     */
    public static Stream<Delivery> all(List<byte[]> chunks) {
        return Stream.concat(main(chunks), others(chunks));
    }

    /** The first group of {@link #all all}. */
    public static Stream<Delivery> main(List<byte[]> chunks) {
        return Stream.of(Chunking.own(chunks), Chunking.whole(chunks), Chunking.small(chunks))
                .flatMap(Delivery::everyPair);
    }

    /** This chunking in every kind of buffer, owned and borrowed, with every demand. */
    public static Stream<Delivery> everyPair(Chunking chunking) {
        return Arrays.stream(BufferKind.values())
                .flatMap(kind -> Arrays.stream(Demand.values())
                        .flatMap(demand -> Stream.of(false, true)
                                .map(borrowed -> new Delivery(chunking, kind, borrowed, demand))));
    }

    /** The second group of {@link #all all}. */
    public static Stream<Delivery> others(List<byte[]> chunks) {
        return Stream.concat(Stream.of(Chunking.withEmptyOnes(chunks)), Chunking.cutsInTwo(chunks))
                .flatMap(Delivery::oneAxisAtATime);
    }

    /** This chunking, with its buffers, their owner and the demand varied one at a time. */
    public static Stream<Delivery> oneAxisAtATime(Chunking chunking) {
        List<Delivery> deliveries = new ArrayList<>();
        for (BufferKind kind : BufferKind.values()) {
            deliveries.add(new Delivery(chunking, kind, false, Demand.UNBOUNDED));
        }
        for (Demand demand : Demand.values()) {
            deliveries.add(new Delivery(chunking, BufferKind.HEAP, true, demand));
        }
        deliveries.add(new Delivery(chunking, BufferKind.HEAP, false, Demand.ONE_BY_ONE));
        deliveries.add(new Delivery(chunking, BufferKind.HEAP, false, Demand.LATE));
        return deliveries.stream();
    }

    @Override
    public String toString() {
        return chunking.name() + ", " + kind + (borrowed ? ", borrowed, " : ", owned, ") + demand;
    }
}
