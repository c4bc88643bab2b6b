from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minesolve.errors import MinesolveError
from minesolve.notation import COVERED, FLAG, MINE
from minesolve.position import Position
from minesolve.render.picture import Picture
from minesolve.render.terminal import draw, draw_chances
from minesolve.statistics import per_cent

CODES = bytes(range(12))
SGR = re.compile(r"\x1b\[[0-9;]*m")


def position(*rows: str) -> Position:
    return Position.from_text(f"size: {len(rows[0])}x{len(rows)}\n\n" + "\n".join(rows))


def assert_drawn(drawn: str, expected: str) -> None:
    expected = expected.removeprefix("\n")
    assert drawn == expected, f"drawn:\n{drawn}\nexpected:\n{expected}"


def test_a_board_without_marks_is_close_set() -> None:
    assert_drawn(draw(Picture(6, 2, CODES)), """
   1 2 3 4 5 6
1  . 1 2 3 4 5
2  6 7 8 # F *
""")


def test_the_marks_of_a_deduction() -> None:
    board = position("####", "12F1", "1*11")
    picture = Picture.of_position(
        board, premises=[4, 5], given=[0, 3, 9], safe=[1, 3], mines=[0, 2, 6, 9], concluded=[1, 2]
    )
    assert_drawn(draw(picture), """
   1  2  3  4
1 [m](s)(m)[s]
2 [1][2] mF 1
3  1 [*] 1  1

[n] a number this rests on   [s] known to be safe   [m] known to be a mine   [*] a shown mine this rests on   \
(s) so this is safe   (m) so this is a mine   mF a flagged mine
""")


def test_flags_that_are_wrong() -> None:
    picture = Picture.of_position(
        position("FFF", "FF#"), safe=[0, 1, 2], given=[1], concluded=[2], wrong_flags=[0, 3], best=[5]
    )
    assert_drawn(draw(picture), """
   1  2  3
1  X [X](X)
2  X  F  #!

[X] known to be safe: a wrong flag   (X) so this is safe: a wrong flag   X wrong flag   ! advised guess
""")


def test_a_lost_game() -> None:
    assert_drawn(draw(Picture(3, 2, bytes([MINE, FLAG, 1, MINE, COVERED, 1]), fatal=frozenset({3}),
                              wrong_flags=frozenset({1}))), """
   1  2  3
1  *  X  1
2 >*< #  1

X wrong flag   >*< the mine that was opened
""")


def test_forced_cells_need_no_deduction() -> None:
    assert_drawn(draw(Picture.of_position(position("##", "12"), safe=[0], mines=[1])), """
   1 2
1  s m
2  1 2

s safe   m mine
""")


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ((0, 0, 2, 2), """
    1 2
  +----
1 | 1 #
2 | . 1
"""),
        ((1, 1, 3, 3), """
    2 3
2   1 #|
3   # #|
   ----+
"""),
        ((0, 0, 3, 3), """
    1 2 3
  +------+
1 | 1 # #|
2 | . 1 #|
3 | . # #|
  +------+
"""),
        ((1, 1, 2, 2), """
    2
2   1
"""),
    ],
)
def test_a_cut_out_shows_the_walls_it_reaches(window: tuple[int, int, int, int], expected: str) -> None:
    assert_drawn(draw(Picture.of_position(position("1##", ".1#", ".##"), window=window)), expected)


def test_chances_in_per_cent() -> None:
    chances = [Fraction(text) for text in ("3/10000", "2/25", "1/3", "9997/10000", "0", "1", "1/2", "1/2", "1/5")]
    picture = Picture.of_position(position("####", "##FF", "F#12"), chances=[*chances, None, None, None], mines=[9])
    assert_drawn(draw_chances(picture), """
   1   2   3   4
1 <1%  8% 33% >99
2  s   m  50%F50%F
3 20%F m   1   2

s safe   m mine   F flagged
""")


