package dev.sluice.examples;

import dev.sluice.FrameClient;
import dev.sluice.FrameConnection;
import dev.sluice.examples.PostgresMessage.Authentication;
import dev.sluice.examples.PostgresMessage.ErrorResponse;
import dev.sluice.examples.PostgresMessage.FromServer;
import dev.sluice.examples.PostgresMessage.Query;
import dev.sluice.examples.PostgresMessage.ReadyForQuery;
import dev.sluice.examples.PostgresMessage.Row;
import dev.sluice.examples.PostgresMessage.StartUp;
import dev.sluice.examples.PostgresMessage.Terminate;
import dev.sluice.examples.PostgresMessage.ToServer;
import java.io.IOException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;

/** One session with a PostgreSQL that trusts its clients; one query at a time. */
record PostgresClient(FrameConnection<FromServer, ToServer> connection) {
    /** What the server says is wrong with a request; the next request may fare better. */
    static final class ServerException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ServerException(ErrorResponse error) {
            super("server says: " + error.message());
        }
    }

    static Mono<PostgresClient> connect(String host, int port, String user, String database) {
        return FrameClient.create(host, port, PostgresMessage.CODEC)
                .connect()
                .map(PostgresClient::new)
                .flatMap(client -> client.ask(new StartUp(user, database))
                        .then(Mono.just(client))
                        .doOnError(e -> client.connection.dispose()));
    }

    Flux<Row> query(String sql) {
        return ask(new Query(sql));
    }

    /**
     * Each answer has a receiver of its own: this one cancels at the answer's end, and the next goes on from there. So an
     * answer is to be taken whole; what a subscriber that cancels has not taken would be the beginning of the next.
     */
    private Flux<Row> ask(ToServer request) {
        return connection
                .send(request)
                .thenMany(connection.receive())
                .concatWith(Mono.error(() -> new IOException("server closed the connection before it had answered")))
                .handle(PostgresClient::toRows)
                .onErrorResume(ServerException.class, e -> restOfAnswer().then(Mono.error(e)));
    }

    private static void toRows(FromServer message, SynchronousSink<Row> rows) {
        if (message instanceof Row row) {
            rows.next(row);
        } else if (message instanceof ReadyForQuery) {
            rows.complete();
        } else if (message instanceof ErrorResponse error) {
            rows.error(new ServerException(error));
        } else if (message instanceof Authentication asked && !asked.isOk()) {
            rows.error(new IOException("server asks for a password, and this example gives none"));
        }
    }

    /** An error cancels its receiver, and what the server says behind it waits for another one. */
    private Flux<FromServer> restOfAnswer() {
        return connection.receive().takeUntil(ReadyForQuery.class::isInstance);
    }

    Mono<Void> close() {
        return connection.send(new Terminate()).onErrorComplete().then(connection.close());
    }
}
