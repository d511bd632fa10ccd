package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;

/**
 * The bytes are not what the framing describes. Always the end of that stream of frames; frames found before it are
 * delivered first.
 *
 * <p>Messages have the form {@code what went wrong: name=value, limit=value, streamOffset=…, firstBytes=…}: where in the
 * stream the frame begins, and its first bytes in hex, by which a peer that speaks another protocol is known at sight.
 * A {@link Framer} or a {@link MessageDecoder} that throws one gives the first part; the reader adds the place.
 */
public abstract sealed class FramingException extends RuntimeException
        permits FrameTooLongException, CorruptFrameException, TruncatedFrameException {
    private static final long serialVersionUID = 1L;
    private static final int SHOWN_BYTES = 16;

    private long streamOffset = -1;
    private @Nullable String firstBytes;

    FramingException(String message) {
        super(message);
    }

    /** Notes where the frame begins; the first call counts. */
    final void locate(long offset, ByteBuf unread) {
        if (firstBytes == null) {
            streamOffset = offset;
            firstBytes =
                    ByteBufUtil.hexDump(unread, unread.readerIndex(), Math.min(SHOWN_BYTES, unread.readableBytes()));
        }
    }

    /** Bytes of the stream before the frame that failed; −1 when no reader was involved. */
    public final long streamOffset() {
        return streamOffset;
    }

    /** The first bytes of the frame that failed, at most 16, in lower-case hex; empty when there were none. */
    public final String firstBytes() {
        return firstBytes == null ? "" : firstBytes;
    }

    @Override
    public final @Nullable String getMessage() {
        String message = super.getMessage();
        return firstBytes == null ? message : message + ", streamOffset=" + streamOffset + ", firstBytes=" + firstBytes;
    }
}
