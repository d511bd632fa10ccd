package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.netty.DisposableServer;

/** Messages over TLS. The server talks first, so its messages may come with the last bytes of the handshake. */
@Tag("paranoid")
class TlsTest {
    private static final String PASSWORD = "password";

    private static SslContext serverContext;
    private static SslContext clientContext;

    @BeforeAll
    static void makeContexts(@TempDir Path directory)
            throws IOException, InterruptedException, GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(selfSigned(directory.resolve("key.p12")), PASSWORD.toCharArray());
        serverContext =
                SslContextBuilder.forServer(keys).sslProvider(SslProvider.JDK).build();
        clientContext = SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .build();
    }

    @ParameterizedTest
    @EnumSource
    void talksBothWaysFromTheFirstBytesOn(Transport transport) {
        DisposableServer server = FrameServer.from(
                        transport.server().secure(spec -> spec.sslContext(serverContext)), Frames.NUMBERS)
                .handle(connection -> Flux.range(0, 100)
                        .flatMapSequential(connection::send)
                        .thenMany(connection.receive().concatMap(connection::send))
                        .then())
                .bindNow();
        for (int round = 0; round < 5; round++) {
            FrameConnection<Integer, Integer> client = FrameClient.from(
                            transport.client(server.port()).secure(spec -> spec.sslContext(clientContext)),
                            Frames.NUMBERS)
                    .connect()
                    .block(Await.LIMIT);
            Flux.range(100, 100).flatMapSequential(client::send).subscribe();
            List<Integer> received = client.receive().take(200).collectList().block(Await.LIMIT);
            assertThat(received).isEqualTo(Frames.range(0, 200));
            client.dispose();
            Await.completion(client.onDispose());
        }
        server.disposeNow();
    }

    private static KeyStore selfSigned(Path file) throws IOException, InterruptedException, GeneralSecurityException {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "test",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(keytool.waitFor(Await.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }
}
