package dev.sluice.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The ways to receive that are compared; each kind that has one is set against a kind of the same work. */
enum Kind {
    RECEIVE_OBJECT("receive-object", "rn-receive-object"),
    RECEIVE_LIMIT_RATE("receive-limitRate", "rn-limitRate"),
    RECEIVE_REQUEST_ONE("receive-requestOne", "rn-requestOne"),
    RECEIVE_SLICE("receive-slice", "rn-receive-slice"),
    BATCHES("batches", "rn-receive-object"),
    HOP("hop", "rn-publishOn", "64 + 1,024 messages / 256 KiB + 4 MiB"),
    HOP_PUBLISH_ON("hop-publishOn", "rn-publishOn", "64 + 256 messages / 256 KiB + 4 MiB"),
    HOP_PUBLISH_ON_UNFUSED("hop-publishOn-unfused", "rn-publishOn", "64 messages / 256 KiB + 256 messages"),
    HOP_BATCHES("hop-batches", "rn-publishOn", "64 messages / 256 KiB + 16 batches of at most 64"),
    RN_RECEIVE_OBJECT("rn-receive-object", ""),
    RN_LIMIT_RATE("rn-limitRate", "rn-receive-object"),
    RN_REQUEST_ONE("rn-requestOne", "rn-receive-object"),
    RN_RECEIVE_SLICE("rn-receive-slice", ""),
    RN_PUBLISH_ON("rn-publishOn", "", "256 messages + Reactor Netty's own queue (unbounded)"),
    NETTY_HANDLER("netty-handler", "rn-receive-object"),
    NIO_LOOP_64K("nio-loop-64k", "rn-receive-object"),
    NIO_LOOP_256K("nio-loop-256k", "rn-receive-object"),
    NATIVE_LOOP("native-loop", "rn-receive-object");

    private final String id;
    private final String against;
    private final String inFlight;

    Kind(String id, String against) {
        this(id, against, "");
    }

    Kind(String id, String against, String inFlight) {
        this.id = id;
        this.against = against;
        this.inFlight = inFlight;
    }

    String id() {
        return id;
    }

    /** The id of the kind that it is set against, or empty. */
    String against() {
        return against;
    }

    /** For kinds that hop to another thread, how much may lie between the socket and the consumer; else empty. */
    String inFlight() {
        return inFlight;
    }

    /** Whether the messages are consumed on another thread than the event loop. */
    boolean hops() {
        return !inFlight.isEmpty();
    }

    static Kind of(String id) {
        return Arrays.stream(values())
                .filter(kind -> kind.id.equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such kind: kind=" + id + ", kinds=" + ids()));
    }

    /** Of ids with commas between; {@code nio-loop} stands for both read sizes. */
    static List<Kind> listOf(String ids) {
        List<Kind> kinds = new ArrayList<>();
        for (String id : ids.split(",", -1)) {
            if (id.equals("nio-loop")) {
                kinds.add(NIO_LOOP_64K);
                kinds.add(NIO_LOOP_256K);
            } else {
                kinds.add(of(id));
            }
        }
        return kinds;
    }

    static String ids() {
        return Arrays.stream(values()).map(Kind::id).collect(Collectors.joining(","));
    }
}
