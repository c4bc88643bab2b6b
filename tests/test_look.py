"""Looking ahead: exact chances against the solver, scores against a plain computation, advice against whole games."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from conftest import ROOT, environment
from engine_kernels import examine
from random_positions import dotted, samples

from minesolve import Position, analyse, engine
from minesolve.draws import LARGEST_RANGE
from minesolve.engine import advising, judging
from minesolve.engine.guessing import POLICIES, SETTINGS
from minesolve.errors import BudgetExceeded, Contradiction, InvalidPosition
from minesolve.playing import play, play_boards
from minesolve.policy import strong
from minesolve.position import MINE
from minesolve.request import OUTCOMES, Request

STUCK = [json.loads(line) for line in (ROOT / "corpora/positions/stuck-expert.jsonl").read_text("utf-8").splitlines()]

ONE_STEP = SETTINGS["lookahead"]._replace(layouts=0)


def stuck_positions():
    """Yield positions without a certain move, small and large, and what the solver says; forced mines are shown."""
    several = [s.position.with_mines(len(s.mines)) for s in (*samples(700, 41, most=13, spoil=0), *dotted(120, 42))]
    several += [Position.from_text(case["text"], case["mines"]) for case in STUCK[:40]]
    for position in several:
        found = analyse(position)
        if not found.safe and found.layouts > 1:
            yield shown(position, found.mines), found


def shown(position, mines):
    codes = bytearray(position.cells)
    for cell in mines:
        codes[cell] = MINE
    return Position(position.width, position.height, bytes(codes), position.mines)


def numbers_of(position, cell):
    """Yield the numbers that a cell may show with the share of all layouts in which it does, and what is said then."""
    whole = analyse(position).layouts
    known = sum(position.cells[n] == MINE for n in position.grid.neighbours(cell))
    for more in range(9 - known):
        try:
            after = analyse(position.with_opened(cell, known + more))
            share = Fraction(after.layouts, whole)
        except (Contradiction, InvalidPosition):
            continue
        yield more, share, after


def test_chances_of_numbers_are_the_solvers():
    met = 0
    for position, _ in stuck_positions():
        seen = examine(position)
        logs = seen.numbers[:, :, 0]
        for i, cell in enumerate(seen.cells.tolist()):
            expected = {more: share for more, share, _ in numbers_of(position, cell)}
            assert sum(expected.values()) == 1 - analyse(position).chances[cell]
            for more in range(9):
                found = math.exp(logs[i, more] - seen.layouts)
                assert found == pytest.approx(float(expected.get(more, 0)), rel=1e-9), (position.to_text(), cell, more)
        met += 1
        if met == 130:
            break
    assert met >= 100


def test_logarithms_of_layouts_are_those_of_exact_counts():
    met = 0
    for position, found in stuck_positions():
        assert examine(position, most=0).layouts == pytest.approx(math.log(found.layouts), rel=1e-12, abs=1e-12)
        met += 1
    assert met > 150
    empty = Position(60, 35, bytes([9]) * 2100, 540)
    assert examine(empty, most=0).layouts == pytest.approx(math.log(math.comb(2100, 540)), rel=1e-12)


def safeties(found):
    return sorted((1 - chance for chance in found.chances if chance is not None), reverse=True)


def judged(position, cell):
    """Return (value, near, follow-up) of a cell from the solver's figures and the model's word on what follows."""
    value = near = follow = 0.0
    for more, share, after in numbers_of(position, cell):
        first, *others = safeties(after) or [Fraction(1)]
        second = others[0] if others else Fraction(0)
        known = sum(position.cells[n] == MINE for n in position.grid.neighbours(cell))
        worth = 1.0
        if after.layouts > 1:
            worth = examine(position.with_opened(cell, known + more), settled=False, most=0).worth
            near += float(share * (4 * first + second) / 5)
        else:
            near += float(share)
        value += float(share) * worth
        follow += float(share) * (first == 1 or after.layouts == 1)
    return value, near, follow


def test_scores_against_a_plain_computation(monkeypatch):
    """Candidates, values and ranks, again in Python from the solver's exact figures."""
    met, settings = 0, ONE_STEP
    monkeypatch.setitem(SETTINGS, "one step", ONE_STEP)
    for position, found in stuck_positions():
        advice = engine.advise(position, policy="one step")
        assert set(advice.cells.tolist()) == set(candidates_twin(position, found))
        figures = {cell: judged(position, cell) for cell in advice.cells.tolist()}
        top, top_near = (max(f[k] for f in figures.values()) for k in (0, 1))
        scores = []
        for i, cell in enumerate(advice.cells.tolist()):
            value, near, follow = figures[cell]
            score = (1 - settings.near) * value + settings.near * top * near / top_near
            scores.append(min(score, 1 - float(found.chances[cell])))
            assert advice.wins[i] == pytest.approx(scores[-1], rel=1e-7)
            assert advice.follow_ups[i] == pytest.approx(follow, rel=1e-9, abs=1e-12)
            assert advice.chances[i] == pytest.approx(float(found.chances[cell]), rel=1e-9)
        assert all(a >= b - 1e-7 for a, b in pairwise(scores))
        met += 1
        if met == 60:
            break
    assert met == 60


