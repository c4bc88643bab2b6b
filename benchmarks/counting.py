"""How long exact counts take: stuck positions, lattices, and boards of growing length.

Run: python benchmarks/counting.py (a minute or two, one core, plain Python)
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from minesolve.grid import Grid
from minesolve.position import COVERED, Position
from minesolve.solve.constraints import system_of
from minesolve.solve.counting import count
from minesolve.solve.frontier import split
from minesolve.solve.probability import weigh

STUCK = Path(__file__).parent.parent / "corpora" / "positions" / "stuck-expert.jsonl"


def stuck_positions() -> Iterator[Position]:
    for line in STUCK.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Position.from_text(f"size: {row['width']}x{row['height']}\n{row['text']}", mines=row["mines"])


def lattice(width: int, height: int, number: Callable[[int], int]) -> Position:
    """Numbers on every other cell of every other row."""
    cells = bytes(number(c) if c % width % 2 == 0 and c // width % 2 == 0 else COVERED for c in range(width * height))
    return Position(width, height, cells)


def random_lattice(width: int, height: int, density: float, seed: int) -> Position:
    grid = Grid(width, height)
    covered = [c for c in range(len(grid)) if c % width % 2 or c // width % 2]
    mines = set(random.Random(seed).sample(covered, round(density * len(grid))))
    return lattice(width, height, lambda c: sum(n in mines for n in grid.neighbours(c)))


def seconds(call: Callable[[], object]) -> float:
    begin = time.process_time()
    call()
    return time.process_time() - begin


def report(name: str, positions: list[Position]) -> None:
    times = [seconds(lambda p=position: weigh(system_of(p))) for position in positions]
    states = [sum(count(c).states for c in split(system_of(p))) for p in positions]
    row = f"{name:44} {statistics.median(times):9.3f} {max(times):9.3f} {round(statistics.median(states)):12,}"
    print(row, flush=True)


def main() -> None:
    print(f"{'':44} {'median s':>9} {'worst s':>9} {'states':>12}")
    report("100 stuck expert positions", list(stuck_positions()))
    for width, height in ((21, 10), (30, 16)):
        for density in (99 / 480, 0.3, 0.4):
            boards = [random_lattice(width, height, density, seed) for seed in range(5)]
            report(f"lattice {width}x{height}, mines on {density:.0%} of the board", boards)
    for number in (2, 3):
        report(f"lattice 21x10, every number {number}", [lattice(21, 10, lambda c, n=number: n)])
    report("lattice 30x16, every number 2", [lattice(30, 16, lambda c: 2)])
    for length in (30, 60, 120):
        report(f"lattice {length}x10, every number 1", [lattice(length, 10, lambda c: 1)])
    if "--heaviest" in sys.argv[1:]:
        report("lattice 30x16, every number 3", [lattice(30, 16, lambda c: 3)])


if __name__ == "__main__":
    main()
