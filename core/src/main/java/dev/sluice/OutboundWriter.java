package dev.sluice;

import dev.sluice.framing.Codec;
import dev.sluice.framing.FrameWriter;
import dev.sluice.framing.MessageEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * The last stretch of a message: encodes messages into few contiguous buffers, writes them to the channel, and replies when
 * the kernel has taken them. Event loop only; after the loop's end, the thread that tells of it.
 *
 * <p>Replies go by position. All bytes ever encoded form one stream, in which four positions only grow:
 *
 * <pre>
 *  takenBytes &lt;= settledBytes &lt;= handedBytes &lt;= encodedBytes
 *  the kernel    the fate of      the channel    the writer
 *  has it        the write is     has it         has it
 *                known
 * </pre>
 *
 * <p>A message is sent when {@code takenBytes} has passed its end, and has failed when only {@code settledBytes} has. Writes
 * settle in the order in which they were made, so the replies that are due are walked from the front.
 */
final class OutboundWriter {
    private static final Logger LOG = Loggers.getLogger(FrameConnection.class);

    private final ConnectionHandler<?, ?> handler;
    private final Outbound<?> outbound;
    private final PendingSends pending;
    private final SendPolicy policy;
    private final Counters counters;
    private FrameWriter writer;
    private MessageEncoder<Object> encoder;

    /** Those who wait for a reply, in the order of their bytes. */
    private final ArrayDeque<Send<?>> unreplied = new ArrayDeque<>();

    private long encodedBytes;
    private long handedBytes;
    private long settledBytes;
    private long takenBytes;
    /** Messages encoded since buffers were handed over last. */
    private int unhandedMessages;
    /** Messages handed over and not settled. */
    private long unsettledMessages;

    // What this thread has added to the pending sends and not published yet: one atomic operation for many messages.
    private long unpublishedMessages;
    private long unpublishedBytes;

    private @Nullable Throwable writeFailure;
    /** The high watermark was reached: nothing is encoded until the low one is. */
    private boolean stopped;

    private boolean encoding;
    private boolean handing;
    private boolean flushOwed;
    private boolean flushing;
    private boolean replying;
    private boolean ended;

    OutboundWriter(
            ConnectionHandler<?, ?> handler,
            Outbound<?> outbound,
            Codec<?, ?> codec,
            PendingSends pending,
            SendPolicy policy,
            Counters counters) {
        this.handler = handler;
        this.outbound = outbound;
        this.pending = pending;
        this.policy = policy;
        this.counters = counters;
        this.writer = FrameWriter.create(codec.framing(), handler.channel().alloc());
        this.encoder = Outbound.encoderOf(codec);
    }

    /** Encodes by this codec from now on; what was encoded goes out before. */
    void switchTo(Codec<?, ?> codec) {
        hand();
        writer.close();
        writer = FrameWriter.create(codec.framing(), handler.channel().alloc());
        encoder = Outbound.encoderOf(codec);
    }

    MessageEncoder<Object> encoder() {
        return encoder;
    }

    // ---- encoding

    /** Encodes a message that is not among the pending sends yet. */
    void encode(Object message, @Nullable Send<?> send) {
        encode(message, send, 0, 0);
    }

    /**
     * Encodes a message, and releases it. One that fails is told so in its turn.
     *
     * @param send whoever waits for the reply
     * @param messages as how many it counts among the pending sends already
     * @param bytes as how many bytes
     */
    void encode(Object message, @Nullable Send<?> send, int messages, int bytes) {
        Throwable failure = null;
        long before = writer.writtenBytes();
        encoding = true;
        try {
            writer.write(message, encoder);
        } catch (Throwable e) {
            failure = e;
        } finally {
            encoding = false;
            ReferenceCountUtil.safeRelease(message);
        }
        unpublishedMessages -= messages;
        unpublishedBytes -= bytes;
        if (failure == null) {
            long length = writer.writtenBytes() - before;
            counters.messagesOut++;
            encodedBytes += length;
            unhandedMessages++;
            unpublishedMessages++;
            unpublishedBytes += length;
        }
        if (send != null) {
            if (failure != null) {
                send.fail(failure);
            }
            await(send);
        } else if (failure != null) {
            LOG.warn("[{}] message was not sent: error={}", handler.channel(), failure.toString(), failure);
        }
        if (encodedBytes - handedBytes >= policy.batchBytes()) {
            hand();
        }
        if (unsent() >= policy.highWatermark()) {
            stopped = true;
        }
    }