def candidates_twin(position, found):
    """Return the promising cells, the safest first, from exact chances."""
    settings, grid = ONE_STEP, position.grid
    open_ = {cell: chance for cell, chance in enumerate(found.chances) if chance is not None and chance < 1}
    limit = 1 - Fraction(85, 100) * (1 - min(open_.values()))
    good = {cell: chance for cell, chance in open_.items() if chance <= limit}
    inside = [cell for cell in good if any(position.cells[n] <= 8 for n in grid.neighbours(cell))]
    kinds = {0: [], 1: [], 2: [], 3: []}
    for cell in good.keys() - set(inside):
        covered = sum(position.cells[n] not in range(9) and position.cells[n] != MINE for n in grid.neighbours(cell))
        x, y = cell % position.width, cell // position.width
        near = any(code <= 8 and max(abs(n % position.width - x), abs(n // position.width - y)) == 2
                   for n, code in enumerate(position.cells))  # fmt: skip
        kinds[0 if covered <= 3 else 1 if covered <= 5 else 2 if near else 3].append(cell)
    outside = [cell for kind in (0, 1, 2) for cell in sorted(kinds[kind])][: settings.outside]
    outside = outside or sorted(kinds[3])[:1]
    return sorted([*sorted(inside), *outside], key=lambda cell: good[cell])[: settings.most]


# --- two steps ---


def blended(values, nears, chances, weight):
    """Return scores, as they are defined."""
    top, top_near = max(values), max(nears)
    return [min((1 - weight) * value + weight * top * near / top_near, 1 - chance)
            for value, near, chance in zip(values, nears, chances, strict=True)]  # fmt: skip


def best_next(position, settings):
    """Return which of the next guesses is best, and all of them."""
    seen = examine(position, "lookahead", settled=False, most=settings.inner)
    scores = blended(seen.value, seen.near, seen.chance, settings.near)
    close = [i for i, score in enumerate(scores) if score > max(scores) - 1e-8]
    return min(close, key=lambda i: (round(seen.chance[i], 9), seen.cells[i])), seen


def deep_value(position, cell, settings):
    """Return the value of a cell when it is looked two steps ahead."""
    value = 0.0
    known = sum(position.cells[n] == MINE for n in position.grid.neighbours(cell))
    for more, share, after in numbers_of(position, cell):
        worth = 1.0
        if after.layouts > 1:
            following = position.with_opened(cell, known + more)
            if after.safe:
                worth = examine(following, settled=False, most=0).worth
            else:
                best, seen = best_next(following, settings)
                worth = seen.value[best]
        value += float(share) * worth
    return value


def deep_scores(position, seen, settings):
    """Return the scores of all candidates, and which of them were looked at two steps ahead."""
    values, deep, rest = list(seen.value), [], list(range(len(seen.cells)))
    scores = blended(values, seen.near, seen.chance, settings.near)
    first, second = sorted(scores, reverse=True)[:2]
    while rest and second >= first - settings.margin:
        following = max(rest, key=lambda i: (round(scores[i], 8), -round(seen.chance[i], 9), -seen.cells[i]))
        best = max((scores[i] for i in deep), default=0)
        enough = len(deep) >= settings.deep or scores[following] < best - settings.margin
        if deep and enough and scores[following] <= best:
            break
        values[following] = deep_value(position, seen.cells[following], settings)
        rest.remove(following)
        deep.append(following)
        scores = blended(values, seen.near, seen.chance, settings.near)
    return scores, deep


@pytest.mark.parametrize("effort", [1, 2])
def test_two_steps_are_one_step_after_another(effort):
    met, depths, settings = 0, set(), SETTINGS["strong" if effort == 1 else f"strong:{effort}"]
    for case in STUCK:
        found = analyse(Position.from_text(case["text"], case["mines"]))
        position = shown(found.position, found.mines)
        advice = engine.advise(position, policy="strong", effort=effort)
        if advice.exact or len(advice.cells) < 2:
            continue
        seen = examine(position)
        scores, deep = deep_scores(position, seen, settings)
        expected = dict(zip(seen.cells.tolist(), scores, strict=True))
        assert set(advice.cells.tolist()) == set(expected)
        for cell, win in zip(advice.cells.tolist(), advice.wins, strict=True):
            assert win == pytest.approx(expected[cell], rel=1e-7)
        assert all(a >= b - 1e-8 for a, b in pairwise(advice.wins))
        depths.add(len(deep))
        met += 1
        if met == 6:
            break
    assert met == 6
    assert max(depths) > 1


# --- advice and whole games ---

BOARDS = [(30, 16, 99, 0, "safe"), (9, 9, 20, 40, "opening"), (16, 5, 20, None, "any"), (5, 12, 14, 7, "safe")]


@pytest.mark.parametrize("board", BOARDS, ids=str)
@pytest.mark.parametrize(("effort", "count"), [(1, 6), (2, 3)])
def test_advice_is_what_games_play(board, effort, count):
    """Each game again, one position at a time by advice: the same end after the same guesses."""
    asked = Request(*board, 11, OUTCOMES, (0, LARGEST_RANGE))
    games = play_boards(asked, "strong" if effort == 1 else f"strong:{effort}", 0, count)
    for i in range(count):
        played = play(*asked.draw(i), lambda position: strong(position, effort))
        assert (played.end, played.guesses) == (games.ends[i], games.guesses[i])
        assert played.survival == pytest.approx(games.survival[i], rel=1e-9)


@pytest.mark.parametrize("policy", POLICIES)
def test_games_do_not_depend_on_capacity_or_on_what_was_played_before(policy):
    count = {"strong": 5, "strong:2": 3}.get(policy, 15)
    games = engine.play_boards(30, 16, 99, start=0, count=count, seed=3, first_click="safe", policy=policy)
    again = engine.play_boards(30, 16, 99, start=0, count=1, seed=3, first=count - 1, first_click="safe", policy=policy)
    _, mask = engine.draw_minefield(30, 16, 99, start=0, seed=3, index=count - 1, first_click="safe")
    laid = engine.play_minefield(mask, 0, policy=policy, seed=3, index=count - 1)
    for other in (again, laid):
        assert [getattr(other, name)[0] for name in other.__slots__] == [
            getattr(games, name)[-1] for name in games.__slots__
        ]


SCRIPT = """
import json
from minesolve import engine
for policy in ("lookahead", "strong", "strong:2"):
    games = engine.play_boards(5, 5, 6, start=0, count=6, seed=2, first_click="safe", policy=policy)
    print(json.dumps([games.ends.tolist(), games.guesses.tolist(), games.survival.tolist()]))
"""


@pytest.mark.slow
def test_without_compiling_games_are_the_same():
    compiled, plain = (
        [json.loads(line) for line in subprocess.run(
            [sys.executable, "-W", "error", "-c", SCRIPT], env=environment(changes), text=True, capture_output=True,
            check=True).stdout.splitlines()]
        for changes in ({}, {"NUMBA_DISABLE_JIT": "1"})
    )  # fmt: skip
    assert sum(compiled[1][1]) > 4
    for one, other in zip(compiled, plain, strict=True):
        assert one[:2] == other[:2]
        assert one[2] == pytest.approx(other[2], rel=1e-9)


def test_arrays_that_are_too_small_are_not_guessed_with():
    """Games that small arrays can't hold are played on with larger ones, and end as they do there."""
    from minesolve.engine import games as module

    capacities = module.CAPACITIES
    expected = engine.play_boards(16, 16, 60, start=0, count=12, policy="strong", first_click="safe")
    try:
        module.CAPACITIES = (1 << 6,)
        alone = engine.play_boards(16, 16, 60, start=0, count=12, policy="strong", first_click="safe")
        module.CAPACITIES = (1 << 6, *capacities)
        found = engine.play_boards(16, 16, 60, start=0, count=12, policy="strong", first_click="safe")
    finally:
        module.CAPACITIES = capacities
    assert (alone.ends < 0).any()
    assert (found.ends == expected.ends).all()
    assert (found.survival == expected.survival).all()


def test_the_board_is_put_back_bit_for_bit():
    for position, _ in list(stuck_positions())[::6]:
        seen = examine(position)
        board, kept = seen.desk.board, seen.look.step.kept
        before = examine(position, most=0)
        fresh = [array.copy() for array in (before.look.step.kept.words, before.look.step.kept.status,
                                            before.look.step.kept.count)]  # fmt: skip
        examine(position)
        assert all((a == b).all() for a, b in zip(fresh, (board.words, board.status, board.count), strict=True))
        active = board.count[1]
        assert (board.active[:active] == kept.active[:active]).all()


def test_an_exact_end_shows_every_cell():
    position = Position.from_text("#####\n#1###\n#3###\n#####", mines=5)
    found, advice = analyse(position).best_play(), engine.advise(position)
    assert advice.exact
    assert advice.layouts == found.layouts == 360
    assert {cell: Fraction(int(won), 360) for cell, won in zip(advice.cells.tolist(), advice.won, strict=True)} == found.moves
    assert (advice.wins == advice.won / 360).all()
    assert (np.diff(advice.won) <= 0).all()


def test_an_exact_end_that_takes_too_long_for_all_cells_shows_the_best(monkeypatch):
    position = Position.from_text("#####\n#1###\n#3###\n#####", mines=5)
    whole, sets, exact = engine.advise(position), 0, False
    while not exact:  # as many sets as are enough for the best cell
        sets += 1
        monkeypatch.setitem(SETTINGS, "strong", SETTINGS["strong"]._replace(sets=sets))
        best = engine.advise(position)
        exact = best.exact
    assert (best.exact, best.cells.tolist(), best.won.tolist(), best.layouts) == (True, [2], [285], 360)
    for name in ("cells", "chances", "follow_ups", "wins"):
        assert getattr(best, name).tolist() == getattr(whole, name)[:1].tolist()


@pytest.mark.parametrize(("text", "mines", "how", "error", "says"), [
    ("1##\n###", 2, {"policy": "safest"}, ValueError, "no policy safest looks ahead"),
    ("1##\n###", 2, {"policy": "lookahead", "effort": 2}, ValueError, "no policy lookahead:2"),
    ("1##\n###", 2, {"effort": 3}, ValueError, "no policy strong:3"),
    ("1##\n###", None, {}, ValueError, "takes the mine total"),
    ("11111\n#####", 2, {}, ValueError, "certainly safe"),
    ("#1##1#", 3, {}, Contradiction, "no layout"),
    ("4#\n##", 4, {}, InvalidPosition, "3 covered cells"),
])  # fmt: skip
def test_what_cannot_be_advised(text, mines, how, error, says):
    with pytest.raises(error, match=says):
        engine.advise(Position.from_text(text, mines=mines), **how)


def test_what_is_too_wide_is_said(monkeypatch):
    monkeypatch.setattr(advising, "desk_for", lambda w, h, capacity: judging.desk_for(w, h, capacity, 2))
    with pytest.raises(BudgetExceeded, match="too wide"):
        engine.advise(Position.from_text(STUCK[0]["text"], STUCK[0]["mines"]))
    monkeypatch.setattr(advising, "desk_for", lambda w, h, _: judging.desk_for(w, h, 16))
    with pytest.raises(BudgetExceeded, match="states"):
        engine.advise(Position.from_text(STUCK[0]["text"], STUCK[0]["mines"]))
