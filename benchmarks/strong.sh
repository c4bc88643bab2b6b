#!/usr/bin/env bash
# Makes the run files under corpora/results/strong/, from which the README's table of the policy strong is read: strong
# against safest on the same boards. About half an hour on two cores. A run that is there already goes on where it
# stopped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p corpora/results/strong
for level in expert intermediate beginner; do
    cell=r3c3 boards=200000
    [ "$level" = expert ] && cell=r4c4 boards=100000
    minesolve compare strong safest "$level" -n "$boards" --workers 2 --start corner --first-click safe \
        --out "corpora/results/strong/$level-safe-corner.jsonl"
    minesolve compare strong safest "$level" -n "$boards" --workers 2 --start "$cell" --first-click opening \
        --out "corpora/results/strong/$level-opening-$cell.jsonl"
done
