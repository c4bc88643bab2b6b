"""Layers 1 to 4 against the slow twin, the corpora, and the definition of a deduction."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
from conftest import ROOT
from random_positions import dotted, samples
from slow_twin import LAYERS, answer, is_layout, layers, layouts

from minesolve import Contradiction, InvalidPosition, Position, analyse, check, corpus
from minesolve.solve.constraints import system_of

CASES = [json.loads(line) for line in (ROOT / "corpora/positions/public.jsonl").read_text("utf-8").splitlines()]


def solved(position, trust_flags=False):
    """Return (consistent, safe, mines) by the solver."""
    try:
        found = analyse(position, trust_flags=trust_flags)
    except (Contradiction, InvalidPosition):
        return False, frozenset(), frozenset()
    return True, found.safe, found.mines


@pytest.mark.parametrize("trust_flags", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_agrees_with_the_slow_twin(seed, trust_flags):
    """2,400 random positions of odd shapes: known and unknown totals, wrong numbers and totals, flags right and wrong."""
    verdicts = set()
    for sample in (*samples(90, seed, most=18, flags=True), *dotted(30, seed, most=19)):
        position = sample.position
        twin = answer(position, trust_flags)
        expected = (twin.consistent, twin.safe, twin.mines)
        assert solved(position, trust_flags) == expected, position.to_text()
        found = check(position, trust_flags=trust_flags)
        assert found.consistent == twin.consistent, position.to_text()
        assert found.consistent or found.problems or found.clash or found.clash_uses_total
        verdicts.add(twin.consistent)
    assert verdicts == {True, False}


@pytest.mark.parametrize("seed", range(4))
def test_layers_are_the_least_that_suffice(seed):
    for sample in (*samples(60, 100 + seed, most=14, spoil=0), *dotted(60, 100 + seed)):
        position = sample.position
        expected = layers(position)
        found = analyse(position)
        assert {cell: (verdict, LAYERS[rank - 1]) for cell, (verdict, rank) in expected.items()} == {
            cell: ("mine" if cell in found.mines else "safe", found.layer(cell)) for cell in found.safe | found.mines
        }, position.to_text()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("up_to", ["single", "pair", "component"])
def test_lower_layers_alone(seed, up_to):
    for sample in (*samples(30, 200 + seed, most=12, spoil=0), *dotted(20, 200 + seed)):
        expected = layers(sample.position, up_to=LAYERS.index(up_to) + 1)
        found = analyse(sample.position, up_to=up_to)
        assert found.safe | found.mines == expected.keys()
        assert {cell for step in found.deductions for cell in step.cells} == expected.keys()


def follows(position, step, premises, given, uses_total):
    """Say from the definition whether the cells of a step are certain, all of them, from premises alone."""
    system = system_of(position)
    constraints = [constraint for constraint in system.constraints if constraint.number in premises]
    fixed = {cell: cell in step.given_mines for cell in given}
    cells = sorted({c for k in constraints for c in k.cells} | fixed.keys() | set(step.cells))
    rest = len(system.cells) - len(cells)
    open_cells = [cell for cell in cells if cell not in fixed]
    for bits in range(1 << len(open_cells)):
        value = fixed | {cell: bool(bits >> i & 1) for i, cell in enumerate(open_cells)}
        if any(sum(value[c] for c in k.cells) != k.mines for k in constraints):
            continue
        if uses_total and not 0 <= system.total - sum(value.values()) <= rest:
            continue
        if any(value[cell] != step.mine for cell in step.cells):
            return False
    return True


@pytest.mark.parametrize("seed", range(6))
def test_premises_suffice_and_none_can_be_dropped(seed):
    for sample in sound(seed):
        position = sample.position
        known = {}
        for step in analyse(position).deductions:
            assert step.cells
            assert all(known[cell] == (cell in step.given_mines) for cell in step.given)
            assert not known.keys() & set(step.cells)
            assert follows(position, step, step.premises, step.given, step.uses_total), (position.to_text(), step)
            needed = [("premise", cell) for cell in step.premises] + [("given", cell) for cell in step.given]
            for kind, cell in needed + [("total", None)] * step.uses_total:
                premises = set(step.premises) - ({cell} if kind == "premise" else set())
                given = set(step.given) - ({cell} if kind == "given" else set())
                total = step.uses_total and kind != "total"
                assert not follows(position, step, premises, given, total), (position.to_text(), step, kind, cell)
            known |= dict.fromkeys(step.cells, step.mine)


def sound(seed):
    return (*samples(40, 300 + seed, most=13, spoil=0), *dotted(40, 300 + seed, most=15))


def test_steps_of_all_kinds_are_met():
    """What the tests above look at has steps of one, two and more numbers, and of the total with and without."""
    steps = [step for seed in range(6) for sample in sound(seed) for step in analyse(sample.position).deductions]
    kinds = {(min(len(step.premises), 3), step.uses_total) for step in steps}
    assert kinds == {(1, False), (2, False), (3, False), (0, True), (1, True), (2, True), (3, True)}
    assert {step.layer for step in steps} == set(LAYERS)


@pytest.mark.parametrize("seed", range(4))
def test_a_clash_is_minimal(seed):
    """Drop any number of a clash (or the total) and the rest has a layout; all together have none."""
    kinds = set()
    for sample in samples(150, 400 + seed, most=12, spoil=1):
        position = sample.position
        found = check(position)
        if found.consistent or found.problems:
            continue
        kept = [(cell, position.cells[cell]) for cell in found.clash]
        total = position.mines if found.clash_uses_total else None
        assert not possible(position, kept, total), position.to_text()
        for fewer in combinations(kept, len(kept) - 1):
            assert possible(position, fewer, total), (position.to_text(), found)
        if found.clash_uses_total:
            assert possible(position, kept, None)
        kinds.add(found.clash_uses_total)
    assert kinds == {True, False}


def possible(position, numbers, total):
    """Say whether only these numbers, and a total if given, can be right, every open cell staying free of mines."""
    system = system_of(position)
    constraints = [k for k in system.constraints if (k.number, position.cells[k.number]) in set(numbers)]
    shown = 0 if position.mines is None or total is None else position.mines - system.total
    for bits in range(1 << len(system.cells)):
        mines = {cell for i, cell in enumerate(system.cells) if bits >> i & 1}
        if total is not None and len(mines) + shown != total:
            continue
        if all(len(mines.intersection(k.cells)) == k.mines for k in constraints):
            return True
    return False


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_public_cases(case):
    if case["answer"]["consistent"] is None:
        pytest.skip("the case says nothing about what is certain")
    position = Position.from_text(case["text"], case["mines"])
    readings = [(bool(case.get("trust_flags")), case["answer"])]
    other = case.get("flag_reading") or {}
    if "answer" in other:
        readings.append((other["flags_trusted"], other["answer"]))
    for trust_flags, expected in readings:
        cells = [frozenset(y * position.width + x for x, y in expected[key]) for key in ("safe", "mines")]
        assert solved(position, trust_flags) == (expected["consistent"], *cells)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_steps_of_public_cases_reach_everything(case):
    position = Position.from_text(case["text"], case["mines"])
    try:
        found = analyse(position, trust_flags=bool(case.get("trust_flags")))
    except (Contradiction, InvalidPosition):
        return
    reached = {}
    for step in found.deductions:
        assert step.layer == found.layer(step.cells[0])
        assert set(step.given) <= reached.keys()
        reached |= dict.fromkeys(step.cells, step.mine)
    assert reached == dict.fromkeys(found.safe, False) | dict.fromkeys(found.mines, True)


PATTERNS = corpus.read_file(ROOT / "corpora/patterns/named.txt")


@pytest.mark.parametrize("stanza", PATTERNS, ids=lambda stanza: stanza.name)
def test_named_patterns(stanza):
    found = analyse(stanza.position)
    assert {(cell, "mine" if cell in found.mines else "safe", found.layer(cell)) for cell in found.safe | found.mines} == {
        (cell, forced.verdict, forced.layer) for forced in stanza.forced for cell in forced.cells
    }


LITERATURE = corpus.read_file(ROOT / "corpora/literature/counts.txt")


@pytest.mark.parametrize("stanza", LITERATURE, ids=lambda stanza: stanza.name)
def test_literature(stanza):
    found = analyse(stanza.position)
    covered = {cell for cell, code in enumerate(stanza.position.cells) if code > 8}
    assert (found.safe | found.mines == covered) == (stanza.layouts == 1)
    if stanza.layouts == 1:
        assert is_layout(stanza.position, found.mines)


def transformed(position, turn):
    """Return a position mirrored or turned, and where each cell went."""
    grid = position.grid
    width, height = (grid.height, grid.width) if turn & 4 else (grid.width, grid.height)
    moved = {}
    for cell in range(len(grid)):
        x, y = grid.xy(cell)
        x, y = (grid.width - 1 - x if turn & 1 else x), (grid.height - 1 - y if turn & 2 else y)
        x, y = (y, x) if turn & 4 else (x, y)
        moved[cell] = y * width + x
    cells = bytearray(len(grid))
    for cell, to in moved.items():
        cells[to] = position.cells[cell]
    return Position(width, height, bytes(cells), position.mines), moved


@pytest.mark.parametrize("turn", range(1, 8))
def test_turned_boards_give_turned_answers(turn):
    for sample in samples(40, 500 + turn, most=30, spoil=0.1):
        position, moved = transformed(sample.position, turn)
        consistent, safe, mines = solved(sample.position)
        assert solved(position) == (consistent, frozenset(map(moved.get, safe)), frozenset(map(moved.get, mines)))


@pytest.mark.parametrize(("width", "height", "mines", "expected"), [
    (5, 3, 0, ("safe", "total")), (5, 3, 15, ("mine", "total")), (5, 3, 4, None), (5, 3, None, None), (1, 1, 1, ("mine", "total")),
])  # fmt: skip
def test_all_covered(width, height, mines, expected):
    found = analyse(Position(width, height, bytes([9]) * (width * height), mines))
    every = frozenset(range(width * height))
    assert (found.safe, found.mines) == {
        None: (frozenset(), frozenset()), "safe": (every, frozenset()), "mine": (frozenset(), every)
    }[expected and expected[0]]
    if expected:
        assert {found.layer(cell) for cell in every} == {expected[1]}


def test_a_position_with_nothing_covered():
    found = analyse(Position.from_text("1*1\n111\n000", mines=1))
    assert found.safe == found.mines == frozenset()


def test_flags_that_are_wrong_are_named_in_both_readings():
    position = Position.from_text("11111\n##F##", mines=2)
    assert analyse(position).wrong_flags == (7,)
    assert check(position).wrong_flags == (7,)
    assert check(position, trust_flags=True).wrong_flags == (7,)


def test_the_total_is_used_only_where_it_is_needed():
    position = Position.from_text("02##\n03##\n02##", mines=3)
    assert {step.layer: step.uses_total for step in analyse(position).deductions} == {"single": False, "total": True}
    assert analyse(position.with_mines(None)).safe == frozenset()


def test_twins_of_this_file_agree_with_each_other():
    """`answer`, used above, and `layouts` come from the same definition by different ways."""
    for sample in samples(30, 600, most=10):
        found = list(layouts(sample.position))
        assert len(found) == answer(sample.position).layouts
