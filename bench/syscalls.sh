#!/usr/bin/env bash
# Counts the system calls of a receiver over one warm connection and a measured one, by strace, and fails if the interest in
# reading was changed while reading went on: then there were nearly as many calls of epoll_ctl as of reads.
#
#   bench/syscalls.sh [--transport native|nio] [--kind receive-object] [--payload 64] [--count 5000000]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

transport=native kind=receive-object payload=64 count=5000000
while (($#)); do
    case $1 in
        --transport | --kind | --payload | --count) declare "${1#--}=$2" && shift 2 ;;
        *) echo "no such option: $1" >&2 && exit 2 ;;
    esac
done
command -v strace >/dev/null || { echo "strace is missing" >&2 && exit 2; }

source bench/build.sh
sender=$(build_peer blast)
out=$(mktemp -d)
trap 'kill $! 2>/dev/null || true; rm -rf "$out"' EXIT

"$sender" -t 600 -n 2 "$count" "$payload" >"$out/sender" &
until grep -q LISTENING "$out/sender"; do kill -0 $! && sleep 0.05; done
port=$(awk '/LISTENING/ { print $2 }' "$out/sender")
strace -f -c -o "$out/calls" -e trace=network,read,readv,write,epoll_ctl,epoll_wait,epoll_pwait \
    "$java" -Xmx1g -cp "$jar" dev.sluice.bench.ReceiverMain --kind "$kind" --transport "$transport" \
    --port "$port" --count "$count" --payload "$payload" --connections 2 --timeout 300 >"$out/samples"
cat "$out/samples" "$out/calls"

calls() { awk -v name="$1" '$NF == name { sum += $4 } END { print sum + 0 }' "$out/calls"; }
reads=$(sed -n 's/.* reads=\([0-9]*\).*/\1/p' "$out/samples" | awk '{ sum += $1 } END { print sum }')
changes=$(calls epoll_ctl)
echo "transport=$transport kind=$kind payload=$payload reads=$reads epoll_ctl=$changes"
if ((changes * 20 > reads)); then
    echo "interest was changed while reading went on: epoll_ctl=$changes, limit=$((reads / 20))" >&2
    exit 1
fi
