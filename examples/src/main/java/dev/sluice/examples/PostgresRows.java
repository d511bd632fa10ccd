package dev.sluice.examples;

import dev.sluice.ConnectionStats;
import dev.sluice.examples.PostgresMessage.Row;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/** Rows of a real PostgreSQL as a {@code Flux}: as fast as they come, then slowly, while memory stays flat. */
public final class PostgresRows {
    private static final String HELP = """
            options of PostgresRows:
              --rows N         rows to select, 1 to 100000000; 1000000 unless given
              --host HOST      of a PostgreSQL that trusts its clients; unless given, one is started
              --port PORT      5432 unless given
              --user NAME      postgres unless given
              --database NAME  postgres unless given""";

    /** The slow consumer rests after so many rows. */
    private static final int BLOCK = 10_000;

    private static final Duration REST = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final PostgresClient client;
    private int heldMessagesMax;
    private long bytesAtHandMax;
    private long directMemoryMax;

    private PostgresRows(PostgresClient client) {
        this.client = client;
    }

    private boolean run(int rows, PrintStream out) {
        String select =
                "select i, (i::bigint * 7919) % 1000003 as v, md5(i::text) from generate_series(1, " + rows + ") i";
        out.println(select);
        long begin = System.nanoTime();
        long checksum = await(client.query(select).map(PostgresRows::v).reduce(0L, Long::sum));
        long rate = Math.round(rows * 1e9 / (System.nanoTime() - begin));
        out.println("as fast as they come: rows/s=" + rate + ", drains="
                + client.connection().stats().drains());

        out.println("and slowly: every " + BLOCK + " rows a rest of " + REST.toMillis() + " ms");
        long slowChecksum = await(client.query(select)
                .buffer(BLOCK)
                .concatMap(block -> Mono.delay(REST).map(t -> take(block)), 0) // 0: nothing is demanded during a rest
                .reduce(0L, Long::sum));
        out.println("reading stopped for lack of demand: pauses="
                + client.connection().stats().pauses());

        long serverChecksum = await(
                        client.query("select sum(v) from (" + select + ") t").single())
                .number(0);
        List.of(
                        "rows=" + rows,
                        "checksum=" + checksum,
                        "slow_checksum=" + slowChecksum,
                        "server_checksum=" + serverChecksum,
                        "rows_per_second=" + rate,
                        "slow_held_messages_max=" + heldMessagesMax,
                        "slow_bytes_at_hand_max=" + bytesAtHandMax,
                        "slow_direct_memory_max=" + directMemoryMax)
                .forEach(out::println);
        return checksum == serverChecksum && slowChecksum == serverChecksum;
    }

    private static long v(Row row) {
        return row.number(1);
    }

    /** At the end of a rest: all that could pile up has. */
    private long take(List<Row> block) {
        ConnectionStats stats = client.connection().stats();
        heldMessagesMax = Math.max(heldMessagesMax, stats.heldMessages());
        bytesAtHandMax = Math.max(bytesAtHandMax, stats.bytesAtHand());
        if (client.connection().channel().alloc() instanceof ByteBufAllocatorMetricProvider allocator) {
            directMemoryMax = Math.max(directMemoryMax, allocator.metric().usedDirectMemory());
        }
        return block.stream().mapToLong(PostgresRows::v).sum();
    }

    private static <T> T await(Mono<T> result) {
        return result.blockOptional(PATIENCE).orElseThrow();
    }

    // ---- the program

    /** Runs it; {@code --help} tells the options. Exits with 1 if rows are missing or wrong, with 2 if an option is. */
    public static void main(String[] args) {
        System.exit(run(args, System.out, System.err));
    }

    static int run(String[] args, PrintStream out, PrintStream err) {
        try {
            Arguments arguments = new Arguments(args, "--rows", "--host", "--port", "--user", "--database");
            if (arguments.wantsHelp()) {
                out.println(HELP);
                return 0;
            }
            int rows = arguments.number("--rows", 1_000_000, 1, 100_000_000);
            int port = arguments.number("--port", 5_432, 1, 65_535);
            String host = arguments.text("--host", "");
            String user = arguments.text("--user", "postgres");
            String database = arguments.text("--database", "postgres");
            if (!host.isEmpty()) {
                return run(PostgresClient.connect(host, port, user, database), rows, out);
            }
            out.println("starting a PostgreSQL");
            try (EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
                return run(PostgresClient.connect("localhost", postgres.getPort(), user, database), rows, out);
            }
        } catch (Arguments.Wrong e) {
            err.println(e.getMessage());
            err.println(HELP);
            return 2;
        } catch (IOException | RuntimeException e) {
            err.println("failed: " + Exceptions.unwrap(e));
            return 1;
        }
    }

    private static int run(Mono<PostgresClient> connect, int rows, PrintStream out) {
        PostgresClient client = await(connect);
        try {
            return new PostgresRows(client).run(rows, out) ? 0 : 1;
        } finally {
            client.close().block(PATIENCE);
        }
    }
}
