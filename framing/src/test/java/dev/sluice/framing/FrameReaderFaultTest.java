package dev.sluice.framing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the authors of framers, decoders and listeners do wrong is told by name, and ends the reader. */
@Tag("paranoid")
class FrameReaderFaultTest {

    @Nested
    class OfFramer {
        @Test
        void isNeedOfNoMoreThanIsThere() {
            assertFault(
                    (unread, answer) -> answer.need(4),
                    "framer made no progress: framer=%s, answer=NEED, bytes=4, streamOffset=0");
        }

        @Test
        void isNeedOfLessThanNothing() {
            assertFault(
                    (unread, answer) -> answer.need(-1),
                    "framer made no progress: framer=%s, answer=NEED, bytes=-1, streamOffset=0");
        }

        @Test
        void isSkippingNothing() {
            assertFault(
                    (unread, answer) -> answer.skip(0),
                    "framer made no progress: framer=%s, answer=SKIP, bytes=0, streamOffset=0");
        }

        @Test
        void isDiscardingNothing() {
            List<Long> reports = new ArrayList<>();
            Framer framer = (unread, answer) -> answer.discard(0, 9, 8);
            FrameReader<byte[]> reader = FrameReader.create(
                    Codec.bytes(TestFramings.of(framer)).listener((offset, length, limit) -> reports.add(offset)));
            reader.feed(chunk("abcd"));

            assertThatThrownBy(reader::read)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("framer made no progress: framer="
                            + framer.getClass().getName() + ", answer=DISCARD, bytes=0, streamOffset=0");
            assertThat(reports).isEmpty();
        }

        @Test
        void isDiscardingNothingMore() {
            assertFault(
                    new Framer() {
                        private boolean begun;

                        @Override
                        public void frame(ByteBuf unread, Answer answer) {
                            if (begun) {
                                answer.discardMore(0);
                            } else {
                                answer.discard(1, 9, 8);
                            }
                            begun = true;
                        }
                    },
                    "framer made no progress: framer=%s, answer=DISCARD_MORE, bytes=0, streamOffset=1");
        }

        @Test
        void isGoingOnToDiscardWhatWasNotReported() {
            assertFault(
                    (unread, answer) -> answer.discardMore(2),
                    "framer goes on with a frame that it has not begun to discard: framer=%s, bytes=2, streamOffset=0");
        }

        @Test
        void isGoingOnToDiscardBehindAnotherFrame() {
            int[] calls = {0};
            Framer framer = (unread, answer) -> {
                switch (++calls[0]) {
                    case 1 -> answer.discard(1, 9, 8);
                    case 2 -> answer.frame(1, 0, 1);
                    default -> answer.discardMore(1);
                }
            };
            FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(TestFramings.of(framer)));
            reader.feed(chunk("abcd"));
            assertThat(reader.read()).asString(ISO_8859_1).isEqualTo("b");

            assertThatThrownBy(reader::read)
                    .hasMessage("framer goes on with a frame that it has not begun to discard: framer="
                            + framer.getClass().getName() + ", bytes=1, streamOffset=2");
        }

        @Test
        void isFrameOfNoBytes() {
            assertFault(
                    (unread, answer) -> answer.frame(0, 0, 0),
                    "framer made no progress: framer=%s, frameLength=0, streamOffset=0");
        }

        @Test
        void isEscapedFrameOfNoBytes() {
            assertFault(
                    (unread, answer) -> answer.escapedFrame(0, 0),
                    "framer made no progress: framer=%s, frameLength=0, streamOffset=0");
        }

        @Test
        void isFrameBeyondUnreadBytes() {
            assertFault(
                    (unread, answer) -> answer.frame(5, 0, 1),
                    "framer's frame reaches beyond the unread bytes: framer=%s, frameLength=5, limit=4, streamOffset=0");
        }

        @Test
        void isPayloadThatEndsOutsideItsFrame() {
            assertFault(
                    (unread, answer) -> answer.frame(3, 2, 2),
                    "framer's payload is not inside its frame: framer=%s, payloadEnd=4, limit=3, streamOffset=0");
        }

        @Test
        void isPayloadThatBeginsOutsideItsFrame() {
            assertFault(
                    (unread, answer) -> answer.frame(3, -1, 2),
                    "framer's payload is not inside its frame: framer=%s, payloadEnd=1, limit=3, streamOffset=0");
        }

