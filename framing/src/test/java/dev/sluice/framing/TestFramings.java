package dev.sluice.framing;

import io.netty.buffer.ByteBuf;
import java.util.function.Supplier;

/** Small framings such as users write, one for each kind of answer. They only decode. */
final class TestFramings {
    static final byte ESCAPE = '\\';

    private TestFramings() {}

    /** A framing of this framer alone. */
    static Framing of(Supplier<Framer> framer) {
        return new Framing() {
            @Override
            public Framer newFramer() {
                return framer.get();
            }

            @Override
            public void encode(ByteBuf payload, ByteBuf target) {
                throw new IllegalArgumentException("decodes only");
            }
        };
    }

    /** A framing whose one framer is this one. */
    static Framing of(Framer framer) {
        return of(() -> framer);
    }

    /** Frames of one length, all of it payload. */
    static Framing fixed(int length) {
        return of((unread, answer) -> {
            if (unread.readableBytes() < length) {
                answer.need(length);
            } else {
                answer.frame(length, 0, length);
            }
        });
    }

    /** Lines that end at LF, which is taken off. It knows no length, and remembers how far it has looked. */
    static Framing newline() {
        return of(Newline::new);
    }

    private static final class Newline implements Framer {
        private int looked;

        @Override
        public void frame(ByteBuf unread, Answer answer) {
            int begin = unread.readerIndex();
            int readable = unread.readableBytes();
            for (; looked < readable; looked++) {
                if (unread.getByte(begin + looked) == '\n') {
                    answer.frame(looked + 1, 0, looked);
                    looked = 0;
                    return;
                }
            }
            answer.need(readable + 1);
        }
    }

    /** The same, but the last line may lack its LF. */
    static Framing newlineOrEnd() {
        return of(() -> {
            Framer lines = newline().newFramer();
            return new Framer() {
                @Override
                public void frame(ByteBuf unread, Answer answer) {
                    lines.frame(unread, answer);
                }

                @Override
                public void atEnd(ByteBuf unread, Answer answer) {
                    if (unread.isReadable()) {
                        answer.frame(unread.readableBytes(), 0, unread.readableBytes());
                    }
                }
            };
        });
    }

    /** Letters are frames of one byte; runs of blanks between them are skipped, as far as they are there. */
    static Framing letters() {
        return of((unread, answer) -> {
            int blanks = 0;
            while (blanks < unread.readableBytes() && unread.getByte(unread.readerIndex() + blanks) == ' ') {
                blanks++;
            }
            if (blanks > 0) {
                answer.skip(blanks);
            } else {
                answer.frame(1, 0, 1);
            }
        });
    }

    /** Frames of a length byte and that many bytes, with this many bytes behind it that belong to none. */
    static Framing padded(int padding) {
        return of(() -> new Framer() {
            private boolean behindFrame;

            @Override
            public void frame(ByteBuf unread, Answer answer) {
                int length = 1 + unread.getUnsignedByte(unread.readerIndex());
                if (behindFrame) {
                    behindFrame = false;
                    answer.skip(padding);
                } else if (unread.readableBytes() < length) {
                    answer.need(length);
                } else {
                    behindFrame = true;
                    answer.frame(length, 1, length - 1);
                }
            }
        });
    }

    /** Lines of at most this length; longer ones are discarded as they come. */
    static Framing discardingLines(int maxPayloadLength) {
        return of(() -> new DiscardingLines(maxPayloadLength));
    }

    private static final class DiscardingLines implements Framer {
        private final int maxPayloadLength;
        private boolean discarding;

        DiscardingLines(int maxPayloadLength) {
            this.maxPayloadLength = maxPayloadLength;
        }

        @Override
        public void frame(ByteBuf unread, Answer answer) {
            int end = unread.indexOf(unread.readerIndex(), unread.writerIndex(), (byte) '\n');
            int length = end < 0 ? unread.readableBytes() : end - unread.readerIndex();
            int all = end < 0 ? length : length + 1;
            if (discarding) {
                discarding = end < 0;
                answer.discardMore(all);
            } else if (length > maxPayloadLength) {
                discarding = end < 0;
                answer.discard(all, maxPayloadLength + 1L, maxPayloadLength);
            } else if (end < 0) {
                answer.need(length + 1);
            } else {
                answer.frame(all, 0, length);
            }
        }

        @Override
        public void atEnd(ByteBuf unread, Answer answer) {
            if (discarding || unread.isReadable()) {
                throw new TruncatedFrameException("input ended inside a line: discarding=" + discarding);
            }
        }
    }

    /** Frames that end at LF; a backslash takes the byte behind it literally. */
    static Framing escaped() {
        return of(Escaped::new);
    }

    static final class Escaped implements Framer {
        private int looked;
        private int payloadLength;

        @Override
        public void frame(ByteBuf unread, Answer answer) {
            int readable = unread.readableBytes();
            while (looked < readable) {
                byte value = unread.getByte(unread.readerIndex() + looked);
                if (value == ESCAPE && looked + 1 == readable) {
                    break;
                }
                if (value == '\n') {
                    answer.escapedFrame(looked + 1, payloadLength);
                    looked = 0;
                    payloadLength = 0;
                    return;
                }
                looked += value == ESCAPE ? 2 : 1;
                payloadLength++;
            }
            answer.need(readable + 1);
        }

        @Override
        public void unescape(ByteBuf frame, ByteBuf target) {
            while (frame.readableBytes() > 1) {
                byte value = frame.readByte();
                target.writeByte(value == ESCAPE ? frame.readByte() : value);
            }
        }
    }
}