    /** The reply comes when all that is encoded has been sent. */
    void await(Send<?> send) {
        send.endsAt(encodedBytes);
        unreplied.add(send);
    }

    boolean isEncoding() {
        return encoding;
    }

    /** Whether nothing is to be encoded for now, since the kernel takes no more. */
    boolean isStopped() {
        return stopped;
    }

    private long unsent() {
        return encodedBytes - settledBytes;
    }

    boolean isBusy() {
        if (!pending.isBusyWith(unpublishedMessages, unpublishedBytes)) {
            return false;
        }
        publish();
        return pending.isBusy();
    }

    private void publish() {
        if (unpublishedMessages != 0 || unpublishedBytes != 0) {
            pending.change(unpublishedMessages, unpublishedBytes);
            unpublishedMessages = 0;
            unpublishedBytes = 0;
        }
    }

    // ---- the channel

    boolean hasUnflushed() {
        return flushOwed || encodedBytes != handedBytes;
    }

    /** Writes complete inside a flush, and their replies may send again. */
    boolean isFlushing() {
        return flushing;
    }

    boolean isHanding() {
        return handing;
    }

    /** Hands all that is encoded to the channel and flushes it; replies that need no bytes are due then too. */
    void flush() {
        hand();
        if (flushOwed) {
            flushOwed = false;
            counters.flushes++;
            boolean nested = flushing;
            flushing = true;
            try {
                handler.context().flush();
            } finally {
                flushing = nested;
            }
        }
        reply();
    }

    /** Hands all that is encoded to the channel. */
    void hand() {
        publish();
        if (handing || ended || encodedBytes == handedBytes) {
            return; // whoever is handing finds what came meanwhile
        }
        handing = true;
        ByteBuf buffer = writer.poll();
        while (buffer != null) {
            ByteBuf next = writer.poll();
            int messages = 0;
            if (next == null) {
                messages = unhandedMessages;
                unhandedMessages = 0;
            }
            write(buffer, messages);
            buffer = next == null ? writer.poll() : next;
        }
        handing = false;
    }

    private void write(ByteBuf buffer, int messages) {
        int length = buffer.readableBytes();
        handedBytes += length;
        unsettledMessages += messages;
        counters.bytesOut += length;
        flushOwed = true;
        handler.context().write(buffer).addListener(f -> settled(length, messages, f.cause()));
    }

    private void settled(int length, int messages, @Nullable Throwable cause) {
        if (ended) {
            return;
        }
        settledBytes += length;
        unsettledMessages -= messages;
        pending.change(-messages, -length);
        if (cause == null && writeFailure == null) {
            takenBytes = settledBytes;
        } else if (writeFailure == null) {
            writeFailure = cause;
        }
        boolean resumes = stopped && unsent() <= policy.lowWatermark();
        if (resumes) {
            stopped = false;
        }
        reply();
        outbound.settled(resumes, cause != null);
    }

    /** The channel has closed, and all its writes with it: whatever has no reply yet gets one. */
    void end() {
        if (ended) {
            return;
        }
        ended = true;
        writer.close();
        publish();
        pending.change(-unsettledMessages - unhandedMessages, -unsent());
        if (writeFailure == null) {
            writeFailure = new ClosedChannelException();
        }
        handedBytes = encodedBytes;
        settledBytes = encodedBytes;
        flushOwed = false;
        reply();
    }

    // ---- replies

    /** Walks the replies that are due, in order. A reply that sends only adds to them. */
    private void reply() {
        if (replying) {
            return;
        }
        replying = true;
        Send<?> send = unreplied.peek();
        while (send != null && send.end() <= settledBytes) {
            unreplied.poll();
            send.reply(send.end() <= takenBytes ? null : failure());
            send = unreplied.peek();
        }
        replying = false;
        outbound.replied();
    }

    /** Those who wait for a reply, in order; not to be changed. */
    Iterable<Send<?>> unreplied() {
        return unreplied;
    }

    boolean isReplying() {
        return replying;
    }

    boolean hasReplies() {
        return !unreplied.isEmpty();
    }

    /** Whether all that was encoded has its reply. */
    boolean isIdle() {
        return unreplied.isEmpty() && encodedBytes == settledBytes;
    }

    /** What those are told that are not sent. */
    Throwable failure() {
        Throwable cause = writeFailure;
        return cause == null || cause instanceof ClosedChannelException
                ? new ConnectionClosedException(handler.closeReason(), cause)
                : cause;
    }
}
