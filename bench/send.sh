#!/usr/bin/env bash
# Builds what is missing or out of date and runs the comparison; its options are those of SendComparison.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jar=bench/target/benchmarks.jar
sink=bench/target/sink

if [[ ! -e $jar || -n $(find pom.xml {framing,core,bench}/pom.xml {framing,core,bench}/src/main -newer $jar -print -quit) ]]; then
    ./mvnw -B -ntp -q -pl framing,core,bench -DskipTests package >&2
fi
if [[ ! -e $sink || bench/peers/sink.c -nt $sink ]]; then
    "${CC:-gcc}" -O2 -o $sink bench/peers/sink.c
fi
if [[ ! -e bench/target/countwrites.so || bench/peers/countwrites.c -nt bench/target/countwrites.so ]]; then
    "${CC:-gcc}" -O2 -shared -fPIC -o bench/target/countwrites.so bench/peers/countwrites.c -ldl
fi
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -cp $jar dev.sluice.bench.SendComparison --sink $sink "$@"
