package dev.sluice.framing;

/** The input ended inside a frame, or inside its header. */
public final class TruncatedFrameException extends FramingException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message what went wrong, in the form {@code what went wrong: name=value, limit=value}
     */
    public TruncatedFrameException(String message) {
        super(message);
    }
}
