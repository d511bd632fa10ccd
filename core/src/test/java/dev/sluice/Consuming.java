package dev.sluice;

import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Operators that poll a source that can be fused. Each gives on what it takes, in order. */
enum Consuming {
    PUBLISH_ON {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return source.publishOn(scheduler);
        }
    },
    PUBLISH_ON_ONE_BY_ONE {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return source.publishOn(scheduler, 1);
        }
    },
    PUBLISH_ON_WITHOUT_DELAYED_ERROR {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return source.publishOn(scheduler, false, 16);
        }
    },
    LIMIT_RATE {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return source.limitRate(10);
        }
    },
    CONCAT_MAP {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return source.concatMap(Mono::just, 8);
        }
    },
    CONCAT_MAP_OF_PUBLISHERS {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return source.concatMap(value -> Mono.just(value).hide(), 8);
        }
    },
    FLAT_MAP_ITERABLE {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return source.flatMapIterable(List::of);
        }
    },
    ZIP {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return Flux.zip(source, Flux.range(0, Integer.MAX_VALUE).hide(), (value, i) -> value);
        }
    },
    PUBLISH {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return source.publish().refCount();
        }
    },
    SHARE {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return source.share();
        }
    },
    PUBLISH_FUNCTION {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return source.publish(shared -> shared);
        }
    },
    PARALLEL {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return source.parallel(1).sequential();
        }
    },
    FLAT_MAP_INNER {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return Flux.just(0).hide().flatMap(i -> source);
        }
    },
    FLAT_MAP_SEQUENTIAL_INNER {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return Flux.just(0).hide().flatMapSequential(i -> source);
        }
    },
    MERGE {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return Flux.merge(source, Mono.<T>empty().hide());
        }
    },
    MAP_AND_ITERABLE {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return source.map(value -> value).doOnNext(value -> {}).flatMapIterable(List::of);
        }
    },
    CONDITIONAL_CHAIN {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return source.filter(value -> true)
                    .<T>handle((value, sink) -> sink.next(value))
                    .distinct()
                    .flatMapIterable(List::of);
        }
    },
    NAMED_AND_INDEXED {
        @Override
        <T> Flux<T> apply(Flux<T> source, Scheduler scheduler) {
            return source.name("messages")
                    .checkpoint()
                    .contextWrite(context -> context.put("key", "value"))
                    .index()
                    .publishOn(scheduler)
                    .map(indexed -> indexed.getT2());
        }
    };

    /** How many messages that it has polled it drops when an error comes: one in hand, or a queue of its own behind. */
    int dropsAtError() {
        return switch (this) {
            case CONCAT_MAP, CONCAT_MAP_OF_PUBLISHERS, FLAT_MAP_ITERABLE, MAP_AND_ITERABLE, CONDITIONAL_CHAIN, ZIP -> 1;
            case PARALLEL -> Integer.MAX_VALUE;
            default -> 0;
        };
    }

    /** The source's messages by way of this operator; those that change threads use the scheduler. */
    abstract <T> Flux<T> apply(Flux<T> source, Scheduler scheduler);
}
