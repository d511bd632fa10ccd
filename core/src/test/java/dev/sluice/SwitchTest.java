package dev.sluice;

import static dev.sluice.Lines.BINARY;
import static dev.sluice.Lines.LINES;
import static dev.sluice.Lines.SWITCH;
import static dev.sluice.Lines.binary;
import static dev.sluice.Lines.join;
import static dev.sluice.Lines.lines;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import dev.sluice.framing.LineFraming;
import dev.sluice.framing.SlicePolicy;
import dev.sluice.framing.TruncatedFrameException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.netty.Connection;

/** Decoding pauses behind the messages that a codec names, and goes on as somebody says. */
@Tag("paranoid")
class SwitchTest {
    private static final String NOT_PAUSED =
            "decoding is not paused: switch behind a message that the codec pauses after,"
                    + " or in the callback that attaches the connection";

    @ParameterizedTest
    @EnumSource
    void leavesTheBytesBehindAPausingMessageToTheNextCodec(Way way) {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            Probe<List<String>> probe = Probe.unbounded();
            way.signals(wire.connection).subscribe(probe);
            wire.feed(join(lines("a", "b", SWITCH), binary("\nx\ny\n", "z")));
            assertThat(Way.flat(probe)).containsExactly("a", "b", SWITCH);

            wire.connection.switchTo(BINARY);
            assertThat(Way.flat(probe)).containsExactly("a", "b", SWITCH, "\nx\ny\n", "z");
            wire.feed(binary("on"));
            wire.end();
            assertThat(Way.flat(probe)).endsWith("z", "on");
            assertThat(probe.isCompleted()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void switchesFromInsideOnNextSeveralTimesInOneRead(Way way) {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            Probe<List<String>> probe = Probe.unbounded();
            Switcher switcher = new Switcher(wire.connection);
            way.signals(wire.connection).subscribe(probe.whenNext(switcher::look));
            wire.feed(join(
                    lines("a", SWITCH), binary("\n", SWITCH), lines("b", SWITCH), binary(SWITCH), lines("c", "d")));
            wire.end();
            assertThat(Way.flat(probe)).containsExactly("a", SWITCH, "\n", SWITCH, "b", SWITCH, SWITCH, "c", "d");
            assertThat(probe.isCompleted()).isTrue();
        }
    }

    /** Prefetch smaller and larger than what lies around a switch; demand by and by. */
    @ParameterizedTest
    @EnumSource
    void losesAndMistakesNothingInRandomRounds(Way way) {
        long seed = 7;
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            List<String> expected = new ArrayList<>();
            byte[] stream = randomStream(random, expected);
            int messages = random.nextInt(10);
            ConnectionOptions options = ConnectionOptions.DEFAULT.prefetch(
                    messages == 0 ? Prefetch.onDemand() : new Prefetch(messages, 64));
            try (Wire<String, String> wire = Wire.of(LINES, options)) {
                boolean inside = random.nextBoolean();
                Switcher switcher = new Switcher(wire.connection);
                Probe<List<String>> probe = Probe.demanding(random.nextInt(4));
                way.signals(wire.connection).subscribe(probe.whenNext(inside ? switcher::look : ignored -> {}));
                for (int at = 0; at < stream.length; ) {
                    int end = Math.min(stream.length, at + 1 + random.nextInt(40));
                    wire.feed(Arrays.copyOfRange(stream, at, end));
                    at = end;
                    if (random.nextBoolean()) {
                        probe.request(1 + random.nextInt(3));
                    }
                    if (!inside) {
                        switcher.lookAgain(Way.flat(probe));
                    }
                }
                wire.end();
                while (!probe.isTerminated()) {
                    int before = probe.count();
                    if (!inside) {
                        switcher.lookAgain(Way.flat(probe));
                    }
                    probe.request(1);
                    assertThat(probe.count() > before || probe.isTerminated() || !inside)
                            .as("stalls: round=%d, seed=%d", round, seed)
                            .isTrue();
                }
                assertThat(Way.flat(probe)).as("round=%d, seed=%d", round, seed).isEqualTo(expected);
                assertThat(probe.error()).as("round=%d, seed=%d", round, seed).isNull();
                assertThat(wire.stats().messagesIn()).isEqualTo(expected.size());
            }
        }
    }

