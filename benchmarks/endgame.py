"""How long the exact end game takes on positions met in play.

    python benchmarks/endgame.py [--games N] [--most N] [--budget N]

Expert games from a safe click in the corner, the safest cell opened where nothing is certain. Each stuck position with
at most N layouts in each of its regions is searched for its best move, as games do it: microseconds, and how many sets
of layouts were looked into. Everything but the times comes out the same on every machine.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from minesolve import engine
from minesolve.engine import ending
from minesolve.engine.endgame import SOLVED
from minesolve.engine.handful import SETS
from minesolve.errors import BudgetExceeded
from minesolve.game import Game
from minesolve.levels import LEVELS
from minesolve.minefield import Minefield


def stuck(games):
    """Yield the positions of games in which nothing is certain."""
    level = LEVELS["expert"]
    for index in range(games):
        game = Game(Minefield.random(level.width, level.height, level.mines, start=0, index=index, first_click="safe"))
        game.open(0)
        while game.status == "playing":
            chances = engine.mine_probabilities(game.position).ravel()
            lowest = np.nanmin(chances)
            if lowest > 0:
                yield game.position
            for cell in np.flatnonzero(chances == 0) if lowest == 0 else [np.nanargmin(chances)]:
                if game.status == "playing" and game.position.cells[cell] > 8:
                    game.open(int(cell))


def measure(positions, most, budget):
    """Return layouts, microseconds and sets of each position that is searched to the end, -1 sets for the others."""
    rows = []
    for position in positions:
        try:
            desk, arrays = ending._prepared(position, False, most)
        except BudgetExceeded:
            continue
        began = time.perf_counter()
        status, _, layouts, _ = ending._solve(desk, arrays, most, budget, False, -1)
        if layouts:
            sets = int(arrays.search.handful.count[SETS]) if status == SOLVED else -1
            rows.append((layouts, 1e6 * (time.perf_counter() - began), sets))
    return np.array(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--most", type=int, default=4096)
    parser.add_argument("--budget", type=int, default=100_000)
    arguments = parser.parse_args()
    measure(stuck(3), arguments.most, arguments.budget)  # compiles
    rows = measure(stuck(arguments.games), arguments.most, arguments.budget)
    print("layouts        positions   median     95 %    worst us   sets: median   95 %    most   within 1,000  10,000")
    low = 0
    for high in (64, 256, 1024, 4096, np.inf):
        part = rows[(rows[:, 0] > low) & (rows[:, 0] <= high)]
        if len(part):
            times, sets = part[:, 1], np.where(part[:, 2] < 0, np.inf, part[:, 2])
            print(
                f"{low + 1:>6} to {high:<7} {len(part):>6} {np.median(times):>8.0f} {np.percentile(times, 95):>8.0f}"
                f" {times.max():>11.0f} {np.median(sets):>14.0f} {np.percentile(sets, 95):>6.0f} {sets.max():>7.0f}"
                f" {(sets <= 1000).mean():>13.1%} {(sets <= 10_000).mean():>7.1%}"
            )
        low = high


if __name__ == "__main__":
    main()
