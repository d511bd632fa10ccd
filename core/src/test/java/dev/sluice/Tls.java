package dev.sluice;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;

/** A server's and a client's side of TLS, by the JDK. */
final class Tls {
    private static final String PASSWORD = "password";

    static final SslContext SERVER;
    static final SslContext CLIENT;

    static {
        try {
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            Path directory = Files.createTempDirectory("tls");
            Path file = directory.resolve("key.p12");
            keys.init(selfSigned(file), PASSWORD.toCharArray());
            Files.delete(file);
            Files.delete(directory);
            SERVER = SslContextBuilder.forServer(keys)
                    .sslProvider(SslProvider.JDK)
                    .build();
            CLIENT = SslContextBuilder.forClient()
                    .sslProvider(SslProvider.JDK)
                    .trustManager(InsecureTrustManagerFactory.INSTANCE)
                    .build();
        } catch (IOException | InterruptedException | GeneralSecurityException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private Tls() {}

    static SslHandler serverHandler() {
        return SERVER.newHandler(ByteBufAllocator.DEFAULT);
    }

    static SslHandler clientHandler() {
        return CLIENT.newHandler(ByteBufAllocator.DEFAULT);
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
        if (!keytool.waitFor(Await.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            throw new IOException("keytool did not end");
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }
}
