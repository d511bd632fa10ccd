package dev.sluice.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import reactor.netty.DisposableServer;

class EchoTest {
    @Test
    void givesBackEachWord() {
        DisposableServer server = Echo.startServer();

        assertThat(Echo.talk(server.port(), "one", "", "drei äöü")).containsExactly("one", "", "drei äöü");
        server.disposeNow();
    }
}
