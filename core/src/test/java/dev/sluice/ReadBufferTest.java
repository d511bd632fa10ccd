package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReadBufferTest {
    private final ReadBuffer buffer = new ReadBuffer();

    @AfterEach
    void free() {
        buffer.free();
    }

    @Test
    void lendsTheSameBufferAgainBehindItsHeadroom() {
        ByteBuf first = buffer.lend(ReadBuffer.SIZE);
        assertThat(first.isDirect()).isTrue();
        assertThat(first.readerIndex()).isEqualTo(ReadBuffer.HEADROOM);
        assertThat(first.readableBytes()).isZero();
        assertThat(first.writableBytes()).isEqualTo(ReadBuffer.SIZE);
        first.writeZero(100).skipBytes(10).release();

        ByteBuf second = buffer.lend(ReadBuffer.SIZE);
        assertThat(second).isSameAs(first);
        assertThat(second.readerIndex()).isEqualTo(ReadBuffer.HEADROOM);
        assertThat(second.readableBytes()).isZero();
        second.release();
        assertThat(second.refCnt()).isEqualTo(1);
    }

    @Test
    void lendsForShorterReads() {
        ByteBuf whole = buffer.lend(ReadBuffer.SIZE);
        whole.release();
        ByteBuf lent = buffer.lend(16 * 1024);
        assertThat(lent.capacity()).isEqualTo(ReadBuffer.HEADROOM + 16 * 1024);
        assertThat(lent.writableBytes()).isEqualTo(16 * 1024);
        assertThat(lent.memoryAddress()).isEqualTo(whole.memoryAddress());
        lent.release();
        assertThat(whole.refCnt()).isEqualTo(1);
        ByteBuf longer = buffer.lend(20 * 1024);
        assertThat(longer.writableBytes()).isEqualTo(20 * 1024);
        longer.release();
    }

    @Test
    void leavesBufferToWhoeverHasRetainedIt() {
        ByteBuf lent = buffer.lend(ReadBuffer.SIZE);
        ByteBuf kept = lent.writeInt(42).retainedSlice(ReadBuffer.HEADROOM, 4);
        lent.release();
        ByteBuf next = buffer.lend(ReadBuffer.SIZE);
        assertThat(next).isNotSameAs(lent);
        next.writeInt(43).release();
        assertThat(kept.getInt(0)).isEqualTo(42);
        assertThat(lent.refCnt()).isEqualTo(1);
        kept.release();
        assertThat(lent.refCnt()).isZero();
    }

    @Test
    void lendsAnotherWhileOneIsOut() {
        ByteBuf first = buffer.lend(ReadBuffer.SIZE);
        ByteBuf second = buffer.lend(ReadBuffer.SIZE);
        assertThat(second).isNotSameAs(first);
        first.release();
        second.release();
        assertThat(first.refCnt()).isZero();
    }

    @Test
    void lendsNothingOnceFreed() {
        ByteBuf lent = buffer.lend(ReadBuffer.SIZE);
        buffer.free();
        assertThat(lent.refCnt()).isEqualTo(1);
        lent.release();
        assertThat(lent.refCnt()).isZero();
        assertThat(buffer.lend(ReadBuffer.SIZE)).isNull();
    }

    @Test
    void isFreedWithItsThread() throws InterruptedException {
        AtomicReference<ByteBuf> lent = new AtomicReference<>();
        Thread loop = new FastThreadLocalThread(() -> {
            ByteBuf own = ReadBuffer.ofLoop().lend(ReadBuffer.SIZE);
            own.release();
            assertThat(ReadBuffer.ofLoop().lend(ReadBuffer.SIZE)).isSameAs(own);
            own.release();
            lent.set(own);
        });
        loop.start();
        loop.join();
        assertThat(lent.get().refCnt()).isZero();
    }
}