    private static byte[] randomStream(Random random, List<String> expected) {
        byte[] stream = {};
        boolean text = true;
        int sections = 1 + random.nextInt(5);
        for (int section = 1; section <= sections; section++) {
            List<String> messages = new ArrayList<>();
            for (int i = random.nextInt(12); i > 0; i--) {
                messages.add((text ? "line " : "\n\r\n") + "x".repeat(random.nextInt(30)));
            }
            if (section < sections || messages.isEmpty()) {
                messages.add(section < sections ? SWITCH : "last");
            }
            String[] all = messages.toArray(String[]::new);
            stream = join(stream, text ? lines(all) : binary(all));
            expected.addAll(messages);
            text = !text;
        }
        return stream;
    }

    /** Switches to the other codec for each pausing message. */
    private static final class Switcher {
        private final FrameConnection<String, String> connection;
        private boolean binary;
        private int seen;

        Switcher(FrameConnection<String, String> connection) {
            this.connection = connection;
        }

        void look(List<String> messages) {
            if (messages.contains(SWITCH)) {
                binary = !binary;
                connection.switchTo(binary ? BINARY : LINES);
            }
        }

        /** All messages that there have been so far. */
        void lookAgain(List<String> messages) {
            List<String> fresh = messages.subList(seen, messages.size());
            seen = messages.size();
            look(fresh);
        }
    }

