package dev.sluice.framing;

/**
 * Framings by the names of the protocols that have them. Each is a builder with that protocol's settings, so that its
 * limit, and what becomes of longer frames, can be set before it is built:
 *
 * <pre>{@code
 * Framings.postgres().maxPayloadLength(16 * 1024 * 1024).build()
 * }</pre>
 *
 * <table>
 *   <caption>What is delivered</caption>
 *   <tr><th>framing</th><th>on the wire</th><th>a message is</th></tr>
 *   <tr><td>{@link #grpc()}</td><td>flag, length (4), body</td><td>all of it</td></tr>
 *   <tr><td>{@link #mqtt()}</td><td>type, varint (1 to 4), body</td><td>all of it</td></tr>
 *   <tr><td>{@link #postgres()}</td><td>type, length (4, counts itself), body</td><td>all of it</td></tr>
 *   <tr><td>{@link #protobufDelimited()}</td><td>varint (1 to 5), body</td><td>the body</td></tr>
 *   <tr><td>{@link #netstring()}</td><td>decimal digits, ':', body, ','</td><td>the body</td></tr>
 *   <tr><td>{@link #octetCounting()}</td><td>decimal digits, space, body</td><td>the body</td></tr>
 * </table>
 *
 * <p>Where the header says more than a length, the message is the whole frame, as one view without a copy: the decoder
 * reads the type and skips the length. The encoder writes the header too, with any length, such as 0: the framing fills
 * the right one in.
 */
public final class Framings {
    private Framings() {}

    /**
     * A gRPC message: a flag that says whether it is compressed, the length of the body, and the body.
     *
     * <pre>
     *   1 byte   4 bytes, big-endian
     * +--------+--------------------+--------+
     * |  flag  |       length       |  body  |
     * +--------+--------------------+--------+
     *
     * 00 00000003 08ac02    an uncompressed body of three bytes, delivered with its header
     * </pre>
     *
     * <p>An encoder writes the flag, any four bytes, and the body; the length is filled in. Bodies of at most 1 MiB; gRPC's
     * own receivers allow 4 MiB unless told otherwise. Where compression is never agreed upon, {@code
     * initialBytesToStrip(5)} delivers the body alone; the flag is then written as 0 and not looked at.
     *
     * <p>Source: <a href="https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md">gRPC over HTTP2</a>,
     * Length-Prefixed-Message. This is the body of the HTTP/2 stream, not HTTP/2 itself.
     */
    public static LengthFieldFraming.Builder grpc() {
        return LengthFieldFraming.builder()
                .lengthFieldOffset(1)
                .lengthFieldLength(4)
                .initialBytesToStrip(0)
                .fillLengthField(true);
    }

    /**
     * An MQTT control packet, of any version: its type and flags, the remaining length as a varint of at most 4 bytes, and
     * what remains.
     *
     * <pre>
     *  4 bits 4 bits    1 to 4 bytes
     * +------+-------+------------------+------------------------------+
     * | type | flags | remaining length | variable header, and payload |
     * +------+-------+------------------+------------------------------+
     *
     * c0 00                  PINGREQ
     * 30 06 0003612f62 21    PUBLISH of "!" to a/b, quality of service 0
     * </pre>
     *
     * <p>An encoder writes the first byte, any varint, such as a single 0, and what remains; the remaining length is filled
     * in. It is at most 1 MiB unless set; the protocol allows 268,435,455 bytes.
     *
     * <p>Source: <a href="https://docs.oasis-open.org/mqtt/mqtt/v5.0/mqtt-v5.0.html">MQTT 5.0</a>, sections 2.1.1, 2.1.4
     * and 1.5.5; MQTT 3.1.1, section 2.2.
     */
    public static VarintFraming.Builder mqtt() {
        return VarintFraming.builder()
                .lengthFieldOffset(1)
                .maxLengthBytes(4)
                .initialBytesToStrip(0)
                .fillLengthField(true);
    }

