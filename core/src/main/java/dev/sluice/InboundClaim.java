package dev.sluice;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.netty.channel.ChannelOperations;

/**
 * Takes the place of the one receiver that Reactor Netty allows a connection, and sees whether bytes wait there: so it is
 * known that nobody has read from the connection before, and whoever tries to later is told instead of waiting for ever.
 */
final class InboundClaim implements CoreSubscriber<Object> {
    private @Nullable Subscription subscription;
    private boolean refused;
    private boolean bytesWaited;

    private InboundClaim() {}

    /**
     * Whether it could be taken; there is none where the connection was not made by Reactor Netty. Where bytes waited,
     * which handlers such as that of TLS pass on without having been asked, the connection is closed. On the event loop.
     */
    static boolean of(Channel channel) {
        ChannelOperations<?, ?> operations = ChannelOperations.get(channel);
        if (operations == null) {
            return true;
        }
        InboundClaim claim = new InboundClaim();
        NoReads noReads = new NoReads();
        channel.pipeline().addLast(noReads);
        operations.receiveObject().subscribe(claim);
        channel.config().setAutoRead(false); // the claim has made Reactor Netty set it
        channel.pipeline().remove(noReads);
        if (claim.bytesWaited && claim.subscription != null) {
            claim.subscription.cancel();
            channel.close();
        }
        return !claim.refused;
    }

    /** Bytes that have come already are given at once. */
    @Override
    public void onSubscribe(Subscription s) {
        subscription = s;
        s.request(1);
    }

    /** Reactor Netty releases it. */
    @Override
    public void onNext(@Nullable Object bytes) {
        bytesWaited = true;
        refused = true;
    }

    @Override
    public void onError(Throwable error) {
        refused = true;
    }

    /** If at once, all has been read by somebody. */
    @Override
    public void onComplete() {
        refused = true;
    }

    /** The request of the claim must not make the channel read while nobody takes the bytes. */
    private static final class NoReads extends ChannelOutboundHandlerAdapter {
        @Override
        public void read(ChannelHandlerContext ctx) {}
    }
}
