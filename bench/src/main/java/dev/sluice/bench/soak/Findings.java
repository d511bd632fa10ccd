package dev.sluice.bench.soak;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** What a soak has seen, counted by all its threads, and what was wrong. */
final class Findings {
    private static final int MAX_FAULTS = 20;

    final LongAdder connections = new LongAdder();
    final LongAdder messages = new LongAdder();
    final LongAdder bytes = new LongAdder();
    final LongAdder cancels = new LongAdder();
    final LongAdder foreignCancels = new LongAdder();
    private final Map<Taking, LongAdder> takings = new ConcurrentSkipListMap<>();
    private final Map<Change.How, LongAdder> changes = new ConcurrentSkipListMap<>();
    private final Map<Security, LongAdder> securities = new ConcurrentSkipListMap<>();
    private final Map<Plan.Ending, LongAdder> endings = new ConcurrentSkipListMap<>();
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private int mostHeld;
    private long mostAtHand;

    void taking(Taking taking) {
        takings.computeIfAbsent(taking, key -> new LongAdder()).increment();
    }

    void change(Change.How how) {
        changes.computeIfAbsent(how, key -> new LongAdder()).increment();
    }

    void security(Security security) {
        securities.computeIfAbsent(security, key -> new LongAdder()).increment();
    }

    void ending(Plan.Ending ending) {
        endings.computeIfAbsent(ending, key -> new LongAdder()).increment();
    }

    synchronized void held(int messages, long bytesAtHand) {
        mostHeld = Math.max(mostHeld, messages);
        mostAtHand = Math.max(mostAtHand, bytesAtHand);
    }

    void fault(String fault) {
        if (faults.size() < MAX_FAULTS) {
            faults.add(fault);
        }
    }

    boolean hasFaults() {
        return !faults.isEmpty();
    }

    @Override
    public synchronized String toString() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                "connections=%d messages=%d MiB=%d cancels=%d by another thread=%d%n",
                connections.sum(), messages.sum(), bytes.sum() >> 20, cancels.sum(), foreignCancels.sum()));
        text.append(String.format(
                "receivers: %s%nprotocol changes: %s%nTLS: %s%nendings: %s%n", takings, changes, securities, endings));
        text.append(String.format("held at most: messages=%d bytesAtHand=%d%n", mostHeld, mostAtHand));
        faults.forEach(fault -> text.append("FAULT ").append(fault).append(System.lineSeparator()));
        return text.toString();
    }
}
