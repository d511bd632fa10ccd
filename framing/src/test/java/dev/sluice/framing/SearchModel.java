package dev.sluice.framing;

import dev.sluice.testing.Outcome;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.List;

/**
 * What lines and delimited frames are, as slowly and plainly as it can be said: one byte after the other, and at each all
 * bytes of the frame so far.
 *
 * @param delimiters none stands for strict lines
 */
record SearchModel(List<String> delimiters, int limit, boolean discard, boolean emit, boolean skipEmpty) {

    Outcome run(String stream) {
        List<String> frames = new ArrayList<>();
        long discarded = 0;
        boolean over = false;
        String frame = "";
        for (char value : stream.toCharArray()) {
            frame += value;
            if (isStrict() && isCorrupt(frame)) {
                return new Outcome(frames, "CORRUPT", discarded);
            }
            String end = longestEnd(frame);
            String payload = frame.substring(0, frame.length() - end.length());
            boolean tooLong = !over && payload.length() > limit;
            if (tooLong && !discard) {
                return new Outcome(frames, "TOO_LONG", discarded);
            }
            discarded += tooLong ? 1 : 0;
            over |= tooLong;
            if (ends().contains(end)) {
                if (!over && !(skipEmpty && payload.isEmpty())) {
                    frames.add(ByteBufUtil.hexDump(StreamCheck.text(payload)));
                }
                over = false;
                frame = "";
            }
        }
        if (frame.isEmpty()) {
            return new Outcome(frames, "complete", discarded);
        }
        if (over || !emit) {
            return new Outcome(frames, "TRUNCATED", discarded);
        }
        if (isStrict() && frame.endsWith("\r")) {
            return new Outcome(frames, "CORRUPT", discarded);
        }
        if (frame.length() > limit) {
            return new Outcome(frames, discard ? "TRUNCATED" : "TOO_LONG", discard ? discarded + 1 : discarded);
        }
        frames.add(ByteBufUtil.hexDump(StreamCheck.text(frame)));
        return new Outcome(frames, "complete", discarded);
    }

    private boolean isStrict() {
        return delimiters.isEmpty();
    }

    private List<String> ends() {
        return isStrict() ? List.of("\r\n") : delimiters;
    }

    private static boolean isCorrupt(String line) {
        boolean behindReturn = line.length() > 1 && line.charAt(line.length() - 2) == '\r';
        return behindReturn != line.endsWith("\n");
    }

    /** The longest end of these bytes that is a delimiter or begins one. */
    private String longestEnd(String frame) {
        for (int from = 0; from < frame.length(); from++) {
            String end = frame.substring(from);
            if (ends().stream().anyMatch(delimiter -> delimiter.startsWith(end))) {
                return end;
            }
        }
        return "";
    }
}
