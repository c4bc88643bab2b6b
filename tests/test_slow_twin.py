"""The twin is what the solver is measured by, so it is checked against answers made by hand, and against itself."""

import pytest
from random_positions import dotted, samples
from slow_twin import Answer, answer, is_layout, layers, layouts

from minesolve.position import FLAG, MINE, Position

HAND_MADE = [
    # text, total, layouts, safe, mines
    ("1#\n##", 1, 3, [], []),
    ("1#\n##", 2, 0, [], []),
    ("1#\n##", None, 3, [], []),
    ("3#\n##", None, 1, [], ["r1c2", "r2c1", "r2c2"]),
    ("#1#", None, 2, [], []),
    ("#2#", 2, 1, [], ["r1c1", "r1c3"]),
    ("1##", 1, 1, ["r1c3"], ["r1c2"]),
    ("1##", None, 2, [], ["r1c2"]),
    ("#1###\n##1##", 1, 2, ["r1c1", "r1c4", "r1c5", "r2c1", "r2c4", "r2c5"], []),
    ("size: 3x1\n.##", 1, 1, ["r1c2"], ["r1c3"]),
    ("size: 2x1\n..", 0, 1, [], []),
    ("size: 2x1\n..", 1, 0, [], []),
    ("##\n##", 2, 6, [], []),
    ("##\n##", 0, 1, ["r1c1", "r1c2", "r2c1", "r2c2"], []),
    ("##\n##", 4, 1, [], ["r1c1", "r1c2", "r2c1", "r2c2"]),
    ("##\n##", 5, 0, [], []),
    ("*1#", None, 1, ["r1c3"], []),
    ("*2#", 2, 1, [], ["r1c3"]),
    ("*0#", None, 0, [], []),
    ("#####\n11111", None, 2, ["r1c3"], []),
]


@pytest.mark.parametrize(("text", "total", "count", "safe", "mines"), HAND_MADE)
def test_hand_made(text, total, count, safe, mines):
    position = Position.from_text(text, mines=total)
    cells = [frozenset(map(position.grid.cell, names)) for names in (safe, mines)]
    assert answer(position) == Answer(count, *cells)
    assert len(list(layouts(position))) == count


def test_flags_count_only_if_trusted():
    position = Position.from_text("F1#", mines=1)
    assert answer(position) == Answer(2, frozenset(), frozenset())
    assert answer(position, trust_flags=True) == Answer(1, frozenset({2}), frozenset())
    assert sorted(map(sorted, layouts(position))) == [[0], [2]]
    assert list(layouts(position, trust_flags=True)) == [frozenset()]


@pytest.mark.parametrize("trust_flags", [False, True])
def test_two_ways_agree(trust_flags):
    counts = {"sound": 0, "none": 0}
    for sample in samples(300, seed=1, most=12, flags=True):
        position = sample.position
        found = list(layouts(position, trust_flags))
        known = {c for c, code in enumerate(position.cells) if code == MINE or (trust_flags and code == FLAG)}
        questions = {c for c, code in enumerate(position.cells) if code > 8} - known
        safe = questions - frozenset().union(*found) if found else frozenset()
        assert answer(position, trust_flags) == Answer(
            len(found), frozenset(safe), frozenset(questions).intersection(*found) if found else frozenset()
        ), position
        assert len(set(found)) == len(found)
        counts["none"] += not found
        if sample.sound and known <= sample.mines:
            counts["sound"] += 1
            assert sample.mines - known in found, position
    assert min(counts.values()) > 10


def test_a_layout_is_one_and_its_changes_are_not():
    position = Position.from_text("#1#\n#2#", mines=2)
    assert is_layout(position, frozenset({0, 5})) is False
    assert [sorted(layout) for layout in layouts(position)] == []
    position = Position.from_text("#1#\n#1#", mines=1)
    assert {tuple(layout) for layout in layouts(position)} == {(0,), (2,), (3,), (5,)}
    assert not is_layout(position, frozenset({0, 2}))


LAYERED = [
    # text, total, cell, verdict, layer
    ("2#\n##\n##", 2, "r3c1", "safe", 4),
    ("1##", None, "r1c2", "mine", 1),
    ("1##", 1, "r1c3", "safe", 4),
    ("#####\n11111", None, "r1c3", "safe", 2),
    ("####\n1221", None, "r1c1", "safe", 2),
    ("####\n1221", None, "r1c2", "mine", 2),
    ("size: 6x6\n######\n#2222#\n#2..2#\n#2..2#\n#2222#\n######", None, "r1c1", "safe", 3),
    ("*1#", None, "r1c3", "safe", 1),
]


@pytest.mark.parametrize(("text", "total", "cell", "verdict", "layer"), LAYERED)
def test_layers(text, total, cell, verdict, layer):
    position = Position.from_text(text, mines=total)
    assert layers(position)[position.grid.cell(cell)] == (verdict, layer)


def test_layers_find_all_that_is_forced_and_nothing_else():
    seen = set()
    for sample in (*samples(400, seed=2, most=15, spoil=0), *dotted(80, seed=2)):
        for total in (sample.position.mines, None):
            position = sample.position.with_mines(total)
            found, truth = layers(position), answer(position)
            assert {cell for cell, (verdict, _) in found.items() if verdict == "safe"} == truth.safe, position
            assert {cell for cell, (verdict, _) in found.items() if verdict == "mine"} == truth.mines, position
            seen |= {layer for _, layer in found.values()}
            if total is None:
                assert all(layer < 4 for _, layer in found.values())
    assert seen == {1, 2, 3, 4}


def test_layers_are_refused_where_nothing_is_possible():
    with pytest.raises(ValueError, match="layout"):
        layers(Position.from_text("1#\n##", mines=2))
