package dev.sluice.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Map;

/**
 * A blocking loop on one direct buffer that finds the frames and counts them: what the JDK and the kernel cost, nearly
 * nothing else.
 */
final class NioReceiver implements Receiver {
    private final ReceiverSettings settings;
    private final ByteBuffer buffer;

    private long frames;
    /** Payload bytes of the begun frame that have not come. */
    private long missing;
    /** Of a length field that is cut: bytes that have come, and their value. */
    private int lengthBytes;

    private int length;

    NioReceiver(ReceiverSettings settings, int bufferSize) {
        this.settings = settings;
        this.buffer = ByteBuffer.allocateDirect(bufferSize);
    }

    @Override
    public Received receive() throws IOException {
        frames = 0;
        long reads = 0;
        try (SocketChannel channel = SocketChannel.open(settings.address())) {
            while (channel.read(buffer.clear()) >= 0) {
                reads++;
                count(buffer.flip());
            }
        }
        if (missing != 0 || lengthBytes != 0) {
            throw new IllegalStateException("input ended inside a frame: frames=" + frames + ", missing=" + missing);
        }
        return new Received(frames, System.nanoTime(), 0, Map.of("reads", reads));
    }

    private void count(ByteBuffer bytes) {
        int at = bytes.position();
        int end = bytes.limit();
        while (at < end) {
            if (missing > 0) {
                int taken = (int) Math.min(missing, end - at);
                at += taken;
                missing -= taken;
            } else if (lengthBytes == 0 && end - at >= Integer.BYTES) {
                missing = bytes.getInt(at);
                at += Integer.BYTES;
            } else {
                length = length << 8 | (bytes.get(at++) & 0xff);
                if (++lengthBytes < Integer.BYTES) {
                    continue;
                }
                missing = length;
                lengthBytes = 0;
                length = 0;
            }
            if (missing == 0) {
                frames++;
            }
        }
    }

    @Override
    public Thread loopThread() {
        return Thread.currentThread();
    }

    @Override
    public void close() {}
}
