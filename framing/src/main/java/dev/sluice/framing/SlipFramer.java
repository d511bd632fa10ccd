package dev.sluice.framing;

import io.netty.buffer.ByteBuf;

/**
 * Decodes {@link SlipFraming}.
 *
 * <p>The stream is read in words, each byte once: what a word holds beyond the end of a frame stays in {@link #word} until
 * the next frame is asked for.
 */
final class SlipFramer implements Framer {
    private static final long ENDS = Words.repeat(SlipFraming.END);
    private static final long ESCS = Words.repeat(SlipFraming.ESC);

    private final int maxPayloadLength;
    private final Oversize oversize;

    /** The next {@link #ahead} bytes of the stream, 0 to 8: read, but not looked at. */
    private long word;

    private int ahead;
    /** Bytes looked at, from the reader index on. */
    private int looked;

    // Of the frame, as far as it was looked at.
    private int payloadLength;
    private boolean hasEscapes;
    /** Its last byte is an ESC. */
    private boolean escaped;

    private boolean discarding;

    SlipFramer(int maxPayloadLength, Oversize oversize) {
        this.maxPayloadLength = maxPayloadLength;
        this.oversize = oversize;
    }

    /** Marks END and ESC among the first bytes of a word. */
    static long marks(long word, int count) {
        return (Words.match(word, ENDS) | Words.match(word, ESCS)) & Words.first(count);
    }

    @Override
    public void frame(ByteBuf unread, Answer answer) {
        if (looked == 0 && !discarding && skipsEmptyFrames(unread)) {
            answer.skip(looked);
            looked = 0;
            return;
        }
        while (goesOn(unread)) {
            int payloadBytes = escaped ? checkEscaped() : Math.min(ahead, Words.before(marks(word, ahead)));
            if (payloadBytes > 0) {
                if (!discarding && payloadBytes > maxPayloadLength - payloadLength) {
                    take(maxPayloadLength - payloadLength + 1);
                    tooLong(answer);
                    return;
                }
                take(payloadBytes);
                payloadLength += discarding ? 0 : payloadBytes;
                escaped = false;
            } else if (take(1) == SlipFraming.END) {
                end(answer);
                return;
            } else {
                escaped = true;
                hasEscapes = true;
            }
        }
        if (discarding) {
            answer.discardMore(looked);
            looked = 0;
        } else {
            answer.need(looked + 1L);
        }
    }

    /** Looks at the ENDs in front of a frame; false if there are none. */
    private boolean skipsEmptyFrames(ByteBuf in) {
        while (readsOn(in) && (word & 0xff) == SlipFraming.END) {
            take(1);
        }
        return looked > 0;
    }

    /** As {@link #readsOn}, but takes words that are nothing but payload at once. */
    private boolean goesOn(ByteBuf in) {
        if (ahead == 0 && !escaped) {
            takePlainWords(in);
        }
        return readsOn(in);
    }

    private void takePlainWords(ByteBuf in) {
        int begin = in.readerIndex();
        int room = discarding ? Integer.MAX_VALUE : maxPayloadLength - payloadLength;
        int end = (int) Math.min(in.readableBytes(), (long) looked + room);
        int at = looked;
        while (end - at >= 8) {
            long bytes = in.getLongLE(begin + at);
            if (marks(bytes, 8) != 0) {
                word = bytes;
                ahead = 8;
                break;
            }
            at += 8;
        }
        payloadLength += discarding ? 0 : at - looked;
        looked = at;
    }

    /** Whether there are bytes that were not looked at; they are in {@link #word} then. */
    private boolean readsOn(ByteBuf in) {
        if (ahead == 0) {
            ahead = Math.min(8, in.readableBytes() - looked);
            word = Words.read(in, in.readerIndex() + looked, ahead);
        }
        return ahead > 0;
    }

    /** Takes the next bytes out of the word; returns the first one. */
    private int take(int count) {
        int first = (int) word & 0xff;
        looked += count;
        ahead -= count;
        word >>>= 8 * count; // by 64 when all are taken, which shifts nothing and leaves nothing to be looked at
        return first;
    }

    /** The next byte, which is the one behind an ESC, stands for one byte of the payload, or it is none. */
    private int checkEscaped() {
        int value = (int) word & 0xff;
        if (value != SlipFraming.ESCAPED_END && value != SlipFraming.ESCAPED_ESC) {
            throw new CorruptFrameException(
                    "no byte to escape: byteBehindEsc=0x" + Integer.toHexString(value) + ", frameOffset=" + looked);
        }
        return 1;
    }

    private void tooLong(Answer answer) {
        if (oversize == Oversize.FAIL) {
            throw new FrameTooLongException(maxPayloadLength + 1L, maxPayloadLength);
        }
        answer.discard(looked, maxPayloadLength + 1L, maxPayloadLength);
        discarding = true;
        escaped = false;
        looked = 0;
    }

    private void end(Answer answer) {
        if (discarding) {
            answer.discardMore(looked);
        } else if (hasEscapes) {
            answer.escapedFrame(looked, payloadLength);
        } else {
            answer.frame(looked, 0, payloadLength);
        }
        looked = 0;
        payloadLength = 0;
        hasEscapes = false;
        discarding = false;
    }

    @Override
    public boolean isDiscarding() {
        return discarding;
    }

    @Override
    public void atEnd(ByteBuf unread, Answer answer) {
        if (discarding || unread.isReadable()) {
            throw new TruncatedFrameException("input ended before the END of a frame: bytesAtHand="
                    + unread.readableBytes() + ", discarding=" + discarding);
        }
    }

    @Override
    public void unescape(ByteBuf frame, ByteBuf target) {
        int begin = frame.readerIndex();
        int length = frame.readableBytes() - 1;
        boolean behindEsc = false;
        for (int at = 0; at < length; at += 8) {
            int count = Math.min(8, length - at);
            long bytes = Words.read(frame, begin + at, count);
            if (count == 8 && !behindEsc && Words.match(bytes, ESCS) == 0) {
                target.writeLongLE(bytes);
            } else {
                behindEsc = unescape(bytes, count, behindEsc, target);
            }
        }
    }

    private static boolean unescape(long bytes, int count, boolean behindEsc, ByteBuf target) {
        boolean escaped = behindEsc;
        for (int i = 0; i < count; i++) {
            int value = (int) (bytes >>> (8 * i)) & 0xff;
            if (escaped) {
                target.writeByte(value == SlipFraming.ESCAPED_END ? SlipFraming.END : SlipFraming.ESC);
                escaped = false;
            } else if (value == SlipFraming.ESC) {
                escaped = true;
            } else {
                target.writeByte(value);
            }
        }
        return escaped;
    }
}
