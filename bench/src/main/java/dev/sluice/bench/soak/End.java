package dev.sluice.bench.soak;

import dev.sluice.ConnectionStats;
import dev.sluice.FrameConnection;
import dev.sluice.Prefetch;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * One end of a connection: sends its messages, a few at once, and takes the other's by one receiver after the other, each
 * of another kind, with demand of its own, until it cancels. Receivers of all kinds follow each other on one thread.
 */
final class End {
    private static final int SENDS_AT_ONCE = 8;
    private static final int MOST_PREFETCHED = 64;
    private static final long ONE_READ = 256 * 1024;
    /** After the peer's end some transports push all that the kernel holds, which is about twice what is asked for. */
    private static final long KERNEL_BUFFER = 3 * Soak.SOCKET_BUFFER;

    /** How long the slowest thread waits before it says how a paused stream goes on. */
    private static final int LATEST_CHANGE_MILLIS = 3;

    /** More than any receiver has been given and not counted yet when another thread cancels it. */
    private static final int GIVEN_AT_ONCE = 64;

    final Plan plan;
    private final boolean client;
    private final Scheduler thread;
    private final Findings findings;
    private final Random random;
    private final Script incoming;
    private final Script outgoing;
    private final int expected;
    /** After so many the client ends it, if it is not to end in order. */
    private final int breaksAt;

    private final Sinks.Empty<Void> taken = Sinks.empty();
    /** One receiver at a time writes it, and the monitor looks whether it grows. */
    private final AtomicInteger received = new AtomicInteger();

    /** That of the protocol which the other sends; changed, and used where that matters, under this object's lock. */
    private volatile FrameConnection<Object, Protocol.Frame> connection;

    private volatile boolean over;
    private int seenByMonitor;
    private int idleLooks;

    End(
            FrameConnection<Object, Protocol.Frame> connection,
            Plan plan,
            boolean client,
            Scheduler thread,
            Findings findings) {
        this.connection = connection;
        this.plan = plan;
        this.client = client;
        this.thread = thread;
        this.findings = findings;
        this.random = new Random(client ? plan.seed() * 31 : plan.seed() * 37);
        this.incoming = plan.script(!client);
        this.outgoing = plan.script(client);
        this.expected = client ? plan.toClient() : plan.toServer();
        this.breaksAt = plan.ending().isOrderly() || !client ? Integer.MAX_VALUE : random.nextInt(expected);
    }

    /** Completes when this end has sent and taken all, or the connection was broken as planned. */
    Mono<Void> run() {
        Mono<Void> sends = Flux.range(0, client ? plan.toServer() : plan.toClient())
                .flatMap(i -> Mono.defer(this::sendNext), SENDS_AT_ONCE)
                .then();
        if (plan.ending() == Plan.Ending.HALF_CLOSE) {
            sends = sends.then(Mono.defer(() -> connection.shutdownOutput()));
        }
        sends = sends.onErrorResume(e -> {
            if (plan.ending().isOrderly()) {
                fault("send failed: " + e + ", cause=" + e.getCause());
            }
            return Mono.empty();
        });
        thread.schedule(this::nextReceiver);
        return Mono.when(sends, taken.asMono()).doFinally(signal -> {
            over = true;
            look();
        });
    }

    /** Sends by the connection that there is until the message is accepted. */
    private synchronized Mono<Void> sendNext() {
        Sinks.Empty<Void> outcome = Sinks.empty();
        connection
                .send(outgoing.next(ByteBufAllocator.DEFAULT))
                .subscribe(none -> {}, outcome::tryEmitError, outcome::tryEmitEmpty);
        return outcome.asMono();
    }

    // ---- taking

    private void nextReceiver() {
        if (received.get() == expected && plan.ending() != Plan.Ending.HALF_CLOSE) {
            taken.tryEmitEmpty();
            return;
        }
        if (received.get() >= breaksAt) {
            breakConnection();
            return;
        }
        FrameConnection<Object, ?> from;
        synchronized (this) {
            from = connection;
        }
        if (random.nextInt(4) == 0) {
            from.prefetch(
                    random.nextInt(5) == 0
                            ? Prefetch.onDemand()
                            : new Prefetch(1 + random.nextInt(MOST_PREFETCHED), 1 + random.nextInt(256 * 1024)));
        }
        Taking taking = Taking.any(random);
        findings.taking(taking);
        new Turn(this, from, taking, thread, random).begin(taking.from(from, thread, random));
    }

