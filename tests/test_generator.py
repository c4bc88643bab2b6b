"""Generated boards: what they are, that nothing but the request decides which come out, and how requests fail."""

from __future__ import annotations

import itertools
import statistics
from collections import Counter

import numpy as np
import pytest

import minesolve
from minesolve import engine
from minesolve.errors import GenerationFailed
from minesolve.generator import generate
from minesolve.metrics import board_metrics
from minesolve.minefield import Minefield, draw
from minesolve.proof import CERTAIN_LAYERS, verify
from minesolve.request import OUTCOMES


def keys(boards):
    return [(b.index, b.minefield, b.start, b.layer, b.steps, b.widest, b.bbbv, b.grade) for b in boards]


# What comes out


@pytest.mark.parametrize(("level", "start", "click"), [
    ("beginner", "corner", "opening"), ("intermediate", "random", "opening"), ("expert", "r8c15", "opening"),
    ("beginner", 40, "safe"), ("beginner", "random", "any"),
])  # fmt: skip
def test_every_board_is_proven_and_is_the_board_of_its_index(level, start, click):
    boards = list(generate(level, count=25, seed=2**64 - 1, start=start, first_click=click))
    assert [b.index for b in boards] == sorted({b.index for b in boards})
    for b in boards:
        size = (b.minefield.width, b.minefield.height, b.minefield.total)
        drawn = draw(*size, start=start, seed=2**64 - 1, index=b.index, first_click=click)
        assert drawn == (b.minefield, b.start)
        assert Minefield.random(*size, start=start, seed=b.seed, index=b.index, first_click=click) == b.minefield
        proof = verify(b.minefield, b.start)
        assert (proof.ok, proof.layer, proof.steps, proof.widest) == (True, b.layer, b.steps, b.widest)
        assert proof.grade == b.grade
        assert b.bbbv == board_metrics(b.minefield).bbbv


def test_no_board_is_left_out():
    """What lies between the boards that come out does need a guess, by the other judge."""
    boards = generate(width=7, height=6, mines=9, count=30, seed=5)
    kept = {b.index for b in boards}
    assert boards.attempts == max(kept) + 1
    assert boards.attempts - len(kept) > 5
    for index in range(boards.attempts):
        minefield, start = draw(7, 6, 9, seed=5, index=index)
        assert verify(minefield, start).ok == (index in kept)


def test_judges_workers_and_where_it_began_make_no_difference():
    expected = keys(generate("intermediate", count=40, seed=9))
    assert keys(generate("intermediate", count=40, seed=9, judge="solve")) == expected
    assert keys(generate("intermediate", count=40, seed=9, judge=verify)) == expected
    for workers in (2, 5):
        assert keys(generate("intermediate", count=40, seed=9, workers=workers)) == expected
    half = expected[19][0] + 1
    assert keys(generate("intermediate", count=20, seed=9, first=half, workers=2)) == expected[20:]
    assert keys(generate("intermediate", count=7, seed=9)) == expected[:7]


def test_a_judge_that_says_yes_or_no_leaves_the_layer_open():
    boards = list(generate(width=4, height=3, mines=2, start=0, count=5, judge=lambda m, s: m.mines[11] == 1))
    assert all(b.minefield.mines[11] and b.layer is None and b.grade is None and b.steps == {} for b in boards)
    with pytest.raises(ValueError, match="can't tell which layer"):
        next(generate("beginner", max_layer="pair", judge=lambda m, s: True))


@pytest.mark.parametrize("layer", CERTAIN_LAYERS)
def test_layers_are_as_asked_for(layer):
    most = OUTCOMES[: OUTCOMES.index(layer) + 1]
    everything = list(generate("intermediate", count=300, seed=1))
    upto = [b.index for b in everything if b.layer in most]
    assert [b.index for b in generate("intermediate", count=len(upto), seed=1, max_layer=layer)] == upto
    only = [b.index for b in everything if b.layer == layer]
    assert [b.index for b in generate("intermediate", count=len(only), seed=1, exactly=layer)] == only
    assert only or layer == "component"


def test_3bv_is_as_asked_for():
    everything = list(generate("beginner", count=300, seed=1))
    fits = [b.index for b in everything if 10 <= b.bbbv <= 14]
    for judge in ("engine", "solve"):
        found = generate("beginner", count=len(fits), seed=1, min_3bv=10, max_3bv=14, judge=judge)
        assert [b.index for b in found] == fits
    assert 20 < len(fits) < 250


def test_the_rate_counts_attempts_up_to_the_last_board():
    boards = generate("expert", count=50, seed=4, workers=2)
    indices = [b.index for b in boards]
    assert (boards.found, boards.attempts) == (50, indices[-1] + 1)
    assert boards.rate == 50 / boards.attempts
    low, high = boards.interval
    assert low < boards.rate < high < 2 * boards.rate
    fresh = generate("expert")
    assert fresh.rate != fresh.rate
    assert fresh.interval == (0.0, 1.0)


def test_no_boards_are_no_boards():
    assert list(generate("expert", count=0)) == []


# Uniformity


def solvable(width, height, mines, start):
    """Return all minefields with an opening at the start that need no guess, by the solver."""
    grid = Minefield(width, height, bytes(width * height)).grid
    legal = [c for c in range(len(grid)) if c != start and c not in grid.neighbours(start)]
    fields = (Minefield.from_cells(width, height, some) for some in itertools.combinations(legal, mines))
    return [field for field in fields if verify(field, start).ok]


