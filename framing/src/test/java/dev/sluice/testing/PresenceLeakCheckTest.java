package dev.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PresenceLeakCheckTest {
    private final LeakCheck check = new PresenceLeakCheck();

    @Test
    void failsForBufferThatIsStillAlive() {
        ByteBuf held = ByteBufAllocator.DEFAULT.buffer(1);

        assertThatThrownBy(() -> check.check(Duration.ZERO))
                .isInstanceOf(AssertionError.class)
                .hasMessage(
                        "buffers are alive behind the end of the test; who made them: run the tests tagged paranoid");

        held.release();
        check.check(Duration.ZERO);
    }

    @Test
    void doesNotBlameLaterTestForLateRelease() {
        ByteBuf held = ByteBufAllocator.DEFAULT.buffer(1);
        assertThatThrownBy(() -> check.check(Duration.ZERO)).isInstanceOf(AssertionError.class);
        held.release();

        assertThatCode(() -> check.check(Duration.ZERO)).doesNotThrowAnyException();
    }

    @Test
    void failsForReleaseOfWhatWasNeverMissed() {
        ByteBuf held = ByteBufAllocator.DEFAULT.buffer(1);
        assertThatThrownBy(() -> check.check(Duration.ZERO)).isInstanceOf(AssertionError.class);
        held.release();

        assertThatThrownBy(() -> new PresenceLeakCheck().check(Duration.ZERO))
                .isInstanceOf(AssertionError.class)
                .hasMessage("buffers were released twice, or after the test that made them");
    }

    @Test
    void waitsForReleaseByAnotherThread() throws InterruptedException {
        ByteBuf held = ByteBufAllocator.DEFAULT.buffer(1);
        Thread checking = Thread.currentThread();
        Thread releasing = new Thread(() -> {
            while (checking.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            held.release();
        });
        releasing.start();

        check.check(Duration.ofSeconds(30));

        releasing.join();
        assertThat(held.refCnt()).isZero();
    }

    @Test
    void failsLoudlyWithoutItsDetector() {
        ResourceLeakDetectorFactory used = ResourceLeakDetectorFactory.instance();
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new DefaultDetectors());
        try {
            assertThatThrownBy(check::arm)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("LeakPresenceDetector not in use. Please register it using "
                            + "-Dio.netty.customResourceLeakDetector=io.netty.util.LeakPresenceDetector");
        } finally {
            ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(used);
        }
    }

    private static final class DefaultDetectors extends ResourceLeakDetectorFactory {
        @Override
        @Deprecated
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(
                Class<T> resource, int samplingInterval, long maxActive) {
            return new ResourceLeakDetector<>(resource, samplingInterval);
        }
    }
}
