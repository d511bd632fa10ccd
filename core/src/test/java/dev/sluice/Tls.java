package dev.sluice;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.CertificateBuilder;

/** A server's and a client's side of TLS, by the JDK. */
final class Tls {
    static final SslContext SERVER;
    static final SslContext CLIENT;

    static {
        try {
            SERVER = server();
            CLIENT = client();
        } catch (Exception e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private Tls() {}

    private static SslContext server() throws Exception {
        return SslContextBuilder.forServer(new CertificateBuilder()
                        .subject("CN=localhost")
                        .setIsCertificateAuthority(true)
                        .buildSelfSigned()
                        .toKeyManagerFactory())
                .sslProvider(SslProvider.JDK)
                .build();
    }

    private static SslContext client() throws Exception {
        return SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .build();
    }

    static SslHandler serverHandler() {
        return SERVER.newHandler(ByteBufAllocator.DEFAULT);
    }

    static SslHandler clientHandler() {
        return CLIENT.newHandler(ByteBufAllocator.DEFAULT);
    }
}
