package dev.sluice;

import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** Sends its message when subscribed to. */
final class SendMono<O> extends Mono<Void> {
    private final ConnectionHandler<?, O> handler;
    private final int view;
    private final O message;

    private SendMono(ConnectionHandler<?, O> handler, int view, O message) {
        this.handler = handler;
        this.view = view;
        this.message = message;
    }

    static <O> Mono<Void> of(ConnectionHandler<?, O> handler, int view, O message) {
        return onAssembly(new SendMono<>(handler, view, message));
    }

    @Override
    public void subscribe(CoreSubscriber<? super Void> actual) {
        MonoSend<O> send = new MonoSend<>(actual, message, handler.outbound());
        actual.onSubscribe(send);
        if (handler.inbound().isUpgraded(view)) {
            send.refuse(Place.upgraded());
        } else {
            handler.outbound().submit(send);
        }
    }
}
