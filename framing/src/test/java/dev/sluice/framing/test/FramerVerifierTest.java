package dev.sluice.framing.test;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.framing.Codec;
import dev.sluice.framing.CorruptFrameException;
import dev.sluice.framing.FrameTooLongException;
import dev.sluice.framing.Framer;
import dev.sluice.framing.Framing;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.Oversize;
import dev.sluice.framing.TruncatedFrameException;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.Supplier;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class FramerVerifierTest {
    private static final Codec<String, String> TEXT = Codec.of(
            LengthFieldFraming.of(1),
            payload -> payload.toString(UTF_8),
            (message, out) -> out.buffer().writeCharSequence(message, UTF_8));

    @Nested
    class Passes {
        @Test
        void framingThatIsRight() {
            verifier(new Frames(Good::new)).verify();
        }

        @Test
        void streamWithoutBytes() {
            FramerVerifier.of(new Frames(Good::new)).verify();
        }

        @Test
        void messagesOfCodec() {
            FramerVerifier.of(TEXT)
                    .hex("03 616263 00 02 c3a4")
                    .expect("abc", "", "ä")
                    .verify();
        }

        @Test
        void messagesThatOnlyComeIn() {
            FramerVerifier.decoding(Codec.decoding(LengthFieldFraming.of(1), ByteBuf::readableBytes))
                    .hex("03 616263 00")
                    .expect(3, 0)
                    .verify();
        }

        @Test
        void messagesThatAreReleased() {
            ByteBuf expected = io.netty.buffer.Unpooled.wrappedBuffer(bytes("abc"));
            FramerVerifier.of(Codec.slices(LengthFieldFraming.of(1)))
                    .hex("03 616263")
                    .expect(expected)
                    .verify();
            expected.release();
        }

        @Test
        void arraysOfOtherKinds() {
            Codec<int[], Void> codec =
                    Codec.decoding(LengthFieldFraming.of(1), payload -> new int[] {payload.readableBytes()});
            FramerVerifier.decoding(codec).hex("02 6162").expect(new int[] {2}).verify();
        }

        @Test
        void failureThatIsExpected() {
            LengthFieldFraming framing = LengthFieldFraming.builder()
                    .lengthFieldLength(1)
                    .maxPayloadLength(3)
                    .build();
            FramerVerifier.of(framing)
                    .hex("01 61", "04 62626262", "01 63")
                    .expect(bytes("a"))
                    .expectFailure(FrameTooLongException.class)
                    .verify();
            FramerVerifier.of(framing)
                    .hex("01 61", "02 62")
                    .expect(bytes("a"))
                    .expectFailure(TruncatedFrameException.class)
                    .verify();
        }

        @Test
        void framesThatAreDiscarded() {
            LengthFieldFraming framing = LengthFieldFraming.builder()
                    .lengthFieldLength(1)
                    .maxPayloadLength(3)
                    .oversize(Oversize.DISCARD)
                    .build();
            FramerVerifier.of(framing)
                    .hex("01 61", "04 62626262", "01 63")
                    .expect(bytes("a"), bytes("c"))
                    .expectDiscarded(1)
                    .verify();
        }

        @Test
        void framingThatOnlyDecodes() {
            FramerVerifier.of(new Frames(Good::new, Encoder.REFUSES))
                    .text("\2ab")
                    .expect(bytes("ab"))
                    .decodesOnly()
                    .verify();
        }

        @Test
        void lastMessageThatTheEndCompletes() {
            FramerVerifier.of(new Frames(OpenLines::new, Encoder.LINE))
                    .text("one\ntwo\nthree")
                    .expect(bytes("one"), bytes("two"), bytes("three"))
                    .openLast()
                    .verify();
        }

        @Test
        void frameWhoseEndShowsBehindIt() {
            FramerVerifier.of(new Frames(Words::new, Encoder.REFUSES))
                    .text("ab  c d")
                    .expect(bytes("ab"), bytes("c"), bytes("d"))
                    .decodesOnly()
                    .openLast()
                    .lookAhead(1)
                    .verify();
        }

        @Test
        void streamThatIsTooLongToBeCutEverywhere() {
            byte[] stream = new byte[12_000];
            FramerVerifier<byte[]> verifier = FramerVerifier.of(LengthFieldFraming.of(2));
            for (int at = 0; at < stream.length; at += 4_000) {
                stream[at] = (byte) (3998 >> 8);
                stream[at + 1] = (byte) 3998;
                verifier.expect(new byte[3998]);
            }
            verifier.bytes(stream).verify();
        }
    }

    /** What the test says is not what the framing does: one message each. */
    @Nested
    class TellsExpectation {
        @Test
        void ofOtherMessage() {
            assertBroken(() -> FramerVerifier.of(new Frames(Good::new))
                            .text("\2ab\1c")
                            .expect(bytes("ab"), bytes("x"))
                            .verify())
                    .hasMessage("wrong message: message=1, expected=78, got=63\n"
                            + "  way:     one chunk, HEAP, owned, read at once\n"
                            + "  stream:  5 of 5 bytes: 0261620163\n"
                            + "  framing: Frames");
        }

        @Test
        void ofLongMessageShortened() {
            assertBroken(() -> FramerVerifier.of(LengthFieldFraming.of(1))
                            .bytes(new byte[] {100}, new byte[100])
                            .expect(bytes("x"))
                            .verify())
                    .hasMessageContaining("expected=78, got=" + "00".repeat(32) + "… (200 characters)\n")
                    .hasMessageContaining("101 of 101 bytes: 64" + "00".repeat(31) + "… (101 bytes)\n");
        }

        @Test
        void ofMessageTooMany() {
            assertBroken(() -> FramerVerifier.of(new Frames(Good::new))
                            .text("\1a")
                            .expect(bytes("a"), bytes("b"))
                            .verify())
                    .hasMessageStartingWith("wrong number of messages: expected=2 messages [61, 62],"
                            + " got=1 message [61], then no failure\n");
        }

        @Test
        void ofAnotherEnd() {
            assertBroken(() -> FramerVerifier.of(new Frames(Good::new))
                            .text("\2a")
                            .expectFailure(CorruptFrameException.class)
                            .verify())
                    .hasMessageStartingWith(
                            "wrong end of the stream: expected=CorruptFrameException behind 0 messages [],"
                                    + " got=0 messages [], then TruncatedFrameException (input ended inside a frame:"
                                    + " bytesAtHand=2, bytesNeeded=3, streamOffset=0, firstBytes=0261)\n");
        }

        @Test
        void ofDiscardedFrames() {
            assertBroken(() ->
                            verifier(new Frames(Good::new)).expectDiscarded(2).verify())
                    .hasMessageStartingWith("wrong number of discarded frames: expected=2, got=0\n");
        }
    }

    /** One fault each, in an otherwise right framer for frames of a length byte and that many bytes. */
    @Nested
    class FindsFramerThat {
        @Test
        void countsFromIndexZero() {
            assertBroken(verifier(new Frames(() -> (in, answer) -> {
                        int length = 1 + in.getUnsignedByte(0);
                        answer(in, answer, length, length);
                    })))
                    .hasMessageStartingWith(
                            "wrong end of the stream: expected=complete behind 3 messages [616263, (empty), 64],"
                                    + " got=0 messages [], then TruncatedFrameException")
                    .hasMessageContaining("  way:     one chunk, HEAP");
        }

        @Test
        void looksBehindTheWriterIndex() {
            assertBroken(verifier(new Frames(() -> (in, answer) -> {
                        int length = 1 + in.getUnsignedByte(in.readerIndex());
                        if (in.capacity() - in.readerIndex() < length) {
                            answer.need(length);
                        } else {
                            answer.frame(length, 1, length - 1);
                        }
                    })))
                    .hasMessageContaining("framer's frame reaches beyond the unread bytes: framer=")
                    .hasMessageContaining("  way:     chunks of ");
        }

        @Test
        void takesArrayOfAnyBuffer() {
            assertBroken(verifier(new Frames(() -> (in, answer) -> {
                        int length = 1 + (in.array()[in.arrayOffset() + in.readerIndex()] & 0xff);
                        answer(in, answer, length, length);
                    })))
                    .hasMessageContaining("UnsupportedOperationException")
                    .hasMessageContaining("  way:     one chunk, DIRECT, owned, read at once\n");
        }

        @Test
        void losesItsStateAtCut() {
            assertBroken(FramerVerifier.of(new Frames(ForgetfulLines::new, Encoder.LINE))
                            .text("one\ntwo\n")
                            .expect(bytes("one"), bytes("two")))
                    .hasMessageContaining("message")
                    .hasMessageContaining("  way:     chunks of 1, HEAP, owned, read at once\n");
        }

        @Test
        void keepsItsStateForTheNextFrame() {
            assertBroken(FramerVerifier.of(new Frames(
                                    () -> new Lines() {
                                        @Override
                                        void found() {}
                                    },
                                    Encoder.LINE))
                            .text("three\nab\n")
                            .expect(bytes("three"), bytes("ab")))
                    .hasMessageStartingWith("wrong ")
                    .hasMessageContaining("  way:     one chunk, HEAP");
        }

        @Test
        void looksOnlyAtTheNewBytes() {
            assertBroken(FramerVerifier.of(new Frames(CrLf::new, Encoder.CRLF))
                            .text("one\r\ntwo\r\n")
                            .expect(bytes("one"), bytes("two")))
                    .hasMessageStartingWith(
                            "message not delivered although all of it is there: message=0, bytesNeeded=5,"
                                    + " bytesThere=5\n")
                    .hasMessageContaining("  way:     chunks of 1, HEAP");
        }

        @Test
        void isOffByOneAtTheEndOfChunk() {
            assertBroken(verifier(new Frames(() -> (in, answer) -> {
                        int length = 1 + in.getUnsignedByte(in.readerIndex());
                        if (in.readableBytes() <= length) {
                            answer.need(Math.max(length, in.readableBytes() + 1));
                        } else {
                            answer.frame(length, 1, length - 1);
                        }
                    })))
                    .hasMessageContaining("wrong end of the stream: expected=complete behind 3 messages")
                    .hasMessageContaining("TruncatedFrameException");
        }

        @Test
        void readsHeaderThatIsNotThere() {
            assertBroken(FramerVerifier.of(new Frames(
                                    () -> (in, answer) -> {
                                        int length = 2 + in.getUnsignedShort(in.readerIndex());
                                        if (in.readableBytes() < length) {
                                            answer.need(length);
                                        } else {
                                            answer.frame(length, 2, length - 2);
                                        }
                                    },
                                    Encoder.REFUSES))
                            .hex("0001 61")
                            .expect(bytes("a"))
                            .decodesOnly())
                    .hasMessageContaining("  way:     chunks of 1, HEAP, owned, read at once\n");
        }

        @Test
        void needsMoreThanTheFrame() {
            assertBroken(verifier(new Frames(() -> (in, answer) -> {
                        int length = 1 + in.getUnsignedByte(in.readerIndex());
                        answer(in, answer, length, length + 2);
                    })))
                    .hasMessageStartingWith(
                            "message not delivered although all of it is there: message=0, bytesNeeded=4,"
                                    + " bytesThere=4\n")
                    .hasMessageContaining("  way:     chunks of 1, HEAP, owned, read at once\n");
        }

        @Test
        void needsWhatIsThere() {
            assertBroken(verifier(new Frames(() -> (in, answer) -> {
                        int length = 1 + in.getUnsignedByte(in.readerIndex());
                        if (in.readableBytes() < length) {
                            answer.need(1);
                        } else {
                            answer.frame(length, 1, length - 1);
                        }
                    })))
                    .hasMessageContaining("framer made no progress: framer=dev.sluice.framing.test.FramerVerifierTest$")
                    .hasMessageContaining("answer=NEED, bytes=1");
        }

        @Test
        void neverComesToAnEnd() {
            assertBroken(verifier(new Frames(() -> (in, answer) -> answer.need(in.readableBytes() + 1)))
                            .bytes(new byte[100]))
                    .hasMessageStartingWith("wrong end of the stream: expected=complete");
        }

        @Test
        void movesTheReaderIndex() {
            assertBroken(verifier(new Frames(() -> (in, answer) -> {
                        int length = 1 + in.readUnsignedByte();
                        if (in.readableBytes() < length - 1) {
                            answer.need(length);
                        } else {
                            answer.frame(length, 1, length - 1);
                        }
                    })))
                    .hasMessageContaining("framer moved an index: framer=dev.sluice.framing.test.FramerVerifierTest$")
                    .hasMessageContaining("readerIndexMovedBy=1");
        }

        @Test
        void writesToTheInput() {
            assertBroken(verifier(new Frames(() -> (in, answer) -> {
                        int length = 1 + in.getUnsignedByte(in.readerIndex());
                        in.setByte(in.readerIndex(), length - 1 ^ 0x40);
                        in.setByte(in.readerIndex(), in.getByte(in.readerIndex()) ^ 0x41);
                        answer(in, answer, length, length);
                    })))
                    .hasMessageContaining("  way:     ");
        }

        @Test
        void retainsTheInput() {
            assertBroken(verifier(new Frames(() -> (in, answer) -> {
                        int length = 1 + in.getUnsignedByte(in.readerIndex());
                        in.retain();
                        answer(in, answer, length, length);
                    })))
                    .hasMessageStartingWith("chunk was not released: chunk=0, references=")
                    .hasMessageContaining("  way:     one chunk, HEAP, owned, read at once\n");
        }

        @Test
        void retainsTheTornFrame() {
            assertBroken(verifier(new Frames(() -> new Good() {
                        private boolean torn;

                        @Override
                        public void frame(ByteBuf in, Answer answer) {
                            if (torn) {
                                in.retain();
                            }
                            super.frame(in, answer);
                            torn = in.readableBytes() < 1 + in.getUnsignedByte(in.readerIndex());
                        }
                    })))
                    .hasMessageStartingWith("buffers for torn or unescaped frames were not released: buffers=")
                    .hasMessageContaining("  way:     chunks of 1, HEAP, owned, read at once\n");
        }

        @Test
        void releasesTheInput() {
            assertBroken(verifier(new Frames(() -> new Good() {
                        @Override
                        public void frame(ByteBuf in, Answer answer) {
                            super.frame(in, answer);
                            in.release();
                        }
                    })))
                    .hasMessageContaining("Exception: ")
                    .hasMessageContaining("  way:     one chunk, HEAP, owned, read at once\n");
        }

        @Test
        void looksIntoTheBufferOfEarlierCall() {
            assertBroken(verifier(new Frames(() -> new Good() {
                        private ByteBuf first;

                        @Override
                        public void frame(ByteBuf in, Answer answer) {
                            first = first == null ? in : first;
                            first.getByte(first.readerIndex());
                            super.frame(in, answer);
                        }
                    })))
                    .hasMessageContaining("Exception")
                    .hasMessageContaining("  way:     chunks of 1, HEAP, owned, read at once\n");
        }

        @Test
        void sharesItsStateBetweenStreams() {
            Lines shared = new Lines();
            assertBroken(FramerVerifier.of(new Frames(() -> shared, Encoder.LINE))
                            .text("o\ntwo\nthr")
                            .expect(bytes("o"), bytes("two"))
                            .expectFailure(TruncatedFrameException.class))
                    .hasMessageContaining("message");
        }

        @Test
        void losesTheWayBehindDiscardedFrame() {
            Supplier<Framer> framer = () -> (in, answer) -> {
                int length = in.getUnsignedByte(in.readerIndex());
                if (length > 3) {
                    answer.discard(Math.min(1 + length, in.readableBytes()), length, 3); // the rest is forgotten
                } else {
                    answer(in, answer, 1 + length, 1 + length);
                }
            };
            assertBroken(FramerVerifier.of(new Frames(framer))
                            .hex("01 61", "04 00000000", "01 63")
                            .expect(bytes("a"), bytes("c"))
                            .expectDiscarded(1))
                    .hasMessageStartingWith("wrong message: message=1, expected=63, got=(empty)\n")
                    .hasMessageContaining("  way:     chunks of 1, HEAP, owned, read at once\n");
        }

        @Test
        void reportsDiscardedFrameAtEachCut() {
            assertBroken(FramerVerifier.of(new Frames(TwiceDiscardingLines::new, Encoder.LINE))
                            .text("a\nbbbb\nc\n")
                            .expect(bytes("a"), bytes("c"))
                            .expectDiscarded(1))
                    .hasMessageStartingWith("wrong number of discarded frames: expected=1, got=")
                    .hasMessageContaining("  way:     chunks of ");
        }

        @Test
        void completesInsideFrame() {
            assertBroken(verifier(new Frames(() -> new Good() {
                        @Override
                        public void atEnd(ByteBuf in, Answer answer) {}
                    })))
                    .hasMessageStartingWith("framer completed although bytes are left: bytesTaken=0, streamLength=1\n")
                    .hasMessageContaining("  stream:  1 of 7 bytes: ");
        }

        @Test
        void deliversTruncatedFrameAsWhole() {
            assertBroken(verifier(new Frames(() -> new Good() {
                        @Override
                        public void atEnd(ByteBuf in, Answer answer) {
                            if (in.isReadable()) {
                                answer.frame(in.readableBytes(), 1, in.readableBytes() - 1);
                            }
                        }
                    })))
                    .hasMessageStartingWith("a message is made of a part of its frame when the input ends:"
                            + " expected=0 messages [], got=1 message [(empty)], then no failure\n");
        }

        @Test
        void failsWrongAtTheEnd() {
            assertBroken(verifier(new Frames(() -> new Good() {
                        @Override
                        public void atEnd(ByteBuf in, Answer answer) {
                            if (in.isReadable()) {
                                throw new CorruptFrameException("torn");
                            }
                        }
                    })))
                    .hasMessageStartingWith("wrong failure when the input ends inside a frame:"
                            + " expected=TruncatedFrameException, got=0 messages [], then CorruptFrameException (torn");
        }

        @Test
        void losesWholeMessageAtTheEnd() {
            assertBroken(FramerVerifier.of(new Frames(Words::new, Encoder.REFUSES))
                            .text("ab c ")
                            .expect(bytes("ab"), bytes("c"))
                            .decodesOnly())
                    .hasMessageStartingWith("message not delivered although all of it is there: message=0,"
                            + " bytesNeeded=2, bytesThere=2\n");
        }

        @Test
        void throwsWhatNobodyExpects() {
            assertBroken(verifier(new Frames(() -> (in, answer) -> {
                        throw new IllegalStateException("no idea");
                    })))
                    .hasMessageStartingWith("java.lang.IllegalStateException: no idea\n")
                    .hasCauseInstanceOf(IllegalStateException.class);
        }
    }

    @Nested
    class FindsDecoderThat {
        @Test
        void keepsThePayloadWithoutHavingRetainedIt() {
            Codec<CharSequence, Void> codec = Codec.decoding(LengthFieldFraming.of(1), View::new);
            assertBroken(FramerVerifier.decoding(codec).hex("03 616263").expect(new View("abc")))
                    .hasMessageContaining("  way:     ");
        }

        @Test
        void retainsThePayloadForNobody() {
            Codec<String, Void> codec = Codec.decoding(
                    LengthFieldFraming.of(1), payload -> payload.retain().toString(UTF_8));
            assertBroken(FramerVerifier.decoding(codec).hex("03 616263").expect("abc"))
                    .hasMessageStartingWith("chunk was not released: chunk=0, references=1\n");
        }
    }

    @Nested
    class FindsEncoderThat {
        @Test
        void isNoInverse() {
            assertBroken(verifier(new Frames(
                            Good::new,
                            (payload, target) -> target.writeByte(payload.readableBytes() + 1)
                                    .writeByte(0)
                                    .writeBytes(payload.duplicate()))))
                    .hasMessageStartingWith("encoding is not undone by decoding: expected=1 message [616263],"
                            + " encoded=0400616263, got=1 message [00616263], then no failure\n")
                    .hasMessageContaining("  way:     round trip of message 0\n");
        }

        @Test
        void refusesWhatDecodingDelivers() {
            assertBroken(verifier(new Frames(Good::new, Encoder.REFUSES)))
                    .hasMessageStartingWith("encoding refuses a message that decoding delivers: message=616263,"
                            + " refusal=decodes only\n");
        }

        @Test
        void movesTheIndexOfThePayload() {
            assertBroken(verifier(new Frames(
                            Good::new,
                            (payload, target) ->
                                    target.writeByte(payload.readableBytes()).writeBytes(payload))))
                    .hasMessageStartingWith("does not hold: encode moves no index of the payload: bytes=616263\n");
        }

        @Test
        void writesBeforeItRefuses() {
            assertBroken(verifier(new Frames(Good::new, (payload, target) -> {
                        target.writeByte(payload.readableBytes());
                        throw new IllegalArgumentException("no");
                    })))
                    .hasMessageStartingWith("does not hold: nothing is written when a payload is refused: bytes=03\n");
        }

        @Test
        void overwritesWhatStandsBefore() {
            assertBroken(verifier(new Frames(
                            Good::new,
                            (payload, target) -> target.setIndex(0, 0)
                                    .writeByte(payload.readableBytes())
                                    .writeBytes(payload.duplicate()))))
                    .hasMessageStartingWith("does not hold: encode appends and leaves alone what stands before: ");
        }

        @Test
        void keepsThePayload() {
            assertBroken(verifier(new Frames(
                            Good::new,
                            (payload, target) -> target.writeByte(payload.readableBytes())
                                    .writeBytes(payload.retain().duplicate()))))
                    .hasMessageStartingWith("does not hold: encode neither keeps nor releases: bytes=616263\n");
        }

        @Test
        void writesAnotherMessageThanWasGiven() {
            Codec<String, String> codec = Codec.of(
                    LengthFieldFraming.of(1),
                    payload -> payload.toString(UTF_8),
                    (message, out) -> out.buffer().writeCharSequence(message + "!", UTF_8));
            assertBroken(FramerVerifier.of(codec).hex("01 61").expect("a"))
                    .hasMessageStartingWith("encoding is not undone by decoding: expected=1 message [a],"
                            + " encoded=026121, got=1 message [a!], then no failure\n");
        }
    }

    @Test
    void triesTheSameRandomCutsAgain() {
        assertThat(Cut.random(new byte[100], 7, 9).chunks().stream()
                        .map(chunk -> chunk.length)
                        .toList())
                .isEqualTo(Cut.random(new byte[100], 7, 9).chunks().stream()
                        .map(chunk -> chunk.length)
                        .toList())
                .hasSizeGreaterThan(10);
        verifier(new Frames(Good::new)).seed(7).verify();
    }

    @Test
    void refusesNumbersBelowZero() {
        FramerVerifier<byte[]> verifier = FramerVerifier.of(new Frames(Good::new));

        assertThatThrownBy(() -> verifier.expectDiscarded(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("frames below zero: frames=-1, limit=0");
        assertThatThrownBy(() -> verifier.lookAhead(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("bytes below zero: bytes=-1, limit=0");
    }

    private static FramerVerifier<byte[]> verifier(Framing framing) {
        return FramerVerifier.of(framing).text("\3abc\0\1d").expect(bytes("abc"), bytes(""), bytes("d"));
    }

    private static AbstractThrowableAssert<?, ?> assertBroken(FramerVerifier<?> verifier) {
        return assertBroken(verifier::verify);
    }

    private static AbstractThrowableAssert<?, ?> assertBroken(Runnable verify) {
        return assertThatThrownBy(verify::run).isInstanceOf(AssertionError.class);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static void answer(ByteBuf in, Framer.Answer answer, int length, int needed) {
        if (in.readableBytes() < length) {
            answer.need(needed);
        } else {
            answer.frame(length, 1, length - 1);
        }
    }

    private interface Encoder {
        Encoder LENGTH =
                (payload, target) -> target.writeByte(payload.readableBytes()).writeBytes(payload.duplicate());
        Encoder LINE =
                (payload, target) -> target.writeBytes(payload.duplicate()).writeByte('\n');
        Encoder CRLF =
                (payload, target) -> target.writeBytes(payload.duplicate()).writeShort('\r' << 8 | '\n');
        Encoder REFUSES = (payload, target) -> {
            throw new IllegalArgumentException("decodes only");
        };

        void encode(ByteBuf payload, ByteBuf target);
    }

    private record Frames(Supplier<Framer> framer, Encoder encoder) implements Framing {
        Frames(Supplier<Framer> framer) {
            this(framer, Encoder.LENGTH);
        }

        @Override
        public Framer newFramer() {
            return framer.get();
        }

        @Override
        public void encode(ByteBuf payload, ByteBuf target) {
            encoder.encode(payload, target);
        }

        @Override
        public String toString() {
            return "Frames";
        }
    }

    /** A length byte and that many bytes, cut as it should be. */
    private static class Good implements Framer {
        @Override
        public void frame(ByteBuf in, Answer answer) {
            int length = 1 + in.getUnsignedByte(in.readerIndex());
            FramerVerifierTest.answer(in, answer, length, length);
        }
    }

    /** Lines that end at LF, cut as they should be. */
    private static class Lines implements Framer {
        int looked;

        @Override
        public void frame(ByteBuf in, Answer answer) {
            for (; looked < in.readableBytes(); looked++) {
                if (in.getByte(in.readerIndex() + looked) == '\n') {
                    answer.frame(looked + 1, 0, looked);
                    found();
                    return;
                }
            }
            answer.need(looked + 1);
        }

        void found() {
            looked = 0;
        }
    }

    private static final class OpenLines extends Lines {
        @Override
        public void atEnd(ByteBuf in, Answer answer) {
            if (in.isReadable()) {
                answer.frame(in.readableBytes(), 0, in.readableBytes());
            }
        }
    }

    /** Takes the bytes that it has looked at before for no part of the line. */
    private static final class ForgetfulLines extends Lines {
        @Override
        public void frame(ByteBuf in, Answer answer) {
            int begin = looked;
            for (int i = begin; i < in.readableBytes(); i++) {
                if (in.getByte(in.readerIndex() + i) == '\n') {
                    answer.frame(i + 1, begin, i - begin);
                    looked = 0;
                    return;
                }
            }
            looked = in.readableBytes();
            answer.need(looked + 1);
        }
    }

    /** Does not find a CR LF that was cut in two. */
    private static final class CrLf extends Lines {
        @Override
        public void frame(ByteBuf in, Answer answer) {
            for (int i = looked; i + 1 < in.readableBytes(); i++) {
                if (in.getShort(in.readerIndex() + i) == ('\r' << 8 | '\n')) {
                    answer.frame(i + 2, 0, i);
                    looked = 0;
                    return;
                }
            }
            looked = in.readableBytes();
            answer.need(looked + 1);
        }
    }

    /** Lines of at most 3 bytes; a longer one is taken for a new one at each call. */
    private static final class TwiceDiscardingLines implements Framer {
        private boolean discarding;

        @Override
        public void frame(ByteBuf in, Answer answer) {
            int end = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) '\n') - in.readerIndex();
            int length = end < 0 ? in.readableBytes() : end;
            if (length > 3 || discarding) {
                discarding = end < 0;
                answer.discard(end < 0 ? length : length + 1, length, 3);
            } else if (end < 0) {
                answer.need(length + 1);
            } else {
                answer.frame(length + 1, 0, length);
            }
        }
    }

    /** Words between blanks; a word's end shows in the blank behind it, or in the end of the input. */
    private static final class Words implements Framer {
        @Override
        public void frame(ByteBuf in, Answer answer) {
            int length = 0;
            while (length < in.readableBytes() && in.getByte(in.readerIndex() + length) != ' ') {
                length++;
            }
            if (length == 0) {
                answer.skip(1);
            } else if (length == in.readableBytes()) {
                answer.need(length + 1);
            } else {
                answer.frame(length, 0, length);
            }
        }

        @Override
        public void atEnd(ByteBuf in, Answer answer) {
            if (in.isReadable()) {
                answer.frame(in.readableBytes(), 0, in.readableBytes());
            }
        }
    }

    /** Text that still lies in the payload. */
    private static final class View implements CharSequence {
        private final List<ByteBuf> bytes;
        private final String text;

        View(ByteBuf bytes) {
            this.bytes = List.of(bytes.slice());
            this.text = "";
        }

        View(String text) {
            this.bytes = List.of();
            this.text = text;
        }

        @Override
        public String toString() {
            return bytes.isEmpty() ? text : bytes.get(0).toString(UTF_8);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof View && toString().equals(other.toString());
        }

        @Override
        public int hashCode() {
            return toString().hashCode();
        }

        @Override
        public int length() {
            return toString().length();
        }

        @Override
        public char charAt(int index) {
            return toString().charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return toString().subSequence(start, end);
        }
    }
}
