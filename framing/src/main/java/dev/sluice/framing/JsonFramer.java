package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Decodes {@link JsonFraming}.
 *
 * <pre>
 * between frames   START ─► VALUES: one frame behind the other
 *                  START ─► BEFORE_ARRAY ─[─► FIRST_ELEMENT ─]─► BEHIND_ARRAY
 *                                                 │frame             ▲
 *                                                 ▼                  │
 *                                            BEHIND_ELEMENT ────]────┘
 *                                                 │,   ▲
 *                                                 ▼    │frame
 *                                                ELEMENT
 *
 * inside a frame   NESTED: an object or array; STRING; SCALAR: whatever else ends at a comma, bracket or white space
 * </pre>
 *
 * <p>The stream is read in words, each byte once: what a word holds beyond the end of a frame stays in {@link #word} until
 * the next frame is asked for. Objects, arrays and strings are looked at a word at a time: its quotes tell which of its
 * bytes lie inside strings, and of the others only the brackets matter.
 */
final class JsonFramer implements Framer {
    private enum Place {
        START,
        VALUES,
        BEFORE_ARRAY,
        FIRST_ELEMENT,
        ELEMENT,
        BEHIND_ELEMENT,
        BEHIND_ARRAY
    }

    private enum Inside {
        NONE,
        NESTED,
        STRING,
        SCALAR
    }

    private static final int[] BYTE_ORDER_MARK = {0xef, 0xbb, 0xbf};

    private static final long QUOTES = Words.repeat('"');
    private static final long BACKSLASHES = Words.repeat('\\');
    /** Makes square brackets curly ones; nothing else becomes one. */
    private static final long CURLY = Words.repeat(0x20);

    private static final long OPENING = Words.repeat('{');
    private static final long CLOSING = Words.repeat('}');

    private final boolean arrayElements;
    private final int maxPayloadLength;
    private final int maxDepth;

    /** The next {@link #ahead} bytes of the stream, 0 to 8: read, but not looked at. */
    private long word;

    private int ahead;
    /** Bytes looked at, from the reader index on. */
    private int looked;
    /** Bytes from the reader index to the frame's first; they are taken with the frame, or skipped if it is not whole. */
    private int lead;

    private Place place = Place.START;
    private Inside inside = Inside.NONE;
    private final BracketStack open = new BracketStack();
    /** In a string: all bytes marked; else 0. */
    private long inString;
    /** The byte looked at last is a backslash which takes the meaning of the next one. */
    private boolean escaped;

    /** To be thrown once the lead is skipped. */
    private @Nullable FramingException failure;

    JsonFramer(boolean arrayElements, int maxPayloadLength, int maxDepth) {
        this.arrayElements = arrayElements;
        this.maxPayloadLength = maxPayloadLength;
        this.maxDepth = maxDepth;
    }

    @Override
    public void frame(ByteBuf unread, Answer answer) {
        if (failure != null) {
            throw failure;
        }
        try {
            cut(unread, answer);
        } catch (FramingException e) {
            if (lead == 0) {
                throw e;
            }
            failure = e;
            answer.skip(lead);
        }
    }

    private void cut(ByteBuf in, Answer answer) {
        if (place == Place.START && !isBehindMark(in, answer)) {
            return;
        }
        if (inside == Inside.NONE && !reachesFrame(in)) {
            answer.skip(looked);
            looked = 0;
            return;
        }
        if (inside == Inside.SCALAR ? endsScalar(in) : endsNested(in)) {
            answer.frame(looked, lead, looked - lead);
            looked = 0;
            lead = 0;
            inside = Inside.NONE;
        } else if (lead > 0) {
            answer.skip(lead);
            looked -= lead;
            lead = 0;
        } else {
            answer.need(looked + 1L);
        }
    }

    @Override
    public void atEnd(ByteBuf unread, Answer answer) {
        boolean complete = switch (place) {
            case START, VALUES, BEFORE_ARRAY, BEHIND_ARRAY -> !unread.isReadable();
            case FIRST_ELEMENT, ELEMENT, BEHIND_ELEMENT -> false;
        };
        if (!complete) {
            throw new TruncatedFrameException("input ended inside JSON: bytesAtHand=" + unread.readableBytes()
                    + ", depth=" + open.depth() + ", inString=" + (inString != 0) + ", inArrayOfElements="
                    + arrayElements);
        }
    }

    // ---- bytes

    /** Whether there are bytes that were not looked at; they are in {@link #word} then. */
    private boolean readsOn(ByteBuf in) {
        if (ahead == 0) {
            ahead = Math.min(8, in.readableBytes() - looked);
            word = Words.read(in, in.readerIndex() + looked, ahead);
        }
        return ahead > 0;
    }

    private int next() {
        return (int) word & 0xff;
    }

    private void take(int count) {
        looked += count;
        ahead -= count;
        word >>>= 8 * count; // by 64 when all are taken, which shifts nothing and leaves nothing to be looked at
    }

    // ---- between frames

    /** Whether no byte order mark is here; answers if one is, or a part of one. */
    private boolean isBehindMark(ByteBuf in, Answer answer) {
        while (looked < BYTE_ORDER_MARK.length && readsOn(in)) {
            if (next() != BYTE_ORDER_MARK[looked]) {
                check(looked == 0, "byte order mark broken off", next());
                place = arrayElements ? Place.BEFORE_ARRAY : Place.VALUES;
                return true;
            }
            take(1);
        }
        if (looked < BYTE_ORDER_MARK.length) {
            answer.need(looked + 1L);
        } else {
            place = arrayElements ? Place.BEFORE_ARRAY : Place.VALUES;
            answer.skip(looked);
            looked = 0;
        }
        return false;
    }

    /** Goes to the next frame and begins it; false if it is not there. */
    private boolean reachesFrame(ByteBuf in) {
        while (readsOn(in)) {
            int value = next();
            if (!isWhiteSpace(value) && !isOfOuterArray(value)) {
                lead = looked;
                begin(value);
                return true;
            }
            take(1);
        }
        return false;
    }

    /** Whether this byte is a bracket or comma of the array around the elements; goes to the place behind it. */
    private boolean isOfOuterArray(int value) {
        if (place == Place.BEFORE_ARRAY && value == '[') {
            place = Place.FIRST_ELEMENT;
        } else if (place == Place.BEHIND_ELEMENT && value == ',') {
            place = Place.ELEMENT;
        } else if ((place == Place.BEHIND_ELEMENT || place == Place.FIRST_ELEMENT) && value == ']') {
            place = Place.BEHIND_ARRAY;
        } else {
            return false;
        }
        return true;
    }

    private void begin(int value) {
        boolean opening = isOpening(value);
        switch (place) {
            case VALUES -> check(opening, "neither an object nor an array", value);
            case FIRST_ELEMENT, ELEMENT ->
                check(opening || value == '"' || (!endsScalar(value) && !isWrongInScalar(value)), "no element", value);
            case BEHIND_ELEMENT -> check(false, "neither a comma nor the closing bracket behind an element", value);
            case BEHIND_ARRAY -> check(false, "more than white space behind the array", value);
            default -> check(false, "no array", value);
        }
        if (maxPayloadLength == 0) {
            throw tooLong();
        }
        if (arrayElements) {
            place = Place.BEHIND_ELEMENT;
        }
        inside = opening ? Inside.NESTED : value == '"' ? Inside.STRING : Inside.SCALAR;
        if (opening) {
            open.push(value >>> 5 & 1);
            take(1);
        } else if (value == '"') {
            inString = Words.MARKS;
            take(1);
        }
    }

    // ---- inside a scalar

    /** Whether the byte behind the scalar is there. */
    private boolean endsScalar(ByteBuf in) {
        while (readsOn(in)) {
            int value = next();
            if (endsScalar(value)) {
                return true;
            }
            check(!isWrongInScalar(value), "no byte of a number or literal", value);
            if (looked - lead == maxPayloadLength) {
                throw tooLong();
            }
            take(1);
        }
        return false;
    }

    private static boolean endsScalar(int value) {
        return isWhiteSpace(value) || value == ',' || value == ']';
    }

    private static boolean isWrongInScalar(int value) {
        return switch (value) {
            case '"', ':', '[', '{', '}' -> true;
            default -> false;
        };
    }

    private static boolean isWhiteSpace(int value) {
        return value == ' ' || value == '\n' || value == '\r' || value == '\t';
    }

    // ---- inside an object, array or string

    /** Whether the last byte of the frame is there; it has been taken then. */
    private boolean endsNested(ByteBuf in) {
        int readable = in.readableBytes();
        int limit = (int) Math.min(readable, (long) lead + maxPayloadLength);
        while (looked < limit) {
            if (ahead == 0 && !escaped) {
                takeDullWords(in, limit);
            }
            if (looked < limit && readsOn(in) && endsInWord(Math.min(ahead, limit - looked))) {
                return true;
            }
        }
        if (looked < readable) {
            judgeByteBeyondLimit(in);
        }
        return false;
    }

    /** Takes words at once where the frame cannot end and nothing is escaped. */
    private void takeDullWords(ByteBuf in, int limit) {
        int begin = in.readerIndex();
        int at = looked;
        long string = inString;
        while (limit - at >= 8) {
            long bytes = in.getLongLE(begin + at);
            long quotes = Words.match(bytes, QUOTES);
            long strings = string ^ fromEachToNext(quotes);
            if ((ends(bytes, quotes, strings) | Words.match(bytes, BACKSLASHES)) != 0) {
                word = bytes;
                ahead = 8;
                break;
            }
            string = (strings >> 63) & Words.MARKS;
            at += 8;
        }
        inString = string;
        looked = at;
    }

    /** Looks at the first bytes of the word; whether the frame ends among them. */
    private boolean endsInWord(int count) {
        long quotes = Words.match(word, QUOTES);
        long backslashes = Words.match(word, BACKSLASHES);
        if (backslashes != 0 || escaped) {
            quotes = withoutEscaped(quotes, backslashes, Words.first(count));
        }
        long strings = inString ^ fromEachToNext(quotes);
        long ends = ends(word, quotes, strings) & Words.first(count);
        while (ends != 0) {
            int before = Words.before(ends);
            if (inside == Inside.STRING || closesFrame(before)) {
                take(before + 1);
                inString = 0;
                escaped = false;
                return true;
            }
            ends &= ends - 1;
        }
        inString = ((strings << (8 * (8 - count))) >> 63) & Words.MARKS; // as it is behind the last byte
        take(count);
        return false;
    }

    /** Marks the bytes at which the frame may end. */
    private long ends(long bytes, long quotes, long strings) {
        return inside == Inside.STRING ? quotes : brackets(bytes) & ~strings;
    }

    /** The quotes that open or close a string, of those among the first bytes of the word. */
    private long withoutEscaped(long quotes, long backslashes, long first) {
        long left = (quotes | backslashes) & first;
        long meant = quotes;
        boolean string = inString != 0;
        if (escaped) {
            long mark = Words.MARKS & -Words.MARKS;
            left &= ~mark;
            meant &= ~mark;
            escaped = false;
        }
        while (left != 0) {
            long mark = left & -left;
            left ^= mark;
            if ((quotes & mark) != 0) {
                string = !string;
            } else if (string) {
                long behind = mark << 8;
                left &= ~behind;
                meant &= ~behind;
                escaped = (behind & first) == 0;
            }
        }
        return meant;
    }

    /** Marks the bytes from each first, third, … mark up to the one before the next. */
    private static long fromEachToNext(long marks) {
        long result = marks ^ (marks << 8);
        result ^= result << 16;
        return result ^ (result << 32);
    }

    private static long brackets(long word) {
        long curly = word | CURLY;
        return Words.match(curly, OPENING) | Words.match(curly, CLOSING);
    }

    /** Looks at the bracket behind so many bytes of the word; whether it is the frame's last. */
    private boolean closesFrame(int before) {
        int bracket = (int) (word >>> (8 * before)) & 0xff;
        int curly = bracket >>> 5 & 1;
        if (isOpening(bracket)) {
            if (open.depth() == maxDepth) {
                throw new CorruptFrameException("nested too deep: depth=" + (maxDepth + 1L) + ", maxDepth=" + maxDepth
                        + ", frameOffset=" + (looked + before - lead));
            }
            open.push(curly);
            return false;
        }
        if (!open.pop(curly)) {
            throw corrupt("bracket closes one of another kind", bracket, looked + before);
        }
        return open.depth() == 0;
    }

    private static boolean isOpening(int value) {
        return (value | 0x20) == '{';
    }

    private void judgeByteBeyondLimit(ByteBuf in) {
        if (readsOn(in) && inString == 0 && (brackets(word) & 0x80) != 0) {
            closesFrame(0);
        }
        throw tooLong();
    }

    private FrameTooLongException tooLong() {
        return new FrameTooLongException(maxPayloadLength + 1L, maxPayloadLength);
    }

    private void check(boolean right, String wrong, int value) {
        if (!right) {
            throw corrupt(wrong, value, looked);
        }
    }

    private CorruptFrameException corrupt(String wrong, int value, int at) {
        return new CorruptFrameException(
                wrong + ": byte=0x" + Integer.toHexString(value) + ", frameOffset=" + (at - lead));
    }
}
