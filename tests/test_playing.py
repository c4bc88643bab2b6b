"""Whole games: the engine against an enumeration of all minefields, and against the rules of play and the solver."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from minesolve import engine
from minesolve.draws import LARGEST_RANGE, SplitMix64
from minesolve.grid import Grid
from minesolve.minefield import Minefield, legal_cells
from minesolve.playing import _SALT, play, play_boards
from minesolve.policy import POLICIES, random_safest, safest
from minesolve.position import Position
from minesolve.request import OUTCOMES, Request
from minesolve.solve.analysis import analyse

CHANCE = 5


def request(width, height, mines, start, click="opening", seed=0):
    return Request(width, height, mines, start, click, seed, OUTCOMES, (0, LARGEST_RANGE))


# --- all minefields of a board, from the definition ---


class Enumeration:
    """All minefields at once: those that look the same so far are played the same way."""

    def __init__(self, width, height):
        self.grid = Grid(width, height)
        self.number = cache(lambda layout, cell: len(layout.intersection(self.grid.neighbours(cell))))

    def play(self, opened, layouts, guessed=False):
        """Return (minefields solved without a guess, minefields won)."""
        covered = [cell for cell in range(len(self.grid)) if cell not in opened]
        mines = {cell: sum(cell in layout for layout in layouts) for cell in covered}
        if all(cell in layouts[0] for cell in covered):
            assert len(layouts) == 1
            return int(not guessed), 1
        safe = [cell for cell in covered if mines[cell] == 0]
        if not safe:
            cell = min(covered, key=lambda c: (Fraction(mines[c], len(layouts)), self.covered_around(c, opened), c))
            safe, guessed = [cell], True
            layouts = [layout for layout in layouts if cell not in layout]
        views = defaultdict(list)
        for layout in layouts:
            views[tuple(self.number(layout, cell) for cell in safe)].append(layout)
        found = [self.play(opened | set(safe), same, guessed) for same in views.values()]
        return sum(no_guess for no_guess, _ in found), sum(won for _, won in found)

    def covered_around(self, cell, opened):
        return sum(n not in opened for n in self.grid.neighbours(cell))


def counted(width, height, mines, start, click):
    """Count no-guess boards and wins over all minefields, by enumeration and by the engine."""
    layouts = [frozenset(c) for c in combinations(legal_cells(width, height, start, click), mines)]
    free = [layout for layout in layouts if start not in layout]
    seen = Enumeration(width, height)
    views = defaultdict(list)
    for layout in free:
        views[seen.number(layout, start)].append(layout)
    parts = [seen.play(frozenset([start]), same) for same in views.values()]
    expected = (sum(a for a, _ in parts), sum(b for _, b in parts))
    games = [engine.play_minefield(masked(width, height, layout), start) for layout in layouts]
    judged = [engine.judge_minefield(masked(width, height, layout), [start])[0] for layout in layouts]
    assert [int(game.layers[0]) for game in games] == [CHANCE if layer < 0 else layer for layer in judged]
    found = (sum(game.layers[0] != CHANCE for game in games), sum(game.ends[0] == 1 for game in games))
    return expected, found, len(layouts)


def masked(width, height, mines):
    mask = np.zeros(width * height, dtype=bool)
    mask[sorted(mines)] = True
    return mask.reshape(height, width)


SMALL = [
    (1, 3, 1, 0, "safe"), (10, 1, 5, 2, "safe"), (5, 2, 3, 2, "any"), (3, 3, 2, 1, "safe"), (3, 3, 4, 0, "opening"),
    (4, 3, 3, 0, "safe"), (4, 3, 5, 1, "any"), (4, 4, 4, 0, "opening"), (5, 4, 3, 7, "opening"), (5, 3, 3, 7, "safe"),
]  # fmt: skip


@pytest.mark.parametrize(("width", "height", "mines", "start", "click"), SMALL)
def test_all_minefields_of_a_small_board(width, height, mines, start, click):
    expected, found, boards = counted(width, height, mines, start, click)
    assert found == expected
    assert boards > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "height", "mines", "start", "click"),
    [(4, 4, k, s, c) for k in (2, 3, 5, 7) for s in (0, 5) for c in ("safe", "opening")]
    + [(5, 4, 4, 0, "safe"), (5, 4, 5, 7, "safe"), (4, 6, 3, 0, "any"), (5, 5, 3, 12, "safe"), (6, 6, 2, 0, "any")],
)
def test_all_minefields_of_a_larger_board(width, height, mines, start, click):
    expected, found, _ = counted(width, height, mines, start, click)
    assert found == expected


def test_wins_are_at_most_those_of_optimal_play_and_sometimes_as_many():
    """The values of optimal play are exact (4x4 with 4 mines: codegolf.stackexchange.com/questions/34276)."""
    optimal = {(3, 3, 1, 0): 8, (4, 3, 3, 0): 124, (4, 4, 3, 0): 400, (4, 4, 4, 1): 961}
    wins = {key: counted(*key, "safe")[1][1] for key in optimal}
    assert all(wins[key] <= optimal[key] for key in optimal)
    assert wins[3, 3, 1, 0] == 8


# --- against the rules of play, exact chances and the solver's true 50/50s ---

BOARDS = [
    (9, 9, 10, 0, "safe"), (9, 9, 20, 40, "opening"), (16, 5, 20, None, "any"), (5, 12, 14, 7, "safe"),
    (30, 16, 99, 0, "safe"), (8, 8, 40, None, "safe"), (1, 20, 8, 0, "safe"),
]  # fmt: skip


@pytest.mark.parametrize("board", BOARDS, ids=str)
@pytest.mark.parametrize(("policy", "count"), [("safest", 25), ("random-safest", 25), ("lookahead", 10), ("strong", 6)])
def test_games_are_those_of_the_rules(board, policy, count):
    """Whole games by kernels against games by `Game`, in which the policy is asked one position at a time."""
    asked = request(*board, seed=5)
    games = play_boards(asked, policy, 100, count)
    for i in range(count):
        field, start = asked.draw(100 + i)
        played = play(field, start, POLICIES[policy].bind(SplitMix64(5 ^ _SALT, 100 + i)))
        assert (games.starts[i], games.ends[i], games.guesses[i]) == (start, played.end, played.guesses)
        assert games.survival[i] == pytest.approx(played.survival, rel=1e-9)
        assert games.expected[i] == pytest.approx(played.expected, rel=1e-9)


def test_safest_is_what_exact_chances_say():
    """The policy's cell by fractions, on every position that a few games meet."""
    asked, met = request(9, 9, 20, 0, "safe"), []

    def choose(position):
        exact = analyse(position).chances
        lowest = min(chance for chance in exact if chance is not None)
        around = {
            cell: sum(position.cells[n] > 8 for n in position.grid.neighbours(cell))
            for cell, chance in enumerate(exact) if chance == lowest
        }  # fmt: skip
        met.append(len(around))
        best = min(around, key=lambda cell: (around[cell], cell))
        assert best == safest(position)
        return best

    for index in range(15):
        play(*asked.draw(index), choose)
    assert max(met) > 1, "some positions must have ties"


