"""How long layers 1 and 2 take on large boards, and that the time grows with the area.

A random minefield at 18 % in which every safe cell with x mod 8 < 5 is open. Run: python benchmarks/local_rules.py
"""

from __future__ import annotations

import random
import time

from minesolve import Position, analyse
from minesolve.grid import Grid
from minesolve.position import COVERED

SIZES = (250, 500, 1000)


def striped(side: int, seed: int = 1, density: float = 0.18) -> tuple[Position, bytearray]:
    """Return the position and where its mines are."""
    rng, grid = random.Random(seed), Grid(side, side)
    mines = bytearray(rng.random() < density for _ in range(len(grid)))
    cells = bytearray([COVERED]) * len(grid)
    for cell, mine in enumerate(mines):
        if not mine and cell % side % 8 < 5:
            cells[cell] = sum(mines[n] for n in grid.neighbours(cell))
    return Position(side, side, bytes(cells)), mines


def main() -> None:
    print("side     forced   steps  seconds  microseconds a cell")
    for side in SIZES:
        position, mines = striped(side)
        started = time.perf_counter()
        analysis = analyse(position, up_to="pair")
        steps = len(analysis.deductions)
        seconds = time.perf_counter() - started
        assert all(mines[cell] for cell in analysis.mines)
        assert not any(mines[cell] for cell in analysis.safe)
        forced = len(analysis.safe) + len(analysis.mines)
        print(f"{side:4} {forced:10} {steps:7} {seconds:8.2f} {1e6 * seconds / side**2:20.1f}")


if __name__ == "__main__":
    main()