    @Test
    void stopsReadingInTheSameTurn() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            wire.connection.receive().subscribe();
            int reads = wire.reads();
            wire.feed(lines("a"));
            assertThat(wire.reads()).isEqualTo(reads + 1);
            wire.feed(lines(SWITCH));
            assertThat(wire.reads()).isEqualTo(reads + 1);
            wire.connection.resumeDecoding();
            assertThat(wire.reads()).isEqualTo(reads + 2);
            assertThat(wire.stats().pauses()).isZero();
        }
    }

    /** The buffer that was read into is used again for the next read. */
    @Test
    void keepsWhatLiesBehindThePauseAsItsOwn() {
        try (Wire<String, String> wire = Wire.of(LINES);
                Wire<String, String> other = Wire.of(LINES)) {
            Probe<String> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(join(lines(SWITCH), binary("whole"), new byte[] {0, 4, 't'}));
            other.feed(new byte[64]);
            wire.feed("orn".getBytes(StandardCharsets.UTF_8));
            assertThat(wire.stats().bytesAtHand()).isEqualTo(13);
            wire.connection.switchTo(BINARY);
            assertThat(probe.values()).containsExactly(SWITCH, "whole", "torn");
        }
    }

    @Test
    void resumesWithTheSameCodec() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            Probe<String> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(lines(SWITCH, "a", SWITCH, "b"));
            assertThat(probe.values()).containsExactly(SWITCH);
            wire.connection.resumeDecoding();
            assertThat(probe.values()).containsExactly(SWITCH, "a", SWITCH);
            wire.connection.resumeDecoding();
            wire.connection.resumeDecoding();
            wire.feed(lines(SWITCH, "c"));
            assertThat(probe.values()).containsExactly(SWITCH, "a", SWITCH, "b", SWITCH);
        }
    }

    @ParameterizedTest
    @EnumSource
    void resumesFromInsideOnNext(Way way) {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            Probe<List<String>> probe = Probe.unbounded();
            way.signals(wire.connection).subscribe(probe.whenNext(messages -> wire.connection.resumeDecoding()));
            wire.feed(lines("a", SWITCH, SWITCH, "b", SWITCH, "c"));
            assertThat(Way.flat(probe)).containsExactly("a", SWITCH, SWITCH, "b", SWITCH, "c");
        }
    }

    @Test
    void pausesWithoutAReceiverAndBeyondDemand() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            wire.feed(join(lines("a", SWITCH), binary("b")));
            assertThat(wire.stats().heldMessages()).isEqualTo(2);
            wire.connection.switchTo(BINARY);
            assertThat(wire.stats().heldMessages()).isEqualTo(3);
            assertThat(wire.connection.receive().take(3).collectList().block()).containsExactly("a", SWITCH, "b");
        }
    }

    @Test
    void refusesToSwitchUnlessPaused() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            wire.feed(lines("a"));
            assertThatThrownBy(() -> wire.connection.switchTo(BINARY))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(NOT_PAUSED);
            assertThatThrownBy(() -> wire.connection.upgrade(BINARY))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(NOT_PAUSED);
            wire.feed(lines(SWITCH));
            wire.connection.switchTo(BINARY);
            assertThatThrownBy(() -> wire.connection.switchTo(LINES)).hasMessage(NOT_PAUSED);
            assertThatThrownBy(() -> wire.connection.switchTo(null)).hasMessage("codec");
            assertThatThrownBy(() -> wire.connection.upgrade(null)).hasMessage("codec");
        }
    }

    @Test
    void switchesAsOftenAsOneLikesInTheCallbackThatAttaches() {
        EmbeddedChannel channel = new EmbeddedChannel();
        FrameConnection<String, String> attached = FrameConnection.attach(Connection.from(channel), LINES);
        attached.switchTo(BINARY);
        FrameConnection<Integer, Integer> numbers = attached.upgrade(Frames.NUMBERS);
        FrameConnection<String, String> last = numbers.upgrade(BINARY);
        Probe<String> probe = Probe.unbounded();
        last.receive().subscribe(probe);
        last.switchTo(LINES);
        channel.runPendingTasks(); // the callback has returned
        assertThatThrownBy(() -> last.switchTo(BINARY)).hasMessage(NOT_PAUSED);
        channel.writeInbound(channel.alloc().buffer().writeBytes(lines("a")));
        assertThat(probe.values()).containsExactly("a");
        channel.finishAndReleaseAll();
    }

    @Test
    void encodesWhatWasSentBeforeByTheOldCodecAndWhatIsSentLaterByTheNext() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            wire.connection.receive().filter(SWITCH::equals).subscribe(ignored -> {
                wire.connection.send("before").subscribe();
                wire.connection.switchTo(BINARY);
                wire.connection.send("after").subscribe();
            });
            int flushes = wire.flushes();
            wire.feed(lines(SWITCH));
            assertThat(wire.sent()).isEqualTo(join(lines("before"), binary("after")));
            assertThat(wire.flushes()).isEqualTo(flushes + 1);
        }
    }

    /** What waits for the channel keeps its codec. */
    @Test
    void encodesWaitingSendsByTheCodecTheyWereSentWith() {
        Codec<String, String> longLines = Codec.text(
                        LineFraming.builder().maxPayloadLength(4_000_000).build())
                .pauseAfter(SWITCH::equals);
        try (Wire<String, String> wire = Wire.of(longLines)) {
            wire.holdWrites();
            List<String> replies = new ArrayList<>();
            String large = "x".repeat(2_000_000);
            wire.connection.send(large).subscribe(null, null, () -> replies.add("large"));
            wire.settle();
            wire.connection.send("waits").subscribe(null, null, () -> replies.add("waits"));
            wire.feed(lines(SWITCH));
            wire.connection.switchTo(BINARY);
            wire.connection.send("after").subscribe(null, null, () -> replies.add("after"));
            assertThat(replies).isEmpty();
            wire.releaseWrites();
            assertThat(Arrays.equals(wire.sent(), join(lines(large, "waits"), binary("after"))))
                    .isTrue();
            assertThat(replies).containsExactly("large", "waits", "after");
        }
    }

    @Test
    void completesAtOnceWhenThePeerEndsWhilePausedWithNothingAtHand() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            Probe<String> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(lines("a", SWITCH));
            wire.end();
            assertThat(probe.values()).containsExactly("a", SWITCH);
            assertThat(probe.isCompleted()).isTrue();
            wire.connection.switchTo(BINARY);
            assertThat(wire.connection.receive().collectList().block()).isEmpty();
        }
    }

    @Test
    void leavesTheEndToTheNextCodecWhenBytesAreAtHand() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            Probe<String> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(join(lines(SWITCH), binary("a\n")));
            wire.end();
            assertThat(probe.isTerminated()).isFalse();
            wire.connection.switchTo(BINARY);
            assertThat(probe.values()).containsExactly(SWITCH, "a\n");
            assertThat(probe.isCompleted()).isTrue();
        }
    }

    @Test
    void leavesATornEndToTheNextCodec() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            Probe<String> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(join(lines(SWITCH), new byte[] {0, 9, 'a', '\n'}));
            wire.end();
            wire.connection.switchTo(BINARY);
            assertThat(probe.values()).containsExactly(SWITCH);
            assertThat(probe.error()).isInstanceOf(TruncatedFrameException.class);
        }
    }

    @Test
    void leavesAnErrorBehindTheBytesThatCameBeforeIt() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            Probe<String> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(join(lines(SWITCH), binary("a")));
            wire.fail(new IOException("reset"));
            assertThat(probe.isTerminated()).isFalse();
            wire.connection.switchTo(BINARY);
            assertThat(probe.values()).containsExactly(SWITCH, "a");
            assertThat(probe.error()).hasMessage("reset");
        }
    }

    @Test
    void tellsAnErrorAtOnceWhilePausedWithNothingAtHand() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            Probe<String> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(lines(SWITCH));
            wire.fail(new IOException("reset"));
            assertThat(probe.error()).hasMessage("reset");
        }
    }

    @Test
    void decodesNothingMoreWhenClosedWhilePaused() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            Probe<String> probe = Probe.demanding(0);
            wire.connection.receive().subscribe(probe);
            wire.feed(join(lines("a", SWITCH), binary("b")));
            wire.connection.close().subscribe();
            wire.settle();
            probe.request(10);
            assertThat(probe.values()).containsExactly("a", SWITCH);
            assertThat(probe.error()).hasMessage("connection is closed: reason=CLOSED");
            wire.connection.switchTo(BINARY);
            assertThat(probe.values()).hasSize(2);
        }
    }

    @Test
    void failsTheReceiverWhenDisposedWhilePaused() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            Probe<String> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(join(lines(SWITCH), binary("b")));
            wire.connection.dispose();
            assertThat(probe.error()).hasMessage("connection is closed: reason=DISPOSED");
            wire.connection.switchTo(BINARY);
            wire.connection.resumeDecoding();
        }
    }

    /** Nobody will ever say what they are. */
    @Test
    void dropsWhatIsHeldBehindAPauseSomeTimeAfterTheChannelHasClosed() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            wire.feed(join(lines("a", SWITCH), binary("b")));
            wire.end();
            wire.closeChannel();
            wire.channel.advanceTimeBy(31, TimeUnit.SECONDS);
            wire.channel.runScheduledPendingTasks();
            assertThat(wire.stats().droppedMessages()).isEqualTo(2);
            assertThat(wire.stats().bytesAtHand()).isZero();
            Probe<String> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            assertThat(probe.error()).hasMessage("connection is closed: reason=PEER_CLOSED");
        }
    }

    /** The receiver has taken the pausing message, and nobody has said how to go on. */
    @ParameterizedTest
    @EnumSource
    void failsTheReceiverWhenNobodySwitchesSomeTimeAfterTheChannelHasClosed(Way way) {
        ConnectionOptions options = ConnectionOptions.DEFAULT.holdTimeout(Duration.ofSeconds(1));
        try (Wire<String, String> wire = Wire.of(LINES, options)) {
            wire.channel.freezeTime();
            Probe<List<String>> probe = Probe.demanding(0);
            way.signals(wire.connection).subscribe(probe);
            wire.feed(join(lines(SWITCH), Frames.numbers(0, 1)));
            wire.end();
            wire.closeChannel();
            wire.channel.advanceTimeBy(1, TimeUnit.HOURS);
            wire.channel.runScheduledPendingTasks();
            assertThat(probe.isTerminated()).as("while a message is not taken").isFalse();

            probe.request(1);
            assertThat(Way.flat(probe)).containsExactly(SWITCH);
            assertThat(probe.isTerminated()).isFalse();
            wire.channel.advanceTimeBy(1, TimeUnit.SECONDS);
            wire.channel.runScheduledPendingTasks();
            assertThat(probe.error())
                    .isInstanceOf(ConnectionClosedException.class)
                    .hasMessage("connection is closed: reason=PEER_CLOSED");
            assertThat(wire.stats().bytesAtHand()).isZero();
        }
    }

    /** A switch in time is none too late. */
    @Test
    void switchesAfterTheChannelHasClosed() {
        ConnectionOptions options = ConnectionOptions.DEFAULT.holdTimeout(Duration.ofSeconds(1));
        try (Wire<String, String> wire = Wire.of(LINES, options)) {
            wire.channel.freezeTime();
            Probe<String> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(lines(SWITCH, "a"));
            wire.end();
            wire.closeChannel();
            wire.channel.advanceTimeBy(900, TimeUnit.MILLISECONDS);
            wire.channel.runScheduledPendingTasks();
            wire.connection.resumeDecoding();
            assertThat(probe.values()).containsExactly(SWITCH, "a");
            assertThat(probe.isCompleted()).isTrue();
        }
    }

    @Test
    void failsAsADecoderDoesWhenThePredicateThrows() {
        IllegalArgumentException failure = new IllegalArgumentException("predicate");
        Codec<ByteBuf, ByteBuf> codec = Codec.slices(LineFraming.lenient(), SlicePolicy.ALWAYS_SLICE)
                .pauseAfter(line -> {
                    if (line.readableBytes() == 3) {
                        throw failure;
                    }
                    return false;
                });
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(codec)) {
            Probe<ByteBuf> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe.whenNext(ByteBuf::release));
            wire.feed(lines("a", "bcd", "e"));
            assertThat(probe.count()).isEqualTo(1);
            assertThat(probe.error()).isSameAs(failure);
        }
    }

    /** The buffer that the loop shares is not kept by the messages that come behind. */
    @Test
    void switchesToACodecThatKeepsThePayload() {
        Codec<Object, Object> lines = Codec.<Object, Object>of(
                        LineFraming.lenient(),
                        payload -> payload.toString(StandardCharsets.UTF_8),
                        (message, out) -> {})
                .pauseAfter(SWITCH::equals);
        Codec<ByteBuf, Object> slices = Codec.of(
                LengthFieldFraming.of(2),
                Codec.slices(LengthFieldFraming.of(2), SlicePolicy.ALWAYS_SLICE).decoder(),
                (message, out) -> {});
        try (Wire<Object, Object> wire = Wire.of(lines)) {
            Probe<Object> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(join(lines(SWITCH), binary("first", "second")));
            wire.connection.switchTo(slices);
            wire.feed(binary("third"));
            wire.feed(new byte[1]);
            List<String> taken = new ArrayList<>();
            for (Object value : probe.values().subList(1, 4)) {
                ByteBuf slice = (ByteBuf) value;
                taken.add(slice.toString(StandardCharsets.UTF_8));
                slice.release();
            }
            assertThat(taken).containsExactly("first", "second", "third");
        }
    }

    /** There is nothing to switch to, and nobody who could say how to go on. */
    @Test
    void pausesNowhereInAnOperator() {
        List<String> messages = Flux.just(Unpooled.wrappedBuffer(lines("a", SWITCH, "b")))
                .cast(ByteBuf.class)
                .transform(FrameFlux.owned(LINES))
                .collectList()
                .block(Await.LIMIT);
        assertThat(messages).containsExactly("a", SWITCH, "b");
    }
}
