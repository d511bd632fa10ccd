package dev.sluice.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DemoTest {
    @ParameterizedTest
    @ValueSource(strings = {"nio", "default"})
    void endsWithWhatItHasMeasured(String transport) {
        Run run = Run.of(Demo::run, "--messages", "2000", "--rounds", "2", "--transport", transport);

        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        Map<String, Double> values = run.values();
        assertThat(values)
                .containsEntry("messages_per_round", 2000.0)
                .containsEntry("payload_bytes", 2560.0)
                .containsEntry("rounds", 2.0)
                .containsKeys("messages_per_second", "batch_messages_per_second", "reactor_netty_messages_per_second")
                .containsKeys("ratio_to_reactor_netty", "ratio_spread");
        assertThat(values.get("wakeups_per_100k")).isBetween(1.0, values.get("reads_per_100k"));
        assertThat(values.get("batch_signals_per_100k")).isBetween(values.get("batch_wakeups_per_100k"), 100_000.0);
        assertThat(values.get("held_messages_max")).isLessThanOrEqualTo(64);
    }

    @Test
    void printsAsciiOnly() {
        Run run = Run.of(Demo::run, "--messages", "1", "--payload", "28", "--rounds", "1");

        assertThat(run.exitCode()).isZero();
        assertThat(String.join("", run.out())).matches("\\p{Print}+");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --messages 0       | --messages takes a whole number from 1 to 100000000, not: 0
                    --payload 27       | --payload takes a whole number from 28 to 1048576, not: 27
                    --rounds many      | --rounds takes a whole number from 1 to 1000, not: many
                    --transport pigeon | --transport takes one of [nio, epoll, default], not: pigeon
                    --rounds           | option without a value: --rounds
                    --speed 9          | unknown option: --speed
                    """)
    void refusesWrongOptions(String args, String message) {
        Run run = Run.of(Demo::run, args.split(" "));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).first().isEqualTo(message);
        assertThat(run.err()).contains("options of Demo:");
    }

    @Test
    void helps() {
        Run run = Run.of(Demo::run, "--help");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).first().isEqualTo("options of Demo:");
    }

    @Test
    void noticesWrongContent() {
        ByteBuf payload = Unpooled.buffer();
        new Trade(1, 2, 3).encode(payload, 100);
        assertThat(Trade.decode(payload.duplicate())).isEqualTo(new Trade(1, 2, 3));

        assertThatThrownBy(() -> Trade.decode(payload.slice(0, 99))).hasMessageStartingWith("wrong checksum");
        payload.setByte(8, 1);
        assertThatThrownBy(() -> Trade.decode(payload)).hasMessageStartingWith("wrong checksum");
    }

    @Test
    void noticesWrongOrder() {
        Tally expected = new Tally();
        expected.add(new Trade(1, 0, 0));
        expected.add(new Trade(2, 0, 0));
        Tally tally = new Tally();
        tally.add(new Trade(2, 0, 0));
        tally.add(new Trade(1, 0, 0));

        assertThatThrownBy(() -> tally.check(expected))
                .hasMessageStartingWith("received something else than was sent: messages=2, expected=2, checksum=63");
    }
}
