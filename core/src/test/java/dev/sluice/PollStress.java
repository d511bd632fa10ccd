package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.Codec;
import io.netty.buffer.ByteBuf;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Law 5 under races, where messages are taken by another thread: over all receivers together every number comes once, and
 * what is not given is released once, which the count of buffers behind each test shows.
 */
class PollStress {

    /**
     * Allowed in each round: the poller gets any number of messages, and none behind the one it is at when it is cancelled
     * or cleared by another thread; the next poller goes on exactly there. Here the drain has no channel, so that there can
     * be many rounds.
     */
    @Nested
    class CancelOrClearAgainstPoll {
        private static final int ROUNDS = 50_000;

        @Test
        void losesDuplicatesAndReordersNothingOfPlainObjects() {
            race(Frames.NUMBERS, 71, number -> number);
        }

        @Test
        void losesDuplicatesAndReordersNothingOfBuffers() {
            race(Frames.SLICES, 72, Frames::take);
        }

        private static <T> void race(Codec<T, T> codec, long seed, ToIntFunction<T> number) {
            Random random = new Random(seed);
            HandDrain<T> drain = new HandDrain<>(codec);
            PollingThread<T> polling = new PollingThread<>(number);
            polling.start();
            int sent = 0;
            try {
                for (int round = 0; round < ROUNDS; round++) {
                    Poller<T> poller = Poller.create();
                    drain.receive().subscribe(poller);
                    if (random.nextBoolean()) {
                        poller.request(1 + random.nextInt(400));
                    }
                    polling.poll(poller);
                    if (drain.wantsBytes()) {
                        int count = random.nextInt(100);
                        drain.bring(Frames.numbers(sent, sent + count));
                        sent += count;
                    }
                    spin(random.nextInt(200));
                    drain.runTasks();
                    if (random.nextBoolean()) {
                        poller.cancel();
                    } else {
                        poller.queue().clear();
                    }
                }
                Poller<T> last = Poller.create();
                drain.receive().subscribe(last);
                last.request(Long.MAX_VALUE);
                polling.poll(last);
                drain.inputEnded(null);
                Await.until("all", () -> {
                    drain.runTasks();
                    return last.isTerminated();
                });
                polling.rest();
                assertThat(polling.failure).as("seed %d", seed).isNull();
                assertThat(polling.next).as("seed %d", seed).isEqualTo(sent).isPositive();
            } finally {
                polling.stop();
            }
        }
    }

    /**
     * Allowed: the poller finds nothing while the drain moves messages to a larger ring, and is told afterwards; it gets
     * every number once, in order.
     */
    @Nested
    class GrowthAgainstPoll {
        private static final int ROUNDS = 3_000;

        @Test
        void losesDuplicatesAndReordersNothingOfPlainObjects() {
            race(Frames.NUMBERS, 77, number -> number);
        }

        @Test
        void losesDuplicatesAndReordersNothingOfBuffers() {
            race(Frames.SLICES, 78, Frames::take);
        }

        private static <T> void race(Codec<T, T> codec, long seed, ToIntFunction<T> number) {
            Random random = new Random(seed);
            PollingThread<T> polling = new PollingThread<>(number);
            polling.start();
            int sent = 0;
            try {
                for (int round = 0; round < ROUNDS; round++) {
                    HandDrain<T> drain = new HandDrain<>(codec);
                    drain.prefetch(new Prefetch(1, 1_000_000));
                    Poller<T> poller = Poller.create();
                    drain.receive().subscribe(poller);
                    polling.poll(poller);
                    for (int bound = 500; bound < 9_000; bound *= 2) {
                        int count = random.nextInt(300);
                        drain.bring(Frames.numbers(sent, sent + count));
                        sent += count;
                        if (random.nextBoolean()) {
                            poller.request(1 + random.nextInt(300));
                        }
                        spin(random.nextInt(200));
                        drain.prefetch(new Prefetch(bound, 1_000_000));
                        drain.runTasks();
                    }
                    poller.request(Long.MAX_VALUE);
                    drain.inputEnded(null);
                    Await.until("all", () -> {
                        drain.runTasks();
                        return poller.isTerminated();
                    });
                    polling.rest(); // it may have polled the last and not noted it yet
                    assertThat(polling.failure).as("seed %d", seed).isNull();
                    assertThat(polling.next).as("seed %d", seed).isEqualTo(sent);
                }
            } finally {
                polling.stop();
            }
        }
    }

