package dev.sluice;

import dev.sluice.framing.Codec;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.ssl.SslHandler;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.netty.Connection;
import reactor.netty.DisposableChannel;

/**
 * A TCP connection as a stream of messages in both directions. Made by {@link FrameClient} and {@link FrameServer}, or
 * {@linkplain #attach attached} to a Reactor Netty connection. All methods may be called from any thread.
 *
 * <h2>Receiving</h2>
 *
 * One receiver at a time takes the messages, by {@link #receive()} or {@link #receiveBatches()}: what it demands is given,
 * and at most a {@link Prefetch} is decoded beyond that. When that is full nothing is read from the socket, and TCP holds
 * the peer. A receiver that cancels leaves the connection open, and every message that was not given to the next receiver,
 * in order; {@link CancelPolicy#CLOSE} disposes the connection instead.
 *
 * <p>The end comes after every message read before it, at once when nothing is left: completion when the peer ended its
 * stream between two frames; a {@code TruncatedFrameException} inside a frame; the {@code IOException} of a reset; what the
 * framing or the decoder threw; {@link ConnectionClosedException} when this side closed. A receiver that comes late gets
 * what is left and then the end, for 30 s after the channel has closed ({@link ConnectionOptions#holdTimeout}). After the
 * peer's end, and after a framing or decoder error, sending is still possible: the connection is yours to close.
 *
 * <p>Behind a message that the codec {@linkplain Codec#pauseAfter pauses after} nothing is decoded or read until {@link
 * #resumeDecoding()}, {@link #switchTo}, {@link #upgrade} or {@link #startTls(SslHandler) startTls}. A peer that ends its stream meanwhile completes
 * it if nothing has come behind that message; otherwise the codec that follows judges the end.
 *
 * <p>Signals come on the channel's event loop.
 *
 * <h2>Who owns what</h2>
 *
 * A message that was given is the receiver's; messages that were not are released by the connection. A message that is
 * sent is the connection's from the subscription on. This matters for reference-counted messages only: a codec whose
 * decoder makes plain objects leaves nothing to release.
 *
 * @param <I> the messages that come in
 * @param <O> the messages that go out
 */
public final class FrameConnection<I, O> implements DisposableChannel {
    private static final String HANDLER = "sluice.connection";
    private static final int BATCH_SIZE = 64;
    private static final int MAX_IN_FLIGHT = 1_024;
    private final ConnectionHandler<I, O> handler;
    private final int view;

    private FrameConnection(ConnectionHandler<I, O> handler, int view) {
        this.handler = handler;
        this.view = view;
    }

    /** {@link #attach(Connection, Codec, ConnectionOptions) Attaches} with {@link ConnectionOptions#DEFAULT}. */
    public static <I, O> FrameConnection<I, O> attach(Connection connection, Codec<I, O> codec) {
        return attach(connection, codec, ConnectionOptions.DEFAULT);
    }

    /**
     * Takes over the bytes of a Reactor Netty connection, while it is being made: in {@code doOnConnected}, {@code
     * doOnConnection} or {@code handle}. Reading starts when that callback has returned. The connection does not go back
     * to a pool, and whoever receives from its own {@code inbound()} is refused.
     *
     * @throws IllegalStateException if this is another thread than the connection's, if somebody has received from its
     *     {@code inbound()}, if bytes wait there, which closes it, if it has ended, or if it has a {@code FrameConnection}
     */
    public static <I, O> FrameConnection<I, O> attach(
            Connection connection, Codec<I, O> codec, ConnectionOptions options) {
        Objects.requireNonNull(codec, "codec");
        Objects.requireNonNull(options, "options");
        Channel channel = connection.channel();
        if (!channel.eventLoop().inEventLoop()) {
            throw late();
        }
        if (channel.pipeline().get(HANDLER) != null) {
            throw new IllegalStateException("connection has a FrameConnection already: channel=" + channel);
        }
        if (!channel.isOpen()) {
            throw new IllegalStateException("connection has ended: channel=" + channel);
        }
        if (!InboundClaim.of(channel)) {
            throw late();
        }
        configure(channel.config(), options);
        ConnectionHandler<I, O> handler = new ConnectionHandler<>(channel, codec, options);
        Reads.configure(channel, handler.inbound(), codec.decoder().keepsPayload(), options.sharesReadBuffer());
        connection.markPersistent(false);
        connection.addHandlerLast(HANDLER, handler);
        channel.eventLoop().execute(handler.inbound()::drainInTask);
        return new FrameConnection<>(handler, Place.FIRST_VIEW);
    }

    private static IllegalStateException late() {
        return new IllegalStateException("attach while the connection is being made, in doOnConnected, doOnConnection"
                + " or handle: later bytes may be lost");
    }

