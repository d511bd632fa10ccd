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

/** Races of a receiver that is signalled by the event loop. */
public abstract class ReceiverStress {
    /**
     * A request of another thread comes while the drain leaves without demand: either the drain sees the request, or the
     * request sees that the drain is stalled and wakes it.
     */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "given")
    @Outcome(expect = FORBIDDEN, desc = "demanded, at hand, and not given; or given twice")
    @State
    public static class RequestAgainstStalled {
        private final StressDrain drain = new StressDrain(Prefetch.DEFAULT, 2);
        private final Log log = new Log(Fuseable.NONE);

        @Actor
        public void requester() {
            Log subscribed = log;
            while (subscribed.subscription == null) {
                Thread.onSpinWait();
            }
            subscribed.subscription.request(1);
        }

        @Actor
        public void loop() {
            drain.onLoop();
            drain.receive().subscribe(log);
        }

        @Arbiter
        public void settle(L_Result r) {
            drain.runTasks();
            r.r1 = log.toString();
        }
    }

    /** Another thread cancels and lets the next receiver subscribe, while the loop gives. */
    @JCStressTest
    @Outcome(id = ", 1234", expect = ACCEPTABLE, desc = "all to the next")
    @Outcome(id = "1, 234", expect = ACCEPTABLE, desc = "the first was given before the cancel")
    @Outcome(id = "12, 34", expect = ACCEPTABLE, desc = "two were")
    @Outcome(id = "123, 4", expect = ACCEPTABLE, desc = "three were")
    @Outcome(id = "1234, ", expect = ACCEPTABLE, desc = "all were")
    @Outcome(expect = FORBIDDEN, desc = "lost, twice, or out of order")
    @State
    public static class CancelAgainstNextReceiver {
        private final StressDrain drain = new StressDrain(Prefetch.DEFAULT, 4);
        private final Log first = drain.subscribe(Fuseable.NONE);
        private final Log next = new Log(Fuseable.NONE);

        @Actor
        public void loop() {
            drain.onLoop();
            first.subscription.request(Long.MAX_VALUE);
        }

        @Actor
        public void canceller() {
            first.subscription.cancel();
            drain.receive().subscribe(next);
            next.subscription.request(Long.MAX_VALUE);
        }

        @Arbiter
        public void settle(LL_Result r) {
            drain.runTasks();
            r.r1 = first.toString();
            r.r2 = next.toString();
        }
    }
}