def test_good_guesses_are_marked() -> None:
    fifth, half = Fraction(1, 5), Fraction(1, 2)
    assert_drawn(draw_chances(Picture(5, 1, bytes([9, FLAG, 9, 9, 0]), chances=(fifth, fifth, half, None, None),
                                      best=frozenset({0}))), """
   1   2   3   4   5
1 20%!20%+50%  #   .

! advised guess   + lowest chance of a mine
""")


def test_a_guess_without_chances_and_the_marks_of_a_board_in_the_heat_map() -> None:
    picture = Picture.of_position(position("#F*", "112"), best=[0], wrong_flags=[1], fatal=[2], premises=[3])
    assert_drawn(draw_chances(picture), """
   1   2   3
1  #!  X  >*<
2 [1]  1   2

[n] a number this rests on   X wrong flag   >*< the mine that was opened   ! advised guess
""")


@pytest.mark.parametrize(
    ("first", "last", "numbers"),
    [
        (0, 9, ["    1 2 3 4 5 6 7 8 9"]),
        (0, 12, ["                      1", "    1 2 3 4 5 6 7 8 9 0 1 2"]),
        (7, 11, ["        1", "    8 9 0 1"]),
        (97, 102, ["        1", "    9   0", "    8 9 0 1 2"]),
        (27, 31, ["    2   3", "    8 9 0 1"]),
    ],
)
def test_column_numbers_stand_above_their_columns(first: int, last: int, numbers: list[str]) -> None:
    drawn = draw(Picture(120, 1, bytes(120), window=(first, 0, last, 1))).splitlines()
    assert drawn[: len(numbers)] == numbers
    assert drawn[len(numbers)].startswith("  " + ("+" if first == 0 else " ") + "--")


def test_row_numbers_of_three_digits_are_aligned() -> None:
    drawn = draw(Picture(1, 120, bytes(120))).splitlines()
    assert (drawn[0], drawn[1], drawn[99], drawn[100]) == ("     1", "  1  .", " 99  .", "100  .")


def test_a_wide_board_is_drawn_in_even_bands() -> None:
    assert_drawn(draw(Picture(5, 1, bytes([9, 1, 2, 3, 9]), mines=frozenset({0})), columns=10), """
   1 2 3
1  m 1 2

   4 5
1  3 #

m mine
""")


@pytest.mark.parametrize("columns", [1, 20, 40, 80, 200])
def test_no_line_is_wider_than_the_terminal(columns: int) -> None:
    picture = Picture(30, 16, bytes([COVERED] * 480), chances=(Fraction(1, 5),) * 480, best=frozenset({3}))
    for drawn in (draw(picture, columns=columns), draw_chances(picture, columns=columns)):
        board = drawn.rsplit("\n\n", 1)[0]
        assert max(map(len, board.splitlines())) <= max(columns, 7)
        assert sum(line.count("#") + line.count("20%") for line in board.splitlines()) == 480


def test_the_legend_is_broken_between_its_entries() -> None:
    picture = Picture.of_position(position("##F1"), safe=[0], mines=[1], wrong_flags=[2], premises=[3])
    assert draw(picture, columns=30).split("\n\n")[1].splitlines() == [
        "[n] a number this rests on",
        "s safe   m mine   X wrong flag",
    ]


def test_colours_are_classic_and_end_where_they_should() -> None:
    drawn = draw(Picture(3, 1, bytes([1, 3, COVERED]), safe=frozenset({2}), concluded=frozenset({2})), color=True)
    assert drawn.splitlines()[1] == "1  \x1b[94m1\x1b[0m  \x1b[91m3\x1b[0m \x1b[1;30;42m(s)\x1b[0m"


def test_a_seven_is_visible_on_a_black_terminal() -> None:
    assert "\x1b" not in draw(Picture(1, 1, bytes([7])), color=True)