    private static void configure(ChannelConfig config, ConnectionOptions options) {
        config.setAutoRead(false);
        config.setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        // Otherwise a write that fails because the peer has closed would close the channel, and lose what the peer had
        // sent before and the kernel still holds.
        config.setAutoClose(false);
        // Nothing here looks at the channel's own writability: it is kept in step for handlers of the user.
        SendPolicy policy = options.sendPolicy();
        config.setWriteBufferWaterMark(new WriteBufferWaterMark(policy.lowWatermark(), policy.highWatermark()));
        config.setOption(ChannelOption.TCP_NODELAY, options.noDelay());
    }

    /**
     * The messages, one by one, each the subscriber's own. A second subscriber at the same time gets {@link
     * IllegalStateException}.
     *
     * <p>A subscription ends where its subscriber cancels, also by an error downstream: the next one begins with the message
     * behind, whatever it means. Where messages form answers, read an answer to its end, or {@link #dispose()}. And the end
     * of the stream completes this flux: where an answer must not stop short, let {@code .concatWith(Mono.error(…))} follow
     * what takes its messages.
     *
     * <p>Consumers that poll ({@code publishOn}, {@code concatMap(f, n)}, {@code flatMapIterable}, {@code zip}) fuse: they
     * take messages out of the connection's ring, and what they have not taken when they cancel stays for the next
     * receiver. Operators that do not fuse and queue by themselves discard their queue when cancelled: with
     * reference-counted messages let {@code .doOnDiscard(ReferenceCounted.class, ReferenceCounted::release)} follow them.
     *
     * <p>{@code switchMap} to this flux needs a source that emits on the connection's event loop: while source and inner flux
     * emit on two threads, it may subscribe to the next inner flux, or complete, before it has cancelled the one before.
     */
    public Flux<I> receive() {
        return ReceiveFlux.messages(handler.inbound(), view);
    }

    /** {@link #receiveOn(Scheduler, int)} with at most 1,024 messages in flight beside the prefetch. */
    public Flux<I> receiveOn(Scheduler scheduler) {
        return receiveOn(scheduler, MAX_IN_FLIGHT);
    }

    /**
     * The messages, one by one, on a worker of this scheduler: the recommended way to consume on another thread. One task
     * of the worker takes what a drain has brought. Unlike {@code receive().publishOn(scheduler)} it has no second queue:
     * what was not given when it is cancelled stays for the next receiver, in order, and reference-counted messages need
     * no {@code doOnDiscard}.
     *
     * @param maxInFlight how many messages that are demanded may be decoded and not given yet, at least 1; 4 MiB of
     *     payload bound it too, and 32,768 messages. The prefetch comes on top.
     */
    public Flux<I> receiveOn(Scheduler scheduler, int maxInFlight) {
        Objects.requireNonNull(scheduler, "scheduler");
        if (maxInFlight < 1) {
            throw new IllegalArgumentException("no message may be in flight: maxInFlight=" + maxInFlight + ", limit=1");
        }
        return ReceiveFlux.messagesOn(handler.inbound(), view, scheduler, maxInFlight);
    }

    /** {@link #receiveBatches(int) Batches} of at most 64 messages. */
    public Flux<FrameBatch<I>> receiveBatches() {
        return receiveBatches(BATCH_SIZE);
    }

    /**
     * The messages of each drain in batches: full ones, and at the end of the drain the rest, so that a drain of n
     * messages takes n ÷ {@code maxMessages} signals, rounded up. Demand counts batches.
     *
     * @param maxMessages of a batch, at least 1
     */
    public Flux<FrameBatch<I>> receiveBatches(int maxMessages) {
        if (maxMessages < 1) {
            throw new IllegalArgumentException("batch holds no message: maxMessages=" + maxMessages + ", limit=1");
        }
        return ReceiveFlux.batches(handler.inbound(), view, maxMessages);
    }

    /**
     * Sends a message when subscribed to; the order of sends is the order of subscriptions. Completes when all bytes of
     * the message have been taken by the kernel, in the order of sends; an error is this message's own. While the
     * connection is busy ({@link SendPolicy}) it waits in order, not encoded. Cancelled before the message was encoded it
     * withdraws it; later nothing is undone.
     *
     * <p>Errors: what the encoder threw; {@code IllegalArgumentException} when the framing cannot carry the payload;
     * {@link BusyException} at once when {@link SendPolicy#maxWaiting} messages wait already; {@link
     * ConnectionClosedException} at once on a closed connection, in turn when it closes before the message was written;
     * the {@code IOException} of a write that failed; {@link SendTimeoutException} if a time-out is set.
     *
     * @param message owned from the subscription on, and released on every outcome
     * @return told on the event loop, unless that has ended; what is refused is told on the subscriber's thread
     */
    public Mono<Void> send(O message) {
        return SendMono.of(handler, view, Objects.requireNonNull(message, "message"));
    }

