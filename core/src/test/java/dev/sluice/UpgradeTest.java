package dev.sluice;

import static dev.sluice.Lines.LINES;
import static dev.sluice.Lines.SWITCH;
import static dev.sluice.Lines.join;
import static dev.sluice.Lines.lines;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A connection that goes on as another one, of other types. */
@Tag("paranoid")
class UpgradeTest {
    private static final String UPGRADED =
            "connection was upgraded: receive and send by the connection that upgrade has returned";

    private final AtomicReference<FrameConnection<Integer, Integer>> upgraded = new AtomicReference<>();

    @ParameterizedTest
    @EnumSource
    void completesTheOldReceiverOnceItsOnNextHasReturned(Way way) {
        List<String> order = new ArrayList<>();
        Probe<List<Integer>> numbers = Probe.unbounded();
        try (Wire<String, String> wire = Wire.of(LINES)) {
            Probe<List<String>> words = Probe.unbounded();
            way.signals(wire.connection)
                    .subscribe(words.whenTerminated(error -> order.add("completed"))
                            .whenNext(messages -> {
                                if (messages.contains(SWITCH)) {
                                    upgraded.set(wire.connection.upgrade(Frames.NUMBERS));
                                    way.signals(upgraded.get()).subscribe(numbers);
                                    order.add("returns");
                                }
                            }));
            wire.feed(join(lines("a", SWITCH), Frames.numbers(0, 3)));
            assertThat(Way.flat(words)).containsExactly("a", SWITCH);
            assertThat(words.isCompleted()).isTrue();
            assertThat(order).containsExactly("returns", "completed");
            assertThat(Way.flat(numbers)).containsExactly(0, 1, 2);
            wire.feed(Frames.numbers(3, 6));
            wire.end();
            assertThat(Way.flat(numbers)).isEqualTo(Frames.range(0, 6));
            assertThat(numbers.isCompleted()).isTrue();
            assertThat(upgraded.get().stats().messagesIn()).isEqualTo(8);
        }
    }

    @Test
    void upgradesWithoutAReceiver() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            wire.feed(join(lines(SWITCH), Frames.numbers(0, 3)));
            assertThat(wire.connection.receive().next().block()).isEqualTo(SWITCH);
            assertThat(wire.connection
                            .upgrade(Frames.NUMBERS)
                            .receive()
                            .take(3)
                            .collectList()
                            .block())
                    .containsExactly(0, 1, 2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesWhileAMessageIsHeld(Way way) {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            Probe<List<String>> probe = Probe.demanding(0);
            way.signals(wire.connection).subscribe(probe);
            wire.feed(join(lines("a", SWITCH), Frames.numbers(0, 1)));
            assertThatThrownBy(() -> wire.connection.upgrade(Frames.NUMBERS))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("messages are held that no receiver was given: heldMessages=2, limit=0");
            probe.request(2);
            FrameConnection<Integer, Integer> numbers = wire.connection.upgrade(Frames.NUMBERS);
            assertThat(probe.isCompleted()).isTrue();
            assertThat(numbers.receive().next().block()).isZero();
        }
    }

    @Test
    void failsWhateverIsReceivedOrSentByTheOldView() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            Flux<String> before = wire.connection.receive();
            Mono<Void> send = wire.connection.send("late");
            wire.feed(lines(SWITCH));
            assertThat(wire.connection.receive().next().block()).isEqualTo(SWITCH);
            FrameConnection<Integer, Integer> numbers = wire.connection.upgrade(Frames.NUMBERS);
            for (Flux<?> flux : List.of(
                    before,
                    wire.connection.receive(),
                    wire.connection.receiveBatches(),
                    wire.connection.receiveOn(Schedulers.parallel()))) {
                assertThat(Await.error(flux.then()))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage(UPGRADED);
            }
            assertThat(Await.error(send))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(UPGRADED);
            assertThat(wire.connection.trySend("late")).isEqualTo(SendResult.CLOSED);
            assertThat(wire.connection.trySend("late", error -> {})).isEqualTo(SendResult.CLOSED);
            assertThat(Await.error(wire.connection.sendAll(Flux.just("late"))))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(UPGRADED);
            assertThatThrownBy(() -> wire.connection.switchTo(LINES)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> wire.connection.resumeDecoding()).hasMessage(UPGRADED);
            numbers.send(7).subscribe();
            assertThat(wire.sentNumbers()).containsExactly(7);
        }
    }

    @Test
    void releasesAMessageThatIsSentByTheOldView() {
        try (Wire<ByteBuf, ByteBuf> wire = Wire.of(Frames.SLICES.pauseAfter(m -> true))) {
            wire.feed(Frames.numbers(0, 1));
            wire.connection.receive().next().block().release();
            wire.connection.upgrade(Frames.NUMBERS);
            ByteBuf message = wire.channel.alloc().buffer().writeInt(1);
            assertThat(Await.error(wire.connection.send(message))).hasMessage(UPGRADED);
            assertThat(message.refCnt()).isZero();
        }
    }

    @Test
    void encodesEachViewsSendsByItsOwnCodec() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            wire.connection.receive().subscribe(ignored -> {
                wire.connection.send("yes").subscribe();
                wire.connection.upgrade(Frames.NUMBERS).send(1).subscribe();
            });
            wire.feed(lines(SWITCH));
            assertThat(wire.sent()).isEqualTo(join(lines("yes"), Frames.numbers(1, 2)));
        }
    }

    @Test
    void upgradesSeveralTimes() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            List<Object> taken = new ArrayList<>();
            wire.connection.receive().subscribe(word -> {
                taken.add(word);
                FrameConnection<Integer, Integer> numbers =
                        wire.connection.upgrade(Frames.NUMBERS.pauseAfter(number -> number == 2));
                numbers.receive().subscribe(number -> {
                    taken.add(number);
                    if (number == 2) {
                        numbers.upgrade(LINES).receive().subscribe(taken::add);
                    }
                });
            });
            wire.feed(join(lines(SWITCH), Frames.numbers(0, 3), lines("back", "again")));
            assertThat(taken).containsExactly(SWITCH, 0, 1, 2, "back", "again");
        }
    }

    @Test
    void givesTheEndToTheNewViewWhenThePeerHasEnded() {
        try (Wire<String, String> wire = Wire.of(LINES)) {
            Probe<String> probe = Probe.unbounded();
            wire.connection.receive().subscribe(probe);
            wire.feed(join(lines(SWITCH), Frames.numbers(0, 2)));
            wire.end();
            assertThat(probe.isTerminated()).isFalse();
            FrameConnection<Integer, Integer> numbers = wire.connection.upgrade(Frames.NUMBERS);
            assertThat(probe.isCompleted()).isTrue();
            assertThat(numbers.receive().collectList().block()).containsExactly(0, 1);
        }
    }

    @Test
    void closesTheOneConnectionByEitherView() {
        try (Wire<String, String> wire = Wire.of(LINES.pauseAfter(word -> true))) {
            wire.feed(lines(SWITCH));
            wire.connection.receive().next().block();
            Probe<Integer> probe = Probe.unbounded();
            wire.connection.upgrade(Frames.NUMBERS).receive().subscribe(probe);
            wire.connection.dispose();
            wire.settle();
            assertThat(probe.error()).hasMessage("connection is closed: reason=DISPOSED");
            assertThat(wire.channel.isOpen()).isFalse();
        }
    }
}
