package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.MessageDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

/** Which buffers sockets are read into, and that messages do not depend on it. */
@Tag("paranoid")
class ReadPathTest {
    private static final int MIB = 1 << 20;
    private static final LengthFieldFraming LARGE =
            LengthFieldFraming.builder().maxPayloadLength(16 * MIB).build();
    private static final ConnectionOptions SHARED = ConnectionOptions.DEFAULT;
    private static final ConnectionOptions OWN = ConnectionOptions.DEFAULT.shareReadBuffer(false);

    // ---- which

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IO_URING")
    void sharesBufferWhereDecoderKeepsNothing(Transport transport) {
        assertThat(receiveAllocator(transport, Frames.NUMBERS, SHARED)).isInstanceOf(Reads.class);
        assertThat(receiveAllocator(transport, Frames.BYTES, SHARED)).isInstanceOf(Reads.class);
    }

    /** It owns a buffer from long before a read to its end. */
    @Test
    void neverSharesBufferWithTheKernelOfIoUring() {
        assertThat(receiveAllocator(Transport.IO_URING, Frames.NUMBERS, SHARED)).isNotInstanceOf(Reads.class);
    }

    @ParameterizedTest
    @EnumSource
    void readsIntoOwnBuffersWhereMessagesKeepThem(Transport transport) {
        assertThat(receiveAllocator(transport, Frames.SLICES, SHARED)).isNotInstanceOf(Reads.class);
        assertThat(receiveAllocator(transport, Frames.NUMBERS, OWN)).isNotInstanceOf(Reads.class);
    }

    @ParameterizedTest
    @EnumSource
    void leavesReceiveAllocatorOfTheUser(Transport transport) {
        for (RecvByteBufAllocator chosen :
                List.of(new FixedRecvByteBufAllocator(4096), new AdaptiveRecvByteBufAllocator(64, 8192, 16 * 1024))) {
            try (Link<Integer, Integer> link = Link.open(
                    Frames.NUMBERS,
                    SHARED,
                    0,
                    port -> transport.client(port).option(ChannelOption.RECVBUF_ALLOCATOR, chosen))) {
                assertThat((Object) link.connection.channel().config().getRecvByteBufAllocator())
                        .isSameAs(chosen);
                link.peer.send(Frames.numbers(0, 1_000)).fin();
                assertThat(link.connection.receive().collectList().block(Await.LIMIT))
                        .isEqualTo(Frames.range(0, 1_000));
            }
        }
    }

    private static <I> RecvByteBufAllocator receiveAllocator(
            Transport transport, Codec<I, I> codec, ConnectionOptions options) {
        try (Peer.Listener listener = Peer.listen()) {
            FrameConnection<I, I> connection = FrameClient.from(transport.client(listener.port()), codec)
                    .options(options)
                    .connect()
                    .block(Await.LIMIT);
            RecvByteBufAllocator allocator = connection.channel().config().getRecvByteBufAllocator();
            listener.accept().close();
            connection.dispose();
            Await.completion(connection.onDispose());
            return allocator;
        }
    }

    // ---- what is read

    @ParameterizedTest
    @EnumSource
    void connectionsOfOneLoopDoNotDisturbEachOther(Transport transport) {
        int connections = 8;
        List<byte[]> sent = new ArrayList<>();
        List<Link<byte[], byte[]>> links = new ArrayList<>();
        List<CompletableFuture<List<byte[]>>> received = new ArrayList<>();
        try {
            for (int i = 0; i < connections; i++) {
                links.add(Link.open(transport, Codec.bytes(LARGE)));
                received.add(links.get(i)
                        .connection
                        .receive()
                        .limitRate(1 + i)
                        .collectList()
                        .toFuture());
                sent.add(randomFrames(new Random(i), 3_000));
            }
            CompletableFuture<?>[] senders = new CompletableFuture<?>[connections];
            for (int i = 0; i < connections; i++) {
                Peer peer = links.get(i).peer;
                byte[] bytes = sent.get(i);
                senders[i] = CompletableFuture.runAsync(() -> sendInPieces(peer, bytes));
            }
            for (int i = 0; i < connections; i++) {
                List<byte[]> messages = Mono.fromFuture(received.get(i)).block(Await.LIMIT);
                assertThat(messages).hasSize(3_000);
                assertThat(concatenated(messages)).isEqualTo(sent.get(i));
            }
            CompletableFuture.allOf(senders).join();
        } finally {
            links.forEach(Link::close);
        }
    }

    /** A decoder that keeps what it promised not to keep costs the loop its buffer, and nobody their bytes. */
    @ParameterizedTest
    @EnumSource
    void survivesDecoderThatKeepsPayloadsAgainstItsWord(Transport transport) {
        MessageDecoder<ByteBuf> lying = ByteBuf::retainedSlice;
        Codec<ByteBuf, Void> codec = Codec.decoding(Frames.FRAMING, lying);
        try (Link<ByteBuf, Void> link = Link.open(transport, codec)) {
            assertThat(lying.keepsPayload()).isFalse();
            Probe<ByteBuf> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            for (int i = 0; i < 50; i++) {
                link.peer.send(Frames.numbers(100 * i, 100 * i + 100));
                probe.awaitCount(100 * i + 100);
            }
            List<Integer> numbers = new ArrayList<>();
            for (ByteBuf kept : probe.values()) {
                numbers.add(kept.getInt(kept.readerIndex()));
                kept.release();
            }
            assertThat(numbers).isEqualTo(Frames.range(0, 5_000));
        }
    }

