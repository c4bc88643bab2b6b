"""The engine and the solver, which share no code, on every position met while boards are played."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

from minesolve import engine
from minesolve.game import Game
from minesolve.levels import LEVELS
from minesolve.minefield import draw, max_mines
from minesolve.solve.analysis import analyse
from minesolve.solve.constraints import system_of
from minesolve.solve.deduction import layer_named
from minesolve.solve.probability import weigh


def level_boards(name, count, seed=77):
    """Yield (minefield, start)."""
    level = LEVELS[name]
    for index in range(count):
        yield draw(level.width, level.height, level.mines, start="random" if index % 2 else "centre", seed=seed, index=index)


def odd_boards(count, seed=78):
    """Yield boards of odd shapes, denser than people play them."""
    random_ = random.Random(seed)
    for index in range(count):
        width, height = random_.randint(2, 16), random_.randint(2, 12)
        start, click = random_.randrange(width * height), random_.choice(["opening", "safe"])
        mines = min(int(width * height * random_.uniform(0.15, 0.4)), max_mines(width, height, start, click))
        yield draw(width, height, mines, start=start, seed=seed, index=index, first_click=click)


def positions_met(minefield, start, random_):
    """Yield each position with its analysis: the cheapest safe cells are opened, or if there are none, any safe cell."""
    game = Game(minefield, opened=[start])
    while game.status == "playing":
        analysis = analyse(game.position)
        yield game.position, analysis
        ranks = {cell: layer_named(analysis.layer(cell)).rank for cell in analysis.safe}
        least = min(ranks.values(), default=0)
        cells = [cell for cell, rank in ranks.items() if rank == least]
        if not cells:
            covered = [cell for cell, code in enumerate(game.position.cells) if code > 8 and not minefield.mines[cell]]
            cells = [random_.choice(covered)]
        for cell in cells:
            game.open(cell)
        assert game.status != "lost", "the solver called a mine safe"


def compare(boards):
    """Return how many positions were compared, and the largest difference of a chance."""
    random_, seen, worst = random.Random(1), 0, 0.0
    for minefield, start in boards:
        met = list(positions_met(minefield, start, random_))
        for (position, analysis), found in zip(met, engine.mine_probabilities([p for p, _ in met]), strict=True):
            chances = found.ravel()
            assert set(np.flatnonzero(chances == 0)) == analysis.safe, position
            assert set(np.flatnonzero(chances == 1)) == analysis.mines, position
            exact = weigh(system_of(position)).chances
            assert set(np.flatnonzero(~np.isnan(chances))) == exact.keys()
            worst = max([worst, *(abs(chances[cell] - float(chance)) for cell, chance in exact.items())])
            seen += 1
    assert worst < 1e-9
    return seen, worst


BOARDS = {**{name: (lambda count, name=name: level_boards(name, count)) for name in LEVELS}, "odd": odd_boards}


@pytest.mark.parametrize(("name", "count"), [("beginner", 20), ("intermediate", 8), ("expert", 3), ("odd", 30)])
def test_engine_and_solver_agree_on_positions_in_play(name, count):
    assert compare(BOARDS[name](count))[0] > count


@pytest.mark.slow
@pytest.mark.parametrize("name", BOARDS)
def test_engine_and_solver_agree_on_every_position_of_500_boards(name):
    assert compare(BOARDS[name](500))[0] > 2000


if __name__ == "__main__":
    for name, boards in BOARDS.items():
        began = time.perf_counter()
        seen, worst = compare(boards(500))
        print(f"{name}: {seen} positions of 500 boards, {time.perf_counter() - began:.0f} s, largest difference {worst:.1e}")