def test_lost_on_a_fifty_is_told_from_lost_at_one_half():
    asked, halves = request(8, 8, 14, 0, "safe"), []
    games = play_boards(asked, "safest", 0, 400)
    for i in np.flatnonzero((games.ends != 1) & (games.guesses > 0)).tolist():
        last = []

        def choose(position, last=last):
            last[:] = [position, safest(position)]
            return last[1]

        play(*asked.draw(i), choose)
        found = analyse(last[0])
        is_fifty = any(last[1] in fifty.cells for fifty in found.fifties)
        assert (games.ends[i] == 2) == is_fifty
        if found.chances[last[1]] == Fraction(1, 2):
            halves.append(is_fifty)
    assert True in halves
    assert False in halves, "some games must be lost at one half that is no true 50/50"


@pytest.mark.parametrize(("policy", "count"), [("safest", 60), ("strong", 15)])
def test_games_that_arrays_cannot_hold_are_played_by_the_rules(policy, count, monkeypatch):
    """With states of few bits the engine passes games on; they end as they do with many."""
    asked = request(9, 9, 22, 40)
    expected = play_boards(asked, policy, 0, count)
    original = engine.play_boards
    passed_on = []

    def narrow(*arguments, **options):
        games = original(*arguments, **options, bits=8)
        passed_on.append(int((games.ends < 0).sum()))
        return games

    monkeypatch.setattr(engine, "play_boards", narrow)
    found = play_boards(asked, policy, 0, count)
    assert passed_on[0] > 0
    for name in ("starts", "ends", "layers", "guesses", "bbbv"):
        assert (getattr(found, name) == getattr(expected, name)).all()


def test_a_game_does_not_depend_on_those_before_it():
    asked = request(30, 16, 99, 0, "safe", seed=9)
    together = play_boards(asked, "random-safest", 0, 40)
    for i in (0, 1, 17, 39):
        alone = play_boards(asked, "random-safest", i, 1)
        assert (alone.ends[0], alone.guesses[0], alone.survival[0]) == (
            together.ends[i], together.guesses[i], together.survival[i])  # fmt: skip


def test_ties_at_random_are_uniform():
    position = Position.from_text("##\n##", mines=1)
    cells = [random_safest(position, SplitMix64(_SALT, index)) for index in range(400)]
    assert all(70 < cells.count(cell) < 130 for cell in range(4))


@pytest.mark.parametrize("cell", [None, "r1c1", -1, 81, 40])
def test_a_policy_that_returns_no_covered_cell_is_refused(cell):
    minefield, start = request(9, 9, 30, 40).draw(0)
    with pytest.raises(ValueError, match="mine returned"):
        play(minefield, start, lambda _: cell, "mine")


def test_a_mine_at_the_start_loses_at_once():
    found = play(Minefield.from_text("*."), 0, safest)
    assert (found.end, found.guesses) == (0, 0)
    games = play_boards(request(2, 1, 1, 0, "any"), "safest", 0, 50)
    assert set(zip(games.ends.tolist(), games.layers.tolist(), strict=True)) == {(0, CHANCE), (1, 0)}
