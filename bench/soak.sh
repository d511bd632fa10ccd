#!/usr/bin/env bash
# Builds what is missing or out of date and runs the soak; its options are those of Soak.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source bench/build.sh
exec "$java" -Xmx1g -cp $jar \
    -Dio.netty.customResourceLeakDetector=io.netty.util.LeakPresenceDetector \
    -Dorg.slf4j.simpleLogger.defaultLogLevel=error \
    dev.sluice.bench.soak.Soak "$@"
