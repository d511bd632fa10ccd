#!/usr/bin/env bash
# Builds what is missing or out of date and runs the comparison; its options are those of ReceiveComparison.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source bench/build.sh
sender=$(build_peer blast)
counter=$(build_peer count)
exec "$java" -cp $jar dev.sluice.bench.ReceiveComparison --sender "$sender" --counter "$counter" "$@"
