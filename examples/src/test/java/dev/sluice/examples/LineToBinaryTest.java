package dev.sluice.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import reactor.netty.DisposableServer;

class LineToBinaryTest {
    @Test
    void talksInLinesAndThenInBytes() {
        DisposableServer server = LineToBinary.startServer();

        assertThat(LineToBinary.talk(server.port(), "a\nb\n", "", "\n")).containsExactly("HELLO", "OK", "4", "0", "1");
        server.disposeNow();
    }
}
