package dev.sluice.framing;

import static dev.sluice.framing.StreamCheck.hex;
import static dev.sluice.framing.Wires.decode;
import static dev.sluice.framing.Wires.encode;
import static dev.sluice.framing.Wires.encodeFilled;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Bytes as the protocols' own peers write them, in both directions. */
class FramingsTest {

    @Nested
    class Grpc {
        private final Framing framing = Framings.grpc().build();

        /** HelloRequest with the name "world"; then an empty message, and one that is compressed. */
        @Test
        void deliversFlagLengthAndBody() {
            assertThat(decode(framing, "00000000070a05776f726c64" + "0000000000" + "0100000002cafe"))
                    .containsExactly("00000000070a05776f726c64", "0000000000", "0100000002cafe");
        }

        @Test
        void fillsLengthIn() {
            assertThat(encodeFilled(framing, "00000000000a05776f726c64", "00000000070a05776f726c64"))
                    .isEqualTo("00000000070a05776f726c64");
            assertThat(encode(framing, "0100000002cafe")).isEqualTo("0100000002cafe");
        }

        @Test
        void deliversBodyAloneWhereHeaderIsStripped() {
            Framing body = Framings.grpc().initialBytesToStrip(5).build();

            assertThat(decode(body, "00000000070a05776f726c64")).containsExactly("0a05776f726c64");
            assertThat(encode(body, "0a05776f726c64")).isEqualTo("00000000070a05776f726c64");
        }
    }

    @Nested
    class Mqtt {
        private static final String CONNECT = "1010" + "00044d515454" + "0402003c" + "0004" + "74657374";
        private static final String PUBLISH = "3006" + "0003612f62" + "21";
        private static final String PINGREQ = "c000";

        private final Framing framing = Framings.mqtt().build();

        @Test
        void deliversPacketsWithTheirTypes() {
            String longPublish = "30c80200" + "03612f62" + "78".repeat(323);
            assertThat(decode(framing, CONNECT + PUBLISH + longPublish + PINGREQ))
                    .containsExactly(CONNECT, PUBLISH, longPublish, PINGREQ);
        }

        @Test
        void fillsRemainingLengthIn() {
            assertThat(encode(framing, CONNECT)).isEqualTo(CONNECT);
            assertThat(encode(framing, PINGREQ)).isEqualTo(PINGREQ);
            assertThat(encodeFilled(framing, "30000003612f6221", PUBLISH)).isEqualTo(PUBLISH);
            String body = "0003612f62" + "78".repeat(323);
            assertThat(encodeFilled(framing, "3000" + body, "30c802" + body)).isEqualTo("30c802" + body);
        }

