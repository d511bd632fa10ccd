package dev.sluice;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import reactor.blockhound.BlockHound;

/**
 * In this JVM a call that blocks fails where nothing may block: on event loops and on Reactor's parallel and single threads.
 * Registered for all tests; {@link NoBlockingTest} shows that it is at work.
 */
public final class NoBlocking implements BeforeAllCallback {
    static {
        BlockHound.install(builder -> builder
                // Tests that want a thread to come to nothing else.
                .allowBlockingCallsInside(Await.class.getName(), "blocking")
                .allowBlockingCallsInside(Link.class.getName(), "await")
                .allowBlockingCallsInside(FusedCancelTest.class.getName(), "await")
                // A key is made by whoever comes first.
                .allowBlockingCallsInside(Tls.class.getName(), "server")
                .allowBlockingCallsInside(Tls.class.getName(), "client")
                // The locks of the queues in which the Reactive Streams TCK takes signals.
                .allowBlockingCallsInside("org.reactivestreams.tck.TestEnvironment$Receptacle", "add")
                .allowBlockingCallsInside("org.reactivestreams.tck.TestEnvironment$Receptacle", "complete")
                .allowBlockingCallsInside("org.reactivestreams.tck.TestEnvironment$Promise", "complete")
                // The lock of an executor's queue, which Reactor's own schedulers take on their threads.
                .allowBlockingCallsInside("java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue", "offer")
                .allowBlockingCallsInside("java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue", "remove")
                .allowBlockingCallsInside("java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue", "poll")
                // Where an event loop of local channels waits for something to do; Netty itself allows it for the
                // others.
                .allowBlockingCallsInside("io.netty.channel.local.LocalIoHandler", "run"));
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        // Loading the class has done it.
    }
}
