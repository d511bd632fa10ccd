package dev.sluice.bench.soak;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.CertificateBuilder;

/**
 * TLS for one run, by the JDK's provider and a key of its own.
 *
 * @param server for the side that accepts
 * @param client for the side that connects; believes everybody
 */
record Certificates(SslContext server, SslContext client) {
    static Certificates make() throws Exception {
        return new Certificates(
                SslContextBuilder.forServer(new CertificateBuilder()
                                .subject("CN=localhost")
                                .setIsCertificateAuthority(true)
                                .buildSelfSigned()
                                .toKeyManagerFactory())
                        .sslProvider(SslProvider.JDK)
                        .build(),
                SslContextBuilder.forClient()
                        .sslProvider(SslProvider.JDK)
                        .trustManager(InsecureTrustManagerFactory.INSTANCE)
                        .build());
    }
}
