package dev.sluice;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;

/** The other side of a connection, a plain blocking socket: it does just what the test says, in that order. */
final class Peer implements AutoCloseable {
    private final SocketChannel channel;

    private Peer(SocketChannel channel) throws SocketException {
        this.channel = channel;
        channel.socket().setSoTimeout((int) Await.LIMIT.toMillis());
    }

    /** Listens for one connection. */
    static Listener listen() {
        return listen(0);
    }

    /** Listens for one connection, whose receive buffer is this large; 0 for the default. */
    static Listener listen(int receiveBuffer) {
        try {
            ServerSocketChannel server = ServerSocketChannel.open();
            if (receiveBuffer > 0) {
                server.setOption(StandardSocketOptions.SO_RCVBUF, receiveBuffer);
            }
            return new Listener(server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Connects to a server. */
    static Peer connect(InetSocketAddress address) {
        try {
            return new Peer(SocketChannel.open(address));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Peer send(byte[] bytes) {
        try {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends what the kernel takes without blocking; returns how much that was. */
    int trySend(byte[] bytes, int offset) {
        try {
            channel.configureBlocking(false);
            try {
                return channel.write(ByteBuffer.wrap(bytes, offset, bytes.length - offset));
            } finally {
                channel.configureBlocking(true);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends its stream; goes on receiving. */
    Peer fin() {
        try {
            channel.shutdownOutput();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Closes so that the other side's reads and writes fail. */
    void reset() {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for so many bytes. */
    byte[] receive(int count) {
        try {
            byte[] bytes = in().readNBytes(count);
            if (bytes.length < count) {
                throw new AssertionError("stream ended: received=" + bytes.length + ", expected=" + count);
            }
            return bytes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for so many numbers of 4-byte payloads. */
    List<Integer> receiveNumbers(int count) {
        return Frames.decode(receive(count * (Frames.HEADER + Integer.BYTES)));
    }

    /** All bytes up to the other side's end. */
    byte[] receiveAll() {
        try {
            return in().readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads to the end of the stream, whatever it is, and forgets it. */
    void drop() {
        try {
            in().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // A reset is an end too.
        }
    }

    private InputStream in() throws IOException {
        return channel.socket().getInputStream();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Takes one connection. */
    static final class Listener implements AutoCloseable {
        private final ServerSocketChannel server;

        private Listener(ServerSocketChannel server) {
            this.server = server;
        }

        int port() {
            return server.socket().getLocalPort();
        }

        Peer accept() {
            try {
                return new Peer(server.accept());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            try {
                server.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
