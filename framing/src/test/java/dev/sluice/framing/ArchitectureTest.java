package dev.sluice.framing;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.Set;
import org.jspecify.annotations.NullMarked;

@AnalyzeClasses(packagesOf = ArchitectureTest.class, importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    /** Each type here is a promise to users; a new one is added on purpose. */
    private static final Set<String> PUBLIC_TYPES = Set.of(
            "AsciiLengthFraming",
            "CobsFraming",
            "Codec",
            "CorruptFrameException",
            "DelimiterFraming",
            "FixedLengthFraming",
            "FrameListener",
            "FrameReader",
            "FrameTooLongException",
            "FrameWriter",
            "Framer",
            "Framing",
            "FramingException",
            "Framings",
            "JsonFraming",
            "LengthFieldFraming",
            "LineFraming",
            "MessageDecoder",
            "MessageEncoder",
            "MessageSink",
            "OpenLast",
            "Oversize",
            "SlicePolicy",
            "SlipFraming",
            "TruncatedFrameException",
            "VarintFraming",
            "test.FramerVerifier");

    @ArchTest
    static void seesTheClassesOfThisModule(JavaClasses classes) {
        assertThat(classes).as("imported classes").isNotEmpty();
    }

    @ArchTest
    static void publishesWhatIsListedAndNoMore(JavaClasses classes) {
        assertThat(PUBLIC_TYPES).as("public types listed in this test").isNotEmpty();
        assertThat(classes)
                .filteredOn(
                        type -> type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
                .extracting(JavaClass::getName)
                .map(name -> name.substring("dev.sluice.framing.".length()))
                .as("public types of sluice-framing")
                .containsExactlyInAnyOrderElementsOf(PUBLIC_TYPES);
    }

    @ArchTest
    static void knowsNoStreams(JavaClasses classes) {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("reactor..", "org.reactivestreams..")
                .because("framing is synchronous; streams and demand are the core's")
                .check(classes);
    }

    @ArchTest
    static void takesOnlyBuffersFromNetty(JavaClasses classes) {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAPackage("io.netty..")
                        .and(resideOutsideOfPackages("io.netty.buffer..", "io.netty.util..")))
                .check(classes);
    }

    @ArchTest
    static void isNullMarked(JavaClasses classes) {
        assertThat(classes)
                .extracting(JavaClass::getPackage)
                .as("packages annotated with @NullMarked")
                .allMatch(javaPackage -> javaPackage.isAnnotatedWith(NullMarked.class));
    }
}
