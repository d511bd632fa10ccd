package dev.sluice.framing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.framing.test.InputBuffer;
import dev.sluice.testing.BufferKind;
import io.netty.buffer.ByteBuf;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ByteSearchTest {
    private static final byte[][] VALUES = {{'\n'}, {'\r', '\n'}, {0, -128, 127}, {-1}, {1, 0, 2, 3, 4}};

    @ParameterizedTest
    @EnumSource(BufferKind.class)
    void findsWhatByteByByteSearchFinds(BufferKind kind) {
        Random random = new Random(3);
        for (int round = 0; round < 2000; round++) {
            byte[] values = VALUES[random.nextInt(VALUES.length)];
            byte[] bytes = randomBytes(random, values, random.nextInt(round % 10 == 0 ? 1500 : 40));
            InputBuffer input = kind.of(bytes);
            ByteBuf buffer = input.buffer();
            ByteSearch search = new ByteSearch(values);
            int from = 0;
            while (buffer.isReadable()) {
                int readable = buffer.readableBytes();
                int end = random.nextBoolean() ? readable : random.nextInt(readable + 1);
                from = Math.min(from, end);
                int begin = bytes.length - readable;
                int found = search.find(buffer, from, end);

                assertThat(found)
                        .as("round " + round + ", from " + from + ", to " + end)
                        .isEqualTo(firstOf(values, bytes, begin + from, begin + end) - begin);
                int taken = random.nextInt(Math.min(readable, found + 1 + random.nextInt(12)) + 1);
                search.take(taken);
                buffer.skipBytes(taken);
                from = taken > found ? 0 : random.nextInt(found - taken + 1);
                if (found == readable && taken < readable) {
                    break; // all that is left is known to hold none
                }
            }
            buffer.release();
        }
    }

    private static byte[] randomBytes(Random random, byte[] values, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        int rarity = 1 + random.nextInt(100);
        for (int i = 0; i < length; i++) {
            if (random.nextInt(rarity) == 0) {
                // Next to a hit, values that differ in little are taken for one by a search that carries.
                bytes[i] = (byte) (values[random.nextInt(values.length)] + random.nextInt(3) / 2);
            }
        }
        return bytes;
    }

    private static int firstOf(byte[] values, byte[] bytes, int from, int end) {
        for (int at = from; at < end; at++) {
            for (byte value : values) {
                if (bytes[at] == value) {
                    return at;
                }
            }
        }
        return end;
    }
}
