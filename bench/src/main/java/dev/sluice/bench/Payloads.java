package dev.sluice.bench;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/** What stands in the frames; the same for every run. */
enum Payloads {
    /** Every byte is as likely as any other: what looks like an escape or a delimiter occurs, too. */
    BINARY {
        @Override
        byte[] payload(int index, int length) {
            byte[] payload = new byte[length];
            new SplittableRandom(index).nextBytes(payload);
            return payload;
        }
    },

    /** Lower-case letters. */
    TEXT {
        @Override
        byte[] payload(int index, int length) {
            byte[] payload = new byte[length];
            for (int i = 0; i < length; i++) {
                payload[i] = letter(index, i);
            }
            return payload;
        }
    },

    /** An object of one number and one array, which is filled with strings of eight letters; the last one is longer. */
    JSON {
        private static final String ITEM = "\"abcdefgh\",";
        private static final String END = "]}";

        @Override
        byte[] payload(int index, int length) {
            StringBuilder json = new StringBuilder(length)
                    .append("{\"id\":")
                    .append(10_000_000 + index)
                    .append(",\"tags\":[");
            if (length < json.length() + ITEM.length() + END.length()) {
                throw new IllegalArgumentException("payload too short: length=" + length + ", limit="
                        + (json.length() + ITEM.length() + END.length()));
            }
            while (length - END.length() - json.length() >= 2 * ITEM.length()) {
                json.append(ITEM);
            }
            json.append('"');
            while (json.length() < length - END.length() - 1) {
                json.append((char) letter(index, json.length()));
            }
            return json.append('"').append(END).toString().getBytes(StandardCharsets.US_ASCII);
        }
    };

    /** The payload of frame {@code index}, of exactly this length. */
    abstract byte[] payload(int index, int length);

    private static byte letter(int index, int position) {
        return (byte) ('a' + (position * 31 + index) % 26);
    }
}
