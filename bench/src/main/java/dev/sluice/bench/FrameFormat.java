package dev.sluice.bench;

import dev.sluice.framing.CobsFraming;
import dev.sluice.framing.DelimiterFraming;
import dev.sluice.framing.FixedLengthFraming;
import dev.sluice.framing.Framing;
import dev.sluice.framing.Framings;
import dev.sluice.framing.JsonFraming;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.LineFraming;
import dev.sluice.framing.SlipFraming;
import dev.sluice.framing.VarintFraming;

/** What frames look like on the wire, and who else can cut them. */
public enum FrameFormat {
    /** The length in 4 bytes, big-endian. */
    LENGTH_FIELD(Payloads.BINARY, true, true),
    /** The length as a varint, as Protocol Buffers have it. */
    VARINT(Payloads.BINARY, true, false),
    /** Ends at LF, or CR LF; here at LF. */
    LINE(Payloads.TEXT, true, true),
    /** Ends at {@link #DELIMITER_TEXT}. */
    DELIMITER(Payloads.TEXT, true, true),
    /** Objects, with nothing between them. */
    JSON(Payloads.JSON, true, true),
    /** All of one length. */
    FIXED(Payloads.BINARY, true, false),
    /** The length in decimal digits. */
    NETSTRING(Payloads.BINARY, false, false),
    /** Escaped: one byte in 128 is. */
    SLIP(Payloads.BINARY, false, false),
    /** Stuffed: one byte in 256 is a zero. */
    COBS(Payloads.BINARY, false, false);

    static final String DELIMITER_TEXT = "\r\n";

    private final Payloads payloads;
    private final boolean inNetty;
    private final boolean inPekko;

    FrameFormat(Payloads payloads, boolean inNetty, boolean inPekko) {
        this.payloads = payloads;
        this.inNetty = inNetty;
        this.inPekko = inPekko;
    }

    Payloads payloads() {
        return payloads;
    }

    /** Sluice's, for payloads of this length. */
    Framing framing(int payload) {
        return switch (this) {
            case LENGTH_FIELD -> LengthFieldFraming.of(4);
            case VARINT -> VarintFraming.of();
            case LINE -> LineFraming.lenient();
            case DELIMITER -> DelimiterFraming.of(DELIMITER_TEXT);
            case JSON -> JsonFraming.values();
            case FIXED -> FixedLengthFraming.of(payload);
            case NETSTRING -> Framings.netstring().build();
            case SLIP -> SlipFraming.create();
            case COBS -> CobsFraming.create();
        };
    }

    /** Netty has a decoder for it. */
    boolean inNetty() {
        return inNetty;
    }

    /** Pekko has a flow for it. */
    boolean inPekko() {
        return inPekko;
    }

    /** For those who have nothing for this format. */
    IllegalArgumentException missingIn(String library) {
        return new IllegalArgumentException("no such framing: library=" + library + ", framing=" + this);
    }
}
