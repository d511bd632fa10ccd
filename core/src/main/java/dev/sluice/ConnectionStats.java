package dev.sluice;

/**
 * Counters of one connection since it was attached, as they were when asked. They are kept without synchronisation: from
 * another thread than the connection's event loop a number may be a moment old.
 *
 * @param messagesIn messages decoded
 * @param bytesIn bytes read, headers included
 * @param reads buffers that the transport read
 * @param drains read turns of the channel that brought bytes
 * @param signals {@code onNext} calls
 * @param wakeUps drains and resumed runs that signalled at all
 * @param pauses how often reading stopped for lack of demand
 * @param discardedFrames oversize frames skipped
 * @param droppedMessages messages decoded but released because nobody received them
 * @param heldMessages messages decoded and not given yet
 * @param heldMessagesMax the most that {@code heldMessages} has been
 * @param bytesAtHand bytes read and not decoded yet, a torn frame's included
 * @param messagesOut messages encoded
 * @param bytesOut bytes encoded, headers included
 * @param flushes flushes of the channel
 * @param busy messages refused because the connection was busy
 * @param pendingMessages messages accepted and not taken by the kernel yet, without those that wait
 * @param pendingBytes their bytes: as the encoder's size hint says until a message is encoded
 * @param waitingMessages {@code send}s that wait because the connection is busy
 */
public record ConnectionStats(
        long messagesIn,
        long bytesIn,
        long reads,
        long drains,
        long signals,
        long wakeUps,
        long pauses,
        long discardedFrames,
        long droppedMessages,
        int heldMessages,
        int heldMessagesMax,
        long bytesAtHand,
        long messagesOut,
        long bytesOut,
        long flushes,
        long busy,
        int pendingMessages,
        long pendingBytes,
        int waitingMessages) {}
