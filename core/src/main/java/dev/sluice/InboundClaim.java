package dev.sluice;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.netty.channel.ChannelOperations;

/**
 * Takes the place of the one receiver that Reactor Netty allows a connection, and asks for nothing: so it is known that
 * nobody has read from the connection before, and whoever tries to later is told instead of waiting for ever.
 */
final class InboundClaim implements CoreSubscriber<Object> {
    private boolean refused;

    private InboundClaim() {}

    /** Whether it could be taken; there is none where the connection was not made by Reactor Netty. On the event loop. */
    static boolean of(Channel channel) {
        ChannelOperations<?, ?> operations = ChannelOperations.get(channel);
        if (operations == null) {
            return true;
        }
        InboundClaim claim = new InboundClaim();
        operations.receiveObject().subscribe(claim);
        return !claim.refused;
    }

    @Override
    public void onSubscribe(Subscription s) {}

    @Override
    public void onNext(@Nullable Object ignored) {}

    @Override
    public void onError(Throwable error) {
        refused = true;
    }

    /** If at once, all has been read by somebody. */
    @Override
    public void onComplete() {
        refused = true;
    }
}
