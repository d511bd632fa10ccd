package dev.sluice;

import java.net.InetAddress;
import java.net.ServerSocket;

/** A peer that reads nothing, in a process of its own: the program says at which port it listens. */
final class SilentPeer {
    private SilentPeer() {}

    /** Runs until it is killed. */
    public static void main(String[] args) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            System.out.println(server.getLocalPort());
            server.accept();
            Thread.currentThread().join();
        }
    }
}
