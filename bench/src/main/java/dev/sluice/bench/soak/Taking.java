package dev.sluice.bench.soak;

import dev.sluice.FrameBatch;
import dev.sluice.FrameConnection;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;

/** The ways to take messages; each signal is one or a batch. */
enum Taking {
    MESSAGES {
        @Override
        Flux<?> from(FrameConnection<Object, ?> connection, Scheduler thread, Random random) {
            return connection.receive();
        }
    },
    BATCHES {
        @Override
        Flux<?> from(FrameConnection<Object, ?> connection, Scheduler thread, Random random) {
            return connection.receiveBatches(1 + random.nextInt(64));
        }
    },
    FUSED {
        @Override
        Flux<?> from(FrameConnection<Object, ?> connection, Scheduler thread, Random random) {
            return connection.receive().publishOn(thread, 1 + random.nextInt(256));
        }
    },
    HOP {
        @Override
        Flux<?> from(FrameConnection<Object, ?> connection, Scheduler thread, Random random) {
            return connection.receiveOn(thread, 1 + random.nextInt(1_024));
        }
    };

    /** Messages that may be decoded because they are demanded, and were not given. */
    static final int MAX_AHEAD = 1_024;

    private static final List<Taking> ALL = List.of(values());

    static Taking any(Random random) {
        return ALL.get(random.nextInt(ALL.size()));
    }

    abstract Flux<?> from(FrameConnection<Object, ?> connection, Scheduler thread, Random random);

    static void forEach(Object signal, Consumer<Object> action) {
        if (signal instanceof FrameBatch<?> batch) {
            batch.forEach(action);
        } else {
            action.accept(signal);
        }
    }
}