    private void breakConnection() {
        Channel channel = connection.channel();
        if (plan.ending() == Plan.Ending.RESET) {
            channel.eventLoop().execute(() -> reset(channel));
        } else {
            connection.dispose();
        }
        taken.tryEmitEmpty();
    }

    /** On the event loop, which closes channels too: an option of a closed one may be set on another's descriptor. */
    private static void reset(Channel channel) {
        if (channel.isOpen()) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
            channel.close();
        }
    }

    /** How many the next receiver may take at most. */
    int mayTake() {
        return Math.min(breaksAt, expected) - received.get();
    }

    /** Whether all that is to come must be the end. */
    boolean awaitsEnd() {
        return received.get() == expected;
    }

    void take(Object message) {
        Script.Parcel parcel = Script.Parcel.take(message);
        String wrong = incoming.check(parcel);
        if (wrong != null) {
            fault(wrong);
        }
        findings.messages.increment();
        findings.bytes.add(parcel.length());
        received.getAndIncrement();
        Change change = incoming.change();
        if (change == null) {
            return;
        }
        boolean slices = (parcel.length() & 1) == 0;
        int when = parcel.length() & 6; // as random as any
        if (when == 0) {
            Schedulers.parallel()
                    .schedule(
                            () -> carryOut(change, slices),
                            parcel.length() % LATEST_CHANGE_MILLIS,
                            TimeUnit.MILLISECONDS);
        } else if (when == 2) {
            Schedulers.parallel().schedule(() -> carryOut(change, slices));
        } else {
            carryOut(change, slices);
        }
    }

    private synchronized void carryOut(Change change, boolean slices) {
        try {
            switch (change.how()) {
                case RESUME -> connection.resumeDecoding();
                case SWITCH -> connection.switchTo(change.protocol().codec(slices));
                case UPGRADE ->
                    connection = connection.upgrade(change.protocol().codec(slices));
            }
            findings.change(change.how());
        } catch (IllegalStateException e) {
            if (plan.ending().isOrderly()) {
                fault("not changed: " + change + ", " + e);
            }
        }
    }

    /** A receiver has cancelled. */
    void cancelled(boolean byAnotherThread) {
        (byAnotherThread ? findings.foreignCancels : findings.cancels).increment();
        look();
        if (mayTake() > GIVEN_AT_ONCE) {
            thread.schedule(this::nextReceiver);
        } else { // only when what was given is counted it is known how many are left
            connection.channel().eventLoop().execute(() -> thread.schedule(this::nextReceiver));
        }
    }

    /** The stream has ended, or that of a connection which has been upgraded meanwhile. */
    void ended(FrameConnection<?, ?> of, @Nullable Throwable error) {
        synchronized (this) {
            if (of != connection && (error == null || error instanceof IllegalStateException)) {
                thread.schedule(this::nextReceiver);
                return;
            }
        }
        boolean inOrder = received.get() == expected && (error == null || plan.ending() == Plan.Ending.CLOSE);
        if (plan.ending().isOrderly() && !inOrder) {
            fault("stream has ended: error=" + error);
        }
        taken.tryEmitEmpty();
    }

    // ---- bounds

    /** Compares what is held with its bounds. */
    void look() {
        ConnectionStats stats = connection.stats();
        findings.held(stats.heldMessagesMax(), stats.bytesAtHand());
        if (stats.heldMessagesMax() > MOST_PREFETCHED + Taking.MAX_AHEAD + 1) {
            fault("too many messages held");
        }
        if (stats.bytesAtHand() > Protocol.LARGEST_FRAME + ONE_READ + KERNEL_BUFFER) {
            fault("too many bytes at hand");
        }
    }

    /** Whether nothing has come since so many looks. */
    boolean isStuckSince(int looks) {
        look();
        int now = received.get();
        idleLooks = now == seenByMonitor && !over ? idleLooks + 1 : 0;
        seenByMonitor = now;
        return idleLooks >= looks;
    }

    void dispose() {
        connection.dispose();
    }

    private void fault(String what) {
        findings.fault(what + ", " + this);
    }

    @Override
    public String toString() {
        return (client ? "client" : "server") + " of " + plan + ", received=" + received + " of " + expected + ", "
                + connection + ", " + connection.stats();
    }
}
