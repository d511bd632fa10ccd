package dev.sluice.framing.test;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Ways to spoil a stream. */
enum Mutation {
    FLIP_BIT {
        @Override
        byte[] apply(byte[] stream, Random random) {
            byte[] result = stream.clone();
            result[random.nextInt(stream.length)] ^= (byte) (1 << random.nextInt(8));
            return result;
        }
    },
    SET_BYTE {
        @Override
        byte[] apply(byte[] stream, Random random) {
            byte[] result = stream.clone();
            result[random.nextInt(stream.length)] = TELLING[random.nextInt(TELLING.length)];
            return result;
        }
    },
    DELETE {
        @Override
        byte[] apply(byte[] stream, Random random) {
            int from = random.nextInt(stream.length);
            int to = from + random.nextInt(Math.min(8, stream.length - from) + 1);
            return join(stream, 0, from, stream, to, stream.length);
        }
    },
    INSERT {
        @Override
        byte[] apply(byte[] stream, Random random) {
            byte[] added = new byte[1 + random.nextInt(6)];
            random.nextBytes(added);
            int at = random.nextInt(stream.length + 1);
            return join(join(stream, 0, at, added, 0, added.length), 0, at + added.length, stream, at, stream.length);
        }
    },
    DUPLICATE {
        @Override
        byte[] apply(byte[] stream, Random random) {
            int from = random.nextInt(stream.length);
            int to = from + random.nextInt(Math.min(16, stream.length - from) + 1);
            return join(stream, 0, to, stream, from, stream.length);
        }
    },
    TRUNCATE {
        @Override
        byte[] apply(byte[] stream, Random random) {
            return Arrays.copyOf(stream, random.nextInt(stream.length));
        }
    },
    SPLICE {
        @Override
        byte[] apply(byte[] stream, Random random) {
            int to = random.nextInt(stream.length + 1);
            int from = random.nextInt(stream.length + 1);
            return join(stream, 0, to, stream, from, stream.length);
        }
    };

    /** Bytes that mean something to some framing, or lie at the border of something. */
    private static final byte[] TELLING = {
        0,
        1,
        '\n',
        '\r',
        ' ',
        '"',
        ',',
        '0',
        '9',
        ':',
        '[',
        '\\',
        ']',
        'a',
        '{',
        '}',
        0x7f,
        (byte) 0x80,
        (byte) 0xc0,
        (byte) 0xdb,
        (byte) 0xdc,
        (byte) 0xdd,
        (byte) 0xef,
        (byte) 0xff
    };

    private static final List<Mutation> ALL = List.of(values());

    /** Another stream, made of one that is not empty. */
    abstract byte[] apply(byte[] stream, Random random);

    /** So many at random, one after the other. */
    static byte[] applyRandom(byte[] stream, int times, Random random) {
        byte[] result = stream;
        for (int i = 0; i < times && result.length > 0; i++) {
            result = ALL.get(random.nextInt(ALL.size())).apply(result, random);
        }
        return result;
    }

    /** Bytes of which most mean something to some framing. */
    static byte[] telling(int length, Random random) {
        byte[] result = new byte[length];
        for (int i = 0; i < length; i++) {
            result[i] = TELLING[random.nextInt(TELLING.length)];
        }
        return result;
    }

    private static byte[] join(byte[] first, int from, int to, byte[] second, int secondFrom, int secondTo) {
        return Cut.join(List.of(Arrays.copyOfRange(first, from, to), Arrays.copyOfRange(second, secondFrom, secondTo)));
    }
}
