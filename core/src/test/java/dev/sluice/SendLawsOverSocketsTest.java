package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.Codec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.netty.resources.LoopResources;

/** One reply for each accepted send, in the order of sends, whatever becomes of the connection. */
class SendLawsOverSocketsTest {
    private static final int KIB = 1024;
    private static final int THREADS = 8;

    /** Numbers of a thread in the upper bits; hints are what is written. */
    private static final Codec<Long, Long> LONGS =
            Codec.of(Frames.FRAMING, ByteBuf::readLong, new dev.sluice.framing.MessageEncoder<Long>() {
                @Override
                public void encode(Long number, dev.sluice.framing.FrameWriter out) {
                    out.buffer().writeLong(number);
                }

                @Override
                public int sizeHint(Long number) {
                    return Long.BYTES;
                }
            });

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void keepsTheOrderOfCallsOnTheWireAndInRepliesForAnyMixOfThreads(Transport transport) throws Exception {
        int each = 100_000;
        int onLoop = 20_000;
        int fromReplies = 20_000;
        int all = THREADS * each + onLoop + fromReplies;
        try (Link<Long, Long> link = Link.open(transport, LONGS)) {
            List<Long> replies = new ArrayList<>(all); // by the event loop alone
            AtomicInteger replied = new AtomicInteger();
            AtomicInteger failed = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                long base = (long) t << 32;
                threads.add(new Thread(() -> {
                    for (int i = 0; i < each; ) {
                        long number = base | i;
                        SendResult result = link.connection.trySend(number, error -> {
                            replies.add(number);
                            replied.incrementAndGet();
                            if (error != null) {
                                failed.incrementAndGet();
                            }
                        });
                        if (result == SendResult.ACCEPTED) {
                            i++;
                        } else {
                            Await.completion(link.connection.writable());
                        }
                    }
                }));
            }
            Sequence loopSends = new Sequence(link.connection, 100L << 32, onLoop, replies, replied, false);
            Sequence replySends = new Sequence(link.connection, 101L << 32, fromReplies, replies, replied, true);
            threads.forEach(Thread::start);
            EventLoop loop = link.connection.channel().eventLoop();
            loop.execute(loopSends);
            loop.execute(replySends);

            byte[] wire = link.peer.receive(all * (Frames.HEADER + Long.BYTES));
            for (Thread thread : threads) {
                thread.join();
            }
            Await.until("replies", () -> replied.get() == all);
            List<Long> received = new ArrayList<>(all);
            ByteBuf in = Unpooled.wrappedBuffer(wire);
            while (in.isReadable()) {
                in.skipBytes(Frames.HEADER);
                received.add(in.readLong());
            }
            assertThat(failed).hasValue(0);
            assertThat(replies).as("replies in the order on the wire").isEqualTo(received);
            long[] next = new long[102];
            for (long number : received) {
                int thread = (int) (number >>> 32);
                assertThat(number & 0xffff_ffffL).isEqualTo(next[thread]++);
            }
            assertThat(link.connection.stats().pendingMessages()).isZero();
            assertThat(link.connection.stats().pendingBytes()).isZero();
            assertThat(link.connection.stats().messagesOut()).isEqualTo(all);
        }
    }

    /** Sends one after the other on the event loop: from tasks, or each from the reply to the one before. */
    private static final class Sequence implements Runnable {
        private final FrameConnection<?, Long> connection;
        private final long base;
        private final int count;
        private final List<Long> replies;
        private final AtomicInteger replied;
        private final boolean fromReplies;
        private int next;

        Sequence(
                FrameConnection<?, Long> connection,
                long base,
                int count,
                List<Long> replies,
                AtomicInteger replied,
                boolean fromReplies) {
            this.connection = connection;
            this.base = base;
            this.count = count;
            this.replies = replies;
            this.replied = replied;
            this.fromReplies = fromReplies;
        }

        @Override
        public void run() {
            if (next == count) {
                return;
            }
            long number = base | next;
            SendResult result = connection.trySend(number, error -> {
                replies.add(number);
                replied.incrementAndGet();
                if (fromReplies) {
                    run();
                }
            });
            if (result == SendResult.ACCEPTED) {
                next++;
            }
            if (result == SendResult.BUSY || !fromReplies) {
                connection.channel().eventLoop().execute(this);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void isBusyAtTheHighWatermarkAndStillJustAboveTheLow(Transport transport) {
        ConnectionOptions options = ConnectionOptions.DEFAULT.sendPolicy(
                SendPolicy.DEFAULT.watermarks(256 * KIB, 1024 * KIB).batchBytes(16 * KIB));
        try (Link<byte[], byte[]> link = Link.openNarrow(transport, Frames.BYTES, options)) {
            int accepted = fill(link, 16 * KIB);
            int frame = Frames.HEADER + 16 * KIB;
            int received = 0;
            long lowestBusy = Long.MAX_VALUE;
            long pending = link.connection.stats().pendingBytes();
            while (link.connection.trySend(new byte[0]) == SendResult.BUSY) {
                assertThat(pending).as("what was pending before, when busy").isGreaterThan(256 * KIB);
                lowestBusy = pending;
                link.peer.receive(frame);
                received++;
                pending = link.connection.stats().pendingBytes();
            }
            assertThat(link.connection.stats().pendingBytes())
                    .as("when no longer busy")
                    .isLessThanOrEqualTo(256 * KIB + Frames.HEADER);
            assertThat(lowestBusy).as("busy between the watermarks").isLessThan(1024 * KIB);
            byte[] rest = link.peer.receive((accepted - received) * frame + Frames.HEADER);
            assertThat(Frames.decode(Arrays.copyOf(rest, rest.length - Frames.HEADER)))
                    .isEqualTo(Frames.range(received, accepted));
        }
    }

    /** Until the kernel takes no more and the connection is busy; returns how many were accepted. */
    private static int fill(Link<?, byte[]> link, int length) {
        int accepted = 0;
        for (int busy = 0; busy < 5; busy++) {
            while (link.connection.trySend(Frames.payload(accepted, length)) == SendResult.ACCEPTED) {
                accepted++;
                busy = 0;
            }
            link.onLoop(() -> {}); // all has been offered to the kernel meanwhile
        }
        return accepted;
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void closesWhenAPeerDoesNotReadInTime(Transport transport) {
        ConnectionOptions options =
                ConnectionOptions.DEFAULT.sendPolicy(SendPolicy.DEFAULT.sendTimeout(Duration.ofMillis(200)));
        try (Link<ByteBuf, ByteBuf> link = Link.openNarrow(transport, Frames.SLICES, options)) {
            Replies replies = new Replies();
            List<ByteBuf> messages = new ArrayList<>();
            Await.completion(link.connection.send(Unpooled.buffer().writeInt(0)));
            int accepted = 0;
            for (int i = 0; i < 40; i++) {
                ByteBuf message = Unpooled.buffer().writeInt(i).writeZero(64 * KIB);
                messages.add(message);
                if (replies.trySend(link.connection, i, message) == SendResult.ACCEPTED) {
                    accepted++;
                } else {
                    message.release();
                }
            }
            replies.await(accepted);
            Await.completion(link.connection.onDispose());
            assertThat(replies.numbers()).isEqualTo(Frames.range(0, accepted));
            List<Throwable> errors = replies.errors();
            int first = errors.indexOf(errors.stream()
                    .filter(SendTimeoutException.class::isInstance)
                    .findFirst()
                    .orElseThrow());
            assertThat(errors.subList(0, first)).as("written").containsOnlyNulls();
            assertThat(errors.get(first))
                    .hasMessageMatching(
                            "message was not written in time: waited=PT(0\\.[2-9]|[1-9]).*S," + " limit=PT0\\.2S");
            assertThat(errors.subList(first + 1, accepted))
                    .isNotEmpty()
                    .allSatisfy(error -> assertThat(error)
                            .isInstanceOf(ConnectionClosedException.class)
                            .hasMessage("connection is closed: reason=SEND_TIMEOUT"));
            assertThat(link.connection.trySend(Unpooled.EMPTY_BUFFER)).isEqualTo(SendResult.CLOSED);
            assertThat(link.connection.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.SEND_TIMEOUT);
            assertThat(link.connection.stats().pendingBytes()).isZero();
            assertThat(link.connection.stats().pendingMessages()).isZero();
            assertThat(messages).allMatch(message -> message.refCnt() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void tellsTheTimeOutAndSendsOnWhenItDoesNotClose(Transport transport) {
        ConnectionOptions options = ConnectionOptions.DEFAULT.sendPolicy(
                SendPolicy.DEFAULT.sendTimeout(Duration.ofMillis(50)).closeOnTimeout(false));
        try (Link<byte[], byte[]> link = Link.openNarrow(transport, Frames.BYTES, options)) {
            Replies replies = new Replies();
            int accepted = 0;
            while (replies.trySend(link.connection, accepted, Frames.payload(accepted, 64 * KIB))
                    == SendResult.ACCEPTED) {
                accepted++;
            }
            replies.await(accepted);
            assertThat(replies.numbers()).isEqualTo(Frames.range(0, accepted));
            assertThat(replies.errors()).last().isInstanceOf(SendTimeoutException.class);

            byte[] all = link.peer.receive(accepted * (Frames.HEADER + 64 * KIB));
            assertThat(Frames.decode(all)).as("their bytes go out").isEqualTo(Frames.range(0, accepted));
            Await.completion(link.connection.writable());
            Await.completion(link.connection.send(Frames.payload(7, 10)));
            replies.await(accepted);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void leavesNoTimerBehindAfterManyQuickSends(Transport transport) {
        ConnectionOptions options =
                ConnectionOptions.DEFAULT.sendPolicy(SendPolicy.DEFAULT.sendTimeout(Duration.ofHours(1)));
        LoopResources loops = transport.newLoops(1);
        try (Link<Integer, Integer> link =
                Link.open(Frames.NUMBERS, options, 0, port -> transport.client(loops, port))) {
            Flux.range(0, 10_000)
                    .flatMap(number -> link.connection.send(number), 500)
                    .blockLast(Await.LIMIT);
            assertThat(link.peer.receiveNumbers(10_000)).hasSize(10_000);
            AtomicInteger scheduled = new AtomicInteger(-1);
            link.onLoop(() -> scheduled.set(scheduledTasks(link)));
            assertThat(scheduled).hasValue(0);
        }
        Transport.end(loops);
    }

    private static int scheduledTasks(Link<?, ?> link) {
        SingleThreadEventExecutor loop =
                (SingleThreadEventExecutor) link.connection.channel().eventLoop();
        try {
            var queue = io.netty.util.concurrent.AbstractScheduledEventExecutor.class.getDeclaredField(
                    "scheduledTaskQueue");
            queue.setAccessible(true);
            var tasks = (java.util.Collection<?>) queue.get(loop);
            return tasks == null ? 0 : tasks.size();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void failsAllInOrderWhenThePeersProcessIsKilled(Transport transport) throws Exception {
        int count = 10_000;
        ConnectionOptions options = ConnectionOptions.DEFAULT.sendPolicy(
                SendPolicy.DEFAULT.watermarks(1 << 29, 1 << 30).maxPending(2 * count));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        SilentPeer.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            BufferedReader out =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
            int port = Integer.parseInt(out.readLine());
            FrameConnection<ByteBuf, ByteBuf> connection = FrameClient.from(transport.client(port), Frames.SLICES)
                    .options(options)
                    .connect()
                    .block(Await.LIMIT);
            // What the kernel takes is sent; one message that it does not take whole holds up all behind it.
            Replies first = new Replies();
            ByteBuf large = Unpooled.buffer().writeZero(64 * 1024 * KIB);
            first.trySend(connection, -1, large);
            Replies replies = new Replies();
            List<ByteBuf> messages = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                ByteBuf message = Unpooled.buffer().writeInt(i).writeZero(100);
                messages.add(message);
                assertThat(replies.trySend(connection, i, message)).isEqualTo(SendResult.ACCEPTED);
            }
            Await.until("encoded", () -> connection.stats().messagesOut() == count + 1);
            assertThat(connection.stats().pendingMessages()).isEqualTo(count + 1);
            process.destroyForcibly();
            replies.await(count);
            first.await(1);
            assertThat(replies.numbers()).isEqualTo(Frames.range(0, count));
            assertThat(replies.errors()).doesNotContainNull();
            connection.dispose();
            Await.completion(connection.onDispose());
            Await.until("counted", () -> connection.stats().pendingBytes() == 0);
            assertThat(messages).allMatch(message -> message.refCnt() == 0);
            assertThat(large.refCnt()).isZero();
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void closeBringsASlowReaderAllAlthoughInputIsUnread(Transport transport) {
        try (Link<byte[], byte[]> link = Link.openNarrow(transport, Frames.BYTES, ConnectionOptions.DEFAULT)) {
            link.peer.send(Frames.numbers(0, 100, 1_000));
            Await.until("unread", () -> link.connection.stats().heldMessages() > 0);
            Replies replies = new Replies();
            for (int i = 0; i < 64; i++) {
                assertThat(replies.trySend(link.connection, i, Frames.payload(i, 16 * KIB)))
                        .isEqualTo(SendResult.ACCEPTED);
            }
            Probe<Void> closed = Probe.unbounded();
            link.connection.close().subscribe(closed);
            assertThat(link.connection.trySend(new byte[0])).isEqualTo(SendResult.CLOSED);
            for (int i = 0; i < 64; i++) {
                assertThat(Frames.decode(link.peer.receive(Frames.HEADER + 16 * KIB)))
                        .containsExactly(i);
            }
            assertThat(link.peer.receiveAll()).isEmpty();
            replies.await(64);
            assertThat(replies.errors()).containsOnlyNulls();
            link.peer.fin();
            closed.awaitCompletion();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void repliesToEveryAcceptedSendWhenTheLoopIsShutDownUnderEightThreads(Transport transport) throws Exception {
        for (int round = 0; round < 5; round++) {
            LoopResources loops = transport.newLoops(1);
            try (Link<ByteBuf, ByteBuf> link =
                    Link.open(Frames.SLICES, ConnectionOptions.DEFAULT, 0, port -> transport.client(loops, port))) {
                AtomicInteger accepted = new AtomicInteger();
                AtomicInteger replied = new AtomicInteger();
                AtomicInteger started = new AtomicInteger();
                AtomicReference<String> wrong = new AtomicReference<>();
                List<Thread> threads = new ArrayList<>();
                for (int t = 0; t < THREADS; t++) {
                    threads.add(new Thread(() -> {
                        AtomicInteger lastReply = new AtomicInteger(-1);
                        for (int i = 0; ; i++) {
                            int number = i;
                            ByteBuf message = Unpooled.buffer().writeInt(i);
                            SendResult result = link.connection.trySend(message, error -> {
                                if (lastReply.getAndSet(number) >= number) {
                                    wrong.set("reply out of order: number=" + number);
                                }
                                replied.incrementAndGet();
                            });
                            if (result != SendResult.ACCEPTED) {
                                message.release();
                            } else {
                                accepted.incrementAndGet();
                            }
                            if (result == SendResult.CLOSED) {
                                return;
                            }
                            if (i == 100) {
                                started.incrementAndGet();
                            }
                            if (result == SendResult.BUSY) {
                                link.connection.writable().onErrorComplete().block(Await.LIMIT);
                            }
                        }
                    }));
                }
                threads.forEach(Thread::start);
                Thread reader = new Thread(link.peer::drop);
                reader.start();
                Await.until("sending", () -> started.get() == THREADS);
                Transport.end(loops);
                for (Thread thread : threads) {
                    thread.join(Await.LIMIT.toMillis());
                    assertThat(thread.isAlive()).isFalse();
                }
                Await.until("replies", () -> replied.get() == accepted.get());
                assertThat(wrong.get()).isNull();
                assertThat(accepted.get()).isGreaterThan(THREADS * 100);
                reader.join(Await.LIMIT.toMillis());
            }
        }
    }
}
