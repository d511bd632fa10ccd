package dev.sluice;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.Set;
import org.jspecify.annotations.NullMarked;

/** Sees the classes of framing too, whose package lies below core's. */
@AnalyzeClasses(packagesOf = ArchitectureTest.class, importOptions = ArchitectureTest.WithoutTests.class)
class ArchitectureTest {

    /** Each type here is a promise to users; a new one is added on purpose. */
    private static final Set<String> PUBLIC_TYPES = Set.of(
            "BusyException",
            "CancelPolicy",
            "CloseReason",
            "ConnectionClosedException",
            "ConnectionOptions",
            "ConnectionStats",
            "FrameBatch",
            "FrameClient",
            "FrameConnection",
            "FrameFlux",
            "FrameServer",
            "Prefetch",
            "SendPolicy",
            "SendResult",
            "SendTimeoutException",
            "SocketOptions");

    private static final DescribedPredicate<JavaClass> FRAMING =
            resideInAPackage("dev.sluice.framing..").as("framing");

    private static final DescribedPredicate<JavaClass> CORE = describe(
            "core", type -> !FRAMING.test(type) && type.getPackageName().startsWith("dev.sluice"));

    @ArchTest
    static void seesTheClassesOfBothModules(JavaClasses classes) {
        assertThat(classes.that(CORE)).as("imported classes of core").isNotEmpty();
        assertThat(classes.that(FRAMING)).as("imported classes of framing").isNotEmpty();
    }

    @ArchTest
    static void publishesWhatIsListedAndNoMore(JavaClasses classes) {
        assertThat(PUBLIC_TYPES).as("public types listed in this test").isNotEmpty();
        assertThat(classes.that(CORE))
                .filteredOn(
                        type -> type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
                .extracting(JavaClass::getName)
                .map(name -> name.substring("dev.sluice.".length()))
                .as("public types of sluice-core")
                .containsExactlyInAnyOrderElementsOf(PUBLIC_TYPES);
    }

    @ArchTest
    static void isUnknownToFraming(JavaClasses classes) {
        noClasses().that(FRAMING).should().dependOnClassesThat(CORE).check(classes);
    }

    @ArchTest
    static void hasNoCycleOfPackages(JavaClasses classes) {
        slices().matching("dev.(**)").should().beFreeOfCycles().check(classes.that(CORE));
    }

    @ArchTest
    static void logsThroughReactorAlone(JavaClasses classes) {
        NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(classes.that(CORE));
        NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING.check(classes.that(CORE));
    }

    @ArchTest
    static void synchronizesNoMethod(JavaClasses classes) {
        noMethods()
                .should()
                .haveModifier(JavaModifier.SYNCHRONIZED)
                .because("whoever holds such an object can block an event loop")
                .check(classes.that(CORE));
    }

    @ArchTest
    static void isNullMarked(JavaClasses classes) {
        assertThat(classes.that(CORE))
                .extracting(JavaClass::getPackage)
                .as("packages annotated with @NullMarked")
                .allMatch(javaPackage -> javaPackage.isAnnotatedWith(NullMarked.class));
    }

    /** In a build up to {@code package} framing's test classes come in a jar. */
    static final class WithoutTests implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return Predefined.DO_NOT_INCLUDE_TESTS.includes(location) && !location.contains("-tests.jar");
        }
    }
}