    /** The same over real sockets, where a third thread cancels, and with receivers of other kinds in between. */
    @Nested
    class CancelOrClearAgainstPollOverSockets {
        private static final int ROUNDS = 5_000;

        @ParameterizedTest
        @EnumSource
        void losesDuplicatesAndReordersNothingOfPlainObjects(Transport transport) {
            try (Link<Integer, Integer> link = Link.open(transport, Frames.NUMBERS)) {
                race(link, 75, ROUNDS, number -> number);
            }
        }

        @ParameterizedTest
        @EnumSource
        void losesDuplicatesAndReordersNothingOfBuffers(Transport transport) {
            try (Link<ByteBuf, ByteBuf> link = Link.open(transport, Frames.SLICES)) {
                race(link, 76, ROUNDS, Frames::take);
            }
        }
    }

    private static <T> void race(Link<T, T> link, long seed, int rounds, ToIntFunction<T> number) {
        Random random = new Random(seed);
        AtomicBoolean stop = new AtomicBoolean();
        CompletableFuture<Integer> sent = CompletableFuture.supplyAsync(() -> sendUntil(link.peer, stop));
        PollingThread<T> polling = new PollingThread<>(number);
        polling.start();
        try {
            for (int round = 0; round < rounds; round++) {
                Poller<T> poller = Poller.create();
                link.connection.receive().subscribe(poller);
                if (random.nextBoolean()) {
                    poller.request(1 + random.nextInt(400));
                }
                polling.poll(poller);
                spin(random.nextInt(300));
                if (random.nextBoolean()) {
                    poller.cancel();
                } else {
                    poller.queue().clear();
                }
                if (random.nextInt(50) == 0) {
                    polling.rest();
                    takeSome(link, random, polling);
                }
            }
            stop.set(true);
            polling.rest();
            link.connection.receive().subscribe(message -> polling.took(number.applyAsInt(message)));
            int total = sent.join();
            Await.until("all", () -> polling.next == total || polling.failure != null);
            assertThat(polling.failure).as("seed %d", seed).isNull();
            assertThat(total).isPositive();
        } finally {
            stop.set(true);
            polling.stop();
        }
    }

    /** A receiver of another kind takes a few in between. */
    private static <T> void takeSome(Link<T, T> link, Random random, PollingThread<T> polling) {
        int n = 1 + random.nextInt(5);
        Probe<Object> probe = Probe.demanding(n);
        switch (random.nextInt(3)) {
            case 0 ->
                link.connection.receive().map(polling.number::applyAsInt).subscribe(probe.whenNext(value -> {
                    polling.took((Integer) value);
                    stopAt(probe, n);
                }));
            case 1 ->
                link.connection.receiveBatches(3).subscribe(probe.whenNext(value -> {
                    for (Object message : (FrameBatch<?>) value) {
                        polling.took(polling.numberOf(message));
                    }
                    stopAt(probe, n);
                }));
            default ->
                link.connection.receiveOn(Schedulers.immediate()).subscribe(probe.whenNext(value -> {
                    polling.took(polling.numberOf(value));
                    stopAt(probe, n);
                }));
        }
        Await.until("some", () -> probe.count() == n);
        link.onLoop(() -> {}); // the last of them is through with it
    }

    private static void stopAt(Probe<?> probe, int n) {
        if (probe.count() == n) {
            probe.cancel();
        }
    }