    /**
     * Lets decoding go on behind a message that the codec {@linkplain Codec#pauseAfter pauses after}, with the same codec.
     * Without effect when it is not paused.
     *
     * @throws IllegalStateException if this connection was {@linkplain #upgrade upgraded}
     */
    public void resumeDecoding() {
        handler.inbound().resumeDecoding(view);
    }

    /**
     * Goes on with another codec behind a message that this one {@linkplain Codec#pauseAfter pauses after}: the bytes
     * behind that message are decoded by the next codec, for the same receiver and its demand. Messages sent before this
     * are encoded by the codec before, those sent later by the next one.
     *
     * @throws IllegalStateException unless decoding is paused, or this is called in the callback that attaches the
     *     connection
     */
    public void switchTo(Codec<? extends I, ? super O> codec) {
        handler.switchTo(Objects.requireNonNull(codec, "codec"), view);
    }

    /**
     * Goes on with another protocol, of other types, behind a message that the codec {@linkplain Codec#pauseAfter pauses
     * after}: as {@link #switchTo}, but with a connection of its own for it, and the receiver of this one completes, once
     * it has returned from the message that it was given last. From now on receiving and sending by this connection fails
     * with {@link IllegalStateException}, and {@link #trySend} answers {@link SendResult#CLOSED}; closing it closes the one
     * connection that there is. Stop sending by this one before: a message that another thread sends in this very moment
     * may come to the next codec's encoder.
     *
     * @return the connection to go on with
     * @throws IllegalStateException unless decoding is paused, and all messages up to there were given; or this is called in
     *     the callback that attaches the connection
     */
    public <I2, O2> FrameConnection<I2, O2> upgrade(Codec<I2, O2> codec) {
        Objects.requireNonNull(codec, "codec");
        ConnectionHandler<I2, O2> next = upgraded();
        next.upgrade(codec, view);
        return new FrameConnection<>(next, view + 1);
    }

    /** Sound once none of the old messages is held, and no more are taken by their receiver or sent. */
    @SuppressWarnings("unchecked")
    private <I2, O2> ConnectionHandler<I2, O2> upgraded() {
        return (ConnectionHandler<I2, O2>) (ConnectionHandler<?, ?>) handler;
    }

    /**
     * Starts TLS, when subscribed to, behind a message that the codec {@linkplain Codec#pauseAfter pauses after}: what was
     * sent before goes out as it is, what is sent later by TLS, and decoding goes on with what the peer sends by TLS, by
     * the same codec.
     *
     * <p>Nothing but TLS may follow the pausing message. Where bytes behind it have come already, somebody may have put them
     * into the stream to have them taken for the peer's: then this fails with {@link IllegalStateException}, and the
     * connection is closed.
     *
     * @param tls of {@code SslContext.newHandler(…)}, for the client's or the server's side; owned from the subscription on
     * @return completes when the handshake has; otherwise its error. {@link IllegalStateException} unless decoding is
     *     paused, or this is subscribed to in the callback that attaches the connection, or if there is TLS already; {@link
     *     ConnectionClosedException} if the connection has ended
     */
    public Mono<Void> startTls(SslHandler tls) {
        Objects.requireNonNull(tls, "tls");
        return Mono.defer(() -> TlsStart.of(handler, view, tls));
    }

    /**
     * {@linkplain #startTls(SslHandler) Starts TLS} and {@linkplain #upgrade upgrades}, in one step: the messages that the
     * peer sends by TLS are another codec's. So for protocols that ask for TLS by a message outside of their framing, as
     * PostgreSQL's SSLRequest. From the subscription on this connection is upgraded; if TLS cannot be started it is closed.
     *
     * @param tls owned from the subscription on
     * @return the connection to go on with, when the handshake has completed; otherwise an error as that of {@link
     *     #startTls(SslHandler)}. {@link IllegalStateException} also if messages are held that no receiver was given: as
     *     where decoding is not paused, or TLS there already, this connection goes on then
     */
    public <I2, O2> Mono<FrameConnection<I2, O2>> startTls(SslHandler tls, Codec<I2, O2> codec) {
        Objects.requireNonNull(tls, "tls");
        Objects.requireNonNull(codec, "codec");
        return Mono.defer(() -> {
            ConnectionHandler<I2, O2> next = upgraded();
            return TlsStart.of(next, view, tls, codec)
                    .then(Mono.fromSupplier(() -> new FrameConnection<>(next, view + 1)));
        });
    }

