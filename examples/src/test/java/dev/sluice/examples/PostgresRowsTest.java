package dev.sluice.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.examples.PostgresClient.ServerException;
import dev.sluice.examples.PostgresMessage.Row;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PostgresRowsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static EmbeddedPostgres postgres;

    @BeforeAll
    static void start() throws IOException {
        postgres = EmbeddedPostgres.start();
    }

    @AfterAll
    static void stop() throws IOException {
        postgres.close();
    }

    @Test
    void startsOneAndAgreesWithIt() {
        Run run = Run.of(PostgresRows::run, "--rows", "100000");

        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        double checksum = run.values().get("server_checksum");
        assertThat(run.values())
                .containsEntry("rows", 100_000.0)
                .containsEntry("checksum", checksum)
                .containsEntry("slow_checksum", checksum)
                .containsKeys("rows_per_second", "slow_bytes_at_hand_max", "slow_direct_memory_max");
        assertThat(run.values().get("slow_held_messages_max")).isBetween(1.0, 65.0);
    }

    @Test
    void tellsWhatTheServerSays() {
        Run run = Run.of(PostgresRows::run, "--host", "localhost", "--port", port(), "--database", "none");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).singleElement().asString().contains("server says: database \"none\" does not exist");
    }

    @Test
    void refusesWrongOptions() {
        Run run = Run.of(PostgresRows::run, "--rows", "-1");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).first().isEqualTo("--rows takes a whole number from 1 to 100000000, not: -1");
    }

    @Test
    void goesOnAfterAnError() {
        PostgresClient client = connect();

        assertThatThrownBy(() -> client.query("select 1 / 0").blockLast(PATIENCE))
                .isInstanceOf(ServerException.class)
                .hasMessage("server says: division by zero");
        assertThat(client.query("select 1").collectList().block(PATIENCE)).containsExactly(new Row(List.of("1")));
        client.close().block(PATIENCE);
    }

    @Test
    void isNotFooledByAnEndWithoutAnAnswer() {
        PostgresClient client = connect();
        PostgresClient other = connect();
        String pid = client.query("select pg_backend_pid()")
                .blockLast(PATIENCE)
                .columns()
                .get(0);

        other.query("select pg_terminate_backend(" + pid + ")").blockLast(PATIENCE);
        assertThatThrownBy(() -> client.query("select 1").blockLast(PATIENCE)).isNotNull();
        client.close().block(PATIENCE);
        other.close().block(PATIENCE);
    }

    private static PostgresClient connect() {
        return PostgresClient.connect("localhost", postgres.getPort(), "postgres", "postgres")
                .block(PATIENCE);
    }

    private static String port() {
        return String.valueOf(postgres.getPort());
    }
}
