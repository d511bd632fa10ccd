package dev.sluice;

import java.lang.invoke.VarHandle;

/**
 * Counts what a connection does. Written by the thread that drains, without synchronisation; read by any. That race is
 * benign: each number is one aligned word that only grows or is replaced, and nothing is decided by it.
 */
final class Counters {
    long messagesIn;
    long bytesIn;
    long reads;
    long drains;
    long signals;
    long wakeUps;
    long pauses;
    long discardedFrames;
    long droppedMessages;
    int heldMessages;
    int heldMessagesMax;
    long bytesAtHand;
    long messagesOut;
    long bytesOut;
    long flushes;

    ConnectionStats snapshot(Outbound<?> outbound) {
        VarHandle.acquireFence(); // so that a loop that waits for a number reads it anew
        return new ConnectionStats(
                messagesIn,
                bytesIn,
                reads,
                drains,
                signals,
                wakeUps,
                pauses,
                discardedFrames,
                droppedMessages,
                heldMessages,
                heldMessagesMax,
                bytesAtHand,
                messagesOut,
                bytesOut,
                flushes,
                outbound.busyAnswers(),
                outbound.pendingMessages(),
                outbound.pendingBytes(),
                outbound.waitingMessages());
    }
}