@pytest.mark.parametrize(("width", "height", "mines", "start"), [(5, 4, 4, 12), (4, 5, 4, 0)])
def test_all_no_guess_boards_come_out_equally_often(width, height, mines, start):
    fields = solvable(width, height, mines, start)
    each = 30
    boards = generate(width=width, height=height, mines=mines, start=start, count=each * len(fields), seed=12)
    seen = Counter(b.minefield for b in boards)
    assert seen.keys() == set(fields)
    chi2 = sum((n - each) ** 2 / each for n in seen.values())
    freedom = len(fields) - 1
    assert abs(chi2 - freedom) < 4 * (2 * freedom) ** 0.5, (chi2, freedom)


def test_expert_boards_have_the_known_mean_3bv():
    found = [b.bbbv for b in generate("expert", count=4000, seed=20)]
    assert statistics.mean(found) == pytest.approx(170.9, abs=1.5)


# Failing


@pytest.mark.parametrize("request_", [
    {"width": 3, "height": 3, "mines": 1}, {"width": 9, "height": 9, "mines": 73},
    {"width": 9, "height": 1, "mines": 8, "first_click": "any", "start": "random", "exactly": "single"},
    {"width": 1, "height": 1, "mines": 1, "first_click": "any"},
    {"width": 5, "height": 5, "mines": 0, "exactly": "single"}, {"width": 5, "height": 5, "mines": 16, "exactly": "total"},
    {"level": "expert", "max_3bv": 0}, {"level": "expert", "min_3bv": 382}, {"level": "expert", "min_3bv": 9, "max_3bv": 8},
    {"level": "expert", "max_layer": "pair", "exactly": "component"},
])  # fmt: skip
def test_requests_that_cannot_succeed_are_refused_at_once(request_):
    with pytest.raises(GenerationFailed) as failed:
        next(generate(**request_, max_attempts=10))
    assert failed.value.attempts in (0, 10)
    if failed.value.attempts == 0:
        assert failed.value.bound == 0.0


@pytest.mark.parametrize("arguments", [
    {}, {"level": "easy"}, {"level": "expert", "width": 9}, {"width": 9, "height": 9}, {"level": "expert", "start": "r17c1"},
    {"level": "expert", "start": "middle"}, {"level": "expert", "start": 480}, {"level": "expert", "seed": -1},
    {"level": "expert", "seed": 2**64}, {"level": "expert", "count": -1}, {"level": "expert", "workers": 0},
    {"level": "expert", "max_layer": "chance"}, {"level": "expert", "exactly": "none"}, {"level": "expert", "judge": "me"},
    {"level": "expert", "first_click": "lucky"}, {"width": 0, "height": 9, "mines": 1}, {"width": 9, "height": 9, "mines": -1},
    {"width": 5000, "height": 5000, "mines": 1}, {"level": "expert", "max_attempts": 0}, {"level": "expert", "time_limit": 0},
    {"level": "expert", "first": -1},
])  # fmt: skip
def test_arguments_without_meaning_are_refused(arguments):
    with pytest.raises(ValueError, match=r"\w"):
        generate(**arguments)


@pytest.mark.parametrize("workers", [1, 3])
def test_too_rare_boards_end_at_the_limit_with_what_is_known(workers):
    boards = generate(width=12, height=12, mines=70, count=3, seed=1, max_attempts=3000, workers=workers)
    with pytest.raises(GenerationFailed, match="found 0 of 3 boards in 3000 attempts") as failed:
        list(boards)
    assert (failed.value.attempts, boards.found) == (3000, 0)
    assert 0 < failed.value.bound < 0.0015
    with pytest.raises(GenerationFailed):
        list(generate(width=12, height=12, mines=70, time_limit=0.2, workers=workers))


def test_what_was_found_before_the_limit_is_given_out():
    boards, found = generate("expert", count=1000, seed=1, max_attempts=100), []
    with pytest.raises(GenerationFailed, match="of 1000 boards in 100 attempts") as failed:
        found.extend(boards)
    assert keys(found) == keys(generate("expert", count=len(found), seed=1))
    assert failed.value.bound > len(found) / 100


@pytest.mark.parametrize("limit", [(2000, 1e9), (10**9, 0.3)])
def test_without_a_limit_there_is_one(monkeypatch, limit):
    monkeypatch.setattr("minesolve.generator.GIVE_UP", limit)
    with pytest.raises(GenerationFailed, match="found 0"):
        next(generate(width=12, height=12, mines=80))


@pytest.mark.parametrize(("width", "height", "mines"), [(16, 16, 56), (30, 16, 120), (30, 20, 130)])
def test_dense_boards_come_out_or_fail_honestly(width, height, mines):
    boards = list(generate(width=width, height=height, mines=mines, count=3, seed=2))
    assert all(verify(b.minefield, b.start).ok for b in boards)
    assert len(boards) == 3


def test_probabilities_are_exported():
    position = minesolve.Position.from_text("1#\n##", mines=1)
    assert np.nanmax(minesolve.mine_probabilities(position)) == pytest.approx(1 / 3)
    assert minesolve.mine_probabilities is engine.mine_probabilities
    assert minesolve.generate is generate
