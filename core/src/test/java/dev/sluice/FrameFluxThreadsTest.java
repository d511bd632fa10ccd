package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The operator between threads: the source on one, requests and cancels on others, signals one at a time. */
class FrameFluxThreadsTest {
    private static final int MESSAGES = 30_000;

    private static Flux<ByteBuf> source(Scheduler scheduler) {
        return Flux.range(0, MESSAGES / 10)
                .<ByteBuf>map(i -> Unpooled.copiedBuffer(Frames.numbers(10 * i, 10 * i + 10)))
                .publishOn(scheduler);
    }

    @Test
    void givesAllInOrderHoweverManyThreadsRequest() {
        Scheduler scheduler = Schedulers.newSingle("source");
        try {
            Probe<Integer> probe = Probe.demanding(0);
            source(scheduler).transform(FrameFlux.owned(Frames.NUMBERS)).subscribe(probe);
            CompletableFuture<?>[] requests = new CompletableFuture<?>[3];
            for (int i = 0; i < requests.length; i++) {
                requests[i] = CompletableFuture.runAsync(() -> {
                    for (int n = 0; n < MESSAGES / 3; n++) {
                        probe.request(1);
                    }
                });
            }
            CompletableFuture.allOf(requests).join();
            probe.awaitCompletion();
            assertThat(probe.values()).isEqualTo(Frames.range(0, MESSAGES));
        } finally {
            scheduler.dispose();
        }
    }

    @Test
    void givesBatchesInOrderWhileAnotherThreadRequests() {
        Scheduler scheduler = Schedulers.newSingle("source");
        try {
            Probe<FrameBatch<Integer>> probe = Probe.demanding(0);
            int[] next = {0};
            source(scheduler)
                    .transform(FrameFlux.owned(Frames.NUMBERS)::batches)
                    .subscribe(probe.whenNext(batch -> batch.forEach(number -> {
                        if (number == next[0]) {
                            next[0]++;
                        }
                    })));
            Await.until("end", () -> {
                for (int i = 0; i < 100; i++) {
                    probe.request(1);
                }
                return probe.isTerminated();
            });
            probe.awaitCompletion();
            probe.values();
            assertThat(next[0]).isEqualTo(MESSAGES);
        } finally {
            scheduler.dispose();
        }
    }

    @ParameterizedTest
    @EnumSource
    void givesAllToEachOperatorThatPollsOnAnotherThread(Consuming consuming) {
        Scheduler scheduler = Schedulers.newSingle("source");
        Scheduler consumer = Schedulers.newSingle("consumer");
        try {
            Probe<Integer> probe = Probe.demanding(1);
            consuming
                    .apply(source(scheduler).transform(FrameFlux.owned(Frames.NUMBERS)), consumer)
                    .subscribe(probe.whenNext(number -> probe.request(1)));
            probe.awaitCompletion();
            assertThat(probe.values()).isEqualTo(Frames.range(0, MESSAGES));
        } finally {
            scheduler.dispose();
            consumer.dispose();
        }
    }

    /** Allowed: any first messages, each whole and the subscriber's; everything else is released. */
    @Test
    void releasesTheRestWhenCancelledByAnotherThread() {
        long seed = 81;
        Random random = new Random(seed);
        Scheduler scheduler = Schedulers.newSingle("source");
        Scheduler consumer = Schedulers.newSingle("consumer");
        try {
            for (int round = 0; round < 300; round++) {
                Probe<Integer> probe = Probe.demanding(random.nextBoolean() ? Long.MAX_VALUE : 500);
                boolean hops = random.nextBoolean();
                Flux<ByteBuf> messages = Flux.range(0, 1_000)
                        .<ByteBuf>map(i -> Unpooled.copiedBuffer(Frames.numbers(3 * i, 3 * i + 3)))
                        .subscribeOn(scheduler)
                        .transform(FrameFlux.owned(Frames.SLICES));
                (hops ? messages.publishOn(consumer) : messages)
                        .map(Frames::take)
                        .subscribe(probe);
                int enough = random.nextInt(300);
                Await.until("some", () -> probe.count() >= enough);
                probe.cancel();
                List<Integer> values = probe.values(); // one more may come
                assertThat(values).as("round %d of seed %d", round, seed).isEqualTo(Frames.range(0, values.size()));
            }
        } finally {
            scheduler.dispose();
            consumer.dispose();
        }
    }
}
