package dev.sluice.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** User and system time of this process. */
final class ProcessCpu {
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private ProcessCpu() {}

    static long nanos() {
        return PROCESS.getProcessCpuTime();
    }
}
