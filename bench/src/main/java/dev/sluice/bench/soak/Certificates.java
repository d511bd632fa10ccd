package dev.sluice.bench.soak;

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
import javax.net.ssl.KeyManagerFactory;

/**
 * TLS for one run, by the JDK's provider and a key of its own.
 *
 * @param server for the side that accepts
 * @param client for the side that connects; believes everybody
 */
record Certificates(SslContext server, SslContext client) {
    private static final String PASSWORD = "password";

    static Certificates make() throws IOException, InterruptedException, GeneralSecurityException {
        Path directory = Files.createTempDirectory("soak");
        Path file = directory.resolve("key.p12");
        try {
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(selfSigned(file), PASSWORD.toCharArray());
            return new Certificates(
                    SslContextBuilder.forServer(keys)
                            .sslProvider(SslProvider.JDK)
                            .build(),
                    SslContextBuilder.forClient()
                            .sslProvider(SslProvider.JDK)
                            .trustManager(InsecureTrustManagerFactory.INSTANCE)
                            .build());
        } finally {
            Files.deleteIfExists(file);
            Files.delete(directory);
        }
    }

    private static KeyStore selfSigned(Path file) throws IOException, InterruptedException, GeneralSecurityException {
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        List<String> command = List.of(
                keytool,
                "-genkeypair",
                "-alias",
                "soak",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString());
        int status = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("keytool failed: status=" + status);
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }
}
