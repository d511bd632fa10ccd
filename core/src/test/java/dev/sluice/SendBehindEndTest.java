package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.EnumSource.Mode.EXCLUDE;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/**
 * The peer has ended its stream and reads on: what is sent to it waits for the kernel as ever. Not with Netty's io_uring
 * (4.2.17, Linux 6.18): there it waits for ever, though the kernel has room again.
 */
@Tag("paranoid")
class SendBehindEndTest {
    private static final int MESSAGES = 64;
    private static final int LENGTH = 64 * 1024;
    private static final int FRAME = Frames.HEADER + LENGTH;

    /** The kernel has no room, then has taken all, and then has no room again. */
    @ParameterizedTest
    @EnumSource(mode = EXCLUDE, names = "IO_URING")
    void writesMoreThanTheKernelTakesAgainAndAgain(Transport transport) {
        try (Link<byte[], byte[]> link = endedByThePeer(transport)) {
            for (int round = 0; round < 3; round++) {
                List<Probe<Void>> sends = send(link, round * MESSAGES);
                link.onLoop(() -> {});
                assertThat(sends.get(MESSAGES - 1).isTerminated())
                        .as("the kernel has taken all")
                        .isFalse();
                assertThat(Frames.decode(link.peer.receive(MESSAGES * FRAME)))
                        .isEqualTo(Frames.range(round * MESSAGES, (round + 1) * MESSAGES));
                sends.forEach(Probe::awaitCompletion);
            }
            assertThat(link.connection.channel().isOpen()).isTrue();
        }
    }

    /** Small ones, each by itself, do not wait; then there is no room. */
    @ParameterizedTest
    @EnumSource(mode = EXCLUDE, names = "IO_URING")
    void writesWhatTheKernelTakesAtOnceBeforeItIsFull(Transport transport) {
        try (Link<byte[], byte[]> link = endedByThePeer(transport)) {
            for (int i = 0; i < 10; i++) {
                Await.completion(link.connection.send(Frames.payload(i, 4)));
            }
            List<Probe<Void>> sends = send(link, 10);
            assertThat(Frames.decode(link.peer.receive(10 * 8 + MESSAGES * FRAME)))
                    .isEqualTo(Frames.range(0, 10 + MESSAGES));
            sends.forEach(Probe::awaitCompletion);
        }
    }

    /** The peer's end comes while the kernel has no room. */
    @ParameterizedTest
    @EnumSource(mode = EXCLUDE, names = "IO_URING")
    void goesOnWithWhatWaitedWhenTheEndCame(Transport transport) {
        try (Link<byte[], byte[]> link = Link.openNarrow(transport, Frames.BYTES, ConnectionOptions.DEFAULT)) {
            List<Probe<Void>> sends = send(link, 0);
            end(link);
            sends.addAll(send(link, MESSAGES));
            assertThat(Frames.decode(link.peer.receive(2 * MESSAGES * FRAME))).isEqualTo(Frames.range(0, 2 * MESSAGES));
            sends.forEach(Probe::awaitCompletion);
        }
    }

    /** The peer reads all the while, so that the kernel has room now and then. */
    @ParameterizedTest
    @EnumSource(mode = EXCLUDE, names = "IO_URING")
    void streamsToAPeerThatReadsAllTheWhile(Transport transport) {
        int count = 16 * MESSAGES;
        try (Link<byte[], byte[]> link = endedByThePeer(transport)) {
            CompletableFuture<List<Integer>> read = CompletableFuture.supplyAsync(() -> IntStream.range(0, count)
                    .mapToObj(i -> Frames.decode(link.peer.receive(FRAME)).get(0))
                    .toList());
            Await.completion(
                    link.connection.sendAll(Flux.range(0, count).map(number -> Frames.payload(number, LENGTH))));
            Await.blocking(read);
            assertThat(read).isCompletedWithValue(Frames.range(0, count));
        }
    }

