package dev.sluice.framing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.End;
import dev.sluice.testing.Outcome;
import io.netty.buffer.ByteBufUtil;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random streams, right ones and nearly right ones, against the rules written down once more. */
class JsonRandomTest {
    private static final String ALPHABET = "{}[]\"\\,: \n1a\u00ef";

    @ParameterizedTest
    @ValueSource(longs = {31, 32, 33, 34, 35, 36, 37, 38})
    void cutsAsTheRulesSay(long seed) {
        Random random = new Random(seed);
        int complete = 0;
        int failed = 0;
        for (int i = 0; i < 60; i++) {
            boolean elements = random.nextBoolean();
            int maxPayloadLength = random.nextInt(3) == 0 ? random.nextInt(40) : 10_000;
            int maxDepth = random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 512;
            byte[] stream = StreamCheck.text(mutated(random, stream(random, elements)));
            End end = random.nextInt(4) == 0 ? End.OPEN : End.COMPLETE;
            JsonFraming framing = JsonFraming.builder()
                    .arrayElements(elements)
                    .maxPayloadLength(maxPayloadLength)
                    .maxDepth(maxDepth)
                    .build();
            Outcome expected = new JsonReference(elements, maxPayloadLength, maxDepth).decode(stream, end);
            try {
                StreamCheck.verifyInFew(framing, stream, end, expected, random.nextLong());
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        "seed=" + seed + ", " + framing + ", stream=" + ByteBufUtil.hexDump(stream), e);
            }
            complete += expected.terminal().equals("complete") ? 1 : 0;
            failed += expected.terminal().equals("CORRUPT") ? 1 : 0;
        }
        assertThat(complete).as("streams without a fault, seed=" + seed).isGreaterThan(5);
        assertThat(failed).as("streams with a fault, seed=" + seed).isGreaterThan(5);
    }

    @ParameterizedTest
    @ValueSource(longs = {41, 42, 43})
    void encodesExactlyWhatIsOneFrame(long seed) {
        Random random = new Random(seed);
        int taken = 0;
        for (int i = 0; i < 400; i++) {
            StringBuilder text = new StringBuilder();
            value(random, text, 3);
            byte[] payload = StreamCheck.text(mutated(random, text.toString()));
            Outcome alone = new JsonReference(false, 60, 3).decode(payload, End.COMPLETE);
            boolean right =
                    alone.terminal().equals("complete") && alone.frames().equals(List.of(ByteBufUtil.hexDump(payload)));
            JsonFraming framing =
                    JsonFraming.builder().maxPayloadLength(60).maxDepth(3).build();

            assertThat(RoundTrip.verify(framing, payload))
                    .as("seed=" + seed + ", payload=" + ByteBufUtil.hexDump(payload))
                    .isEqualTo(right);
            taken += right ? 1 : 0;
        }
        assertThat(taken).as("payloads that are taken, seed=" + seed).isBetween(40, 360);
    }

    private static String stream(Random random, boolean elements) {
        StringBuilder text = new StringBuilder(random.nextInt(8) == 0 ? "\u00ef\u00bb\u00bf" : "");
        blanks(random, text);
        text.append(elements ? "[" : "");
        int count = random.nextInt(6);
        for (int i = 0; i < count; i++) {
            text.append(elements && i > 0 ? "," : "");
            blanks(random, text);
            if (elements && random.nextBoolean()) {
                scalar(random, text);
            } else {
                value(random, text, 4);
            }
            blanks(random, text);
        }
        return text.append(elements ? "]" : "").toString();
    }

    private static void value(Random random, StringBuilder text, int depth) {
        boolean object = random.nextBoolean();
        text.append(object ? '{' : '[');
        int count = depth == 0 ? 0 : random.nextInt(4);
        for (int i = 0; i < count; i++) {
            text.append(i > 0 ? "," : "");
            if (object) {
                string(random, text);
                text.append(':');
            }
            if (random.nextBoolean()) {
                value(random, text, depth - 1);
            } else {
                scalar(random, text);
            }
            blanks(random, text);
        }
        text.append(object ? '}' : ']');
    }

    private static void scalar(Random random, StringBuilder text) {
        switch (random.nextInt(3)) {
            case 0 -> string(random, text);
            case 1 -> text.append(random.nextInt());
            default -> text.append(random.nextBoolean());
        }
    }

    private static void string(Random random, StringBuilder text) {
        text.append('"');
        int length = random.nextInt(4) == 0 ? random.nextInt(30) : random.nextInt(5);
        for (int i = 0; i < length; i++) {
            char next = ALPHABET.charAt(random.nextInt(ALPHABET.length()));
            text.append(next == '"' || next == '\\' ? "\\" + next : next);
        }
        text.append('"');
    }

    private static void blanks(Random random, StringBuilder text) {
        while (random.nextInt(3) == 0) {
            text.append(" \t\r\n".charAt(random.nextInt(4)));
        }
    }

    private static String mutated(Random random, String right) {
        StringBuilder text = new StringBuilder(right);
        while (random.nextInt(3) == 0 && text.length() > 0) {
            int at = random.nextInt(text.length());
            char other = ALPHABET.charAt(random.nextInt(ALPHABET.length()));
            switch (random.nextInt(4)) {
                case 0 -> text.deleteCharAt(at);
                case 1 -> text.insert(at, other);
                case 2 -> text.setLength(at);
                default -> text.setCharAt(at, other);
            }
        }
        return text.toString();
    }
}
