package dev.sluice.framing;

/** The bytes cannot be a frame of this framing: an impossible length, a wrong trailer, a checksum that does not match. */
public final class CorruptFrameException extends FramingException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message what went wrong, in the form {@code what went wrong: name=value, limit=value}
     */
    public CorruptFrameException(String message) {
        super(message);
    }
}
