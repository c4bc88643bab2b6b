import itertools
import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minesolve.draws import LARGEST_RANGE
from minesolve.errors import GenerationFailed, ParseError
from minesolve.minefield import (
    Minefield,
    check_classic_limits,
    draw,
    legal_cells,
    max_mines,
    start_cell,
)
from minesolve.notation import MINE, Glyphs

CORPUS = Path(__file__).parent.parent / "corpora" / "rules"
LIMITS = [json.loads(line) for line in (CORPUS / "limits.jsonl").read_text().splitlines()]
STARTS = {"corner": 0, "edge": 2, "middle": 7}  # of a board of 5x4


def test_numbers_do_not_wrap_round_the_border():
    cases = map(json.loads, (CORPUS / "play.jsonl").read_text().splitlines())
    case = next(case for case in cases if case["id"] == "numbers-no-wrap")
    field = Minefield.from_text("\n".join(case["minefield"]))
    shown = "".join("*" if code == MINE else str(code) for code in field.numbers())
    assert [shown[at : at + 5] for at in range(0, 15, 5)] == case["numbers"]
    for cell, char in enumerate(shown):
        if char != "*":
            assert field.number(cell) == int(char)


def test_number_of_a_mine_or_off_the_board_is_refused():
    field = Minefield.from_text("*.")
    with pytest.raises(ValueError, match="r1c1 is a mine"):
        field.number(0)
    for cell in (-1, 2):
        with pytest.raises(ValueError, match="off the board"):
            field.number(cell)


@pytest.mark.parametrize("case", LIMITS, ids=[case["id"] for case in LIMITS])
def test_limits(case):
    width, height = case["width"], case["height"]
    for start, first_click, room in case["limits"]:
        assert max_mines(width, height, start, first_click) == room
        assert draw(width, height, room, start=start, first_click=first_click)[0].total == room
        with pytest.raises(GenerationFailed, match=f"takes at most {room}"):
            draw(width, height, max(room + 1, case["mines"]), start=start, first_click=first_click)


@given(st.integers(1, 8), st.integers(1, 8), st.data())
@settings(max_examples=200, deadline=None, derandomize=True)
def test_drawn_boards_keep_the_convention(width, height, data):
    first_click = data.draw(st.sampled_from(["opening", "safe", "any"]))
    start = data.draw(st.integers(0, width * height - 1))
    room = max_mines(width, height, start, first_click)
    mines = data.draw(st.integers(0, room))
    field = Minefield.random(width, height, mines, start=start, seed=5, index=data.draw(st.integers(0, 2**64 - 1)),
                             first_click=first_click)
    assert field.total == mines
    assert len(field.mine_cells) == mines
    if first_click != "any":
        assert not field.mines[start]
    if first_click == "opening":
        assert field.number(start) == 0


@pytest.mark.parametrize("start", ["centre", "corner", "random", "r1c1", 3])
def test_random_start_is_drawn_and_others_are_not(start):
    starts = {draw(6, 4, 3, start=start, seed=8, index=i)[1] for i in range(200)}
    assert starts == (set(range(24)) if start == "random" else {start_cell(6, 4, start)})


def test_arguments_without_meaning():
    for arguments, said in [
        ({"mines": -1}, "can't have -1 mines"), ({"start": 81}, "off the board"), ({"start": -1}, "off the board"),
        ({"start": "middle"}, "r3c4"), ({"first_click": "lucky"}, "opening, safe or any"),
        ({"width": 0}, "at least one"), ({"seed": -1}, "seed"), ({"width": LARGEST_RANGE, "height": 2}, "at most"),
    ]:
        with pytest.raises(ValueError, match=said):
            Minefield.random(**{"width": 9, "height": 9, "mines": 10, **arguments})
    with pytest.raises(ValueError, match="random start needs draws"):
        max_mines(9, 9, "random")


def test_classic_limits():
    check_classic_limits(30, 24, 360)
    for size, said in [((31, 24, 1), "width of at most 30"), ((30, 25, 1), "height of at most 24"),
                       ((30, 24, 361), "number of mines of at most 360")]:
        with pytest.raises(ValueError, match=said):
            check_classic_limits(*size)


# Uniformity. 99.99 % points of chi-square by Wilson and Hilferty (1931); the seeds are fixed, so nothing is flaky.

BOARDS = 4000


