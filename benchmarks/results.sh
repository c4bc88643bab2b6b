#!/usr/bin/env bash
# Makes the run files under corpora/results/, from which the README's table of results is read: a million boards for each
# standard level and convention. About ten minutes on two cores. A run that is there already goes on where it stopped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
for level in beginner intermediate expert; do
    cell=r3c3
    [ "$level" = expert ] && cell=r4c4
    minesolve rate "$level" -n 1000000 --workers 2 --start corner --first-click safe --out "corpora/results/$level-safe-corner.jsonl"
    minesolve rate "$level" -n 1000000 --workers 2 --start "$cell" --first-click opening --out "corpora/results/$level-opening-$cell.jsonl"
    minesolve rate "$level" -n 1000000 --workers 2 --start centre --first-click opening --out "corpora/results/$level-opening-centre.jsonl"
    minesolve rate "$level" -n 1000000 --workers 2 --start corner --first-click any --out "corpora/results/$level-any-corner.jsonl"
done
