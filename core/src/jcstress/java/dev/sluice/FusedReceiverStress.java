package dev.sluice;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.sluice.StressDrain.Log;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;
import org.openjdk.jcstress.infra.results.L_Result;
import reactor.core.Fuseable;

/** Races of a consumer that polls. In results: what it got, and what the next receiver got. */
public abstract class FusedReceiverStress {
    /** A poll against the cancel: each of three messages goes to exactly one of the two receivers, in order. */
    @JCStressTest
    @Outcome(id = ", 123", expect = ACCEPTABLE, desc = "cancelled before the first poll")
    @Outcome(id = "1, 23", expect = ACCEPTABLE, desc = "cancelled behind the first")
    @Outcome(id = "12, 3", expect = ACCEPTABLE, desc = "cancelled behind the second")
    @Outcome(id = "123, ", expect = ACCEPTABLE, desc = "cancelled behind the last")
    @Outcome(expect = FORBIDDEN, desc = "lost, twice, or out of order")
    @State
    public static class PollAgainstCancel {
        private final StressDrain drain = new StressDrain(Prefetch.DEFAULT, 3);
        private final Log log = drain.subscribe(Fuseable.ASYNC);

        @Actor
        public void consumer() {
            while (log.poll()) {}
        }

        @Actor
        public void canceller() {
            drain.onLoop();
            log.subscription.cancel();
        }

        @Arbiter
        public void next(LL_Result r) {
            r.r1 = log.toString();
            r.r2 = rest(drain);
        }
    }

    /** The same with {@code clear()}, which operators call instead of a cancel, or beside it. */
    @JCStressTest
    @Outcome(id = ", 123", expect = ACCEPTABLE, desc = "cleared before the first poll")
    @Outcome(id = "1, 23", expect = ACCEPTABLE, desc = "cleared behind the first")
    @Outcome(id = "12, 3", expect = ACCEPTABLE, desc = "cleared behind the second")
    @Outcome(id = "123, ", expect = ACCEPTABLE, desc = "cleared behind the last")
    @Outcome(expect = FORBIDDEN, desc = "lost, twice, or out of order")
    @State
    public static class PollAgainstClear {
        private final StressDrain drain = new StressDrain(Prefetch.DEFAULT, 3);
        private final Log log = drain.subscribe(Fuseable.ASYNC);

        @Actor
        public void consumer() {
            while (log.poll()) {}
        }

        @Actor
        public void clearer() {
            drain.onLoop();
            log.subscription.clear();
        }

        @Arbiter
        public void next(LL_Result r) {
            r.r1 = log.toString();
            r.r2 = rest(drain);
        }
    }

    /**
     * The drain parks with two of six messages in the ring, while the consumer empties it: either the drain sees the room,
     * or the consumer wakes it. Nobody requests, so nothing else would.
     */
    @JCStressTest
    @Outcome(id = "123456", expect = ACCEPTABLE, desc = "the drain went on")
    @Outcome(expect = FORBIDDEN, desc = "parked for ever, or messages lost")
    @State
    public static class ParkAgainstLowTide {
        private final StressDrain drain = new StressDrain(new Prefetch(2, 1024), 6);
        private final Log log = drain.subscribe(Fuseable.ASYNC);

        @Actor
        public void consumer() {
            log.poll();
            log.poll();
            log.poll();
        }

        @Actor
        public void loop() {
            drain.onLoop();
            drain.drain();
        }

        @Arbiter
        public void settle(L_Result r) {
            drain.runTasks();
            while (log.poll()) {
                drain.runTasks();
            }
            r.r1 = log.toString();
        }
    }

    /**
     * The end comes while the consumer takes the last message: it is told, once. (A consumer may be told while it is still
     * at that message: it asks for its queue to be empty too.)
     */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "one message, one completion")
    @Outcome(expect = FORBIDDEN, desc = "never completed, twice, or without the message")
    @State
    public static class TerminalAgainstObservedEmpty {
        private final StressDrain drain = new StressDrain(Prefetch.DEFAULT, 1);
        private final Log log = drain.subscribe(Fuseable.ASYNC);

        @Actor
        public void consumer() {
            log.poll();
            log.subscription.isEmpty();
        }

        @Actor
        public void loop() {
            drain.onLoop();
            drain.inputEnded(null);
        }

        @Arbiter
        public void settle(LL_Result r) {
            drain.runTasks();
            r.r1 = log.toString();
            r.r2 = log.terminals();
        }
    }

    static String rest(StressDrain drain) {
        drain.runTasks();
        Log next = drain.subscribe(Fuseable.NONE);
        next.subscription.request(Long.MAX_VALUE);
        drain.runTasks();
        return next.toString();
    }
}