    @ParameterizedTest
    @CsvSource({"NIO, 100000", "NIO, 300000", "NIO, 8388608", "EPOLL, 100000", "EPOLL, 300000", "EPOLL, 8388608"})
    void readsLargeFrames(Transport transport, int length) {
        try (Link<byte[], byte[]> link = Link.open(transport, Codec.bytes(LARGE))) {
            Probe<byte[]> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            Random random = new Random(length);
            List<byte[]> payloads = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                byte[] payload = new byte[length + i];
                random.nextBytes(payload);
                payloads.add(payload);
                link.peer.send(frame(payload));
            }
            link.peer.fin();
            probe.awaitCompletion();
            assertThat(probe.values()).usingElementComparator(Arrays::compare).isEqualTo(payloads);
            assertThat(link.connection.stats().bytesIn())
                    .isEqualTo(payloads.stream()
                            .mapToLong(payload -> 4 + payload.length)
                            .sum());
            assertThat(link.connection.stats().bytesAtHand()).isZero();
        }
    }

    /** Native transports cannot read into the arrays that such an allocator makes large frames of. */
    @ParameterizedTest
    @EnumSource
    void readsLargeFramesWithAnAllocatorThatPrefersArrays(Transport transport) {
        UnpooledByteBufAllocator arrays = new UnpooledByteBufAllocator(false);
        try (Link<byte[], byte[]> link = Link.open(
                Codec.bytes(LARGE),
                SHARED,
                0,
                port -> transport.client(port).option(ChannelOption.ALLOCATOR, arrays))) {
            byte[] payload = new byte[3 * MIB];
            new Random(3).nextBytes(payload);
            Probe<byte[]> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            link.peer.send(frame(payload)).send(frame(payload)).fin();
            probe.awaitCompletion();
            assertThat(probe.values()).usingElementComparator(Arrays::compare).containsExactly(payload, payload);
        }
    }

    @ParameterizedTest
    @EnumSource
    void failsOnEndAndOnResetInsideLargeFrame(Transport transport) {
        byte[] frame = frame(new byte[4 * MIB]);
        try (Link<byte[], byte[]> link = Link.open(transport, Codec.bytes(LARGE))) {
            link.peer.send(Arrays.copyOf(frame, 2 * MIB)).fin();
            Probe<byte[]> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            assertThat(probe.awaitError()).hasMessageStartingWith("input ended inside a frame");
        }
        try (Link<byte[], byte[]> link = Link.open(transport, Codec.bytes(LARGE))) {
            Probe<byte[]> probe = Probe.unbounded();
            link.connection.receive().subscribe(probe);
            link.peer.send(Arrays.copyOf(frame, 2 * MIB));
            Await.until("half of it is read", () -> link.connection.stats().bytesAtHand() == 2 * MIB);
            link.peer.reset();
            assertThat(probe.awaitError()).isInstanceOf(IOException.class);
        }
    }

    /** Bytes at hand are a copy of their own, and as many as one read may bring. */
    @ParameterizedTest
    @EnumSource
    void keepsBytesOfStalledConnectionsApart(Transport transport) {
        List<Link<Integer, Integer>> links = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS);
                links.add(link);
                link.peer.send(Frames.numbers(1_000 * i, 1_000 * i + 1_000));
                Await.until("ring is full", () -> link.connection.stats().heldMessages() == 64);
                assertThat(link.connection.stats().bytesAtHand()).isLessThanOrEqualTo(ReadBuffer.SIZE);
            }
            for (int i = 0; i < 20; i++) {
                assertThat(links.get(i)
                                .connection
                                .receive()
                                .take(1_000)
                                .collectList()
                                .block(Await.LIMIT))
                        .isEqualTo(Frames.range(1_000 * i, 1_000 * i + 1_000));
            }
        } finally {
            links.forEach(Link::close);
        }
    }

    // ---- the drain's budget

    /** Bytes at hand that are decoded without a read must not keep the loop from others. */
    @ParameterizedTest
    @EnumSource
    void resumedRunLetsOthersHaveTheirTurn(Transport transport) {
        try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
            Probe<Integer> probe = Probe.demanding(0);
            link.connection.receive().subscribe(probe);
            link.whileBlocked(() -> link.peer.send(Frames.numbers(0, 20_000))); // so that one read brings much
            Await.until("much is at hand", () -> link.connection.stats().bytesAtHand() > 40_000);
            AtomicInteger givenBefore = new AtomicInteger();
            link.onLoop(() -> {
                link.connection.channel().eventLoop().execute(() -> givenBefore.set(probe.count()));
                probe.request(Long.MAX_VALUE);
            });
            link.onLoop(() -> {});
            assertThat(givenBefore.get()).isBetween(4_096, 4_096 + 65);
            probe.awaitCount(20_000);
            assertThat(probe.values()).isEqualTo(Frames.range(0, 20_000));
        }
    }

    private static byte[] randomFrames(Random random, int count) {
        List<byte[]> payloads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] payload = new byte[random.nextInt(50) == 0 ? random.nextInt(100_000) : random.nextInt(500)];
            random.nextBytes(payload);
            payloads.add(payload);
        }
        return concatenated(payloads);
    }

    private static byte[] concatenated(List<byte[]> payloads) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        payloads.forEach(payload -> bytes.writeBytes(frame(payload)));
        return bytes.toByteArray();
    }

    private static byte[] frame(byte[] payload) {
        return ByteBuffer.allocate(4 + payload.length)
                .putInt(payload.length)
                .put(payload)
                .array();
    }

    private static void sendInPieces(Peer peer, byte[] bytes) {
        Random random = new Random(bytes.length);
        for (int at = 0; at < bytes.length; ) {
            int count = Math.min(bytes.length - at, 1 + random.nextInt(random.nextBoolean() ? 3_000 : 400_000));
            peer.send(Arrays.copyOfRange(bytes, at, at + count));
            at += count;
        }
        peer.fin();
    }
}