    /** Both ends end in order, behind what waits. */
    @ParameterizedTest
    @EnumSource(mode = EXCLUDE, names = "IO_URING")
    void closesBehindWhatWaits(Transport transport) {
        try (Link<byte[], byte[]> link = endedByThePeer(transport)) {
            List<Probe<Void>> sends = send(link, 0);
            link.connection.close().subscribe();
            assertThat(Frames.decode(link.peer.receiveAll())).isEqualTo(Frames.range(0, MESSAGES));
            sends.forEach(Probe::awaitCompletion);
            Await.completion(link.connection.onDispose());
            assertThat(link.connection.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.PEER_CLOSED);
        }
    }

    /** As its bytes are flushed, and before. */
    @ParameterizedTest
    @EnumSource
    void failsWhatWaitsWhenItIsDisposed(Transport transport) {
        for (boolean flushed : new boolean[] {false, true}) {
            try (Link<byte[], byte[]> link = endedByThePeer(transport)) {
                AtomicInteger inactive = countInactive(link);
                List<Probe<Void>> sends = new ArrayList<>();
                link.onLoop(() -> {
                    sends.addAll(send(link, 0));
                    if (flushed) {
                        link.connection.channel().eventLoop().execute(link.connection::dispose);
                    } else {
                        link.connection.dispose();
                    }
                });
                Await.completion(link.connection.onDispose());
                assertThat(sends.get(MESSAGES - 1).awaitError()).isInstanceOf(ConnectionClosedException.class);
                Await.until("inactive", () -> inactive.get() == 1);
                assertThat(link.connection.onClose().block(Await.LIMIT)).isEqualTo(CloseReason.PEER_CLOSED);
            }
        }
    }

    /** Handlers of the user are told of the life of the channel, not of what is done to make it go on. */
    @ParameterizedTest
    @EnumSource
    void tellsNobodyOfRegistrations(Transport transport) {
        AtomicInteger registrations = new AtomicInteger();
        try (Link<byte[], byte[]> link = Link.openNarrow(transport, Frames.BYTES, ConnectionOptions.DEFAULT)) {
            link.connection.channel().pipeline().addFirst(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRegistered(ChannelHandlerContext ctx) {
                    registrations.getAndIncrement();
                }

                @Override
                public void channelUnregistered(ChannelHandlerContext ctx) {
                    if (ctx.channel().isOpen()) {
                        registrations.getAndIncrement();
                    }
                    ctx.fireChannelUnregistered();
                }
            });
            end(link);
            Await.completion(link.connection.send(new byte[4]));
            assertThat(link.peer.receive(8)).hasSize(8);
            assertThat(registrations).hasValue(0);
        }
    }

    private static AtomicInteger countInactive(Link<byte[], byte[]> link) {
        AtomicInteger inactive = new AtomicInteger();
        link.connection.channel().pipeline().addBefore("sluice.connection", null, new ChannelInboundHandlerAdapter() {
            @Override
            public void channelInactive(ChannelHandlerContext ctx) {
                inactive.getAndIncrement();
                ctx.fireChannelInactive();
            }
        });
        return inactive;
    }

    private static Link<byte[], byte[]> endedByThePeer(Transport transport) {
        Link<byte[], byte[]> link = Link.openNarrow(transport, Frames.BYTES, ConnectionOptions.DEFAULT);
        end(link);
        return link;
    }

    private static void end(Link<byte[], byte[]> link) {
        Probe<byte[]> received = Probe.unbounded();
        link.connection.receive().subscribe(received);
        link.peer.fin();
        received.awaitCompletion();
    }

    private static List<Probe<Void>> send(Link<byte[], byte[]> link, int first) {
        List<Probe<Void>> sends = new ArrayList<>();
        for (int number = first; number < first + MESSAGES; number++) {
            Probe<Void> sent = Probe.unbounded();
            link.connection.send(Frames.payload(number, LENGTH)).subscribe(sent);
            sends.add(sent);
        }
        return sends;
    }
}
