package dev.sluice.framing.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.framing.CorruptFrameException;
import dev.sluice.framing.Framer;
import dev.sluice.framing.Framing;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/** The example in the Javadoc of {@link FramerVerifier}: a framing in 15 lines, verified in 5. */
class ExampleTest {
    private static final Path SOURCES = Path.of("src");
    private static final Path JAVADOC = SOURCES.resolve("main/java/dev/sluice/framing/test/FramerVerifier.java");
    private static final Path EXAMPLE = SOURCES.resolve("test/java/dev/sluice/framing/test/ExampleTest.java");

    // begin: framing
    class Checksummed implements Framing {
        public Framer newFramer() {
            return (in, answer) -> {
                int at = in.readerIndex(), length = in.readableBytes() < 7 ? 1 : 1 + in.getUnsignedShort(at + 4);
                if (in.readableBytes() < 6 + length) answer.need(6 + length);
                else if (in.getInt(at) != crc32(in.slice(at + 6, length))) throw new CorruptFrameException("wrong CRC");
                else answer.frame(6 + length, 6, length);
            };
        }

        public void encode(ByteBuf payload, ByteBuf target) {
            int length = payload.readableBytes() - 1;
            if (length < 0 || length > 0xffff) throw new IllegalArgumentException("bodyLength=" + length);
            target.writeInt(crc32(payload)).writeShort(length).writeBytes(payload.duplicate());
        }
    }
    // end: framing

    // begin: checksum
    static int crc32(ByteBuf bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes.nioBuffer());
        return (int) crc.getValue();
    }
    // end: checksum

    @Test
    void verifiesFraming() {
        // begin: test
        FramerVerifier.of(new Checksummed())
                .hex("539d20a9 0003 01 616263")
                .hex("3c0c8ea1 0000 02")
                .expect(new byte[] {1, 'a', 'b', 'c'}, new byte[] {2})
                .verify();
        // end: test
    }

    @Test
    void findsWrongChecksum() {
        FramerVerifier.of(new Checksummed())
                .hex("539d20a9 0003 01 616263")
                .hex("3c0c8ea2 0000 02")
                .expect(new byte[] {1, 'a', 'b', 'c'})
                .expectFailure(CorruptFrameException.class)
                .verify();
        assertThatThrownBy(() -> FramerVerifier.of(new Checksummed())
                        .hex("539d20a9 0003 01 616264")
                        .expect(new byte[] {1, 'a', 'b', 'c'})
                        .verify())
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("wrong end of the stream: expected=complete");
    }

    @Test
    void isWhatTheJavadocSays() throws IOException {
        List<String> javadoc = Files.readAllLines(JAVADOC);
        for (String part : List.of("framing", "checksum", "test")) {
            assertThat(inJavadoc(javadoc)).contains(withoutSpace(example(part)));
        }
    }

    @Test
    void isShort() throws IOException {
        List<String> lines = Files.readAllLines(JAVADOC).stream()
                .map(line -> line.replaceFirst("^ \\* ?", ""))
                .toList();

        assertThat(linesOf(lines, "class Checksummed", "}")).isLessThanOrEqualTo(15);
        assertThat(linesOf(lines, "FramerVerifier.of(new Checksummed())", "        .verify();"))
                .isLessThanOrEqualTo(5);
    }

    private static int linesOf(List<String> lines, String first, String last) {
        int begin = 0;
        while (!lines.get(begin).startsWith(first)) {
            begin++;
        }
        int end = begin;
        while (!lines.get(end).equals(last)) {
            end++;
        }
        return end - begin + 1;
    }

    private static List<String> example(String part) throws IOException {
        List<String> lines =
                Files.readAllLines(EXAMPLE).stream().map(String::strip).toList();
        return lines.subList(lines.indexOf("// begin: " + part) + 1, lines.indexOf("// end: " + part));
    }

    private static String inJavadoc(List<String> lines) {
        return withoutSpace(
                lines.stream().map(line -> line.replaceFirst("^ \\* ?", "")).toList());
    }

    /** The Javadoc has lines of its own. */
    private static String withoutSpace(List<String> lines) {
        return String.join("", lines).replaceAll("\\s", "");
    }
}
