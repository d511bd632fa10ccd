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

/** Races around a pause. The drain pauses behind its second frame. */
public abstract class SwitchStress {
    private static final int PAUSE_AFTER = 2;

    /** Another thread resumes while the loop comes to the pause by a request, or has not come there yet. */
    @JCStressTest
    @Outcome(id = "1234", expect = ACCEPTABLE, desc = "resumed")
    @Outcome(id = "12", expect = ACCEPTABLE, desc = "there was no pause yet to end")
    @Outcome(expect = FORBIDDEN, desc = "resumed, demanded and not given; or out of order")
    @State
    public static class ResumeAgainstRequest {
        private final StressDrain drain = new StressDrain(Prefetch.onDemand(), 4, PAUSE_AFTER);
        private final Log log = drain.subscribe(Fuseable.NONE);

        @Actor
        public void loop() {
            drain.onLoop();
            log.subscription.request(Long.MAX_VALUE);
        }

        @Actor
        public void resumer() {
            drain.resumeDecoding(Place.FIRST_VIEW);
        }

        @Arbiter
        public void settle(L_Result r) {
            drain.runTasks();
            r.r1 = log.toString();
        }
    }

    /** The loop is paused: one thread resumes, another one requests what comes then. */
    @JCStressTest
    @Outcome(id = "1234", expect = ACCEPTABLE, desc = "resumed, and all given")
    @Outcome(expect = FORBIDDEN, desc = "demanded and not given; or out of order")
    @State
    public static class RequestAgainstResume {
        private final StressDrain drain = new StressDrain(Prefetch.DEFAULT, 4, PAUSE_AFTER);
        private final Log log = drain.subscribe(Fuseable.NONE);

        {
            log.subscription.request(2);
            drain.runTasks();
        }

        @Actor
        public void requester() {
            log.subscription.request(2);
        }

        @Actor
        public void resumer() {
            drain.resumeDecoding(Place.FIRST_VIEW);
        }

        @Arbiter
        public void settle(L_Result r) {
            drain.runTasks();
            r.r1 = log.toString();
        }
    }

    /** The loop is paused and learns that the input has ended, while another thread resumes: the end comes behind all. */
    @JCStressTest
    @Outcome(id = "1234, 1", expect = ACCEPTABLE, desc = "resumed, all given, and completed")
    @Outcome(expect = FORBIDDEN, desc = "the end has overtaken messages; or never came")
    @State
    public static class ResumeAgainstEnd {
        private final StressDrain drain = new StressDrain(Prefetch.DEFAULT, 4, PAUSE_AFTER);
        private final Log log = drain.subscribe(Fuseable.NONE);

        {
            log.subscription.request(Long.MAX_VALUE);
            drain.runTasks();
        }

        @Actor
        public void loop() {
            drain.onLoop();
            drain.inputEnded(null);
        }

        @Actor
        public void resumer() {
            drain.resumeDecoding(Place.FIRST_VIEW);
        }

        @Arbiter
        public void settle(LL_Result r) {
            drain.runTasks();
            r.r1 = log.toString();
            r.r2 = log.terminals();
        }
    }

    /** The old receiver is cancelled while another thread upgrades: what lies behind is the next view's, all of it. */
    @JCStressTest
    @Outcome(id = "12, 34", expect = ACCEPTABLE, desc = "completed, or cancelled before")
    @Outcome(expect = FORBIDDEN, desc = "lost, twice, or given to the old receiver")
    @State
    public static class UpgradeAgainstCancel {
        private final StressDrain drain = new StressDrain(Prefetch.DEFAULT, 4, PAUSE_AFTER);
        private final Log before = drain.subscribe(Fuseable.NONE);
        private final Log after = new Log(Fuseable.NONE);

        {
            before.subscription.request(Long.MAX_VALUE);
            drain.runTasks();
        }

        @Actor
        public void upgrader() {
            drain.claim(Place.FIRST_VIEW);
            drain.switchBy(drain.upgrade(StressDrain.codec()));
            ReceiveFlux.messages(drain, Place.FIRST_VIEW + 1).subscribe(after);
            after.subscription.request(Long.MAX_VALUE);
        }

        @Actor
        public void canceller() {
            before.subscription.cancel();
        }

        @Arbiter
        public void settle(LL_Result r) {
            drain.runTasks();
            r.r1 = before.terminals() > 1 ? "two terminals" : before.toString();
            r.r2 = after.toString();
        }
    }

    /** Somebody subscribes by the old view while another thread upgrades: completed or refused, and in nobody's way. */
    @JCStressTest
    @Outcome(id = "1, 34", expect = ACCEPTABLE, desc = "one terminal for the old, all for the new")
    @Outcome(expect = FORBIDDEN, desc = "never told of the end; or the new receiver was kept out")
    @State
    public static class UpgradeAgainstSubscribe {
        private final StressDrain drain = new StressDrain(Prefetch.DEFAULT, 4, PAUSE_AFTER);
        private final Log late = new Log(Fuseable.NONE);
        private final Log after = new Log(Fuseable.NONE);

        {
            Log first = drain.subscribe(Fuseable.NONE);
            first.subscription.request(Long.MAX_VALUE);
            drain.runTasks();
            first.subscription.cancel();
            drain.runTasks();
        }

        @Actor
        public void upgrader() {
            drain.claim(Place.FIRST_VIEW);
            drain.switchBy(drain.upgrade(StressDrain.codec()));
            ReceiveFlux.messages(drain, Place.FIRST_VIEW + 1).subscribe(after);
            after.subscription.request(Long.MAX_VALUE);
        }

        @Actor
        public void subscriber() {
            drain.receive().subscribe(late);
        }

        @Arbiter
        public void settle(LL_Result r) {
            drain.runTasks();
            r.r1 = late.terminals();
            r.r2 = after.toString();
        }
    }

    /** Two threads claim the one pause: one of them gets it. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "one switch")
    @Outcome(expect = FORBIDDEN, desc = "two, or none")
    @State
    public static class ClaimAgainstClaim {
        private final Gate gate = new Gate();
        private boolean first;
        private boolean second;

        {
            gate.close();
        }

        @Actor
        public void one() {
            first = gate.claim();
        }

        @Actor
        public void other() {
            second = gate.claim();
        }

        @Arbiter
        public void settle(L_Result r) {
            r.r1 = (first ? 1 : 0) + (second ? 1 : 0);
        }
    }
}
