package dev.sluice.framing;

import dev.sluice.testing.End;
import dev.sluice.testing.Outcome;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** JSON framing as the rules say it, a byte at a time over the whole stream: slow, and written apart from the framer. */
final class JsonReference {
    private final boolean elements;
    private final int maxPayloadLength;
    private final int maxDepth;
    private final List<String> frames = new ArrayList<>();
    private byte[] stream = {};

    JsonReference(boolean elements, int maxPayloadLength, int maxDepth) {
        this.elements = elements;
        this.maxPayloadLength = maxPayloadLength;
        this.maxDepth = maxDepth;
    }

    Outcome decode(byte[] bytes, End end) {
        stream = bytes;
        String terminal;
        try {
            boolean borderReached = elements ? array() : values();
            terminal = borderReached ? "complete" : "TRUNCATED";
        } catch (Failure e) {
            return new Outcome(frames, e.getMessage(), 0);
        }
        return new Outcome(frames, end == End.COMPLETE ? terminal : "none", 0);
    }

    private static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Failure(String terminal) {
            super(terminal);
        }
    }

    /** Behind the byte order mark; −1 if the stream ends inside it. */
    private int behindMark() {
        byte[] mark = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};
        int at = 0;
        while (at < 3 && at < stream.length && stream[at] == mark[at]) {
            at++;
        }
        if (at == 3 || at == 0) {
            return at;
        }
        if (at < stream.length) {
            throw new Failure("CORRUPT");
        }
        return -1;
    }

    private boolean values() {
        int at = behindMark();
        while (at >= 0 && at < stream.length) {
            if (isWhiteSpace(at)) {
                at++;
            } else if (stream[at] != '{' && stream[at] != '[') {
                throw new Failure("CORRUPT");
            } else {
                at = frame(at);
            }
        }
        return at >= 0;
    }

    private boolean array() {
        int at = behindMark();
        if (at < 0) {
            return false;
        }
        at = behindWhiteSpace(at);
        if (at == stream.length) {
            return true;
        }
        expect(stream[at] == '[');
        at = behindWhiteSpace(at + 1);
        boolean first = true;
        while (at < stream.length && !(first && stream[at] == ']')) {
            expect(",]}:".indexOf(stream[at]) < 0);
            at = frame(at);
            if (at < 0) {
                return false;
            }
            at = behindWhiteSpace(at);
            if (at == stream.length) {
                return false;
            }
            if (stream[at] == ']') {
                break;
            }
            expect(stream[at] == ',');
            at = behindWhiteSpace(at + 1);
            first = false;
        }
        if (at == stream.length) {
            return false;
        }
        expect(behindWhiteSpace(at + 1) == stream.length);
        return true;
    }

    /** Behind the frame that begins here, which is noted; −1 if its end is not there. */
    private int frame(int begin) {
        Deque<Byte> open = new ArrayDeque<>();
        boolean string = false;
        boolean scalar = "{[\"".indexOf(stream[begin]) < 0;
        for (int at = begin; at < stream.length; at++) {
            byte value = stream[at];
            boolean whole = false;
            if (scalar) {
                if (isWhiteSpace(at) || value == ',' || value == ']') {
                    note(begin, at);
                    return at;
                }
                expect("[{}\":".indexOf(value) < 0);
            } else if (string) {
                if (value == '\\') {
                    judgeLimit(begin, at);
                    at++;
                } else if (value == '"') {
                    string = false;
                    whole = open.isEmpty();
                }
            } else if (value == '"') {
                string = true;
            } else if (value == '{' || value == '[') {
                open.push((byte) (value + 2));
                expect(open.size() <= maxDepth);
            } else if (value == '}' || value == ']') {
                expect(open.pop() == value);
                whole = open.isEmpty();
            }
            if (at < stream.length) {
                judgeLimit(begin, at);
            }
            if (whole) {
                note(begin, at + 1);
                return at + 1;
            }
        }
        return -1;
    }

    private void judgeLimit(int begin, int at) {
        if (at - begin >= maxPayloadLength) {
            throw new Failure("TOO_LONG");
        }
    }

    private void note(int begin, int end) {
        frames.add(ByteBufUtil.hexDump(Arrays.copyOfRange(stream, begin, end)));
    }

    private int behindWhiteSpace(int from) {
        int at = from;
        while (at < stream.length && isWhiteSpace(at)) {
            at++;
        }
        return at;
    }

    private boolean isWhiteSpace(int at) {
        return " \t\r\n".indexOf(stream[at]) >= 0;
    }

    private static void expect(boolean right) {
        if (!right) {
            throw new Failure("CORRUPT");
        }
    }
}
