"""Boards that need no guess: how many per CPU-second, and what boards, beside what a user could take instead.

    python benchmarks/generators.py [--seconds S]

minesolve.generate; ms-toollib's laymine_solvable and laymine_solvable_adjust (PyPI); sgt-mines --generate (Debian's
sgt-puzzles). What is not installed is left out with a note. All start with an opening, in the centre (sgt-mines:
anywhere). One run, one core, CPU time (of the child process for sgt-mines).

Beside the speed: the mean 3BV, and how many of the boards given out do need a guess by exact logic, the mine total
included. ms-toollib leaves the total out and so drops boards that need it; laymine_solvable_adjust and sgt-mines
move mines until a board can be solved, which makes other boards likely than drawing does.
"""

from __future__ import annotations

import argparse
import importlib
import io
import itertools
import resource
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator

import numpy as np

from minesolve import engine, generate
from minesolve.formats import read_boards
from minesolve.levels import LEVELS, Level
from minesolve.metrics import board_metrics
from minesolve.minefield import Minefield

SAMPLE = 2000  # boards of each generator that are looked at
Batches = Iterator[tuple[float, list[tuple[Minefield, int]]]]
"""CPU-seconds and boards, each with its start, of batch after batch."""


def ours(level: Level) -> Batches:
    boards = generate(level.name, count=10**9, seed=1)
    while True:
        began = time.process_time()
        found = [(board.minefield, board.start) for board in itertools.islice(boards, 500)]
        yield time.process_time() - began, found


def toollib(name: str) -> Callable[[Level], Batches]:
    lay = getattr(importlib.import_module("ms_toollib"), name)

    def batches(level: Level) -> Batches:
        size = level.height, level.width, level.mines
        row, column = level.height // 2, level.width // 2
        while True:
            began = time.process_time()
            laid = [lay(*size, row, column)[:2] for _ in range(10)]
            used = time.process_time() - began
            masks = [(np.array(rows) == -1).astype(np.uint8).tobytes() for rows, solvable in laid if solvable]
            yield used, [(Minefield(level.width, level.height, mask), row * level.width + column) for mask in masks]

    return batches


def sgt(program: str) -> Callable[[Level], Batches]:
    def batches(level: Level) -> Batches:
        place = f"{level.width}x{level.height}n{level.mines}"
        for number in range(10**9):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            done = subprocess.run(
                [program, "--generate", "100", f"{place}#{number}"], capture_output=True, check=True
            )
            used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            boards = list(read_boards(io.BytesIO(done.stdout), "gameid"))
            yield used, [(board.minefield, board.start) for board in boards]

    return batches


def generators() -> dict[str, Callable[[Level], Batches]]:
    """Return what is installed; say what is not."""
    found: dict[str, Callable[[Level], Batches]] = {"minesolve.generate": ours}
    try:
        found |= {f"ms-toollib {name}": toollib(name) for name in ("laymine_solvable", "laymine_solvable_adjust")}
    except ImportError:
        print("ms-toollib is not installed: left out")
    program = shutil.which("sgt-mines") or shutil.which("sgt-mines", path="/usr/games")
    if program is None:
        print("sgt-mines is not installed: left out")
    else:
        found["sgt-mines --generate"] = sgt(program)
    return found


def needs_guess(minefield: Minefield, start: int) -> bool:
    mask = np.frombuffer(minefield.mines, dtype=bool).reshape(minefield.height, minefield.width)
    return engine.judge_minefield(mask, [start])[0] == engine.NEEDS_GUESS


def measure(batches: Batches, seconds: float) -> tuple[float, str]:
    """Return boards per CPU-second, and what the first boards are like, in words."""
    next(batches)  # whatever is done once, such as compiling
    used, count, sample = 0.0, 0, list[tuple[Minefield, int]]()
    while used < seconds:
        took, found = next(batches)
        used, count = used + took, count + len(found)
        sample += found[: SAMPLE - len(sample)]
    metrics = [board_metrics(field).bbbv for field, _ in sample]
    error = statistics.stdev(metrics) / len(metrics) ** 0.5
    guesses = sum(itertools.starmap(needs_guess, sample))
    return count / used, f"3BV {statistics.mean(metrics):.1f} +-{error:.1f}, {guesses} of {len(sample)} need a guess"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0, help="CPU time for each figure")
    seconds = parser.parse_args().seconds
    found = generators()
    for level in LEVELS.values():
        print(f"{level.name}, boards per CPU-second")
        own = None
        for name, make in found.items():
            rate, about = measure(make(level), seconds)
            own = own or rate
            print(f"    {name:36} {rate:9,.0f}   {own / rate:6.1f} times less   {about}")


if __name__ == "__main__":
    main()
