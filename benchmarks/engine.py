"""How fast the engine is, side by side with what a user would take instead, in one run on one core.

    python benchmarks/engine.py [--positions FILE] [--seconds S]

Boards that need no guess, per CPU-second: `minesolve.engine.judge_boards`, ms-toollib's `laymine_solvable` and
`laymine_solvable_adjust` (PyPI), `sgt-mines --generate` (Debian's sgt-puzzles). What is not installed is left out. The
peers do other things: ms-toollib leaves the mine total out, sgt-mines repairs boards that need a guess.

Chances of a position: `minesolve.engine` inside a batch and one by one, ms-toollib's `cal_probability_onboard` and
`cal_probability_enum`. FILE holds JSON lines with `text` and `mines`; without it positions are made by playing.
"""

from __future__ import annotations

import argparse
import importlib
import json
import resource
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from minesolve import engine
from minesolve.grid import Grid
from minesolve.levels import LEVELS
from minesolve.position import COVERED, Position


def peer():
    """Return ms_toollib, or None where it is not installed."""
    try:
        return importlib.import_module("ms_toollib")
    except ImportError:
        return None


def rate(batch: Callable[[int], int], seconds: float) -> float:
    """Return how much a batch yields per CPU-second; `batch` takes its number and returns its yield."""
    batch(0)
    found, number, began = 0, 1, time.process_time()
    while time.process_time() - began < seconds:
        found += batch(number)
        number += 1
    return found / (time.process_time() - began)


def own_boards(level, seconds):
    start = level.height // 2 * level.width + level.width // 2
    shares = []

    def batch(number):
        verdicts = engine.judge_boards(
            level.width, level.height, level.mines, start=start, count=4096, first=4096 * number
        )
        shares.append((verdicts.layers >= 0).mean())
        return int((verdicts.layers >= 0).sum())

    found = rate(batch, seconds)
    return found, found / np.mean(shares)


def sgt_boards(level, seconds):
    """Return boards per CPU-second of the child process; it starts within milliseconds."""
    program = shutil.which("sgt-mines") or shutil.which("sgt-mines", path="/usr/games")
    if program is None:
        return None
    found, count, used = 0, 50, 0.0
    while used < seconds:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        game = f"{level.width}x{level.height}n{level.mines}"
        done = subprocess.run(
            [program, "--generate", str(count), f"{game}#{found}"], capture_output=True, text=True, check=True
        )
        used += resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        found += len(done.stdout.split())
        count *= 2
    return found / used


def toollib_boards(name, level, seconds):
    toollib = peer()
    if toollib is None:
        return None
    lay = getattr(toollib, name)
    x, y = level.height // 2, level.width // 2

    def batch(_number):
        board, solvable = lay(level.height, level.width, level.mines, x, y)[:2]
        assert board
        return int(bool(solvable))

    return rate(batch, seconds)


def compare_boards(seconds):
    for level in LEVELS.values():
        own, tried = own_boards(level, seconds)
        print(f"{level.name}: minesolve {own:,.0f} no-guess boards per CPU-second ({tried:,.0f} judged)")
        peers = {"sgt-mines": sgt_boards(level, seconds)}
        for name in ("laymine_solvable", "laymine_solvable_adjust"):
            peers[f"ms-toollib {name}"] = toollib_boards(name, level, seconds)
        for name, found in peers.items():
            rated = "not installed" if found is None else f"{found:,.0f}, {own / found:.1f} times less"
            print(f"    {name}: {rated}")


def compare_threads(seconds):
    """Compare the best of several turns: on a shared machine the others are about the neighbours."""
    level, walls = LEVELS["expert"], {1: [], 2: []}
    start = level.height // 2 * level.width + level.width // 2
    for _ in range(8):
        for threads, wall in walls.items():
            began = time.perf_counter()
            engine.judge_boards(
                level.width, level.height, level.mines, start=start, count=int(6_000 * seconds), threads=threads
            )
            wall.append(time.perf_counter() - began)
    print(f"two threads: {min(walls[1]) / min(walls[2]):.2f} times one (wall clock, best of 8)")


def stuck_positions(count):
    """Return expert positions where no layer finds a safe cell, from an opening at r4c4."""
    found: list[Position] = []
    index = 0
    while len(found) < count:
        start, mask = engine.draw_minefield(30, 16, 99, start=93, seed=17, index=index)
        index += 1
        if engine.judge_minefield(mask, [start])[0] == engine.NEEDS_GUESS:
            found.append(_play(mask, start))
    return found


def _play(mask, start):
    """Open all that is certainly safe until nothing is."""
    height, width = mask.shape
    grid, mines = Grid(width, height), mask.ravel()
    codes = np.full(mines.size, COVERED, dtype=np.int8)
    waiting = [start]
    while waiting:
        while waiting:
            cell = waiting.pop()
            if codes[cell] == COVERED:
                codes[cell] = sum(mines[n] for n in grid.neighbours(cell))
                waiting += grid.neighbours(cell) if codes[cell] == 0 else ()
        position = Position.from_array(codes.reshape(height, width), mines=int(mines.sum()))
        waiting = np.flatnonzero(engine.mine_probabilities(position).ravel() == 0).tolist()
    return position


def microseconds(call: Callable[[], object], repeats: int) -> float:
    call()
    began = time.process_time()
    for _ in range(repeats):
        call()
    return 1e6 * (time.process_time() - began) / repeats


def show(name, times):
    print(f"    {name}: median {statistics.median(times):,.1f} us, mean {np.mean(times):,.1f}, worst {max(times):,.1f}")


def compare_chances(positions):
    print(f"chances of {len(positions)} stuck expert positions:")
    inside = []
    for position in positions:
        codes = np.repeat(position.to_array()[np.newaxis], 300, axis=0)
        totals, densities = np.full(300, position.mines), np.full(300, 0.5)
        inside.append(microseconds(lambda c=codes, t=totals, d=densities: engine.weigh(c, t, d), 1) / 300)
    show("minesolve, inside a batch", inside)
    show("minesolve, one by one", [microseconds(lambda p=p: engine.mine_probabilities(p), 20) for p in positions])
    toollib = peer()
    if toollib is None:
        print("    ms-toollib: not installed")
        return
    for name in ("cal_probability_onboard", "cal_probability_enum"):
        call = getattr(toollib, name)
        boards = [np.where(p.to_array() > 8, 10, p.to_array()).tolist() for p in positions]  # 10: covered
        show(f"ms-toollib {name}", [microseconds(lambda b=b, f=call: f(b, 99), 3) for b in boards])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=Path, metavar="FILE")
    parser.add_argument("--seconds", type=float, default=5.0, help="CPU time for each figure")
    arguments = parser.parse_args()
    if arguments.positions:
        lines = [json.loads(line) for line in arguments.positions.read_text().splitlines()]
        positions = [Position.from_text(line["text"], mines=line["mines"]) for line in lines]
    else:
        positions = stuck_positions(100)
    compare_chances(positions)
    compare_boards(arguments.seconds)
    compare_threads(arguments.seconds)
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
