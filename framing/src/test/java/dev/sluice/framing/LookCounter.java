package dev.sluice.framing;

import dev.sluice.testing.TrackingAllocator;
import io.netty.buffer.ByteBuf;

/** Counts how often framers are asked, and how many bytes they read; a plain framer stays one. */
final class LookCounter {
    private final TrackingAllocator allocator;
    private long visits;
    private long calls;

    /** @param allocator of all bytes that they look at */
    LookCounter(TrackingAllocator allocator) {
        this.allocator = allocator;
    }

    /** Bytes read, each as often as it was. */
    long visits() {
        return visits;
    }

    long calls() {
        return calls;
    }

    /** The framing whose framers are counted; begins anew. */
    Framing of(Framing framing) {
        visits = 0;
        calls = 0;
        return TestFramings.of(() -> {
            Framer framer = framing.newFramer();
            return framer instanceof PlainFramer plain ? new CountedPlain(plain) : new Counted(framer);
        });
    }

    private class Counted implements Framer {
        private final Framer framer;

        Counted(Framer framer) {
            this.framer = framer;
        }

        @Override
        public void frame(ByteBuf unread, Answer answer) {
            long before = allocator.visits();
            framer.frame(unread, answer);
            visits += allocator.visits() - before;
            calls++;
        }

        @Override
        public void atEnd(ByteBuf unread, Answer answer) {
            framer.atEnd(unread, answer);
        }

        @Override
        public boolean isDiscarding() {
            return framer.isDiscarding();
        }
    }

    private final class CountedPlain extends Counted implements PlainFramer {
        private final PlainFramer framer;

        CountedPlain(PlainFramer framer) {
            super(framer);
            this.framer = framer;
        }

        @Override
        public long plainFrame(ByteBuf unread, int begin, int end) {
            long before = allocator.visits();
            long place = framer.plainFrame(unread, begin, end);
            visits += allocator.visits() - before;
            calls++;
            return place;
        }
    }
}
