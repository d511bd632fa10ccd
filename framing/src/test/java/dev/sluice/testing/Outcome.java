package dev.sluice.testing;

import io.netty.buffer.ByteBufUtil;
import java.util.List;

/**
 * What comes out of a stream of bytes.
 *
 * @param frames payloads in hex, in order
 * @param terminal {@code complete}, {@code TRUNCATED}, {@code TOO_LONG}, {@code CORRUPT}, {@code SOURCE_ERROR}, or {@code
 *     none} while the source is silent
 * @param discarded oversize frames that were reported
 */
public record Outcome(List<String> frames, String terminal, long discarded) {
    /** For comparison. */
    public static String hex(byte[] payload) {
        return ByteBufUtil.hexDump(payload);
    }
}
