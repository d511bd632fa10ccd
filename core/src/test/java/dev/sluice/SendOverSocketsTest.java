package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.Codec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.netty.resources.LoopResources;

/** Sending from other threads, and what a peer's kernel does to it. */
class SendOverSocketsTest {
    private static final int KIB = 1024;

    @ParameterizedTest
    @EnumSource
    void sendsInOrderOfSubscriptionsOfEachThread(Transport transport) {
        int threads = 4;
        int each = 2_000;
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Queue<Integer> replies = new ConcurrentLinkedQueue<>();
            List<Thread> senders = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int first = t * 1_000_000;
                senders.add(new Thread(() -> Flux.range(first, each)
                        .flatMap(number -> link.connection.send(number).doOnSuccess(done -> replies.add(number)), 500)
                        .blockLast(Await.LIMIT)));
            }
            senders.forEach(Thread::start);
            List<Integer> received = link.peer.receiveNumbers(threads * each);
            for (int t = 0; t < threads; t++) {
                int first = t * 1_000_000;
                assertThat(received.stream().filter(number -> number / 1_000_000 == first / 1_000_000))
                        .isEqualTo(Frames.range(first, first + each));
            }
            Await.until("replies", () -> replies.size() == threads * each);
            assertThat(replies).as("replies come in the order on the wire").containsExactlyElementsOf(received);
        }
    }

    /** A send on the event loop comes behind those that other threads have queued before it. */
    @ParameterizedTest
    @EnumSource
    void keepsOrderAcrossEventLoopAndOtherThreads(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            link.whileBlocked(() -> {
                for (int i = 0; i < 10; i++) {
                    link.connection.send(i).subscribe();
                }
                link.connection
                        .channel()
                        .eventLoop()
                        .execute(() -> link.connection.send(10).subscribe());
            });
            link.onLoop(() -> {});
            link.connection.send(11).subscribe();
            assertThat(link.peer.receiveNumbers(12)).isEqualTo(Frames.range(0, 12));
        }
    }

    @ParameterizedTest
    @EnumSource
    void takesOneTaskAndOneFlushHoweverManyOtherThreadsSend(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            SingleThreadEventExecutor loop =
                    (SingleThreadEventExecutor) link.connection.channel().eventLoop();
            link.whileBlocked(() -> {
                int before = loop.pendingTasks();
                for (int i = 0; i < 1_000; i++) {
                    link.connection.send(i).subscribe();
                }
                assertThat(loop.pendingTasks() - before).isEqualTo(1);
            });
            assertThat(link.peer.receiveNumbers(1_000)).isEqualTo(Frames.range(0, 1_000));
            assertThat(link.connection.stats().flushes()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void answersBusyWhenTheEventLoopDoesNotComeRound(Transport transport) {
        ConnectionOptions options = ConnectionOptions.DEFAULT.sendPolicy(
                SendPolicy.DEFAULT.maxPending(8_000).maxWaiting(192).watermarks(0, 1 << 30));
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS, options)) {
            AtomicInteger busy = new AtomicInteger();
            link.whileBlocked(() -> {
                for (int i = 0; i < 8_192 + 10; i++) {
                    link.connection.send(i).subscribe(done -> {}, error -> busy.incrementAndGet());
                }
                assertThat(busy).hasValue(10);
            });
            assertThat(link.peer.receiveNumbers(8_192)).isEqualTo(Frames.range(0, 8_192));
        }
    }

    @ParameterizedTest
    @EnumSource
    void withdrawsMessageThatIsCancelledBeforeTheLoopComesRound(Transport transport) {
        try (Link<ByteBuf, ByteBuf> link = Link.open(transport, Frames.SLICES)) {
            ByteBuf message = Unpooled.buffer().writeInt(1);
            link.whileBlocked(() -> {
                link.connection.send(Unpooled.buffer().writeInt(0)).subscribe();
                link.connection.send(message).subscribe().dispose();
                link.connection.send(Unpooled.buffer().writeInt(2)).subscribe();
            });
            assertThat(link.peer.receiveNumbers(2)).containsExactly(0, 2);
            assertThat(message.refCnt()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void waitsForAPeerThatDoesNotReadAndRefusesBeyondTheBound(Transport transport) {
        try (Link<byte[], byte[]> link = Link.openNarrow(transport, Frames.BYTES, ConnectionOptions.DEFAULT)) {
            Queue<Integer> sent = new ConcurrentLinkedQueue<>();
            AtomicInteger busy = new AtomicInteger();
            int count = 0;
            while (busy.get() == 0) {
                int number = count++;
                link.connection
                        .send(Frames.payload(number, 16 * KIB))
                        .subscribe(done -> {}, error -> busy.incrementAndGet(), () -> sent.add(number));
                if (!link.connection.channel().isWritable()) {
                    continue;
                }
                Await.until(
                        "encoded",
                        () -> link.connection.stats().messagesOut() > number
                                || !link.connection.channel().isWritable());
            }
            int accepted = count - 1;
            assertThat(accepted).isGreaterThanOrEqualTo(1024);
            assertThat(link.connection.stats().messagesOut())
                    .as("waiting ones are not encoded")
                    .isLessThan(accepted);

            byte[] all = link.peer.receive(accepted * (Frames.HEADER + 16 * KIB));
            assertThat(Frames.decode(all)).isEqualTo(Frames.range(0, accepted));
            Await.until("replies", () -> sent.size() == accepted);
            assertThat(sent).containsExactlyElementsOf(Frames.range(0, accepted));
        }
    }

    @ParameterizedTest
    @EnumSource
    void failsPendingSendsInOrderWhenThePeerResets(Transport transport) {
        try (Link<ByteBuf, ByteBuf> link = Link.openNarrow(transport, Frames.SLICES, ConnectionOptions.DEFAULT)) {
            Queue<Integer> replies = new ConcurrentLinkedQueue<>();
            Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
            List<ByteBuf> messages = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                int number = i;
                ByteBuf message = Unpooled.buffer().writeInt(i).writeZero(64 * KIB);
                messages.add(message);
                link.connection
                        .send(message)
                        .subscribe(
                                done -> {},
                                error -> {
                                    replies.add(number);
                                    errors.add(error);
                                },
                                () -> replies.add(number));
            }
            Await.until("full", () -> !link.connection.channel().isWritable());
            link.peer.reset();
            Await.until("replies", () -> replies.size() == 200);
            assertThat(replies).containsExactlyElementsOf(Frames.range(0, 200));
            assertThat(errors)
                    .isNotEmpty()
                    .allMatch(error -> error instanceof IOException || error instanceof ConnectionClosedException);
            Await.until("released", () -> messages.stream().allMatch(message -> message.refCnt() == 0));
            assertThat(Await.error(link.connection.send(Unpooled.buffer(1))))
                    .isInstanceOf(ConnectionClosedException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void sendsLargeMessagesWithoutLoss(Transport transport) {
        try (Link<byte[], byte[]> link = Link.open(transport, Frames.BYTES)) {
            int length = 3 * KIB * KIB;
            Flux.range(0, 10)
                    .concatMap(number -> link.connection.send(Frames.payload(number, length)))
                    .subscribe();
            byte[] all = link.peer.receive(10 * (Frames.HEADER + length));
            assertThat(Frames.decode(all)).isEqualTo(Frames.range(0, 10));
        }
    }

    /** Each reply sends the next: that must not grow the stack. (An embedded channel runs tasks inside each flush.) */
    @ParameterizedTest
    @EnumSource
    void sendsManyMessagesOneByOneFromReplies(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Void> probe = Probe.unbounded();
            Flux.range(0, 20_000).concatMap(link.connection::send).subscribe(probe);
            assertThat(link.peer.receiveNumbers(20_000)).isEqualTo(Frames.range(0, 20_000));
            probe.awaitCompletion();
        }
    }

    @ParameterizedTest
    @EnumSource
    void echoesWithOneFlushADrain(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.unbounded();
            link.connection
                    .receive()
                    .subscribe(probe.whenNext(
                            number -> link.connection.send(number).subscribe()));
            link.peer.send(Frames.numbers(0, 8_000));
            assertThat(link.peer.receiveNumbers(8_000)).isEqualTo(Frames.range(0, 8_000));
            ConnectionStats stats = link.connection.stats();
            assertThat(stats.flushes()).isLessThanOrEqualTo(stats.drains());
            assertThat(probe.values()).hasSize(8_000);
        }
    }

    /** An event loop reads from all channels that are ready before it comes to its tasks. */
    @ParameterizedTest
    @EnumSource
    void flushesAfterManyReadTurnsOfOtherConnections(Transport transport) {
        LoopResources loops = transport.newLoops(1);
        try (Link<Integer, Integer> link = open(transport, loops);
                Link<Integer, Integer> other = open(transport, loops)) {
            link.onLoop(() -> {
                link.connection.trySend(1);
                endReadTurns(other, 63);
                assertThat(link.connection.stats().flushes()).isZero();
                endReadTurns(other, 1);
                assertThat(link.connection.stats().flushes()).isEqualTo(1);
                link.connection.trySend(2);
                endReadTurns(other, 63);
                assertThat(link.connection.stats().flushes()).isEqualTo(1);
            });
            assertThat(link.peer.receiveNumbers(2)).containsExactly(1, 2);
            assertThat(link.connection.stats().flushes()).isEqualTo(2);
        } finally {
            Transport.end(loops);
        }
    }

    private static Link<Integer, Integer> open(Transport transport, LoopResources loops) {
        return Link.open(Frames.NUMBERS, ConnectionOptions.DEFAULT, 0, port -> transport.client(loops, port));
    }

    private static void endReadTurns(Link<?, ?> link, int count) {
        for (int i = 0; i < count; i++) {
            link.connection.channel().pipeline().fireChannelReadComplete();
        }
    }

    @ParameterizedTest
    @EnumSource
    void sendsUnframedMessagesAndAppendedPayloads(Transport transport) {
        Codec<Integer, ByteBuf> codec = Codec.of(Frames.FRAMING, ByteBuf::readInt, (message, out) -> {
            if (!message.isReadable()) {
                out.unframed();
                out.buffer().writeLong(80_877_103);
            } else {
                out.buffer().writeInt(7);
                out.append(message.retainedSlice());
            }
        });
        try (Link<Integer, ByteBuf> link = Link.open(transport, codec)) {
            link.connection.send(Unpooled.buffer()).subscribe();
            link.connection.send(Unpooled.buffer().writeZero(100_000)).subscribe();
            link.connection.send(Unpooled.buffer().writeZero(10)).subscribe();
            assertThat(link.peer.receive(8)).isEqualTo(Frames.hex("0000000004d2162f"));
            byte[] framed = link.peer.receive(4 + 100_004 + 4 + 14);
            assertThat(Frames.decode(framed)).containsExactly(7, 7);
        }
    }
}