        @Test
        void isPayloadWhoseEndOverflows() {
            assertFault(
                    (unread, answer) -> answer.frame(3, Integer.MAX_VALUE, Integer.MAX_VALUE),
                    "framer's payload is not inside its frame: framer=%s, payloadEnd=4294967294, limit=3,"
                            + " streamOffset=0");
        }

        @Test
        void isEscapedPayloadOfNegativeLength() {
            assertFault(
                    (unread, answer) -> answer.escapedFrame(3, -1),
                    "framer's payload length is below zero: framer=%s, payloadLength=-1, streamOffset=0");
        }

        @Test
        void isMovedReaderIndex() {
            assertFault(
                    (unread, answer) -> answer.frame(unread.readByte() & 1, 0, 0),
                    "framer moved an index: framer=%s, readerIndexMovedBy=1, writerIndexMovedBy=0, streamOffset=0");
        }

        @Test
        void isMovedWriterIndex() {
            assertFault(
                    (unread, answer) -> {
                        unread.writerIndex(unread.writerIndex() - 1);
                        answer.frame(1, 0, 0);
                    },
                    "framer moved an index: framer=%s, readerIndexMovedBy=0, writerIndexMovedBy=-1, streamOffset=0");
        }

        @Test
        void isNoAnswer() {
            assertFault((unread, answer) -> {}, "framer gave no answer: framer=%s, unreadBytes=4, streamOffset=0");
        }

        @Test
        void isMissingUnescape() {
            Framer framer = (unread, answer) -> answer.escapedFrame(3, 2);
            FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(TestFramings.of(framer)));
            reader.feed(chunk("abcd"));

