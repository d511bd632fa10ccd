package dev.sluice.bench;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What all kinds came to at one size; only those that did not fail. */
record SizeResult(int payload, long messages, Map<String, Series> byKind) {
    static SizeResult of(int payload, long messages, Collection<Series> series) {
        Map<String, Series> byKind = new LinkedHashMap<>();
        series.forEach(one -> byKind.put(one.kind().id(), one));
        return new SizeResult(payload, messages, byKind);
    }

    /** What this series is set against, if it was measured. */
    @Nullable Series counterpart(Series series) {
        return byKind.get(series.kind().against());
    }
}
