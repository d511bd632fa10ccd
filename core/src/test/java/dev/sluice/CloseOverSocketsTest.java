package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.netty.resources.LoopResources;

/** Closing in order and at once, as the peer sees it. */
@Tag("paranoid")
class CloseOverSocketsTest {
    private static final int KIB = 1024;

    /** With unread input a plain close would reset the connection and lose what was sent. */
    @ParameterizedTest
    @EnumSource
    void closeBringsThePeerAllThatWasSentAlthoughInputIsUnread(Transport transport) {
        try (Link<byte[], byte[]> link = Link.openNarrow(transport, Frames.BYTES, ConnectionOptions.DEFAULT)) {
            byte[] unread = Frames.numbers(0, 1_000, 1_000);
            int at = 0;
            for (int sent = -1; sent != 0 && at < unread.length; at += sent) {
                sent = link.peer.trySend(unread, at);
            }
            Await.until("held", () -> link.connection.stats().heldMessages() > 0);
            Probe<byte[]> held = Probe.demanding(0);
            link.connection.receive().subscribe(held);
            for (int i = 0; i < 16; i++) {
                link.connection.send(Frames.payload(i, 64 * KIB)).subscribe();
            }
            Probe<Void> closed = Probe.unbounded();
            link.connection.close().subscribe(closed);

            assertThat(Frames.decode(link.peer.receiveAll())).isEqualTo(Frames.range(0, 16));
            assertThat(closed.isTerminated()).as("waits for the peer's end").isFalse();
            link.peer.fin();
            closed.awaitCompletion();
            int messages = link.connection.stats().heldMessages();
            assertThat(held.isTerminated()).isFalse();
            held.request(messages);
            assertThat(held.awaitError())
                    .isInstanceOf(ConnectionClosedException.class)
                    .hasMessage("connection is closed: reason=CLOSED");
            assertThat(held.values()).hasSize(messages).isNotEmpty();
            assertThat(link.connection.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.CLOSED);
        }
    }