    /**
     * A message of PostgreSQL's protocol, version 3, in either direction: its type, a length that counts itself but not
     * the type, and the body.
     *
     * <pre>
     *   1 byte   4 bytes, big-endian, 4 + bytes of the body
     * +--------+---------------------------------------------+--------+
     * |  type  |                   length                    |  body  |
     * +--------+---------------------------------------------+--------+
     *
     * 5a 00000005 49    ReadyForQuery, idle
     * </pre>
     *
     * <p>An encoder writes the type, any four bytes, and the body; the length is filled in. The messages that begin a
     * session have no type: StartupMessage, SSLRequest, GSSENCRequest and CancelRequest are written after {@link
     * FrameWriter#unframed()}, and a server reads them with {@code lengthFieldOffset(0)}. Bodies of at most 1 MiB unless
     * set.
     *
     * <p>Source: <a href="https://www.postgresql.org/docs/current/protocol-message-formats.html">PostgreSQL: Message
     * Formats</a>.
     */
    public static LengthFieldFraming.Builder postgres() {
        return LengthFieldFraming.builder()
                .lengthFieldOffset(1)
                .lengthFieldLength(4)
                .lengthAdjustment(-4)
                .initialBytesToStrip(0)
                .fillLengthField(true);
    }

    /**
     * Protocol Buffers messages one after the other, as {@code writeDelimitedTo} and {@code parseDelimitedFrom} have them:
     * the length as a varint, and the message.
     *
     * <pre>
     *   1 to 5 bytes
     * +--------------+-----------+
     * |    varint    |  message  |
     * +--------------+-----------+
     *
     * 03 089601    a message whose field 1 is 150; 089601 is delivered
     * </pre>
     *
     * <p>Messages of at most 1 MiB unless set; protobuf's own limit is 2 GiB − 1.
     *
     * <p>Source: <a href="https://protobuf.dev/programming-guides/techniques/#streaming">Protocol Buffers: Streaming
     * Multiple Messages</a>, and <a href="https://protobuf.dev/programming-guides/encoding/#varints">Base 128 Varints</a>.
     */
    public static VarintFraming.Builder protobufDelimited() {
        return VarintFraming.builder();
    }

    /**
     * Netstrings: the length in decimal digits, a colon, the string, and a comma.
     *
     * <pre>
     * +--------+-----+----------+-----+
     * | digits | ':' |  string  | ',' |
     * +--------+-----+----------+-----+
     *
     * 12:hello world!,    delivers "hello world!"
     * 0:,                 delivers an empty payload
     * </pre>
     *
     * <p>Strings of at most 1 MiB unless set.
     *
     * <p>Source: <a href="https://cr.yp.to/proto/netstrings.txt">D. J. Bernstein, Netstrings, 1997</a>.
     */
    public static AsciiLengthFraming.Builder netstring() {
        return AsciiLengthFraming.builder().terminator(':').trailer((byte) ',');
    }

    /**
     * Syslog over TCP or TLS with octet counting: the length in decimal digits, a space, and the message.
     *
     * <pre>
     * +--------+-------+-----------+
     * | digits | space |  message  |
     * +--------+-------+-----------+
     *
     * 13 &lt;13&gt;1 - hello    delivers "&lt;13&gt;1 - hello"
     * </pre>
     *
     * <p>Messages of at most 1 MiB unless set. An empty message, which the grammar does not have, is taken.
     *
     * <p>Source: <a href="https://www.rfc-editor.org/rfc/rfc6587#section-3.4.1">RFC 6587, section 3.4.1</a>; <a
     * href="https://www.rfc-editor.org/rfc/rfc5425#section-4.3">RFC 5425, section 4.3</a>. For senders that end messages
     * with LF instead (section 3.4.2) take lines.
     */
    public static AsciiLengthFraming.Builder octetCounting() {
        return AsciiLengthFraming.builder().terminator(' ');
    }
}
