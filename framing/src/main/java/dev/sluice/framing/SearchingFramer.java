package dev.sluice.framing;

import io.netty.buffer.ByteBuf;

/**
 * What framers have in common that learn where a frame ends only by finding its end: oversize frames, which are judged
 * and then skipped as they come, and the last frame.
 */
abstract class SearchingFramer implements Framer {
    private final int maxPayloadLength;
    private final Oversize oversize;
    private final OpenLast openLast;
    /** The unread bytes go on with an oversize frame that was reported. */
    private boolean discarding;

    SearchingFramer(int maxPayloadLength, Oversize oversize, OpenLast openLast) {
        this.maxPayloadLength = maxPayloadLength;
        this.oversize = oversize;
        this.openLast = openLast;
    }

    /** How long the payload may be; what is being discarded may be of any length. */
    final int limit() {
        return discarding ? Integer.MAX_VALUE : maxPayloadLength;
    }

    @Override
    public final boolean isDiscarding() {
        return discarding;
    }

    /** A frame ends here, or one that is being discarded does. */
    final void ends(Answer answer, int frameLength, int payloadLength) {
        if (discarding) {
            discarding = false;
            answer.discardMore(frameLength);
        } else {
            answer.frame(frameLength, 0, payloadLength);
        }
    }

    /**
     * The frame cannot stay within the limit.
     *
     * @param seen bytes of it that are here and are skipped
     * @param ended whether these are all of it
     */
    final void isTooLong(Answer answer, int seen, boolean ended) {
        long payloadLength = maxPayloadLength + 1L; // as much as is certain, wherever chunks are cut
        if (oversize == Oversize.FAIL) {
            throw new FrameTooLongException(payloadLength, maxPayloadLength);
        }
        discarding = !ended;
        answer.discard(seen, payloadLength, maxPayloadLength);
    }

    @Override
    public void atEnd(ByteBuf unread, Answer answer) {
        int length = unread.readableBytes();
        if (discarding) {
            throw new TruncatedFrameException("input ended inside a frame that was discarded: bytesAtHand=" + length
                    + ", bytesNeeded=" + (length + 1L));
        }
        if (openLast == OpenLast.FAIL) {
            Framer.super.atEnd(unread, answer);
        } else if (length > 0) {
            checkLast(unread);
            if (length <= maxPayloadLength) {
                answer.frame(length, 0, length);
            } else if (oversize == Oversize.DISCARD) {
                answer.discard(length + 1L, length, maxPayloadLength); // its end lacks, so that it is truncated too
            } else {
                throw new FrameTooLongException(length, maxPayloadLength);
            }
        }
    }

    /** Throws unless these bytes may be the last frame though nothing ends them. */
    void checkLast(ByteBuf last) {}
}