    /** Allowed: given before the dispose, or released; then the one error. */
    @Nested
    class DisposeAgainstPoll {
        @ParameterizedTest
        @EnumSource
        void endsOnceAndReleasesTheRest(Transport transport) {
            long seed = 73;
            Random random = new Random(seed);
            Scheduler scheduler = Schedulers.newSingle("consumer");
            try {
                for (int round = 0; round < 300; round++) {
                    try (Link<ByteBuf, ByteBuf> link = Link.open(transport, Frames.SLICES)) {
                        Probe<Integer> probe = Probe.demanding(random.nextBoolean() ? 50 : Long.MAX_VALUE);
                        boolean hops = random.nextBoolean();
                        (hops
                                        ? link.connection.receiveOn(scheduler)
                                        : link.connection.receive().publishOn(scheduler))
                                .map(Frames::take)
                                .subscribe(probe);
                        link.peer.send(Frames.numbers(0, 2_000));
                        spin(random.nextInt(20_000));
                        link.connection.dispose();
                        assertThat(probe.awaitError())
                                .as("round %d of seed %d", round, seed)
                                .isInstanceOf(ConnectionClosedException.class);
                        assertThat(probe.values()).isEqualTo(Frames.range(0, probe.count()));
                    }
                }
            } finally {
                scheduler.dispose();
            }
        }
    }

    /** Allowed: the hop stops at any message; the next receiver goes on exactly behind it. */
    @Nested
    class CancelAgainstHop {
        private static final int ROUNDS = 20_000;

        @ParameterizedTest
        @EnumSource
        void losesDuplicatesAndReordersNothing(Transport transport) {
            long seed = 74;
            Random random = new Random(seed);
            AtomicBoolean stop = new AtomicBoolean();
            Scheduler scheduler = Schedulers.newSingle("hop");
            try (Link<ByteBuf, ByteBuf> link = Link.open(transport, Frames.SLICES)) {
                CompletableFuture<Integer> sent = CompletableFuture.supplyAsync(() -> sendUntil(link.peer, stop));
                // Of one thread: messages of all receivers come on it one behind the other.
                PollingThread<ByteBuf> sequence = new PollingThread<>(Frames::take);
                for (int round = 0; round < ROUNDS; round++) {
                    Probe<ByteBuf> probe = Probe.demanding(1 + random.nextInt(200));
                    link.connection
                            .receiveOn(scheduler, 1 + random.nextInt(300))
                            .subscribe(probe.whenNext(message -> sequence.took(Frames.take(message))));
                    spin(random.nextInt(500));
                    probe.cancel();
                }
                stop.set(true);
                Probe<ByteBuf> last = Probe.unbounded();
                link.connection
                        .receiveOn(scheduler)
                        .subscribe(last.whenNext(message -> sequence.took(Frames.take(message))));
                int total = sent.join();
                last.awaitCompletion();
                assertThat(sequence.failure).as("seed %d", seed).isNull();
                assertThat(sequence.next).as("seed %d", seed).isEqualTo(total).isPositive();
            } finally {
                stop.set(true);
                scheduler.dispose();
            }
        }
    }

    private static int sendUntil(Peer peer, AtomicBoolean stop) {
        int next = 0;
        while (!stop.get()) {
            peer.send(Frames.numbers(next, next + 500));
            next += 500;
        }
        peer.fin();
        return next;
    }

    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }

    /** Polls what it is given until told to rest, and looks whether the numbers are those that come next. */
    private static final class PollingThread<T> implements Runnable {
        private final ToIntFunction<T> number;
        private final Thread thread = new Thread(this, "polling");
        private volatile Poller<T> poller;
        /** How often it has found nobody to poll. */
        private volatile int idle;

        private volatile boolean stopped;
        private volatile int next;
        private volatile String failure;

        PollingThread(ToIntFunction<T> number) {
            this.number = number;
        }

        void start() {
            thread.start();
        }

        void poll(Poller<T> from) {
            poller = from;
        }

        /** Waits until no poll is under way. */
        void rest() {
            poller = null;
            int before = idle;
            while (idle == before) {
                Thread.onSpinWait();
            }
        }

        void took(int value) {
            if (value != next && failure == null) {
                failure = "number=" + value + ", expected=" + next;
            }
            next = value + 1;
        }

        @SuppressWarnings("unchecked")
        int numberOf(Object message) {
            return number.applyAsInt((T) message);
        }

        @Override
        public void run() {
            while (!stopped) {
                Poller<T> from = poller;
                if (from == null) {
                    idle++;
                    Thread.onSpinWait();
                } else {
                    T message = from.poll();
                    if (message != null) {
                        took(number.applyAsInt(message));
                    }
                }
            }
        }

        void stop() {
            stopped = true;
            try {
                thread.join(Await.LIMIT.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
