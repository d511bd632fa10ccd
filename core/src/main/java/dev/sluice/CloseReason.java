package dev.sluice;

/** What ended a connection: the first of these that happened to it. */
public enum CloseReason {
    /** The peer ended its stream (FIN). Whether it did so inside a frame is told to the receiver. */
    PEER_CLOSED,

    /**
     * The peer ended its stream under TLS without saying so in TLS (close_notify): somebody else may have cut it. The
     * receiver gets {@link ConnectionClosedException}, also between two frames.
     */
    TLS_TRUNCATED,

    /** Reading or writing failed; mostly the peer reset the connection. The receiver gets the {@code IOException}. */
    CONNECTION_LOST,

    /** The bytes were no frames of the framing, or the decoder failed. The receiver gets the exception. */
    PROTOCOL_ERROR,

    /** A message was not written within its send time-out ({@link SendPolicy#sendTimeout}). */
    SEND_TIMEOUT,

    /** The peer was silent for {@link ConnectionOptions#readIdleTimeout}. */
    READ_IDLE,

    /** The peer took longer than {@link ConnectionOptions#frameTimeout} for one frame. */
    FRAME_TIMEOUT,

    /** {@link FrameConnection#close()} on this side. */
    CLOSED,

    /** {@link FrameConnection#dispose()} on this side, or its channel was closed from outside. */
    DISPOSED
}