@pytest.mark.parametrize("renderer", [draw, draw_chances])
def test_an_absurd_board_is_refused_and_a_part_of_it_drawn(renderer: object) -> None:
    board = Picture(1000, 1000, bytes(1_000_000))
    with pytest.raises(MinesolveError, match="1000x1000 cells is too large"):
        renderer(board)  # type: ignore[operator]
    drawn = renderer(board.cut_out([999_999]))  # type: ignore[operator]
    assert [line.split()[0] for line in drawn.splitlines()[-3:-1]] == ["999", "1000"]


def test_the_largest_board_is_drawn_whole() -> None:
    lines = draw(Picture(256, 256, bytes([COVERED]) * 65536)).splitlines()
    assert (len(lines), lines[-1].count("#")) == (3 + 256, 256)


@st.composite
def pictures(draw_from: st.DrawFn) -> Picture:
    """Any board, any marks that fit it."""
    width, height = draw_from(st.integers(1, 34)), draw_from(st.integers(1, 5))
    cells = bytes(draw_from(st.lists(st.integers(0, 11), min_size=width * height, max_size=width * height)))
    kinds = draw_from(st.lists(st.integers(0, 6), min_size=width * height, max_size=width * height))
    marks: dict[str, set[int]] = {name: set() for name in ("safe", "mines", "given", "concluded", "best", "premises",
                                                           "fatal")}
    chances: list[Fraction | None] = [None] * (width * height)
    for cell, (code, kind) in enumerate(zip(cells, kinds, strict=True)):
        names: tuple[str, ...] = ()
        if code <= 8:
            names = ("premises",) if kind == 1 else ()
        elif code == MINE:
            names = ((), ("fatal",), ("mines", "given"))[kind % 3]
        elif kind == 6:
            chances[cell] = Fraction(draw_from(st.integers(1, 999)), 1000)
        else:
            names = ((), ("safe",), ("mines", "given"), ("safe", "concluded"), ("mines", "concluded"), ("best",))[kind]
        for name in names:
            marks[name].add(cell)
    return Picture(width, height, cells, chances=tuple(chances), **{name: frozenset(c) for name, c in marks.items()})


@settings(deadline=None, max_examples=150, derandomize=True)
@given(pictures(), st.sampled_from([draw, draw_chances]), st.one_of(st.none(), st.integers(1, 120)))
def test_colour_adds_codes_and_changes_nothing_else(picture: Picture, renderer: object, columns: int | None) -> None:
    plain = renderer(picture, False, columns)  # type: ignore[operator]
    assert "\x1b" not in plain
    assert SGR.sub("", renderer(picture, True, columns)) == plain  # type: ignore[operator]


@settings(deadline=None, max_examples=150, derandomize=True)
@given(pictures())
def test_every_cell_stands_in_its_own_column(picture: Picture) -> None:
    """Reads the board back from the places where its cells must stand."""
    body = draw_chances(picture).split("\n\n")[0].splitlines()[-picture.height :]
    for y, line in enumerate(body):
        assert line[:2] == f"{y + 1} "
        for x in range(picture.width):
            cell = y * picture.width + x
            slot, chance = line[2 + 4 * x : 6 + 4 * x].ljust(4), picture.chances and picture.chances[cell]
            if chance is not None:
                assert per_cent(chance) in slot
                assert ("%" in slot) is (slot[:3] != ">99")
            elif picture.cells[cell] <= 8:
                assert slot[1] == (str(picture.cells[cell]) if picture.cells[cell] else ".")
                assert (slot[0] == "[") is (slot[2] == "]") is (cell in picture.premises)
            else:
                verdict = picture.verdict(cell)
                expected = {None: "#F*", "safe": "sX", "mine": "m*"}[verdict]
                assert slot[1] in expected
                assert (slot[0] == "(") is (slot[2] == ")") is (cell in picture.concluded)
                assert (slot[2] == "!") is (cell in picture.best)
                assert (slot[0] == ">") is (slot[2] == "<") is (cell in picture.fatal)
