package dev.sluice;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** The consumer takes while the drain takes back. */
public abstract class SpscRingStress {
    @JCStressTest
    @Outcome(id = ", 123", expect = ACCEPTABLE, desc = "all taken back")
    @Outcome(id = "1, 23", expect = ACCEPTABLE, desc = "one taken")
    @Outcome(id = "12, 3", expect = ACCEPTABLE, desc = "two taken")
    @Outcome(id = "123, ", expect = ACCEPTABLE, desc = "all taken")
    @Outcome(expect = FORBIDDEN, desc = "lost, twice, or out of order")
    @State
    public static class PollAgainstTakeBack {
        private final SpscRing<Integer> ring = new SpscRing<>(Prefetch.DEFAULT, 1);
        private final MessageRing<Integer> back = new MessageRing<>(Prefetch.DEFAULT);
        private final StringBuilder taken = new StringBuilder();

        public PollAgainstTakeBack() {
            ring.offer(1, 10);
            ring.offer(2, 20);
        }

        @Actor
        public void consumer() {
            for (Integer message = ring.poll(false); message != null; message = ring.poll(false)) {
                taken.append(message);
            }
        }

        @Actor
        public void drain() {
            ring.offer(3, 30);
            ring.takeBack(back);
        }

        @Arbiter
        public void settle(LL_Result r) {
            StringBuilder left = new StringBuilder();
            while (!back.isEmpty()) {
                int length = back.oldestLength();
                int message = back.poll();
                left.append(length == 10 * message ? Integer.toString(message) : "?");
            }
            r.r1 = taken.toString();
            r.r2 = left.toString();
        }
    }
}
