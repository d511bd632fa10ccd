package dev.sluice.framing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testing.Chunking;
import dev.sluice.testing.Delivery;
import dev.sluice.testing.ReaderRun;
import dev.sluice.testing.Vector;
import dev.sluice.testing.VectorFramings;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs {@code conformance/*.json}. */
class ConformanceTest {

    @Test
    void knowsEveryVectorFile() throws IOException, URISyntaxException {
        URI directory = ConformanceTest.class
                .getResource("/conformance/length-field.json")
                .toURI();
        try (Stream<Path> files = Files.list(Path.of(directory).getParent())) {
            assertThat(files.map(file -> file.getFileName().toString().replace(".json", "")))
                    .containsExactlyInAnyOrderElementsOf(Vector.FILES);
        }
    }

    @Test
    void hasFramingForEachVector() {
        Set<String> types = all().map(Vector::type).collect(Collectors.toSet());

        assertThat(types).isNotEmpty().isEqualTo(VectorFramings.types());
    }

    @Test
    void namesEachVectorOnce() {
        assertThat(all().map(vector -> vector.type() + "/" + vector.name())).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("readable")
    @Tag("paranoid")
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void deliversSameFramesInOwnChunks(Vector vector) {
        verify(vector, Delivery.everyPair(Chunking.own(vector.chunks())));
    }

    @ParameterizedTest
    @MethodSource("readable")
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void deliversSameFramesInOneChunkAndByteByByte(Vector vector) {
        verify(vector, Delivery.everyPair(Chunking.whole(vector.chunks())));
        verify(vector, Delivery.everyPair(Chunking.small(vector.chunks())));
    }

    @ParameterizedTest
    @MethodSource("readable")
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void deliversSameFramesWhereverStreamIsCut(Vector vector) {
        verify(vector, Delivery.others(vector.chunks()));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refusesToBuildFraming(Vector vector) {
        assertThatThrownBy(() -> framingOf(vector)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @MethodSource("readable")
    void decodesWhatItEncodes(Vector vector) {
        Framing framing = framingOf(vector);
        assertThat(vector.frames()).allSatisfy(payload -> RoundTrip.verify(framing, payload));
    }

    /** Refusing everything would be right for each payload; so this says which vectors cannot be encoded. */
    @Test
    void encodesAllButVectorsThatOnlyDecode() {
        assertThat(readable()
                        .filter(vector -> vector.frames().stream()
                                .anyMatch(payload -> !RoundTrip.verify(framingOf(vector), payload)))
                        .map(Vector::name))
                .containsExactly(
                        "elements-of-every-kind",
                        "second-array-behind-the-elements",
                        "end-inside-an-element",
                        "element-limit-counts-each-element",
                        "missing-element",
                        "objects-without-a-comma",
                        "depth-of-elements",
                        "strip-reaches-into-the-payload",
                        "strip-equals-the-whole-frame",
                        "strip-larger-than-the-whole-frame",
                        "only-one-carriage-return-is-taken-off",
                        "emitted-last-line-keeps-its-carriage-return");
    }

    private static void verify(Vector vector, Stream<Delivery> deliveries) {
        ReaderRun.verify(framingOf(vector), deliveries, vector.end(), vector.expected());
    }

    private static Framing framingOf(Vector vector) {
        return VectorFramings.of(vector.framing());
    }

    private static Stream<Vector> all() {
        return Vector.FILES.stream().flatMap(file -> Vector.load(file).stream());
    }

    private static Stream<Vector> supported() {
        return all().filter(vector -> VectorFramings.types().contains(vector.type()));
    }

    private static Stream<Vector> readable() {
        return supported().filter(vector -> !vector.refused());
    }

    private static Stream<Vector> refused() {
        return supported().filter(Vector::refused);
    }
}