    /**
     * Sends a message if there is room, and says so; never waits, and throws nothing that concerns the connection. In one
     * order with {@link #send} and {@link #sendAll}: the order of calls. No object is made for the message. What becomes
     * of it is not told; if it could not be encoded that is logged.
     *
     * @param message the connection's if {@link SendResult#ACCEPTED}, and then released on every outcome; otherwise it
     *     stays the caller's
     */
    public SendResult trySend(O message) {
        Objects.requireNonNull(message, "message");
        return isUpgraded() ? SendResult.CLOSED : handler.outbound().trySend(message, null);
    }

    /**
     * {@link #trySend(Object)} with a reply. For each message that was accepted exactly one follows, in the order of sends:
     * {@code null} when the kernel has taken all its bytes, or the error that {@link #send} would tell.
     *
     * @param reply called on the event loop, unless that has ended; may send, and may close. If it throws, that is logged.
     */
    public SendResult trySend(O message, Consumer<? super @Nullable Throwable> reply) {
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(reply, "reply");
        return isUpgraded() ? SendResult.CLOSED : handler.outbound().trySend(message, reply);
    }

    private boolean isUpgraded() {
        return handler.inbound().isUpgraded(view);
    }

    /**
     * Sends what a source brings, when subscribed to. The source is asked for as much as there is room for: while the
     * connection is busy for nothing. What has come is flushed even if the source never ends.
     *
     * <p>Completes when the source has completed and all its messages have been taken by the kernel. The first message that
     * fails cancels the source, and its error is told; so does a connection that closes before, by {@link
     * ConnectionClosedException}. The source's own error is told behind its messages. A cancel cancels the source; what it
     * has brought is sent.
     *
     * @param source its messages are the connection's from their {@code onNext} on
     */
    public Mono<Void> sendAll(Publisher<? extends O> source) {
        Objects.requireNonNull(source, "source");
        return Mono.defer(() -> isUpgraded() ? Mono.error(Place.upgraded()) : SendAll.of(handler, source));
    }

    /**
     * Completes when the connection is not busy, at once if it is not: {@link #trySend trySend} may then be accepted, unless
     * others were quicker. Fails with {@link ConnectionClosedException} on a closed connection.
     *
     * @return told on the event loop, or on the subscriber's thread when told at once
     */
    public Mono<Void> writable() {
        return WritableWaiters.mono(handler.outbound());
    }

    /**
     * Changes whether small writes go out at once, as {@link ConnectionOptions#noDelay} does for a new connection. Without
     * effect where the transport has no such option.
     */
    public FrameConnection<I, O> noDelay(boolean noDelay) {
        channel().config().setOption(ChannelOption.TCP_NODELAY, noDelay);
        return this;
    }

    /** Changes how much is decoded ahead of demand. */
    public FrameConnection<I, O> prefetch(Prefetch prefetch) {
        handler.inbound().prefetch(Objects.requireNonNull(prefetch, "prefetch"));
        return this;
    }

    /**
     * Ends this side's stream, when subscribed to, and goes on receiving: half a close. What was accepted is written, then
     * the peer sees the end (FIN); later sends fail with {@link ConnectionClosedException}. Later subscriptions wait for the
     * same end, and a cancel does not stop it. The channel closes when the peer has ended its stream too.
     *
     * @return completes when the output is shut down; fails with {@link ConnectionClosedException} when the connection
     *     closed or a write failed before, and with {@code UnsupportedOperationException} where a stream has no half that
     *     could be closed alone: over TLS, and on other channels than TCP and Unix domain sockets
     */
    public Mono<Void> shutdownOutput() {
        return Mono.defer(handler::shutdownOutput);
    }

    /**
     * Closes in order, when subscribed to; later subscriptions wait for the same close, and a cancel does not stop it.
     * From then on sends fail and nothing more is decoded; messages already decoded stay for the receiver, followed by
     * {@link ConnectionClosedException}. What was accepted is written, the output is shut down, and input is dropped until
     * the peer ends its stream too, or until {@link ConnectionOptions#closeTimeout}; then the channel is closed. So the
     * peer gets all that was sent, where a plain close with unread input would reset the connection.
     *
     * @return completes when the channel is closed
     */
    public Mono<Void> close() {
        return Mono.defer(() -> {
            handler.close();
            return onDispose();
        });
    }

    /**
     * Closes at once: messages held are released, the receiver gets {@link ConnectionClosedException} at once, sends that
     * are not written fail.
     */
    @Override
    public void dispose() {
        handler.dispose();
    }

    /** What ended the connection; emitted when its channel has closed. */
    public Mono<CloseReason> onClose() {
        return handler.onClose();
    }

    /** Counters as they are now. */
    public ConnectionStats stats() {
        return handler.stats();
    }

    @Override
    public Channel channel() {
        return handler.channel();
    }

    @Override
    public String toString() {
        return "FrameConnection{" + handler.channel() + "}";
    }
}