    @ParameterizedTest
    @EnumSource
    void closeDropsInputUntilThePeersEnd(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Void> closed = Probe.unbounded();
            link.connection.close().subscribe(closed);
            assertThat(link.peer.receiveAll()).isEmpty();
            for (int i = 0; i < 20; i++) {
                link.peer.send(new byte[64 * KIB]);
            }
            link.peer.fin();
            closed.awaitCompletion();
            assertThat(link.connection.stats().messagesIn()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void closesAtTheDeadline(Transport transport) {
        ConnectionOptions options = ConnectionOptions.DEFAULT.closeTimeout(Duration.ofMillis(50));
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS, options)) {
            Await.completion(link.connection.close());
            assertThat(link.connection.channel().isOpen()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void closesAtTheDeadlineWhenThePeerDoesNotRead(Transport transport) {
        ConnectionOptions options = ConnectionOptions.DEFAULT.closeTimeout(Duration.ofMillis(50));
        try (Link<ByteBuf, ByteBuf> link = Link.openNarrow(transport, Frames.SLICES, options)) {
            Queue<Integer> failed = new ConcurrentLinkedQueue<>();
            for (int i = 0; i < 100; i++) {
                int number = i;
                link.connection
                        .send(Unpooled.buffer().writeZero(64 * KIB))
                        .subscribe(done -> {}, error -> failed.add(number));
            }
            Await.completion(link.connection.close());
            Await.until("failed", () -> failed.contains(99));
            assertThat(List.copyOf(failed)).isSorted();
        }
    }

    @ParameterizedTest
    @EnumSource
    void closesAtOnceWhenThePeerHasEndedItsStream(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            link.peer.fin();
            probe.awaitCompletion();
            link.connection.send(1).subscribe();
            Await.completion(link.connection.close());
            assertThat(link.peer.receiveAll()).isEqualTo(Frames.numbers(1, 2));
        }
    }

    @ParameterizedTest
    @EnumSource
    void closeEndsWhenThePeerResets(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Void> closed = Probe.unbounded();
            link.connection.close().subscribe(closed);
            link.peer.receiveAll();
            link.peer.reset();
            closed.awaitCompletion();
        }
    }

    @ParameterizedTest
    @EnumSource
    void disposeFailsPendingSendsAndReceiver(Transport transport) {
        try (Link<ByteBuf, ByteBuf> link = Link.openNarrow(transport, Frames.SLICES, ConnectionOptions.DEFAULT)) {
            Probe<ByteBuf> receiver = Probe.demanding(0);
            link.connection.receive().subscribe(receiver);
            Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
            for (int i = 0; i < 100; i++) {
                link.connection.send(Unpooled.buffer().writeZero(64 * KIB)).subscribe(done -> {}, errors::add);
            }
            Await.until("full", () -> !link.connection.channel().isWritable());
            link.connection.dispose();
            assertThat(receiver.awaitError()).isInstanceOf(ConnectionClosedException.class);
            Await.until("errors", () -> errors.size() > 50);
            Await.completion(link.connection.onDispose());
            assertThat(errors).allMatch(error -> error instanceof ConnectionClosedException);
            link.connection.disposeNow(Duration.ofSeconds(5));
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesSendsOfOtherThreadsAtOnceWhenClosed(Transport transport) {
        try (Link<ByteBuf, ByteBuf> link = Link.open(transport, Frames.SLICES)) {
            link.connection.dispose();
            ByteBuf message = Unpooled.buffer();
            Probe<Void> reply = Probe.unbounded();
            link.connection.send(message).subscribe(reply);
            assertThat(reply.error()).isInstanceOf(ConnectionClosedException.class);
            assertThat(message.refCnt()).isZero();
        }
    }

    /** The loop is gone, with it every task: a late receiver drains on its own thread. */
    @ParameterizedTest
    @EnumSource
    void givesHeldMessagesWhenTheEventLoopHasEnded(Transport transport) {
        LoopResources loops = transport.newLoops(1);
        try (Link<ByteBuf, ByteBuf> link =
                Link.open(Frames.SLICES, ConnectionOptions.DEFAULT, 0, port -> transport.client(loops, port))) {
            link.peer.send(Frames.numbers(0, 100)).fin();
            Await.until("read", () -> link.connection.stats().heldMessages() == 64);
            Transport.end(loops);
            Await.until("ended", () -> link.connection.channel().eventLoop().isTerminated());

            Probe<ByteBuf> probe = Probe.demanding(10);
            link.connection.receive().subscribe(probe);
            assertThat(probe.count()).isEqualTo(10);
            probe.request(Long.MAX_VALUE);
            assertThat(probe.values().stream().map(Frames::take)).isEqualTo(Frames.range(0, probe.count()));
            assertThat(probe.count()).isGreaterThanOrEqualTo(64);
            assertThat(probe.isTerminated()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void terminatesEverySendWhenTheEventLoopEnds(Transport transport) {
        LoopResources loops = transport.newLoops(1);
        try (Link<ByteBuf, ByteBuf> link =
                Link.open(Frames.SLICES, ConnectionOptions.DEFAULT, 0, port -> transport.client(loops, port))) {
            Queue<Object> replies = new ConcurrentLinkedQueue<>();
            Thread sender = new Thread(() -> {
                for (int i = 0; i < 20_000; i++) {
                    link.connection
                            .send(Unpooled.buffer().writeInt(i))
                            .subscribe(done -> {}, replies::add, () -> replies.add("sent"));
                }
            });
            sender.start();
            Transport.end(loops);
            Await.until("replies", () -> replies.size() == 20_000);
            Probe<Void> late = Probe.unbounded();
            link.connection.send(Unpooled.buffer()).subscribe(late);
            assertThat(late.awaitError()).isInstanceOf(ConnectionClosedException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void cancelDisposesByPolicyFromAnotherThread(Transport transport) {
        ConnectionOptions options = ConnectionOptions.DEFAULT.cancelPolicy(CancelPolicy.CLOSE);
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS, options)) {
            link.peer.send(Frames.numbers(0, 10));
            List<Integer> first =
                    link.connection.receive().take(3).collectList().block(Await.LIMIT);
            assertThat(first).containsExactly(0, 1, 2);
            Await.completion(link.connection.onDispose());
        }
    }

    @Test
    void reportsResetAsItsIoException() {
        try (Link<Integer, Integer> link = Link.open(Transport.NIO, Frames.NUMBERS)) {
            link.peer.reset();
            assertThat(Await.error(link.connection.receive().then())).isInstanceOf(IOException.class);
            assertThat(Await.error(Flux.from(link.connection.receiveBatches()).then()))
                    .isInstanceOf(IOException.class);
        }
    }
}
