package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Demand is backpressure down to the peer's kernel, and nothing is lost when it comes back. */
class SlowConsumerTest {
    private static final int PAYLOAD = 4_092;
    private static final int FRAME = Frames.HEADER + PAYLOAD;
    private static final int FRAMES_A_BLOCK = 256;
    private static final int BLOCK = FRAMES_A_BLOCK * FRAME;
    /** One read of Reactor Netty's, and the torn frame. */
    private static final int MAX_AT_HAND = 64 * 1024 + FRAME;

    @ParameterizedTest
    @EnumSource
    void stopsThePeerAndLosesNothingOf200MebibytesPerMessage(Transport transport) {
        stopsThePeerAndLosesNothing(transport, Way.MESSAGES, 200);
    }

    @ParameterizedTest
    @EnumSource
    void stopsThePeerAndLosesNothingInBatches(Transport transport) {
        stopsThePeerAndLosesNothing(transport, Way.BATCHES, 50);
    }

    private static void stopsThePeerAndLosesNothing(Transport transport, Way way, int blocks) {
        try (Link<Integer, Integer> link = Link.openNarrow(transport, Frames.NUMBERS, ConnectionOptions.DEFAULT)) {
            Count count = new Count();
            Probe<List<Integer>> probe = Probe.<List<Integer>>demanding(0).whenNext(count);
            way.signals(link.connection).subscribe(probe);

            long accepted = fillUntilThePeerBlocks(link.peer);
            assertThat(accepted).as("what kernels and prefetch hold").isLessThan(8L * 1024 * 1024);
            assertHeld(link);

            CompletableFuture<Void> rest = CompletableFuture.runAsync(() -> sendRest(link.peer, accepted, blocks));
            for (int i = 1; i <= 100; i++) {
                probe.request(1);
                probe.awaitCount(i);
                assertHeld(link);
            }
            assertThat(probe.count()).isEqualTo(100);
            probe.request(Long.MAX_VALUE);
            probe.awaitCompletion();
            rest.join();
            assertThat(count.next).isEqualTo(blocks * FRAMES_A_BLOCK);
            assertThat(link.connection.stats().bytesIn()).isEqualTo((long) blocks * BLOCK);
            assertThat(link.connection.stats().pauses()).isPositive();
        }
    }

    private static void assertHeld(Link<Integer, Integer> link) {
        ConnectionStats stats = link.connection.stats();
        assertThat(stats.heldMessages()).isLessThanOrEqualTo(65);
        assertThat(stats.heldMessagesMax()).isLessThanOrEqualTo(65);
        assertThat(stats.bytesAtHand()).isLessThanOrEqualTo(MAX_AT_HAND);
    }

    /** Returns how many bytes went out until, for some time, the kernel took none. */
    private static long fillUntilThePeerBlocks(Peer peer) {
        long accepted = 0;
        int refusals = 0;
        while (refusals < 100) {
            int block = (int) (accepted / BLOCK);
            int sent = peer.trySend(block(block), (int) (accepted % BLOCK));
            accepted += sent;
            refusals = sent == 0 ? refusals + 1 : 0;
            if (sent == 0) {
                LockSupport.parkNanos(1_000_000);
            }
        }
        return accepted;
    }

    private static void sendRest(Peer peer, long from, int blocks) {
        int first = (int) (from / BLOCK);
        byte[] bytes = block(first);
        peer.send(Arrays.copyOfRange(bytes, (int) (from % BLOCK), BLOCK));
        for (int i = first + 1; i < blocks; i++) {
            peer.send(block(i));
        }
        peer.fin();
    }

    private static byte[] block(int index) {
        return Frames.numbers(index * FRAMES_A_BLOCK, (index + 1) * FRAMES_A_BLOCK, PAYLOAD);
    }

    private static final class Count implements Consumer<List<Integer>> {
        private volatile int next;

        @Override
        public void accept(List<Integer> numbers) {
            for (int number : numbers) {
                if (number != next) {
                    throw new AssertionError("out of order: number=" + number + ", expected=" + next);
                }
                next = number + 1;
            }
        }
    }
}
