#!/usr/bin/env bash
# Builds what is missing or out of date and runs the soak; its options are those of Soak.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jar=bench/target/benchmarks.jar

if [[ ! -e $jar || -n $(find pom.xml {framing,core,bench}/pom.xml {framing,core,bench}/src/main -newer $jar -print -quit) ]]; then
    ./mvnw -B -ntp -q -pl framing,core,bench -DskipTests package >&2
fi
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx1g -cp $jar \
    -Dio.netty.customResourceLeakDetector=io.netty.util.LeakPresenceDetector \
    -Dorg.slf4j.simpleLogger.defaultLogLevel=error \
    dev.sluice.bench.soak.Soak "$@"
