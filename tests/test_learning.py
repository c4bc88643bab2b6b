"""Self-play and the descent: labels by enumeration, gradients by finite differences, the same whatever the threads."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import chain, combinations

import numpy as np
import pytest
from conftest import environment

from minesolve import engine
from minesolve.engine import learning
from minesolve.engine.guessing import SETTINGS
from minesolve.engine.learning import Level
from minesolve.engine.value import SHAPES, Parameters, allocate_parameters, allocate_value, stored_parameters
from minesolve.minefield import legal_cells

EXPERT = Level(30, 16, 99, 0, "safe")


@pytest.fixture(scope="module")
def records():
    return learning.self_play(EXPERT, 300, seed=3)[0]


def share_won(width, height, mines, start):
    """Return the share of all minefields that `safest` wins, each played once."""
    won = []
    for layout in combinations(legal_cells(width, height, start, "safe"), mines):
        mask = np.zeros(width * height, dtype=bool)
        mask[list(layout)] = True
        won.append(engine.play_minefield(mask.reshape(height, width), start).ends[0] == 1)
    return np.mean(won)


@pytest.mark.parametrize("board", [(4, 4, 4, 0), (5, 3, 4, 7), (4, 3, 5, 1)])
def test_chances_of_games_are_on_average_what_is_won(board):
    """Games that go on with other layouts, by their chances, against all minefields played to a win or a loss."""
    chances = learning.win_chances(Level(*board, "safe"), 6000, None, seed=1)
    assert abs(chances.mean() - share_won(*board)) < 4 * chances.std() / len(chances) ** 0.5
    assert len(set(chances.round(6))) > 3


@pytest.mark.parametrize("settings", [None, learning.AHEAD], ids=["by safety", "looking ahead"])
def test_chances_are_those_of_the_games_that_are_recorded(settings):
    parameters = settings and stored_parameters()
    recorded, chances = learning.self_play(EXPERT, 230, parameters=parameters, explore=0, seed=4)
    assert len(recorded.label) > 230
    assert (learning.win_chances(EXPERT, 230, settings, seed=4, threads=2) == chances).all()
    assert (learning.win_chances(EXPERT, 30, settings, seed=4, first=200) == chances[200:]).all()


def test_games_are_the_same_until_policies_differ():
    """Many games are the same to both, so that what one wins more is known better than what either wins."""
    safest, strong = (learning.win_chances(EXPERT, 300, s, seed=9) for s in (None, SETTINGS["strong"]))
    assert 0.05 < (safest == strong).mean() < 0.9
    assert (strong - safest).std() < np.hypot(strong.std(), safest.std())


def test_a_guess_at_random_costs_something():
    assert learning.self_play(EXPERT, 600)[1].mean() < learning.win_chances(EXPERT, 600, None).mean()


def test_labels_rise_along_a_game_and_begin_with_its_chance():
    """In one game each label is the one before, divided by the chance of the guess between."""
    records, chances = learning.self_play(EXPERT, 1, explore=0, seed=5)
    assert len(records.label) > 2
    assert (np.diff(records.label) >= 0).all()
    assert 0 < chances[0] < records.label[0] <= records.label[-1] <= 1
    assert (records.ahead == records.label).all()


def test_games_that_look_ahead_say_what_they_saw():
    records, chances = learning.self_play(EXPERT, 60, parameters=stored_parameters(), seed=2)
    assert ((records.ahead > 0) & (records.ahead <= 1)).all()
    assert (records.ahead != records.label).mean() > 0.1
    assert np.corrcoef(records.ahead, records.label)[0, 1] > 0.5
    assert (chances >= 0).all()


@pytest.mark.parametrize("parameters", [None, stored_parameters()], ids=["by safety", "looking ahead"])
def test_records_do_not_depend_on_threads_or_on_what_was_played_before(parameters):
    once, chances = learning.self_play(EXPERT, 230, parameters=parameters, seed=4)
    again, same = learning.self_play(EXPERT, 230, parameters=parameters, seed=4, threads=2)
    assert (chances == same).all()
    assert all((first == second).all() for first, second in zip(once, again, strict=True))
    part, last = learning.self_play(EXPERT, 30, parameters=parameters, seed=4, first=200)
    assert (last == chances[200:]).all()
    assert (part.figures == once.figures[len(once.label) - len(part.label) :]).all()


def test_records_have_the_form_that_is_said(records):
    number = len(records.label)
    assert number > 500
    assert len(records.figures) == number == len(records.class_start) - 1 == len(records.part_start) - 1
    assert records.class_start[-1] == len(records.classes) == len(records.counts)
    assert records.part_start[-1] == len(records.traits)
    assert (records.counts > 0).all()
    assert records.classes.max() < SHAPES["table"][0]
    joined = learning.join([records, records])
    assert joined.class_start[number] == len(records.classes)
    assert (np.diff(joined.part_start) == np.tile(np.diff(records.part_start), 2)).all()


SCRIPT = """
import json
from minesolve.engine import learning
from minesolve.engine.value import stored_parameters
found = []
for parameters in (None, stored_parameters()):
    records, chances = learning.self_play(learning.Level(6, 5, 7, 0, "safe"), 4, parameters=parameters)
    found.append([chances.tolist(), records.label.tolist(), records.figures.ravel().tolist(), records.classes.tolist()])
