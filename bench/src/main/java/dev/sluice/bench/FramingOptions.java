package dev.sluice.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What {@link FramingComparison} is told; {@link #HELP} says how.
 *
 * @param chunkings empty for the default choice, which differs by payload
 * @param seconds of one iteration
 * @param out empty for no file
 */
record FramingOptions(
        List<FrameFormat> framings,
        List<Integer> payloads,
        List<Chunking> chunkings,
        List<FramingWay> ways,
        int forks,
        int warmUps,
        int iterations,
        double seconds,
        String out) {
    static final String HELP = """
            Options, with their defaults:
              --framings %s
              --payloads 64,256,2560,65536   bytes of each payload
              --chunks some                  READS_64K for all payloads, ONE_FRAME and HALVES for 256 bytes only; or of
                                             %s those named, for all payloads
              --ways %s
                                             of %s; each where it has the framing
              --forks 1                      JVMs for each cell; the ways of a row have theirs one after the other
              --warm-ups 4                   iterations that do not count
              --iterations 5                 iterations that do
              --seconds 0.3                  of each
              --out none                     JSON file
            """.formatted(
                    names(FrameFormat.values(), FrameFormat::name),
                    names(Chunking.values(), Chunking::name),
                    FramingOptions.WAYS,
                    names(FramingWay.values(), FramingWay::method));

    private static final String WAYS = "reader,flux,nettyLoop,nettyChannel,pekko";
    private static final String SOME = "some";
    private static final String NONE = "none";

    /** For chunks that show what a frame's own costs are: longer ones would only take longer. */
    private static final int PAYLOAD_OF_OTHER_CHUNKS = 256;

    /** A row of the report: what is the same for all ways. */
    record Row(FrameFormat framing, int payload, Chunking chunks) {}

    static FramingOptions of(String[] args) {
        Arguments arguments = new Arguments(
                args,
                Set.of(
                        "--framings",
                        "--payloads",
                        "--chunks",
                        "--ways",
                        "--forks",
                        "--warm-ups",
                        "--iterations",
                        "--seconds",
                        "--out"));
        String chunks = arguments.text("--chunks", SOME);
        return new FramingOptions(
                list(
                        arguments.text("--framings", names(FrameFormat.values(), FrameFormat::name)),
                        FrameFormat::valueOf),
                list(arguments.text("--payloads", "64,256,2560,65536"), Integer::valueOf),
                chunks.equals(SOME) ? List.of() : list(chunks, Chunking::valueOf),
                list(arguments.text("--ways", WAYS), FramingWay::ofMethod),
                arguments.number("--forks", 1, 1),
                arguments.number("--warm-ups", 4, 0),
                arguments.number("--iterations", 5, 1),
                arguments.positive("--seconds", 0.3),
                arguments.text("--out", NONE).replaceFirst("^" + NONE + "$", ""));
    }

    private static <T> List<T> list(String list, Function<String, T> element) {
        return Stream.of(list.split(",", -1)).map(element).toList();
    }

    private static <T> String names(T[] values, Function<T, String> name) {
        return Arrays.stream(values).map(name).collect(Collectors.joining(","));
    }

    /** In the order of the report: by chunks, then by framing, then by payload. */
    List<Row> rows() {
        return Arrays.stream(Chunking.values())
                .flatMap(chunks -> framings.stream()
                        .flatMap(framing -> payloads.stream()
                                .filter(payload -> has(chunks, payload))
                                .map(payload -> new Row(framing, payload, chunks))))
                .toList();
    }

    private boolean has(Chunking chunks, int payload) {
        if (!chunkings.isEmpty()) {
            return chunkings.contains(chunks);
        }
        return switch (chunks) {
            case READS_64K -> true;
            case ONE_FRAME, HALVES -> payload == PAYLOAD_OF_OTHER_CHUNKS;
            case READS_1000 -> false;
        };
    }

    /** Those that have the framing, in the order given. */
    List<FramingWay> ways(Row row) {
        return ways.stream().filter(way -> way.has(row.framing())).toList();
    }
}
