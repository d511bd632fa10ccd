package dev.sluice.framing;

import io.netty.buffer.ByteBuf;

/**
 * Decodes {@link CobsFraming}: goes from code byte to code byte, and sees that no zero stands between them.
 *
 * <p>The limit is judged byte by byte: a byte of a group counts where it stands, the zero behind a group at the next code
 * byte, which shows that the frame does not end there.
 */
final class CobsFramer implements Framer {
    private final int maxPayloadLength;
    private final Oversize oversize;

    /** Bytes looked at, from the reader index on. */
    private int looked;
    /** The byte behind those, if it was read with the zeros before it; else 0. */
    private int peekedCode;

    // Of the frame, as far as it was looked at.
    private boolean begun;
    private int payloadLength;
    /** Bytes of its first group; they lie at offset 1. */
    private int firstGroup;
    /** Bytes of the last group that were not looked at. */
    private int leftOfGroup;
    /** The last group has a zero behind it if another one follows. */
    private boolean zeroFollows;

    private boolean discarding;

    CobsFramer(int maxPayloadLength, Oversize oversize) {
        this.maxPayloadLength = maxPayloadLength;
        this.oversize = oversize;
    }

    @Override
    public void frame(ByteBuf unread, Answer answer) {
        int begin = unread.readerIndex();
        int readable = unread.readableBytes();
        if (!begun && skipsZeros(unread, begin, readable)) {
            answer.skip(looked);
            looked = 0;
            return;
        }
        while (looked < readable) {
            boolean passes;
            if (leftOfGroup > 0) {
                passes = lookAtGroup(unread, begin + looked, Math.min(leftOfGroup, readable - looked));
            } else {
                int code = peekedCode != 0 ? peekedCode : unread.getUnsignedByte(begin + looked);
                peekedCode = 0;
                looked++;
                if (code == 0) {
                    end(answer);
                    return;
                }
                passes = lookAtCode(code);
            }
            if (!passes) {
                tooLong(answer);
                return;
            }
        }
        if (discarding) {
            answer.discardMore(looked);
            looked = 0;
        } else {
            answer.need(looked + 1L);
        }
    }

    /** Looks at the zeros in front of a frame; false if there are none. */
    private boolean skipsZeros(ByteBuf in, int begin, int readable) {
        while (peekedCode == 0 && looked < readable) {
            peekedCode = in.getUnsignedByte(begin + looked);
            looked += peekedCode == 0 ? 1 : 0;
        }
        return looked > 0;
    }

    private boolean lookAtCode(int code) {
        int zeros = zeroFollows ? 1 : 0;
        if (!begun) {
            begun = true;
            firstGroup = code - 1;
        }
        leftOfGroup = code - 1;
        zeroFollows = code != CobsFraming.FULL;
        return counts(zeros);
    }

    private boolean lookAtGroup(ByteBuf in, int index, int there) {
        int room = discarding ? Integer.MAX_VALUE : maxPayloadLength - payloadLength;
        int count = room < there ? room + 1 : there;
        int nonZero = Words.indexOf(in, index, count, CobsFraming.ZEROS);
        looked += nonZero;
        leftOfGroup -= nonZero;
        if (nonZero < count) {
            throw new CorruptFrameException(
                    "code byte points beyond the frame: bytesBeyond=" + leftOfGroup + ", frameOffset=" + looked);
        }
        return counts(nonZero);
    }

    /** Counts more payload bytes; false if the last of them is beyond the limit. */
    private boolean counts(int bytes) {
        if (discarding) {
            return true;
        }
        if (bytes > maxPayloadLength - payloadLength) {
            return false;
        }
        payloadLength += bytes;
        return true;
    }

    private void tooLong(Answer answer) {
        if (oversize == Oversize.FAIL) {
            throw new FrameTooLongException(maxPayloadLength + 1L, maxPayloadLength);
        }
        answer.discard(looked, maxPayloadLength + 1L, maxPayloadLength);
        discarding = true;
        looked = 0;
    }

    private void end(Answer answer) {
        if (discarding) {
            answer.discardMore(looked);
        } else if (payloadLength == firstGroup) {
            answer.frame(looked, 1, payloadLength);
        } else {
            answer.escapedFrame(looked, payloadLength);
        }
        looked = 0;
        begun = false;
        payloadLength = 0;
        zeroFollows = false;
        discarding = false;
    }

    @Override
    public boolean isDiscarding() {
        return discarding;
    }

    @Override
    public void atEnd(ByteBuf unread, Answer answer) {
        if (begun) {
            throw new TruncatedFrameException("input ended before the zero of a frame: bytesAtHand="
                    + unread.readableBytes() + ", discarding=" + discarding);
        }
    }

    @Override
    public void unescape(ByteBuf frame, ByteBuf target) {
        int at = frame.readerIndex();
        int end = frame.writerIndex() - 1;
        boolean zero = false;
        while (at < end) {
            if (zero) {
                target.writeByte(0);
            }
            int code = frame.getUnsignedByte(at);
            target.writeBytes(frame, at + 1, code - 1);
            zero = code != CobsFraming.FULL;
            at += code;
        }
    }
}