def critical(freedom):
    return freedom * (1 - 2 / (9 * freedom) + 3.719 * math.sqrt(2 / (9 * freedom))) ** 3


def statistics_of(fields, legal):
    """Chi-square over pairs of mines, and over single cells with the spread of drawing two of them without return."""
    pairs = dict.fromkeys(itertools.combinations(legal, 2), 0)
    cells = dict.fromkeys(legal, 0)
    for field in fields:
        pairs[field.mine_cells] += 1  # a KeyError is a mine on a cell that must be free
        for cell in field.mine_cells:
            cells[cell] += 1
    n, boards = len(legal), len(fields)
    by_pair = sum((seen - boards / len(pairs)) ** 2 / (boards / len(pairs)) for seen in pairs.values())
    spread = boards * 2 * (n - 2) / (n * (n - 1))
    by_cell = sum((seen - 2 * boards / n) ** 2 for seen in cells.values()) / spread
    return by_pair, by_cell, len(pairs) - 1, n - 1


@pytest.mark.parametrize("first_click", ["opening", "safe", "any"])
@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_all_layouts_are_equally_likely(start, first_click):
    legal = legal_cells(5, 4, start, first_click)
    fields = [Minefield.random(5, 4, 2, start=start, seed=11, index=i, first_click=first_click) for i in range(BOARDS)]
    by_pair, by_cell, pair_freedom, cell_freedom = statistics_of(fields, legal)
    assert by_pair < critical(pair_freedom)
    assert by_cell < critical(cell_freedom)


def test_the_uniformity_test_sees_a_bias():
    legal = legal_cells(5, 4, 0, "safe")
    fields = [Minefield.random(5, 4, 2, start=0, seed=11, index=i, first_click="safe") for i in range(BOARDS)]
    leaning = fields + [Minefield.from_cells(5, 4, legal[:2])] * (BOARDS // 25)
    by_pair, by_cell, pair_freedom, cell_freedom = statistics_of(leaning, legal)
    assert by_pair > critical(pair_freedom)
    assert by_cell > critical(cell_freedom)


# Text


@given(st.integers(1, 9), st.integers(1, 9), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_text_and_back(width, height, random):
    field = Minefield(width, height, bytes(random.random() < 0.3 for _ in range(width * height)))
    assert Minefield.from_text(field.to_text()) == field


@pytest.mark.parametrize(("text", "mines"), [
    ("*..\n...", (0,)),
    ("*1.\n11.", (0,)),
    ("*10\n110", (0,)),
    (". . *\r\n. . .\r\n", (2,)),
    ("4x2\n..*.\n....", (2,)),
    ("mines: 1\n..*\n...", (2,)),
    ("...\n...", ()),
    ("***", (0, 1, 2)),
])
def test_texts_that_are_minefields(text, mines):
    assert Minefield.from_text(text).mine_cells == mines


@pytest.mark.parametrize(("text", "said"), [
    ("*.\n1#", "found a covered cell at r2c2"),
    ("*.\n1F", "found a flag at r2c2"),
    ("*2\n11", "expected 1 at r1c2, as the mines are, found 2"),
    ("0*", "expected 1 at r1c1, as the mines are, found 0"),
    ("mines: 2\n*.", "expected 2 mines as the header says, found 1"),
    ("*.\n..\n*", "expected a row of 2 cells"),
    ("*q", "found 'q'"),
])
def test_texts_that_are_no_minefields(text, said):
    with pytest.raises(ParseError, match=said):
        Minefield.from_text(text)


def test_glyphs_of_a_minefield():
    assert Minefield.from_text("o x\no o", Glyphs(zero="o", mine="x")).mine_cells == (1,)


def test_file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbf.*\r\n")
    assert Minefield.from_file(path).mine_cells == (1,)
    path.write_bytes(b".#")
    with pytest.raises(ParseError, match=r"a\.txt"):
        Minefield.from_file(path)


def test_what_a_minefield_is_not():
    for arguments, said in [((2, 2, b"\0\0\0"), "has 4 cells"), ((2, 1, b"\0\2"), "1 \\(a mine\\) or 0"),
                            ((0, 1, b""), "at least one")]:
        with pytest.raises(ValueError, match=said):
            Minefield(*arguments)
    with pytest.raises(ValueError, match="two mines on cell 1"):
        Minefield.from_cells(2, 1, [1, 1])
    with pytest.raises(ValueError, match="cell 2 is off"):
        Minefield.from_cells(2, 1, [2])
