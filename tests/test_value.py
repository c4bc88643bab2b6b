"""What a position is worth: what the model sees against the solver, what it says against the formula."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from conftest import ROOT
from engine_kernels import examine
from random_positions import dotted, samples

from minesolve import Position, analyse
from minesolve.engine import value as model
from minesolve.engine.value import FIGURE_NAMES, SHAPES, allocate_parameters, load_parameters
from minesolve.solve.constraints import System, system_of
from minesolve.solve.layouts import Layouts

STUCK = [json.loads(line) for line in (ROOT / "corpora/positions/stuck-expert.jsonl").read_text("utf-8").splitlines()]
FIGURE = list(FIGURE_NAMES).index


def positions():
    """Yield small positions of all kinds and large ones without a certain move, with what the solver says."""
    several = [s.position.with_mines(len(s.mines)) for s in (*samples(330, 31, most=14, spoil=0), *dotted(60, 32))]
    several += [Position.from_text(case["text"], case["mines"]) for case in STUCK[:60]]
    for position in several:
        found = analyse(position)
        if found.layouts > 1:
            yield position, found


def beside(position, cell):
    """Return whether a cell is beside an open number, as the frontier is once all that is certain is known."""
    return any(position.cells[n] <= 8 for n in position.grid.neighbours(cell))


def forced(position, found):
    """Return {cell: chance} of all covered cells, exact."""
    return {cell: chance for cell, chance in enumerate(found.chances) if chance is not None}


def test_figures_are_what_the_solver_says():
    met = 0
    for position, found in positions():
        figures = examine_root(position).figures
        chances = forced(position, found)
        open_ = {cell: chance for cell, chance in chances.items() if 0 < chance < 1}
        inside = {cell for cell in open_ if beside(position, cell)}
        safeties = sorted((1 - chance for chance in open_.values()), reverse=True) + [Fraction(0)] * 3
        sure = sum(chance == 0 for chance in chances.values())
        outside = [chance for cell, chance in open_.items() if cell not in inside]
        squares = sum(chance * (1 - chance) for chance in open_.values())
        shown = sum(code == 11 for code in position.cells)
        expected = {
            "undecided": len(open_), "outside": len(outside), "inside": len(inside), "sure": min(sure, 12),
            "any sure": sure > 0, "first": safeties[0], "second": safeties[1], "third": safeties[2],
            "outside chance": outside[0] if outside else squares / len(open_), "squares": squares,
            "layouts": math.log(found.layouts), "log layouts": math.log(1 + math.log(found.layouts)),
            "inner first": max((1 - open_[cell] for cell in inside), default=0), "no outside": not outside,
            "share": len(open_) / len(position.cells), "sure share": sure / (sure + len(open_) + 1),
            "mines": position.mines - shown - sum(chance == 1 for chance in chances.values()),
        }  # fmt: skip
        entropy = sum(-q * math.log(q) - (1 - q) * math.log(1 - q) for q in (float(open_[cell]) for cell in inside))
        expected["entropy"] = entropy
        for name, figure in expected.items():
            assert figures[FIGURE(name)] == pytest.approx(float(figure), rel=1e-9, abs=1e-9), (name, position.to_text())
        met += 1
    assert met > 200


def examine_root(position):
    """Return what is seen of the position itself."""
    return examine(position, most=0).look.value


def test_classes_are_those_of_the_definition():
    """Cells by chance and surroundings, pairs by chances and the cells that may tell; counted with exact chances."""
    kinds = Counter()
    for position, found in positions():
        value = examine_root(position)
        number = value.length[model.CLASSES_MET]
        seen = dict(zip(value.classes[:number].tolist(), value.counts[:number].tolist(), strict=True))
        expected, pairs = classes_twin(position, forced(position, found))
        assert seen == expected, position.to_text()
        for name, figure in pairs.items():
            assert value.figures[FIGURE(name)] == pytest.approx(float(figure), abs=1e-9), name
        kinds.update(expected)
    assert len(kinds) > 300


RISKS = [Fraction(text) for text in ("0.03", "0.08", "0.15", "0.22", "0.3", "0.4", "0.5", "0.65", "0.85")]


def classes_twin(position, chances):
    """Return {class: times} and the figures of pairs."""
    found, alike = Counter(), boxes(position, chances)
    pairs = dict.fromkeys(("pairs", "pair risk", "narrow", "tight"), Fraction(0))

    def chance_at(x, y):
        """A chance, "wall" off the board and on shown mines, or "open"."""
        if not (0 <= x < position.width and 0 <= y < position.height):
            return 1
        cell = y * position.width + x
        return 1 if position.cells[cell] == 11 else chances.get(cell, 2)

    for cell, q in chances.items():
        if q == 1:
            continue
        y, x = divmod(cell, position.width)
        around = [chance_at(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
        place = 9 * sum(c < 1 for c in around) + sum(c == 1 for c in around)
        if q == 0:
            found[model.SURE_CLASS + place] += 1
            continue
        if beside(position, cell):
            found[model.INSIDE_CLASS + 81 * sum(q > end for end in RISKS) + place] += 1
        else:
            found[model.OUTSIDE_CLASS + place] += 1
        for dx, dy in ((1, 0), (0, 1)):
            r, other = chance_at(x + dx, y + dy), cell + dx + dy * position.width
            inside = beside(position, cell), beside(position, other) if 0 < r < 1 else False
            if not 0 < r < 1 or not any(inside):
                continue
            ends = [chance_at(x + a * dx + k * dy, y + a * dy + k * dx) for a in (-1, 2) for k in (-1, 0, 1)]
            telling = [end for end in ends if end < 1]
            low, high = sorted((q, r))
            same = all(inside) and alike[cell] == alike[other]
            fifths = 5 * min(int(5 * low), 4) + min(int(5 * high), 4)
            found[model.PAIR_CLASS + 50 * len(telling) + 25 * same + fifths] += 1
            if q + r == 1 and all(inside):
                silent = math.prod(telling, start=Fraction(1))
                pairs["pairs"] += 1
                pairs["pair risk"] += low * silent
                pairs["narrow"] += silent > Fraction(1, 5)
                pairs["tight"] += not telling
    return dict(found), pairs


def boxes(position, chances):
    """Return for each cell the numbers beside it that still have an undecided cell: cells of one box have the same."""
    def numbers(cell):
        return frozenset(
            n for n in position.grid.neighbours(cell) if position.cells[n] <= 8
            and any(0 < chances.get(other, 2) < 1 for other in position.grid.neighbours(n))
        )  # fmt: skip
    return {cell: numbers(cell) for cell, chance in chances.items() if 0 < chance < 1}


def test_traits_are_those_of_the_definition():
    met = Counter()
    for position, found in positions():
        value = examine_root(position)
        expected = traits_twin(position, forced(position, found))
        seen = value.traits[: value.length[model.PARTS_MET]]
        assert sorted(map(tuple, seen.round(9).tolist())) == sorted(map(tuple, np.round(expected, 9).tolist()))
        assert value.figures[FIGURE("components")] == len(expected)
        kinds = set(boxes(position, forced(position, found)).values())
        assert value.figures[FIGURE("boxes")] == len(kinds - {frozenset()})
        met.update([len(expected), *(("fixed", row[9]) for row in expected)])
    assert met[0] * met[1] * met[2] * met["fixed", 0.0] * met["fixed", 1.0] > 0


def parts_of(alike):
    """Return the components: sets of cells linked by numbers."""
    parts = []
    for cell, numbers in alike.items():
        if numbers:
            linked = [part for part in parts if any(alike[other] & numbers for other in part)]
            parts = [part for part in parts if part not in linked] + [{cell}.union(*linked)]
    return parts


def traits_twin(position, chances):
    alike, rows = boxes(position, chances), []
    for part in parts_of(alike):
        around = [[chances.get(n, 2) for n in position.grid.neighbours(cell)] for cell in part]
        own = [[n in part for n in position.grid.neighbours(cell)] for cell in part]
        leaks = [sum(0 < c < 1 and not o for c, o in zip(*pair, strict=True)) for pair in zip(around, own, strict=True)]
        alone = [all(not 0 < c < 1 for c in cells) for cells in around]
        sure = sum(c == 0 for cells in around for c in cells)
        safe = [*sorted((float(1 - chances[cell]) for cell in part), reverse=True), 0.0]
        q = [float(chances[cell]) for cell in part]
        rows.append([
            safe[0], safe[1], min(len(part), 20) / 10, sum(-c * math.log(c) - (1 - c) * math.log(1 - c) for c in q) / 3,
            min(sum(leaks), 12) / 6, min(sure, 6) / 3, min(sum(map(bool, leaks)), 8) / 4, float(not any(leaks)),
            float(sure > 0), float(has_fixed_mines(position, chances, sorted(part))), min(sum(alone), 4) / 2,
            sum(chances[cell] == Fraction(1, 2) for cell in part) / len(part),
            min(len({alike[cell] for cell in part}), 16) / 8, math.log(1 - safe[0] + 0.02),
        ])  # fmt: skip
    return rows


def has_fixed_mines(position, chances, part):
    """Return whether all ways to fill a component that fit its numbers have as many mines; the total left out."""
    known = {cell: chance == 1 for cell, chance in chances.items() if chance in (0, 1)}
    system = system_of(position).without(known)
    constraints = tuple(c for c in system.constraints if set(c.cells) <= set(part))
    numbers = [Layouts(System(system.grid, tuple(part), constraints, k)).number for k in range(len(part) + 1)]
    return sum(map(bool, numbers)) == 1


# --- the model ---


def forward(parameters, value):
    """The formula, with NumPy."""
    x = [(value.figures - parameters.middle) * parameters.spread]
    number, parts = value.length
    groups = np.zeros((4, parameters.table.shape[1]))
    ends = [model.OUTSIDE_CLASS, model.SURE_CLASS, model.PAIR_CLASS]
    for which, times in zip(value.classes[:number], value.counts[:number], strict=True):
        groups[np.searchsorted(ends, which, side="right")] += times * parameters.table[which]
    x += [groups.ravel(), np.maximum(value.traits[:parts] @ parameters.wp + parameters.bp, 0).sum(axis=0)]
    x = np.concatenate(x)
    hidden = np.maximum(np.maximum(x @ parameters.w1 + parameters.b1, 0) @ parameters.w2 + parameters.b2, 0)
    return 1 / (1 + np.exp(-(x @ parameters.direct + hidden @ parameters.w3 + parameters.bias[0])))


def test_the_estimate_is_the_formula():
    found = []
    for position, _ in positions():
        seen = examine(position, most=0)
        value = seen.look.value
        assert seen.worth == pytest.approx(forward(value.parameters, value), rel=1e-9)
        found.append(seen.worth)
    assert min(found) < 0.3
    assert max(found) > 0.8


def turned(position, how):
    """Return a position mirrored or turned."""
    return Position.from_array(np.ascontiguousarray(how(position.to_array())), mines=position.mines)


WAYS = [np.fliplr, np.flipud, np.transpose, np.rot90, lambda a: np.rot90(a, 2), lambda a: np.rot90(a, 3)]


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_mirrored_and_turned_positions_are_worth_the_same(way):
    met = 0
    for position, _ in positions():
        first, second = (examine(p, most=0).worth for p in (position, turned(position, WAYS[way])))
        assert first == pytest.approx(second, rel=1e-7), position.to_text()
        met += 1
    assert met > 200


def test_parameters_are_kept_in_a_small_file(tmp_path):
    stored = model.stored_parameters()
    assert stored is model.stored_parameters()
    path = tmp_path / "value.npz"
    model.save_parameters(stored, path)
    again = load_parameters(path)
    assert all((a == b).all() and a.dtype == np.float64 for a, b in zip(stored, again, strict=True))
    assert path.stat().st_size < 200_000
    assert {name: array.shape for name, array in stored._asdict().items()} == SHAPES
    np.savez(path, **{**stored._asdict(), "w1": np.zeros((2, 2))})
    with pytest.raises(ValueError, match="expected w1 of shape"):
        load_parameters(path)


def test_parameters_are_views_of_one_array():
    parameters, flat = allocate_parameters()
    flat[:] = np.arange(len(flat))
    assert np.concatenate([array.ravel() for array in parameters]).tolist() == flat.tolist()
    assert all(array.flags.c_contiguous for array in parameters)