        @Test
        void takesRemainingLengthOfFourBytesAtMost() {
            Framing longest =
                    Framings.mqtt().maxPayloadLength(Integer.MAX_VALUE).build();
            try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(longest))) {
                reader.feed(Unpooled.wrappedBuffer(hex("30ffffff7f00")));
                assertThat(reader.read()).isNull();
            }
            Wires.assertFailure(
                    longest,
                    "30ffffff80",
                    CorruptFrameException.class,
                    "varint goes on behind its last byte: value=2097151, maxLengthBytes=4, streamOffset=0,"
                            + " firstBytes=30ffffff80");
        }
    }

    @Nested
    class Postgres {
        private static final String AUTHENTICATION_OK = "5200000008" + "00000000";
        private static final String DATA_ROW = "440000000d" + "0001" + "00000003" + "31";
        private static final String READY_FOR_QUERY = "5a00000005" + "49";

        private final Framing framing = Framings.postgres().build();

        @Test
        void deliversMessagesWithTheirTypes() {
            String row = "440000000b" + "0001" + "00000001" + "31";
            assertThat(decode(framing, AUTHENTICATION_OK + row + READY_FOR_QUERY + "4900000004"))
                    .containsExactly(AUTHENTICATION_OK, row, READY_FOR_QUERY, "4900000004");
        }

        @Test
        void tellsLengthThatDoesNotCountItself() {
            Wires.assertFailure(
                    framing,
                    "5a00000003",
                    CorruptFrameException.class,
                    "payload length below zero: payloadLength=-1, lengthField=3, lengthAdjustment=-4, streamOffset=0,"
                            + " firstBytes=5a00000003");
        }

        @Test
        void fillsLengthIn() {
            String select = ByteBufUtil.hexDump("select 1".getBytes(US_ASCII)) + "00";
            assertThat(encodeFilled(framing, "5100000000" + select, "510000000d" + select))
                    .isEqualTo("510000000d" + select);
            assertThat(encode(framing, READY_FOR_QUERY)).isEqualTo(READY_FOR_QUERY);
        }

        /** The messages that begin a session have no type. */
        @Test
        void sendsStartUpAsItIsAndTypedMessagesBehindIt() {
            MessageEncoder<String> encoder = (message, out) -> {
                if (message.isEmpty()) {
                    out.unframed();
                    out.buffer().writeInt(8).writeInt(80877103); // SSLRequest
                } else {
                    out.buffer().writeByte('Q').writeInt(0);
                    out.buffer().writeCharSequence(message, UTF_8);
                    out.buffer().writeByte(0);
                }
            };
            try (FrameWriter writer = FrameWriter.create(framing, ByteBufAllocator.DEFAULT)) {
                writer.write("", encoder);
                writer.write("select 'ä'", encoder);

                assertThat(ByteBufUtil.hexDump(RoundTrip.poll(writer)))
                        .isEqualTo("0000000804d2162f" + "5100000010" + "73656c6563742027c3a42700");
            }
        }

        @Test
        void tornRowIsDeliveredWhole() {
            assertThat(DATA_ROW).hasSize(2 * 12);
            try (FrameReader<byte[]> reader = FrameReader.create(Codec.bytes(framing))) {
                reader.feed(Unpooled.wrappedBuffer(hex(DATA_ROW)));
                assertThat(reader.read())
                        .as("two bytes of its value are lacking")
                        .isNull();
                reader.feed(Unpooled.wrappedBuffer(hex("3233")));
                assertThat(reader.read()).isEqualTo(hex(DATA_ROW + "3233"));
            }
        }
    }

    @Nested
    class ProtobufDelimited {
        private final Framing framing = Framings.protobufDelimited().build();

        /** Field 1 = 150, field 2 = "testing", an empty message. */
        @Test
        void deliversMessages() {
            assertThat(decode(framing, "03089601" + "09120774657374696e67" + "00"))
                    .containsExactly("089601", "120774657374696e67", "");
        }

        @Test
        void writesLength() {
            assertThat(encode(framing, "089601")).isEqualTo("03089601");
            assertThat(encode(framing, "")).isEqualTo("00");
            assertThat(encode(framing, "0a".repeat(300))).isEqualTo("ac02" + "0a".repeat(300));
        }
    }

    @Nested
    class Netstring {
        private final Framing framing = Framings.netstring().build();

        /** The example of the specification. */
        @Test
        void isWhatTheSpecificationShows() {
            String wire = "31323a68656c6c6f20776f726c64212c";
            assertThat(decode(framing, wire + "303a2c")).containsExactly("68656c6c6f20776f726c6421", "");
            assertThat(encode(framing, "68656c6c6f20776f726c6421")).isEqualTo(wire);
            assertThat(encode(framing, "")).isEqualTo("303a2c");
        }
    }

    @Nested
    class OctetCounting {
        private static final String MESSAGE = "<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47 -"
                + " 'su root' failed\nfor lonvick on /dev/pts/8";

        private final Framing framing = Framings.octetCounting().build();

        @Test
        void deliversMessagesThatHoldLineFeeds() {
            byte[] wire = (MESSAGE.length() + " " + MESSAGE + "8 <13>1 - ").getBytes(US_ASCII);
            assertThat(decode(framing, ByteBufUtil.hexDump(wire))).containsExactly(hex(MESSAGE), hex("<13>1 - "));
        }

        @Test
        void writesOctetsNotCharacters() {
            byte[] umlaut = "<13>1 ü".getBytes(UTF_8);
            assertThat(encode(framing, hex(MESSAGE))).isEqualTo(hex(MESSAGE.length() + " " + MESSAGE));
            assertThat(encode(framing, ByteBufUtil.hexDump(umlaut))).isEqualTo("3820" + ByteBufUtil.hexDump(umlaut));
        }

        private static String hex(String text) {
            return ByteBufUtil.hexDump(text.getBytes(US_ASCII));
        }
    }

    /** Limits and what becomes of longer frames are the user's. */
    @Test
    void areBuildersWhoseLimitsCanBeSet() {
        List<Long> reports = new ArrayList<>();
        Codec<byte[], byte[]> codec = Codec.bytes(Framings.postgres()
                        .maxPayloadLength(4)
                        .oversize(Oversize.DISCARD)
                        .build())
                .listener((offset, length, limit) -> reports.add(length));
        try (FrameReader<byte[]> reader = FrameReader.create(codec)) {
            ByteBuf chunk = Unpooled.wrappedBuffer(hex("44000000090102030405" + "5a0000000549"));
            reader.feed(chunk);

            assertThat(reader.read()).isEqualTo(hex("5a0000000549"));
            assertThat(reports).containsExactly(5L);
        }
    }
}