            assertThatThrownBy(reader::read)
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessage(framer.getClass().getName() + " answers escapedFrame but does not unescape");
        }

        @Test
        void isUnescapingAnotherLengthThanItSaid() {
            assertFault(
                    new Framer() {
                        @Override
                        public void frame(ByteBuf unread, Answer answer) {
                            answer.escapedFrame(4, 2);
                        }

                        @Override
                        public void unescape(ByteBuf frame, ByteBuf target) {
                            target.writeBytes(frame, 3);
                        }
                    },
                    "framer unescaped another length than it said: framer=%s, payloadLength=3, limit=2, streamOffset=0");
        }

        @Test
        void isAnswerOtherThanFrameAtTheEnd() {
            assertFaultAtEnd(
                    (unread, answer) -> answer.need(9),
                    "framer answered neither a frame nor nothing at the end: framer=%s, bytes=0, streamOffset=0");
        }

        @Test
        void isLastFrameThatLeavesBytes() {
            assertFaultAtEnd(
                    (unread, answer) -> answer.frame(3, 0, 3),
                    "framer's last frame leaves bytes behind it: framer=%s, frameLength=3, limit=4, streamOffset=0");
        }

        @Test
        void isMovedIndexAtTheEnd() {
            assertFaultAtEnd(
                    (unread, answer) -> unread.skipBytes(4),
                    "framer moved an index: framer=%s, readerIndexMovedBy=4, writerIndexMovedBy=0, streamOffset=0");
        }

        @Test
        void isFrameOfNothingAtTheEnd() {
            Framer framer = atEnd((unread, answer) -> answer.frame(1, 0, 0));
            FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(TestFramings.of(framer)));
            reader.endOfInput();

            assertThatThrownBy(reader::read)
                    .hasMessage("framer's frame reaches beyond the unread bytes: framer="
                            + framer.getClass().getName() + ", frameLength=1, limit=0, streamOffset=0");
        }

        private void assertFaultAtEnd(Framer last, String message) {
            Framer framer = atEnd(last);
            ByteBuf chunk = chunk("abcd");
            FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(TestFramings.of(framer)));
            reader.feed(chunk);
            assertThat(reader.read()).isNull();
            reader.endOfInput();

            assertThatThrownBy(reader::read)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(message, framer.getClass().getName());
            assertThat(chunk.refCnt()).isZero();
        }

        private static Framer atEnd(Framer last) {
            return new Framer() {
                @Override
                public void frame(ByteBuf unread, Answer answer) {
                    answer.need(unread.readableBytes() + 1);
                }

                @Override
                public void atEnd(ByteBuf unread, Answer answer) {
                    last.frame(unread, answer);
                }
            };
        }
    }

    @Nested
    class OfDecoder {
        private final MessageDecoder<String> failsOnSecond = payload -> {
            String text = payload.toString(ISO_8859_1);
            payload.skipBytes(1); // whatever it has done to its indices
            if (text.equals("def")) {
                throw new IllegalArgumentException("not a message: " + text);
            }
            return text;
        };

        @Test
        void comesBehindMessagesBeforeIt() {
            ByteBuf first = chunk("abcdefg");
            ByteBuf second = chunk("hi");
            FrameReader<String> reader = reader(failsOnSecond);
            reader.feed(first);
            reader.feed(second);

            assertThat(reader.read()).isEqualTo("abc");
            IllegalArgumentException failure = catchFailure(reader);
            assertThat(failure).hasMessage("not a message: def");
            assertThat(catchFailure(reader)).isSameAs(failure);
            assertThatThrownBy(reader::hasFrame).isSameAs(failure);
            assertThat(reader.streamOffset()).isEqualTo(3);
            assertThat(List.of(first.refCnt(), second.refCnt())).containsOnly(0);
        }

        @Test
        void leavesBorrowedChunkToItsOwner() {
            ByteBuf borrowed = chunk("defabc");
            FrameReader<String> reader = reader(failsOnSecond);
            reader.feedBorrowed(borrowed);

            catchFailure(reader);
            reader.endDrain();

            assertThat(borrowed.release()).isTrue();
        }

        @Test
        void isNullMessage() {
            MessageDecoder<String> none = payload -> null;
            FrameReader<String> reader = reader(none);
            reader.feed(chunk("abc"));

            assertThatThrownBy(reader::read)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "decoder returned null: decoder=" + none.getClass().getName() + ", streamOffset=0");
        }

        @Test
        void isLocatedWhenItIsOneOfFraming() {
            FrameReader<String> reader = reader(payload -> {
                if (payload.getByte(payload.readerIndex()) == 'd') {
                    throw new CorruptFrameException("unknown kind: kind=d");
                }
                return "";
            });
            reader.feed(chunk("abcdefghi"));
            reader.read();

            assertThatThrownBy(reader::read)
                    .isInstanceOf(CorruptFrameException.class)
                    .hasMessage("unknown kind: kind=d, streamOffset=3, firstBytes=646566676869");
        }

        @Test
        void isWrappedFromTheSecondTimeOnIfItIsChecked() {
            Exception checked = new Exception("checked");
            FrameReader<String> reader = reader(payload -> {
                throw FrameReaderFaultTest.<RuntimeException>sneaky(checked);
            });
            reader.feed(chunk("abc"));

            assertThatThrownBy(reader::read).isSameAs(checked);
            assertThatThrownBy(reader::read).hasMessage("reader has failed").hasCause(checked);
        }

        @Test
        void isThrownAsItIsWhenItIsAnError() {
            FrameReader<String> reader = reader(payload -> {
                throw new StackOverflowError("deep");
            });
            reader.feed(chunk("abc"));

            assertThatThrownBy(reader::read).isInstanceOf(StackOverflowError.class);
            assertThatThrownBy(reader::read).isInstanceOf(StackOverflowError.class);
        }

        private static FrameReader<String> reader(MessageDecoder<String> decoder) {
            return FrameReader.create(Codec.of(TestFramings.fixed(3), decoder, (message, out) -> {}));
        }

        private static IllegalArgumentException catchFailure(FrameReader<String> reader) {
            try {
                reader.read();
            } catch (IllegalArgumentException e) {
                return e;
            }
            throw new AssertionError("reader has not failed");
        }
    }

    @Test
    void locatesFailureByFirstBytesOfItsFrameWhereverFramerHasRead() {
        FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(TestFramings.of((unread, answer) -> {
            unread.readByte();
            throw new CorruptFrameException("bad kind: kind=" + unread.readByte());
        })));
        reader.feed(chunk("abcdefghijklmnopqrstuvwxyz"));

        assertThatThrownBy(reader::read)
                .hasMessage("bad kind: kind=98, streamOffset=0, firstBytes=6162636465666768696a6b6c6d6e6f70");
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E sneaky(Throwable e) throws E {
        throw (E) e;
    }

    private static void assertFault(Framer framer, String message) {
        ByteBuf chunk = chunk("abcd");
        FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(TestFramings.of(framer)));
        reader.feed(chunk);

        assertThatThrownBy(reader::read)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(message, framer.getClass().getName());
        assertThat(chunk.refCnt()).isZero();
        assertThat(reader.bytesAtHand()).isZero();
    }

    private static ByteBuf chunk(String bytes) {
        return ByteBufAllocator.DEFAULT.buffer().writeBytes(bytes.getBytes(ISO_8859_1));
    }
}
