package dev.sluice.testing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Counts how often each of its bytes is read, by whatever means; it hands out no array and no memory. */
public final class VisitCountingBuf extends UnpooledHeapByteBuf {
    private final byte[] visits;

    /** Holds these bytes, all of them readable. */
    public VisitCountingBuf(byte[] bytes) {
        super(UnpooledByteBufAllocator.DEFAULT, bytes.clone(), bytes.length);
        visits = new byte[bytes.length];
    }

    /** How often the byte was read that was read most. */
    public int mostVisits() {
        int most = 0;
        for (byte count : visits) {
            most = Math.max(most, count);
        }
        return most;
    }

    /** All reads of bytes. */
    public long allVisits() {
        long all = 0;
        for (byte count : visits) {
            all += count;
        }
        return all;
    }

    /** Begins to count anew. */
    public void forgetVisits() {
        Arrays.fill(visits, (byte) 0);
    }

    private void visit(int index, int length) {
        for (int i = index; i < index + length; i++) {
            visits[i]++;
        }
    }

    @Override
    public boolean hasArray() {
        return false;
    }

    @Override
    public byte[] array() {
        throw new UnsupportedOperationException("bytes that are read from an array are not counted");
    }

    @Override
    public int nioBufferCount() {
        return -1;
    }

    @Override
    public ByteBuffer nioBuffer(int index, int length) {
        throw new UnsupportedOperationException("bytes that are read from memory are not counted");
    }

    @Override
    public ByteBuffer internalNioBuffer(int index, int length) {
        throw new UnsupportedOperationException("bytes that are read from memory are not counted");
    }

    @Override
    public byte getByte(int index) {
        return _getByte(index);
    }

    @Override
    protected byte _getByte(int index) {
        visit(index, 1);
        return super._getByte(index);
    }

    @Override
    public short getShort(int index) {
        return _getShort(index);
    }

    @Override
    protected short _getShort(int index) {
        visit(index, 2);
        return super._getShort(index);
    }

    @Override
    public short getShortLE(int index) {
        return _getShortLE(index);
    }

    @Override
    protected short _getShortLE(int index) {
        visit(index, 2);
        return super._getShortLE(index);
    }

    @Override
    public int getUnsignedMedium(int index) {
        return _getUnsignedMedium(index);
    }

    @Override
    protected int _getUnsignedMedium(int index) {
        visit(index, 3);
        return super._getUnsignedMedium(index);
    }

    @Override
    public int getUnsignedMediumLE(int index) {
        return _getUnsignedMediumLE(index);
    }

    @Override
    protected int _getUnsignedMediumLE(int index) {
        visit(index, 3);
        return super._getUnsignedMediumLE(index);
    }

    @Override
    public int getInt(int index) {
        return _getInt(index);
    }

    @Override
    protected int _getInt(int index) {
        visit(index, 4);
        return super._getInt(index);
    }

    @Override
    public int getIntLE(int index) {
        return _getIntLE(index);
    }

    @Override
    protected int _getIntLE(int index) {
        visit(index, 4);
        return super._getIntLE(index);
    }

    @Override
    public long getLong(int index) {
        return _getLong(index);
    }

    @Override
    protected long _getLong(int index) {
        visit(index, 8);
        return super._getLong(index);
    }

    @Override
    public long getLongLE(int index) {
        return _getLongLE(index);
    }

    @Override
    protected long _getLongLE(int index) {
        visit(index, 8);
        return super._getLongLE(index);
    }

    @Override
    public ByteBuf getBytes(int index, ByteBuf target, int targetIndex, int length) {
        byte[] bytes = new byte[length];
        getBytes(index, bytes, 0, length);
        target.setBytes(targetIndex, bytes);
        return this;
    }

    @Override
    public ByteBuf getBytes(int index, byte[] target, int targetIndex, int length) {
        visit(index, length);
        return super.getBytes(index, target, targetIndex, length);
    }

    @Override
    public ByteBuf getBytes(int index, ByteBuffer target) {
        visit(index, target.remaining());
        return super.getBytes(index, target);
    }

    @Override
    public ByteBuf getBytes(int index, OutputStream target, int length) throws IOException {
        visit(index, length);
        return super.getBytes(index, target, length);
    }
}
