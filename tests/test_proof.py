"""Proofs, their certificates and grades: against enumeration, against the engine, and against tampering."""

from __future__ import annotations

import copy
import json
import random
from itertools import combinations, product

import engine_twin
import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

import minesolve
from minesolve import engine
from minesolve.formats import jsonl
from minesolve.grade import GRADES, POINTS, grade, points
from minesolve.levels import LEVELS
from minesolve.minefield import Minefield, draw, legal_cells
from minesolve.position import COVERED, FLAG, Position
from minesolve.proof import CERTAIN_LAYERS, check_certificate, verify
from minesolve.request import OUTCOMES
from minesolve.solve.analysis import analyse

LAYERS = dict(enumerate(OUTCOMES))


def small_boards(count, seed, cells=22):
    """Yield (minefield, start) of odd shapes."""
    random_ = random.Random(seed)
    while count:
        width, height = random_.randint(1, 8), random_.randint(1, 8)
        if not 2 <= width * height <= cells:
            continue
        start = random_.randrange(width * height)
        legal = legal_cells(width, height, start, random_.choice(["opening", "safe"]))
        mines = random_.sample(legal, random_.randint(0, min(len(legal), max(1, width * height // 3), 6)))
        yield Minefield.from_cells(width, height, mines), start
        count -= 1


def level_boards(name, count, seed=3):
    level = LEVELS[name]
    for index in range(count):
        yield draw(level.width, level.height, level.mines, seed=seed, index=index)


# The verdict


def test_layers_and_steps_are_those_of_the_definition():
    seen = set()
    for minefield, start in small_boards(250, seed=11):
        player = engine_twin.Player(minefield.width, minefield.height, set(minefield.mine_cells))
        layer, steps = player.play([start], 4)
        proof = verify(minefield, start)
        assert proof.ok == (layer >= 0)
        if proof.ok:
            assert (proof.layer, list(proof.steps.values())) == (LAYERS[layer], steps), minefield
        seen.add(proof.layer)
    assert seen >= {None, "none", "single", "pair", "total"}


@pytest.mark.parametrize(("name", "count"), [("beginner", 120), ("intermediate", 60), ("expert", 40)])
def test_the_engine_and_the_solver_find_the_same(name, count):
    compare(name, count)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(LEVELS))
def test_the_engine_and_the_solver_find_the_same_on_many_boards(name):
    compare(name, 1500)


def compare(name, count):
    level = LEVELS[name]
    start = level.height // 2 * level.width + level.width // 2
    found = engine.judge_boards(level.width, level.height, level.mines, start=start, count=count, seed=3)
    layers = set()
    for index, (minefield, _) in enumerate(level_boards(name, count)):
        proof = verify(minefield, start)
        assert proof.ok == (found.layers[index] >= 0)
        if proof.ok:
            assert proof.layer == LAYERS[found.layers[index]]
            assert list(proof.steps.values()) == found.steps[index].tolist()
            assert proof.widest == found.widest[index]
        layers.add(proof.layer)
    assert layers >= {None, "pair", "total"}


def test_where_a_board_is_stuck_no_cell_is_safe_and_all_flags_are_right():
    stuck = 0
    for minefield, start in level_boards("intermediate", 40):
        position = verify(minefield, start).stuck
        if position is None:
            continue
        stuck += 1
        assert not analyse(position).safe
        flags = {cell for cell, code in enumerate(position.cells) if code == FLAG}
        assert flags <= set(minefield.mine_cells)
        assert flags == analyse(position).mines
    assert stuck > 5


def test_public_cases_get_their_verdict_from_both():
    with open(ROOT / "corpora/noguess/public.jsonl", "rb") as file:
        boards = list(jsonl.read(file))
    assert len(boards) == 15
    for board in boards:
        minefield, known = board.minefield, board.metadata
        opened = [board.start] if board.start is not None else [c for c, n in enumerate(board.position.cells) if n <= 8]
        mask = np.frombuffer(minefield.mines, dtype=bool).reshape(minefield.height, minefield.width)
        proof = verify(minefield, opened=opened)
        layer, steps, bbbv = engine.judge_minefield(mask, opened)
        assert proof.ok == (layer >= 0) == (known["verdict"] == "solved"), known["id"]
        if not proof.ok:
            bare = [row.replace("F", "#") for row in proof.stuck.to_text().split("\n\n")[1].split()]
            assert bare == known["stuck_position"], known["id"]
            continue
        assert (proof.layer, list(proof.steps.values())) == (LAYERS[layer], steps.tolist())
        assert (proof.layer != "total") == (known["verdict_ignoring_total"] == "solved"), known["id"]
        assert (proof.layer != "total") == (engine.judge_minefield(mask, opened, max_layer=3)[0] >= 0)
        assert bbbv == known["bbbv"]
        assert check_certificate(minefield, proof.certificate, opened=opened)


def test_a_start_on_a_mine_is_a_guess():
    minefield = Minefield.from_text("*..\n...")
    proof = verify(minefield, 0)
    assert (proof.ok, proof.layer, proof.grade, proof.certificate) == (False, None, None, None)
    assert proof.stuck.cells.count(9) == 6


def test_a_board_may_begin_with_any_cells_open_or_none():
    minefield = Minefield.from_text("*.\n..")
    assert not verify(minefield, opened=[]).ok
    assert not verify(minefield, opened=[3]).ok
    assert not verify(minefield, opened=[3, 1]).ok
    assert verify(minefield, opened=[3, 1, 2]).layer == "none"
    assert verify(Minefield.from_text("size: 2x2\n\n..\n.."), opened=[]).layer == "total"


@pytest.mark.parametrize("arguments", [{}, {"start": 0, "opened": [0]}, {"start": 9}, {"opened": [-1]}, {"start": "r9c9"},
                                       {"start": "random"}])
def test_what_makes_no_sense_is_refused(arguments):
    with pytest.raises(ValueError, match=r"start|cell|board"):
        verify(Minefield.from_text("*.\n.."), **arguments)


# Certificates


def proofs(count, seed=5):
    """Yield proofs of boards that need some reasoning."""
    for minefield, start in [*level_boards("beginner", count, seed), *level_boards("expert", count // 2, seed),
                             *small_boards(3 * count, seed)]:
        proof = verify(minefield, start)
        if proof.ok and proof.layer != "none":
            yield proof


def test_certificates_are_right_and_stay_so_as_json():
    checked, layers = 0, set()
    for proof in proofs(40):
        certificate = json.loads(json.dumps(proof.certificate))
        assert certificate == proof.certificate
        found = check_certificate(proof.minefield, certificate, opened=proof.opened)
        assert found, (found, proof)
        checked += 1
        layers |= {step["layer"] for step in certificate[1:]}
    assert checked > 60
    assert layers == set(CERTAIN_LAYERS)


def tampered(certificate, random_):
    """Yield what is surely wrong, each with what was done to it."""
    steps = range(1, len(certificate))
    safe = [i for i in steps if certificate[i]["verdict"] == "safe"]
    mines = [i for i in steps if certificate[i]["verdict"] == "mine"]

    def changed(i, **values):
        copied = copy.deepcopy(certificate)
        copied[i].update(values)
        return copied

    for i in random_.sample(safe, min(3, len(safe))):
        yield "left out", certificate[:i] + certificate[i + 1 :]
        yield "twice", certificate[: i + 1] + certificate[i:]
        yield "other verdict", changed(i, verdict="mine")
        yield "other numbers", changed(i, revealed={**certificate[i]["revealed"], certificate[i]["cells"][0]: 9})
        yield "no numbers", changed(i, revealed={})
        yield "no cells", changed(i, cells=[])
        yield "without reason", changed(i, premises=[], uses_total=False)
        yield "premise covered", changed(i, premises=[*certificate[i]["premises"], certificate[i]["cells"][0]])
        yield "of no board", changed(i, cells=["r99c1"])
        yield "garbled", changed(i, premises="r1c1")
    for i in random_.sample(mines, min(2, len(mines))):
        yield "needed mine left out", certificate[:i] + certificate[i + 1 :]
        yield "not safe", changed(i, verdict="safe", revealed={})
    yield "end left out", certificate[: safe[-1]]
    yield "start left out", certificate[1:]
    yield "nothing", []
    yield "no list", {"steps": certificate}
    yield "no steps", [1, 2]


def test_tampered_certificates_are_refused():
    random_ = random.Random(1)
    for proof in proofs(12, seed=8):
        for what, certificate in tampered(proof.certificate, random_):
            found = check_certificate(proof.minefield, certificate)
            assert not found, (what, proof)
            assert found.reason


def test_a_certificate_is_of_one_start_and_one_minefield():
    proof = next(proofs(10))
    assert not check_certificate(proof.minefield, proof.certificate, opened=[*proof.opened, 0, 1])
    others = [other for other in proofs(12) if other.minefield != proof.minefield]
    assert not any(check_certificate(other.minefield, proof.certificate) for other in others)


def follows(minefield, opened, premises, known, cell, mine, uses_total):
    """Say by trying all layouts whether a covered cell follows."""
    grid = minefield.grid
    covered = [c for c in range(len(grid)) if c not in opened]
    for chosen in product((False, True), repeat=len(covered)):
        layout = {c for c, here in zip(covered, chosen, strict=True) if here}
        if (
            known <= layout
            and (not uses_total or len(layout) == minefield.total)
            and all(len(layout.intersection(grid.neighbours(p))) == opened[p] for p in premises)
            and (cell in layout) != mine
        ):
            return False
    return True


def test_steps_are_let_through_exactly_if_they_follow():
    random_, accepted = random.Random(4), 0
    for minefield, _ in small_boards(1200, seed=2, cells=12):
        grid = minefield.grid
        free = [c for c in range(len(grid)) if not minefield.mines[c]]
        start = [c for c in free if random_.random() < 0.5]
        opened, waiting = {}, list(start)
        while waiting:
            cell = waiting.pop()
            if cell not in opened:
                opened[cell] = minefield.number(cell)
                waiting += grid.neighbours(cell) if opened[cell] == 0 else ()
        covered = [c for c in range(len(grid)) if c not in opened]
        if not start or not covered:
            continue
        premises = [c for c in opened if random_.random() < 0.8]
        cell, total = random_.choice(covered), random_.random() < 0.5
        mine = random_.random() < 0.5 if random_.random() < 0.2 else bool(minefield.mines[cell])
        names, verdict = grid.names, "mine" if mine else "safe"
        certificate = [
            {"verdict": "start", "cells": names(start), "revealed": {grid.name(c): n for c, n in opened.items()}},
            {"verdict": verdict, "cells": names([cell]), "premises": names(premises), "uses_total": total},
        ]
        found = check_certificate(minefield, certificate)
        refused = found.step == 1 and found.reason.endswith(f"need not be {'a mine' if mine else 'safe'}")
        assert refused != follows(minefield, opened, premises, set(), cell, mine, total), certificate
        accepted += not refused
    assert 100 < accepted < 900


def test_steps_with_many_premises_are_judged_as_the_solver_does():
    """All numbers along a wall of 41 cells in one step, with the total and without."""
    random_, verdicts = random.Random(6), set()
    for _ in range(40):
        # the same pair all along leaves two layouts, of the same total; any other row is settled from its ends
        pairs = [random_.choice(["*.", ".*"])] if random_.random() < 0.5 else ["*.", ".*", "**"]
        row = "*".join(random_.choice(pairs) for _ in range(14))
        wall = Minefield.from_text("\n".join(["size: 41x3", "", "." * 41, "." * 41, row]))
        grid = wall.grid
        start = {"verdict": "start", "cells": grid.names(range(82)),
                 "revealed": {grid.name(c): wall.number(c) for c in range(82)}}
        position = Position(41, 3, bytes([*map(wall.number, range(82)), *[COVERED] * 41]), wall.total)
        for total in (False, True):
            analysis = analyse(position, up_to="total" if total else "component")
            for cell in random_.sample(range(82, 123), 10):
                mine = bool(wall.mines[cell])
                step = {"verdict": "mine" if mine else "safe", "cells": [grid.name(cell)], "uses_total": total,
                        "premises": grid.names(range(41, 82))}
                found = check_certificate(wall, [start, step])
                forced = cell in (analysis.mines if mine else analysis.safe)
                assert forced != ("need not be" in found.reason), (row, cell)
                verdicts.add((total, mine, forced))
    assert len(verdicts) == 8


# Grades


counts = st.dictionaries(st.sampled_from(CERTAIN_LAYERS), st.integers(0, 60))
RANKS = list(GRADES)


@given(steps=counts, widest=st.integers(0, 90), layer=st.sampled_from(CERTAIN_LAYERS), more=st.integers(1, 20))
def test_more_or_harder_or_wider_steps_never_lower_the_grade(steps, widest, layer, more):
    before = RANKS.index(grade(steps, widest))
    assert RANKS.index(grade({**steps, layer: steps.get(layer, 0) + more}, widest)) >= before
    assert RANKS.index(grade(steps, widest + more)) >= before
    for easier, harder in combinations(CERTAIN_LAYERS, 2):
        if steps.get(easier, 0):
            swapped = {**steps, easier: steps[easier] - 1, harder: steps.get(harder, 0) + 1}
            assert RANKS.index(grade(swapped, widest)) >= before


def test_all_grades_are_reached_and_single_steps_alone_are_trivial():
    assert {grade({"pair": n}, 2) for n in range(60)} == set(GRADES)
    assert grade({"single": 1000}, 1) == "trivial"
    assert points({"pair": 1, "component": 1, "total": 1}, 14) == sum(POINTS.values()) + 3


@pytest.mark.parametrize("arguments", [({"chance": 1}, 1), ({"pair": -1}, 1), ({}, -1)])
def test_grades_of_nonsense_are_refused(arguments):
    with pytest.raises(ValueError, match="expected counts"):
        grade(*arguments)


def test_public_names():
    assert minesolve.verify is verify
    assert minesolve.verify(Minefield.from_text("..*\n..."), start="corner").ok is False
