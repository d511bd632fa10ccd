#!/usr/bin/env bash
# Builds what is missing or out of date and runs the comparison; its options are those of ReceiveComparison.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jar=bench/target/benchmarks.jar
sender=bench/target/blast

if [[ ! -e $jar || -n $(find pom.xml {framing,core,bench}/pom.xml {framing,core,bench}/src/main -newer $jar -print -quit) ]]; then
    ./mvnw -B -ntp -q -pl framing,core,bench -DskipTests package >&2
fi
if [[ ! -e $sender || bench/peers/blast.c -nt $sender ]]; then
    "${CC:-gcc}" -O2 -o $sender bench/peers/blast.c
fi
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -cp $jar dev.sluice.bench.ReceiveComparison --sender $sender "$@"
