#!/usr/bin/env bash
# Builds what is missing or out of date and runs the comparison; its options are those of RequestComparison.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source bench/build.sh
server=$(build_peer answer)
exec "$java" -cp $jar dev.sluice.bench.RequestComparison --server "$server" "$@"
