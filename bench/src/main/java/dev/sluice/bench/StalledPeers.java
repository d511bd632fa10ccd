package dev.sluice.bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The other ends of {@link StalledConnections}, in a JVM of their own: what they cost is not counted, nor are their files. */
final class StalledPeers {
    static final String CONNECTED = "CONNECTED";
    static final String SEND = "send";
    static final String SENT = "SENT ";

    private StalledPeers() {}

    /** Connects {@code --connections} times to {@code --port}; when told to, sends {@code --bytes} on each. */
    public static void main(String[] args) throws Exception {
        Arguments arguments = new Arguments(args, Set.of("--port", "--connections", "--bytes"));
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), arguments.number("--port", 0, 1));
        int count = arguments.number("--connections", 1, 1);
        byte[] frames = StalledConnections.frames(arguments.number("--bytes", 1, 1));
        List<SocketChannel> peers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            peers.add(SocketChannel.open(address));
        }
        System.out.println(CONNECTED);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (SEND.equals(input.readLine())) {
            for (SocketChannel peer : peers) {
                for (ByteBuffer left = ByteBuffer.wrap(frames); left.hasRemaining(); ) {
                    peer.write(left);
                }
            }
            System.out.println(SENT + "bytes=" + frames.length);
        }
    }
}
