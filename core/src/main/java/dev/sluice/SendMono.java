package dev.sluice;

import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** Sends its message when subscribed to. */
final class SendMono<O> extends Mono<Void> {
    private final Outbound<O> outbound;
    private final O message;

    private SendMono(Outbound<O> outbound, O message) {
        this.outbound = outbound;
        this.message = message;
    }

    static <O> Mono<Void> of(Outbound<O> outbound, O message) {
        return onAssembly(new SendMono<>(outbound, message));
    }

    @Override
    public void subscribe(CoreSubscriber<? super Void> actual) {
        MonoSend<O> send = new MonoSend<>(actual, message, outbound);
        actual.onSubscribe(send);
        outbound.submit(send);
    }
}
