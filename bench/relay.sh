#!/usr/bin/env bash
# Builds what is missing or out of date and runs the relays side by side; its options are those of RelayComparison. Takes as
# many of the connections as one process may have files open, and says how many that are.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source bench/build.sh
load=$(build_peer pubsub)

connections=40000 options=()
while (($#)); do
    case $1 in
        --connections) connections=$2 && shift 2 ;;
        *) options+=("$1") && shift ;;
    esac
done
spare=200 # for what a process has open beside its connections
ulimit -Hn $((connections + spare)) 2>/dev/null || true # takes privileges where it raises the limit
ulimit -n "$(ulimit -Hn)"
if [[ $(ulimit -n) != unlimited ]] && (($(ulimit -n) < connections + spare)); then
    echo "open files are limited: connections=$connections, limit=$(($(ulimit -n) - spare))" >&2
    connections=$(($(ulimit -n) - spare))
fi
exec "$java" -cp $jar dev.sluice.bench.RelayComparison --load "$load" --connections "$connections" "${options[@]}"
