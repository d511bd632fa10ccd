package dev.sluice.framing.test;

import dev.sluice.framing.Framer;
import dev.sluice.framing.Framing;
import io.netty.buffer.ByteBuf;

/**
 * Fails a framer that is asked without end, and a driver that asks it wrongly: in fewer steps than a watchdog has
 * milliseconds, and the same on every machine.
 */
final class BoundedFraming implements Framing {
    private final Framing framing;
    private final long limit;

    BoundedFraming(Framing framing, Cut cut) {
        this.framing = framing;
        // At most a few looks at a byte, and a few at each chunk's end.
        this.limit = 100 + 8L * cut.length() + 8L * cut.chunks().size();
    }

    /** The class that a reader sees, and names, in place of the framer's own. */
    static String framerName() {
        return BoundedFramer.class.getName();
    }

    @Override
    public Framer newFramer() {
        return new BoundedFramer(framing.newFramer(), limit);
    }

    @Override
    public void encode(ByteBuf payload, ByteBuf target) {
        framing.encode(payload, target);
    }

    private static final class BoundedFramer implements Framer {
        private final Framer framer;
        private final long limit;
        private long asked;
        private boolean ended;

        BoundedFramer(Framer framer, long limit) {
            this.framer = framer;
            this.limit = limit;
        }

        @Override
        public void frame(ByteBuf unread, Answer answer) {
            if (++asked > limit) {
                throw new AssertionError("framer asked too often: asked=" + asked + ", limit=" + limit);
            }
            if (ended || !unread.isReadable()) {
                throw new AssertionError("framer asked without bytes, or behind the end: ended=" + ended
                        + ", readableBytes=" + unread.readableBytes());
            }
            framer.frame(unread, answer);
        }

        @Override
        public void atEnd(ByteBuf unread, Answer answer) {
            if (ended) {
                throw new AssertionError("framer told of the end twice");
            }
            ended = true;
            framer.atEnd(unread, answer);
        }

        @Override
        public boolean isDiscarding() {
            return framer.isDiscarding();
        }

        @Override
        public void unescape(ByteBuf frame, ByteBuf target) {
            framer.unescape(frame, target);
        }
    }
}
