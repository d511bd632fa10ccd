package dev.sluice;

import static dev.sluice.Lines.BINARY;
import static dev.sluice.Lines.LINES;
import static dev.sluice.Lines.SWITCH;
import static dev.sluice.Lines.binary;
import static dev.sluice.Lines.join;
import static dev.sluice.Lines.lines;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** Switches on real sockets, from the event loop and from other threads, in every way to take messages. */
class SwitchOverSocketsTest {
    private enum Taking {
        MESSAGES {
            @Override
            <I> Flux<I> messages(FrameConnection<I, ?> connection) {
                return connection.receive();
            }
        },
        BATCHES {
            @Override
            <I> Flux<I> messages(FrameConnection<I, ?> connection) {
                return connection.receiveBatches().concatMapIterable(batch -> batch);
            }
        },
        FUSED_ON_THE_LOOP {
            @Override
            <I> Flux<I> messages(FrameConnection<I, ?> connection) {
                return connection.receive().flatMapIterable(List::of);
            }
        },
        FUSED_ON_ANOTHER_THREAD {
            @Override
            <I> Flux<I> messages(FrameConnection<I, ?> connection) {
                return connection.receive().publishOn(Schedulers.parallel());
            }
        },
        QUEUED_ON_ANOTHER_THREAD {
            @Override
            <I> Flux<I> messages(FrameConnection<I, ?> connection) {
                return connection.receive().hide().publishOn(Schedulers.parallel(), 3);
            }
        },
        HOP {
            @Override
            <I> Flux<I> messages(FrameConnection<I, ?> connection) {
                return connection.receiveOn(Schedulers.parallel());
            }
        };

        abstract <I> Flux<I> messages(FrameConnection<I, ?> connection);
    }

    private static Stream<Arguments> waysAndTransports() {
        return Stream.of(Taking.values())
                .flatMap(taking -> Stream.of(Transport.values()).map(transport -> Arguments.of(taking, transport)));
    }

    @ParameterizedTest
    @MethodSource("waysAndTransports")
    void switchesToAndFro(Taking taking, Transport transport) {
        ConnectionOptions options = ConnectionOptions.DEFAULT.prefetch(new Prefetch(4, 1_000));
        try (Link<String, String> link = Link.open(transport, LINES, options)) {
            List<String> sent = new ArrayList<>();
            byte[] stream = toAndFro(sent);
            CompletableFuture<Void> sending =
                    CompletableFuture.runAsync(() -> link.peer.send(stream).fin());
            AtomicBoolean binary = new AtomicBoolean();
            List<String> received = taking.messages(link.connection)
                    .doOnNext(message -> {
                        if (message.equals(SWITCH)) {
                            binary.set(!binary.get());
                            link.connection.switchTo(binary.get() ? BINARY : LINES);
                        }
                    })
                    .collectList()
                    .block(Await.LIMIT);
            assertThat(received).isEqualTo(sent);
            sending.join();
        }
    }

    private static byte[] toAndFro(List<String> sent) {
        Random random = new Random(3);
        List<byte[]> parts = new ArrayList<>();
        for (int section = 0; section < 200; section++) {
            List<String> messages = new ArrayList<>();
            for (int i = random.nextInt(30); i > 0; i--) {
                messages.add((section % 2 == 0 ? "line" : "\n\n") + section + "," + i);
            }
            messages.add(SWITCH);
            sent.addAll(messages);
            String[] all = messages.toArray(String[]::new);
            parts.add(section % 2 == 0 ? lines(all) : binary(all));
        }
        return join(parts.toArray(byte[][]::new));
    }

    @ParameterizedTest
    @MethodSource("waysAndTransports")
    void upgradesAndAnswersInBothProtocols(Taking taking, Transport transport) {
        try (Link<String, String> link = Link.open(transport, LINES)) {
            CompletableFuture<List<Integer>> numbers = new CompletableFuture<>();
            Flux<String> words = taking.messages(link.connection).doOnNext(word -> {
                if (word.equals(SWITCH)) {
                    link.connection.send("ok").subscribe();
                    FrameConnection<Integer, Integer> upgraded = link.connection.upgrade(Frames.NUMBERS);
                    upgraded.send(7).subscribe();
                    taking.messages(upgraded)
                            .collectList()
                            .subscribe(numbers::complete, numbers::completeExceptionally);
                }
            });
            CompletableFuture<List<String>> first = words.collectList().toFuture();
            link.peer
                    .send(join(lines("hello", SWITCH), Frames.numbers(0, 3_000)))
                    .fin();
            assertThat(first.join()).containsExactly("hello", SWITCH);
            assertThat(numbers.join()).isEqualTo(Frames.range(0, 3_000));
            byte[] answer = join(lines("ok"), Frames.numbers(7, 8));
            assertThat(link.peer.receive(answer.length)).isEqualTo(answer);
        }
    }

    @ParameterizedTest
    @EnumSource
    void readsNothingWhilePaused(Transport transport) {
        try (Link<String, String> link = Link.open(transport, LINES)) {
            Probe<String> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            link.peer.send(lines(SWITCH));
            probe.awaitCount(1);
            byte[] much = new byte[1 << 20];
            int taken = 0;
            for (int round = 0; round < 100; round++) {
                taken += link.peer.trySend(much, 0);
                link.onLoop(() -> {});
            }
            assertThat(taken).isPositive();
            assertThat(link.connection.stats().bytesIn()).isEqualTo(lines(SWITCH).length);
        }
    }

    @ParameterizedTest
    @EnumSource
    void judgesTheEndThatCameWhilePaused(Transport transport) {
        for (boolean bytesFollow : new boolean[] {false, true}) {
            try (Link<String, String> link = Link.open(transport, LINES)) {
                Probe<String> probe = Probe.unbounded();
                link.connection.receive().subscribe(probe);
                link.peer.send(bytesFollow ? join(lines(SWITCH), binary("\n")) : lines(SWITCH));
                probe.awaitCount(1);
                link.peer.fin();
                link.connection.switchTo(BINARY);
                probe.awaitCompletion();
                assertThat(probe.values()).isEqualTo(bytesFollow ? List.of(SWITCH, "\n") : List.of(SWITCH));
            }
        }
    }
}
