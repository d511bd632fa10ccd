package dev.sluice;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;
import org.openjdk.jcstress.infra.results.L_Result;

/** Races of a thread that sends with the event loop. */
public abstract class OutboundStress {
    /** A message comes while a drain empties the queue: either it is found, or another drain is due. */
    @JCStressTest
    @Outcome(id = "123, \\+1\\+2\\+3", expect = ACCEPTABLE, desc = "sent, in order")
    @Outcome(expect = FORBIDDEN, desc = "left in the queue, twice, or out of order")
    @State
    public static class OfferAgainstDrain {
        private final StressOutbound sending = new StressOutbound();

        @Actor
        public void sender() {
            sending.trySend(1);
            sending.trySend(2);
            sending.trySend(3);
        }

        @Actor
        public void loop() {
            sending.onLoop();
            sending.runTasks();
            sending.runTasks();
        }

        @Arbiter
        public void settle(LL_Result r) {
            sending.onLoop();
            sending.runTasks();
            r.r1 = sending.wire();
            r.r2 = sending.replies();
        }
    }

    /** The channel closes while a message comes, and no task runs any more: whoever finds the message fails it. */
    @JCStressTest
    @Outcome(id = "CLOSED, ", expect = ACCEPTABLE, desc = "closed before")
    @Outcome(id = "ACCEPTED, -1", expect = ACCEPTABLE, desc = "accepted, and failed")
    @Outcome(expect = FORBIDDEN, desc = "without its reply, or with two")
    @State
    public static class OfferAgainstClose {
        private final StressOutbound sending = new StressOutbound();
        private volatile SendResult result = SendResult.BUSY;

        @Actor
        public void sender() {
            result = sending.trySend(1);
        }

        @Actor
        public void loop() {
            sending.onLoop();
            sending.channelGone();
        }

        @Arbiter
        public void settle(LL_Result r) {
            r.r1 = result;
            r.r2 = sending.replies();
        }
    }

    /** The event loop has ended without closing its channel, and somebody tells of it. */
    @JCStressTest
    @Outcome(id = "CLOSED, ", expect = ACCEPTABLE, desc = "ended before")
    @Outcome(id = "ACCEPTED, -1", expect = ACCEPTABLE, desc = "accepted, and failed")
    @Outcome(expect = FORBIDDEN, desc = "without its reply, or with two")
    @State
    public static class OfferAgainstEndOfLoop {
        private final StressOutbound sending = new StressOutbound();
        private volatile SendResult result = SendResult.BUSY;

        @Actor
        public void sender() {
            result = sending.trySend(1);
        }

        @Actor
        public void end() {
            sending.outbound.loopEnded();
        }

        @Arbiter
        public void settle(LL_Result r) {
            r.r1 = result;
            r.r2 = sending.replies();
        }
    }

    /** A close in order waits until all that was accepted is written: a message is refused, or goes out before the end. */
    @JCStressTest
    @Outcome(id = "CLOSED\\|", expect = ACCEPTABLE, desc = "refused")
    @Outcome(id = "ACCEPTED1\\|", expect = ACCEPTABLE, desc = "written before the output's end")
    @Outcome(expect = FORBIDDEN, desc = "accepted, and behind the output's end")
    @State
    public static class OfferAgainstCloseInOrder {
        private final StressOutbound sending = new StressOutbound();
        private volatile SendResult result = SendResult.BUSY;

        @Actor
        public void sender() {
            result = sending.trySend(1);
        }

        @Actor
        public void loop() {
            sending.onLoop();
            sending.outbound.refuse();
            sending.outbound.whenWritten(() -> sending.mark("|"));
        }

        @Arbiter
        public void settle(L_Result r) {
            sending.onLoop();
            sending.runTasks();
            r.r1 = result + sending.wire();
        }
    }
}
