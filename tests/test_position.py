import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_positions import samples
from slow_twin import answer

from minesolve.errors import InvalidPosition, ParseError
from minesolve.position import COVERED, FLAG, MINE, Position


@st.composite
def positions(draw):
    width, height = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    cells = draw(st.lists(st.integers(0, MINE), min_size=width * height, max_size=width * height))
    return Position(width, height, bytes(cells), draw(st.none() | st.integers(0, 100)))


@given(positions())
def test_text_array_and_pickle_lead_back(position):
    assert Position.from_text(position.to_text()) == position
    assert str(position) == position.to_text()
    array = position.to_array()
    assert array.shape == (position.height, position.width)
    assert Position.from_array(array, mines=position.mines) == position
    assert pickle.loads(pickle.dumps(position)) == position
    assert hash(position) == hash(Position.from_array(array.tolist(), mines=position.mines))


def test_rows_come_first():
    position = Position.from_array([[0, 1, COVERED], [FLAG, MINE, 8]])
    assert (position.width, position.height, list(position.cells)) == (3, 2, [0, 1, 9, 10, 11, 8])
    assert position.to_array()[1, 2] == 8
    assert position.grid.name(5) == "r2c3"


def test_it_does_not_change():
    position = Position.from_text("1#")
    with pytest.raises(dataclasses.FrozenInstanceError):
        position.mines = 3
    position.to_array()[0, 0] = 5
    assert position.cells[0] == 1
    array = np.array([[1, 9]])
    taken = Position.from_array(array)
    array[0, 0] = 3
    assert taken.cells[0] == 1


@pytest.mark.parametrize(
    ("width", "height", "cells", "mines", "message"),
    [
        (2, 2, bytes(3), None, "2x2 has 4 cells, not 3"),
        (2, 1, bytes([0, 12]), None, "a cell is 0 to 8"),
        (1, 1, bytes(1), -1, "can't be negative: -1"),
        (0, 5, b"", None, "at least one row"),
        (5, 0, b"", None, "at least one row"),
    ],
)
def test_misuse(width, height, cells, mines, message):
    with pytest.raises(ValueError, match=message):
        Position(width, height, cells, mines)


@pytest.mark.parametrize(
    "array",
    [[1, 2], [[[1]]], 5, [[0.0, 1.0]], [[True]], [["1"]], [[-1]], [[12]], [[256]], [], [[]], np.zeros((0, 4), int)],
)
def test_arrays_of_other_kinds_are_refused(array):
    with pytest.raises(ValueError, match=r"two-dimensional|a cell is|at least one row"):
        Position.from_array(array)


def test_a_given_total_counts_over_the_texts():
    assert Position.from_text("mines: 3\n1#").mines == 3
    assert Position.from_text("mines: 3\n1#", mines=1).mines == 1
    assert Position.from_text("mines: 3\n1#", mines=0).mines == 0
    assert Position.from_text("#" * 30 + ("\n" + "#" * 30) * 15).mines is None
    assert Position.from_text("1#", mines=1).with_mines(None).mines is None


def test_files(tmp_path):
    path = tmp_path / "board.txt"
    path.write_bytes("\ufeff1#\r\n１#\r\n".encode())
    assert Position.from_file(path, mines=1) == Position.from_text("1#\n1#", mines=1)
    assert Position.from_file(str(path)) == Position.from_text("1#\n1#")
    path.write_bytes("1#\n".encode("utf-16"))
    assert Position.from_file(path) == Position.from_text("1#")
    path.write_bytes(b"1#\n1\xff")
    with pytest.raises(ParseError) as caught:
        Position.from_file(path)
    assert (caught.value.source, caught.value.line, caught.value.column) == (str(path), 2, 2)
    path.write_text("1#\n1@")
    with pytest.raises(ParseError, match=r"board\.txt, line 2, column 2"):
        Position.from_file(path)
    with pytest.raises(FileNotFoundError):
        Position.from_file(tmp_path / "none.txt")
    with pytest.raises(OSError, match="directory"):
        Position.from_file(tmp_path)


def test_opening_a_cell():
    position = Position.from_text("#F\n1*", mines=2)
    assert position.with_opened(0, 2) == Position.from_text("2F\n1*", mines=2)
    assert position.with_opened(1, 2).cells[1] == 2
    assert position.cells[0] == COVERED
    for cell in (2, 3, 4, -1):
        with pytest.raises(ValueError, match=f"cell {cell} is not covered"):
            position.with_opened(cell, 1)
    for number in (-1, 9):
        with pytest.raises(ValueError, match="from 0 to 8"):
            position.with_opened(0, number)


# What is wrong at a glance

PROBLEMS = [
    # text, total, trust flags, (kind, cells) of each problem
    ("1#", 1, False, []),
    ("8#\n##", None, False, [("number-too-large", ["r1c1"])]),
    ("4#\n##", 9, False, [("number-too-large", ["r1c1"]), ("too-many-mines", [])]),
    ("2#2", None, False, [("number-too-large", ["r1c1"]), ("number-too-large", ["r1c3"])]),
    ("1*\n0#", None, False, [("number-too-small", ["r2c1"])]),
    ("*1*", None, False, [("number-too-small", ["r1c2"])]),
    ("*2*", 2, False, []),
    ("*2*", 1, False, [("too-few-mines", [])]),
    ("*2*", 3, False, [("too-many-mines", [])]),
    ("2##\n###", 1, False, [("too-few-mines", ["r1c1"])]),
    ("2##\n*##", 1, False, [("too-few-mines", ["r1c1"])]),
    ("2##\n*##", 2, False, []),
    ("1#\n##\n#*", 1, False, [("too-few-mines", ["r1c1"])]),
    ("##2##\n#####", 0, False, [("too-few-mines", ["r1c3"])]),
    ("F1F", None, False, []),
    ("F1F", None, True, [("number-too-small", ["r1c2"])]),
    ("F1#", 0, False, [("too-few-mines", ["r1c2"])]),
    ("F1#", 0, True, [("too-few-mines", [])]),
    ("F2#", 1, True, [("too-few-mines", ["r1c2"])]),
    ("F3#", None, True, [("number-too-large", ["r1c2"])]),
    ("##", 3, False, [("too-many-mines", [])]),
    ("size: 2x1\n..", 1, False, [("too-many-mines", [])]),
]


@pytest.mark.parametrize(("text", "total", "trust_flags", "expected"), PROBLEMS)
def test_problems(text, total, trust_flags, expected):
    position = Position.from_text(text, mines=total)
    problems = position.problems(trust_flags=trust_flags)
    assert [(p.kind, position.grid.names(p.cells)) for p in problems] == expected
    for problem in problems:
        assert all(name in str(problem) for name in position.grid.names(problem.cells))
        assert str(problem) in str(InvalidPosition(problems))
    assert bool(expected) is (not answer(position, trust_flags).consistent)


@pytest.mark.parametrize("trust_flags", [False, True])
def test_whatever_has_a_problem_has_no_layout(trust_flags):
    found = 0
    for sample in samples(600, seed=5, most=12, flags=True, spoil=0.7):
        if sample.position.problems(trust_flags=trust_flags):
            found += 1
            assert not answer(sample.position, trust_flags).consistent, sample.position
    assert found > 50


def test_a_sound_position_has_no_problem():
    for sample in samples(300, seed=6, spoil=0):
        assert sample.position.problems() == (), sample.position
