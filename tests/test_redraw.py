"""Layouts drawn in the place of the truth: all that are possible, none else, each as often."""

from __future__ import annotations

import random

import numpy as np
from engine_kernels import draw_again

from minesolve.position import Position
from minesolve.solve.constraints import system_of
from minesolve.solve.layouts import Layouts

DRAWS = 6000
BOARDS = [(5, 4, 6, 0), (6, 4, 8, 0), (4, 6, 5, 9), (7, 3, 6, 10), (5, 5, 5, 12), (8, 3, 5, 0), (9, 4, 5, 31)]


def test_every_layout_is_drawn_as_often():
    met = []
    for board in BOARDS:
        (width, height, mines, start), rng, several = board, random.Random(str(board)), 0
        others = [cell for cell in range(width * height) if cell != start]
        for _ in range(400):
            laid, seed = rng.sample(others, mines), rng.randrange(2**64)
            found = draw_again(width, height, laid, start, seed, 1)
            if not found:
                continue
            every = Layouts(system_of(Position(width, height, bytes(found[0]), mines)))
            if 2 < every.number < 600 and (several < 3 or every.number > max(met)):
                assert_uniform(every, *draw_again(width, height, laid, start, seed, DRAWS)[1:])
                met.append(every.number)
                several += 1
    assert len(met) > 20
    assert max(met) > 300


def assert_uniform(every, walls, wrong):
    assert wrong == 0
    times = {tuple(sorted(layout)): 0 for layout in every}
    for row in walls:
        times[tuple(np.flatnonzero(row).tolist())] += 1  # KeyError: a layout that does not exist
    expected, freedom = DRAWS / len(times), len(times) - 1
    square = sum((count - expected) ** 2 / expected for count in times.values())
    assert abs(square - freedom) < 4 * (2 * freedom) ** 0.5 + 4, "some are drawn too often, or all too evenly"


def test_draws_are_repeatable():
    first, second, third = (draw_again(6, 4, [1, 3, 8, 10, 15, 20, 21, 23], 0, seed, 20) for seed in (1, 1, 2))
    assert (first[1] == second[1]).all()
    assert (first[1] != third[1]).any()
