package dev.sluice;

import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Flux;

/** The ways to take messages from a connection. Each signal as a list; what was demanded counts signals. */
enum Way {
    MESSAGES {
        @Override
        <I> Flux<List<I>> signals(FrameConnection<I, ?> connection) {
            return connection.receive().map(List::of);
        }
    },
    BATCHES {
        @Override
        <I> Flux<List<I>> signals(FrameConnection<I, ?> connection) {
            return connection.receiveBatches().map(Way::list);
        }
    },
    BATCHES_OF_3 {
        @Override
        <I> Flux<List<I>> signals(FrameConnection<I, ?> connection) {
            return connection.receiveBatches(3).map(Way::list);
        }
    };

    abstract <I> Flux<List<I>> signals(FrameConnection<I, ?> connection);

    private static <I> List<I> list(FrameBatch<I> batch) {
        List<I> messages = new ArrayList<>();
        batch.forEach(messages::add);
        return messages;
    }

    /** The most messages in one signal. */
    int signalSize() {
        return switch (this) {
            case MESSAGES -> 1;
            case BATCHES -> 64;
            case BATCHES_OF_3 -> 3;
        };
    }

    /** All messages of all signals. */
    static <I> List<I> flat(Probe<List<I>> probe) {
        return probe.values().stream().flatMap(List::stream).toList();
    }
}