print(json.dumps(found))
"""


def test_without_compiling_games_are_the_same():
    compiled, plain = (
        json.loads(subprocess.run([sys.executable, "-W", "error", "-c", SCRIPT], env=environment(changes), text=True,
                                  capture_output=True, check=True).stdout)
        for changes in ({}, {"NUMBA_DISABLE_JIT": "1"})
    )  # fmt: skip
    for one, other in zip(chain(*compiled), chain(*plain), strict=True):
        assert len(one) > 2
        assert one == pytest.approx(other, rel=1e-6)


# --- the descent ---


def random_parameters(seed):
    """Return parameters in which every part of the model has a say, and their flat array."""
    rng, (parameters, flat) = np.random.default_rng(seed), allocate_parameters()
    flat[:] = rng.normal(0, 0.15, len(flat))
    parameters.table[:] *= 0.2
    parameters.middle[:], parameters.spread[:] = stored_parameters().middle, stored_parameters().spread
    return parameters, flat


def test_gradients_are_finite_differences(records):
    parameters, flat = random_parameters(1)
    gradients, gradient = allocate_parameters()
    value, sums = allocate_value(64, parameters), allocate_value(64, gradients)
    which = np.arange(0, len(records.label), 40)
    target = np.random.default_rng(2).random(len(records.label)).astype(np.float32)
    learning.add_gradients(value, sums, records, target, which)
    found = gradient.copy()
    names = np.concatenate([np.full(int(np.prod(shape)), k) for k, shape in enumerate(SHAPES.values())])
    rng, checked = np.random.default_rng(3), set()
    for k, name in enumerate(SHAPES):
        if name in ("middle", "spread"):
            assert (found[names == k] == 0).all()
            continue
        some = rng.permutation(np.flatnonzero((names == k) & (found != 0)))[:12]
        for i in some:
            losses, h = [], 1e-6
            for sign in (1, -1):
                flat[i] += sign * h
                losses.append(learning.add_gradients(value, sums, records, target, which))
                flat[i] -= sign * h
            assert found[i] == pytest.approx((losses[0] - losses[1]) / (2 * h), rel=1e-3, abs=1e-5), name
            checked.add(name)
    assert checked == set(SHAPES) - {"middle", "spread"}


def test_a_step_of_adam():
    """Against the formulas of the paper, three steps."""
    rng = np.random.default_rng(4)
    flat, decay = rng.normal(size=7), np.array([0.1, 0, 0, 0.1, 0, 0, 0])
    plain, m, v = flat.copy(), np.zeros(7), np.zeros(7)
    mean, square = np.zeros(7), np.zeros(7)
    for step in (1, 2, 3):
        gradient = rng.normal(size=7)
        g = gradient / 5 + decay * plain
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        plain -= 0.01 * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
        learning.descend(flat, gradient, mean, square, decay, 0.01, step, 5)
        assert (gradient == 0).all()
        assert flat == pytest.approx(plain, rel=1e-12)


def test_fitting_learns_something():
    records, _ = learning.self_play(EXPERT, 3000, seed=6)
    apart = learning.held_out(records)
    assert 0.02 < apart.mean() < 0.08
    training, testing = np.flatnonzero(~apart), np.flatnonzero(apart)
    begin = learning.first_parameters(records, seed=1)
    found = learning.fit(records, records.label, begin, which=training, epochs=3, batch=64)
    constant = np.mean((records.label[testing] - records.label[training].mean()) ** 2)
    errors = [learning.mean_squared_error(p, records, records.label, testing) for p in (begin, found)]
    assert errors[1] < 0.9 * constant
    assert errors[1] < errors[0]
    again = learning.fit(records, records.label, begin, which=training, epochs=3, batch=64)
    assert all((a == b).all() for a, b in zip(found, again, strict=True))
    assert isinstance(found, Parameters)
    assert (found.middle == begin.middle).all()
