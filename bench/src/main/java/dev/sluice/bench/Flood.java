package dev.sluice.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A peer that sends frames of one size as fast as it can, on a thread of its own, until the receiver goes. */
final class Flood {
    private static final int WRITE = 1 << 20;

    private Flood() {}

    static void start(SocketChannel peer, int payload) {
        Thread thread = new Thread(() -> send(peer, payload), "flood");
        thread.setDaemon(true);
        thread.start();
    }

    private static void send(SocketChannel peer, int payload) {
        ByteBuffer frames = ByteBuffer.allocateDirect(WRITE - WRITE % (4 + payload));
        while (frames.hasRemaining()) {
            frames.putInt(payload).position(frames.position() + payload);
        }
        try (peer) {
            while (true) {
                frames.clear();
                while (frames.hasRemaining()) {
                    peer.write(frames);
                }
            }
        } catch (IOException e) {
            // The receiver has seen enough.
        }
    }
}
