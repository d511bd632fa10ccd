#!/usr/bin/env bash
# Builds what is missing or out of date and runs the comparison; its options are those of SendComparison.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source bench/build.sh
sink=$(build_peer sink)
counter=$(build_peer countwrites countwrites.so -shared -fPIC)
exec "$java" -cp $jar dev.sluice.bench.SendComparison --sink "$sink" --count-writes "$counter" "$@"
