from __future__ import annotations

from fractions import Fraction

import pytest

from minesolve.errors import MinesolveError
from minesolve.notation import COVERED, FLAG, MINE
from minesolve.position import Position
from minesolve.render.picture import MAX_CELLS, Picture, window_around
from minesolve.statistics import per_cent

ROW = bytes([COVERED, 1, FLAG, MINE, 0])


@pytest.mark.parametrize(
    ("chance", "whole", "tenths"),
    [
        ("0", "0", "0"),
        ("1", "100", "100"),
        ("3/10000", "<1", "<0.1"),
        ("1/200", "<1", "0.5"),
        ("3/200", "2", "1.5"),
        ("1/3", "33", "33.3"),
        ("1/2", "50", "50.0"),
        ("99/100", "99", "99.0"),
        ("199/200", ">99", "99.5"),
        ("9997/10000", ">99", ">99.9"),
    ],
)
def test_per_cent_says_0_and_100_only_where_it_is_so(chance: str, whole: str, tenths: str) -> None:
    assert (per_cent(Fraction(chance)), per_cent(Fraction(chance), decimals=1)) == (whole, tenths)


def test_per_cent_of_a_chance_that_floats_cannot_tell_from_certain() -> None:
    almost = 1 - Fraction(1, 10**40)
    assert float(almost) == 1.0
    assert (per_cent(almost), per_cent(1 - almost), per_cent(almost, decimals=3)) == (">99", "<1", ">99.999")


@pytest.mark.parametrize(
    ("cells", "margin", "window"),
    [
        ([0], 1, (0, 0, 2, 2)),
        ([34], 1, (5, 3, 7, 5)),
        ([16, 18], 1, (1, 1, 6, 4)),
        ([16], 0, (2, 2, 3, 3)),
        ([0, 34], 1, (0, 0, 7, 5)),
        ([6, 7], 1, (0, 0, 7, 3)),
        ([17], 9, (0, 0, 7, 5)),
    ],
)
def test_window_around_cells_of_a_7x5_board(cells: list[int], margin: int, window: tuple[int, ...]) -> None:
    assert window_around(7, 5, cells, margin) == window


def test_cut_out_takes_in_every_kind_of_mark() -> None:
    board = Picture(9, 1, bytes([1, 9, 9, 9, 9, FLAG, 9, 9, 9]), premises=frozenset({0}), safe=frozenset({3}))
    assert board.cut_out(margin=0).window == (0, 0, 4, 1)
    assert board.cut_out([8]).window == (7, 0, 9, 1)
    with pytest.raises(ValueError, match="at least one cell"):
        Picture(2, 1, bytes([9, 9])).cut_out()


def test_of_position_takes_marks_from_any_iterable() -> None:
    position = Position.from_text("size: 3x1\n\n#1#")
    picture = Picture.of_position(position, safe=[0], premises=(1,), chances=[Fraction(0), None, Fraction(1, 2)])
    assert picture == Picture(3, 1, bytes([9, 1, 9]), chances=(Fraction(0), None, Fraction(1, 2)), safe=frozenset({0}),
                              premises=frozenset({1}))


def test_verdict_comes_from_marks_and_from_chances_of_0_and_1() -> None:
    chances = (Fraction(0), None, Fraction(1), Fraction(1, 2), None, None)
    picture = Picture(6, 1, bytes([9, 1, 9, 9, 9, 9]), chances=chances, mines=frozenset({4}))
    assert [picture.verdict(cell) for cell in range(6)] == ["safe", None, "mine", None, "mine", None]


def test_a_flag_is_wrong_by_mark_or_because_its_cell_is_safe() -> None:
    flags = bytes([FLAG] * 3 + [COVERED])
    picture = Picture(4, 1, flags, safe=frozenset({1, 3}), wrong_flags=frozenset({2}))
    assert [picture.flag_is_wrong(cell) for cell in range(4)] == [False, True, True, False]


def test_lowest_names_all_ties_and_nothing_beside_a_safe_cell() -> None:
    third, half = Fraction(1, 3), Fraction(1, 2)
    covered = bytes([COVERED] * 4)
    assert Picture(4, 1, covered, chances=(half, third, None, third)).lowest() == {1, 3}
    assert Picture(4, 1, covered, chances=(half, third, Fraction(0), third)).lowest() == frozenset()
    assert Picture(4, 1, covered, chances=(half, third, None, third), safe=frozenset({2})).lowest() == frozenset()
    assert Picture(4, 1, covered, chances=(Fraction(1),) * 4).lowest() == frozenset()
    assert Picture(4, 1, covered).lowest() == frozenset()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cells": ROW[:4]}, "takes 5 codes"),
        ({"cells": bytes([12, 1, 1, 1, 1])}, "takes 5 codes"),
        ({"safe": {5}}, "not on a board"),
        ({"best": {-1}}, "not on a board"),
        ({"safe": {1}}, "r1c2 shows the code 1: safe"),
        ({"premises": {0}}, "r1c1 shows the code 9: premises"),
        ({"mines": {4}}, "mines can't name it"),
        ({"wrong_flags": {0}}, "wrong_flags can't name it"),
        ({"fatal": {0}}, "fatal can't name it"),
        ({"concluded": {3}, "mines": {3}}, "concluded can't name it"),
        ({"safe": {0}, "mines": {0}}, "both safe and a mine"),
        ({"concluded": {0}}, "must be among"),
        ({"given": {0}}, "must be among"),
        ({"best": {0}, "safe": {0}}, "it is no guess"),
        ({"wrong_flags": {2}, "mines": {2}}, "its flag is not wrong"),
        ({"chances": (None,) * 4}, "as many chances"),
        ({"chances": (Fraction(2), None, None, None, None)}, "can't have the chance 2"),
        ({"chances": (None, Fraction(1), None, None, None)}, "r1c2 can't have the chance"),
        ({"chances": (Fraction(1, 2), None, None, None, None), "safe": {0}}, "its chance is 1/2"),
        ({"chances": (Fraction(0), None, None, None, None), "mines": {0}}, "its chance is 0"),
        ({"chances": (Fraction(1), None, None, None, None), "best": {0}}, "it is no guess"),
        ({"chances": (None, None, Fraction(1, 2), None, None), "wrong_flags": {2}}, "wrong flag"),
        ({"window": (0, 0, 6, 1)}, "not a part"),
        ({"window": (2, 0, 2, 1)}, "not a part"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: dict[str, object], message: str) -> None:
    marks = {name: frozenset(value) if isinstance(value, set) else value for name, value in arguments.items()}
    with pytest.raises(ValueError, match=message):
        Picture(**{"width": 5, "height": 1, "cells": ROW} | marks)  # type: ignore[arg-type]


def test_only_what_is_drawn_counts_against_the_limit() -> None:
    board = Picture(257, 256, bytes(257 * 256))
    with pytest.raises(MinesolveError, match="257x256 cells is too large"):
        board.require_drawable()
    assert MAX_CELLS == 256 * 256
    board.cut_out([0], margin=1000).cut_out([0], margin=254).require_drawable()
    Picture(256, 256, bytes(256 * 256)).require_drawable()
