package dev.sluice.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.framing.Codec;
import dev.sluice.framing.FrameWriter;
import dev.sluice.framing.Framings;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * What PostgreSQL and its clients say to each other, as far as simple queries need it.
 *
 * <pre>
 *   1 byte   4 bytes, counts itself but not the type
 * +--------+--------+----------+
 * |  type  | length | body     |
 * +--------+--------+----------+
 * </pre>
 */
interface PostgresMessage {
    /** Messages come and go with their type and length; the length is read and filled in by the framing. */
    Codec<FromServer, ToServer> CODEC = Codec.of(
            Framings.postgres().maxPayloadLength(16 * 1024 * 1024).build(),
            PostgresMessage::decode,
            PostgresMessage::encode);

    /** In the place of the length. */
    int FILLED_IN = 0;

    sealed interface FromServer {}

    /** Columns as text; SQL's null comes as an empty text. */
    record Row(List<String> columns) implements FromServer {
        long number(int column) {
            return Long.parseLong(columns.get(column));
        }
    }

    /** What the client must prove itself by; 0 is nothing. */
    record Authentication(int method) implements FromServer {
        boolean isOk() {
            return method == 0;
        }
    }

    record ErrorResponse(String message) implements FromServer {}

    /** The end of every answer. */
    record ReadyForQuery() implements FromServer {}

    record Other(char type) implements FromServer {}

    sealed interface ToServer {}

    record StartUp(String user, String database) implements ToServer {}

    record Query(String sql) implements ToServer {}

    record Terminate() implements ToServer {}

    private static FromServer decode(ByteBuf in) {
        char type = (char) in.readByte();
        in.skipBytes(Integer.BYTES);
        return switch (type) {
            case 'D' -> row(in);
            case 'R' -> new Authentication(in.readInt());
            case 'E' -> error(in);
            case 'Z' -> new ReadyForQuery();
            default -> new Other(type);
        };
    }

    private static Row row(ByteBuf in) {
        int count = in.readShort();
        List<String> columns = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int length = in.readInt();
            columns.add(length < 0 ? "" : in.readCharSequence(length, UTF_8).toString());
        }
        return new Row(columns);
    }

    /** Fields, each a letter and a text that ends with 0; M is the text for people. */
    private static ErrorResponse error(ByteBuf in) {
        String message = "no message";
        for (byte field = in.readByte(); field != 0; field = in.readByte()) {
            String text = in.readCharSequence(in.bytesBefore((byte) 0), UTF_8).toString();
            in.skipBytes(1);
            if (field == 'M') {
                message = text;
            }
        }
        return new ErrorResponse(message);
    }

    private static void encode(ToServer message, FrameWriter out) {
        if (message instanceof StartUp startUp) {
            out.unframed(); // the one message without a type
            String body = "user\0" + startUp.user() + "\0database\0" + startUp.database() + "\0\0";
            byte[] bytes = body.getBytes(UTF_8);
            out.buffer().writeInt(8 + bytes.length).writeInt(3 << 16).writeBytes(bytes);
        } else if (message instanceof Query query) {
            ByteBuf buffer = out.buffer().writeByte('Q').writeInt(FILLED_IN);
            buffer.writeCharSequence(query.sql(), UTF_8);
            buffer.writeByte(0);
        } else {
            out.buffer().writeByte('X').writeInt(FILLED_IN);
        }
    }
}
