"""The text of a position: every dialect that is read, everything that is refused and where, the one written form."""

import itertools
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from minesolve import notation
from minesolve.errors import ParseError
from minesolve.notation import COVERED, FLAG, MINE, Glyphs, decode, read, write
from minesolve.position import Position

PLAIN = "size: 4x3\nmines: 3\n\n1#F.\n12*1\n####\n"
CODES = bytes([1, COVERED, FLAG, 0, 1, 2, MINE, 1, COVERED, COVERED, COVERED, COVERED])


def codes(text, **glyphs):
    """The cells as they are written, row by row, and the notes."""
    diagram = read(text, Glyphs(**glyphs))
    rows = write(diagram.width, diagram.height, diagram.cells, None).split("\n\n")[1].split()
    return " ".join(rows)


def refusal(text, **glyphs):
    with pytest.raises(ParseError) as caught:
        read(text, Glyphs(**glyphs), source="board.txt")
    error = caught.value
    assert error.source == "board.txt"
    assert str(error) == f"board.txt, line {error.line}, column {error.column}: {error.message}"
    return error.line, error.column, error.message


# One form in writing


def test_the_written_form():
    diagram = read(PLAIN)
    assert (diagram.width, diagram.height, diagram.cells) == (4, 3, CODES)
    assert (diagram.mines, diagram.states_total, diagram.notes) == (3, True, ())
    assert write(4, 3, CODES, 3) == PLAIN
    assert write(4, 3, CODES, None) == PLAIN.replace("mines: 3", "mines: ?")


@st.composite
def boards(draw):
    width, height = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    cells = draw(st.lists(st.integers(0, MINE), min_size=width * height, max_size=width * height))
    return width, height, bytes(cells), draw(st.none() | st.integers(0, width * height + 3))


@given(boards())
@example((3, 1, bytes([3, MINE, 1]), None))  # looks like the size 3*1
@example((1, 2, bytes([9, 9]), 1))
@example((2, 2, bytes([0, 0, 0, 0]), 0))
def test_what_is_written_is_read_back(board):
    width, height, cells, mines = board
    text = write(width, height, cells, mines)
    diagram = read(text)
    assert (diagram.width, diagram.height, diagram.cells, diagram.mines) == board
    assert diagram.states_total
    assert diagram.notes == ()
    position = Position(width, height, cells, mines)
    assert Position.from_text(position.to_text()) == position


@given(
    boards(), st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from(["", "\ufeff"]), st.sampled_from(["", " ", "\t"])
)
def test_line_ends_marks_and_blanks_change_nothing(board, end, mark, blank):
    text = write(*board)
    header, rows = text.split("\n\n")
    rows = "\n".join(blank + blank.join(row) + blank for row in rows.split("\n"))
    assert read(mark + f"{header}\n\n{rows}".replace("\n", end)) == read(text)


# Liberal reading

DIALECTS = [
    ("12\r\n#F\r\n", "12 #F"),
    ("12\r#F\r", "12 #F"),
    ("\ufeff12\n#F", "12 #F"),
    ("12   \n#F\t\n", "12 #F"),
    ("1 2\n# F\n", "12 #F"),
    ("\t1\t2\n\t#\tF\n\t", "12 #F"),
    ("1\u00a02\n#\u3000F", "12 #F"),
    ("\n\n12\n#F\n\n\n", "12 #F"),
    ("１２\n#F", "12 #F"),
    ("𝟭𝟮\n#F", "12 #F"),
    ("¹²\n#F", "12 #F"),
    ("①②\n#F", "12 #F"),
    ("١٢\n#F", "12 #F"),
    ("𝟘0\n##", ".. ##"),
    ("?1\n1?", "#1 1#"),
    ("H1\n1H", "#1 1#"),
    ("-1\n1-", "#1 1#"),
    ("_1\n1_", "#1 1#"),
    ("x1\n1X", "#1 1#"),
    ("?1\nH-\n_x\nX#", "#1 ## ## ##"),
    ("; a comment\n12\n  ; another\n#F\n;", "12 #F"),
    ("12\n#F\nMINES: 1\nSize : 2x2", "12 #F"),
    (".1\n0#", "#1 .#"),
    (".1\n#1", ".1 #1"),
    (".1\n.1", "#1 #1"),
    (".1\n*F", "#1 *F"),
    ("size: 2x2\n.1\n.1", ".1 .1"),
    ("size: 2x2\n.1\n01", ".1 .1"),
    ("..\n..", "## ##"),
    ("8", "8"),
    ("#", "#"),
]


@pytest.mark.parametrize(("text", "cells"), DIALECTS)
def test_dialects(text, cells):
    assert codes(text) == cells


HEADERS = [
    # before rows of 5x3
    ("5x3", None, "read line 1 as size 5x3"),
    ("3x5", None, "read line 1 as size 5x3"),
    ("5x3x2", 2, "read line 1 as size 5x3, total 2"),
    ("5X3X2", 2, "read line 1 as size 5x3, total 2"),
    ("5×3×2", 2, "read line 1 as size 5x3, total 2"),
    ("3 5 2", 2, "read line 1 as size 5x3, total 2"),
    ("3 5", None, "read line 1 as size 5x3"),
    ("5,3,2", 2, "read line 1 as size 5x3, total 2"),
    ("5 x 3 x 2", 2, "read line 1 as size 5x3, total 2"),
    ("5*3 2", 2, "read line 1 as size 5x3, total 2"),
    ("3\n5\n2", 2, "read lines 1 to 3 as size 5x3, total 2"),
    ("3 5\n2", 2, "read lines 1 to 2 as size 5x3, total 2"),
    ("3\n5", None, "read lines 1 to 2 as size 5x3"),
    ("2", 2, "read line 1 as total 2"),
    ("15", 15, "read line 1 as total 15"),
    ("0", 0, "read line 1 as total 0"),
]


@pytest.mark.parametrize("rows", ["1####\n##1##\n####1", "11111\n11111\n1111#", "11211\n11111\n11111"])
@pytest.mark.parametrize(("header", "total", "note"), HEADERS)
def test_headers(header, total, note, rows):
    diagram = read(f"{header}\n{rows}\n")
    assert (diagram.width, diagram.height) == (5, 3)
    assert diagram.mines == total
    assert diagram.states_total == (total is not None)
    assert diagram.notes == (note,)
    assert diagram.cells == read(rows).cells


@pytest.mark.parametrize(
    ("text", "shape", "mines"),
    [
        ("2\n3\n1\n#1#\n1##", (3, 2), 1),  # more header lines than rows
        ("8\n1\n########", (8, 1), None),
        ("3x3\n#1#\n###\n###", (3, 3), None),  # as wide as the rows, but x stands nowhere else
        ("2 2\n1#\n##", (2, 2), None),  # as wide as the rows, but they have no blanks
        ("3 3 2\n#1#\n###\n###", (3, 3), 2),
        ("3 3\n2\n#1#\n###\n###", (3, 3), 2),
        ("3,3\n#1#\n###\n###", (3, 3), None),
        ("6x6x10\n" + "######\n" * 6, (6, 6), 10),  # as wide as the rows, but no corner shows a 6
        ("4x12\n" + "xxxx\n" * 12, (4, 12), None),  # as wide as the rows, x stands there too, but a corner is at most 3
        ("30x16x99\n" + ("#" * 30 + "\n") * 16, (30, 16), 99),
        ("16 30 99\n" + ("#" * 30 + "\n") * 16, (30, 16), 99),
        ("99\n" + ("#" * 30 + "\n") * 16, (30, 16), 99),
    ],
)
def test_headers_of_other_boards(text, shape, mines):
    diagram = read(text)
    assert ((diagram.width, diagram.height), diagram.mines) == (shape, mines)
    assert len(diagram.notes) == 1


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("11\n##\n##", (2, 3)),  # a row may consist of numbers
        ("3x3\n1x1\n1x1\n111", (3, 4)),  # x is a covered cell here
        ("2x2", (3, 1)),
        ("3 3 2\n# 1 #\n# # #\n# # #", (3, 4)),
        ("1 1\n##", (2, 2)),  # blanks, but no size that fits
        ("3 2 7\n###\n###", (3, 3)),
        ("3*1", (3, 1)),
        ("111\n111", (3, 2)),
        ("1\n1\n#", (1, 3)),
    ],
)
def test_rows_of_numbers_are_rows(text, shape):
    diagram = read(text)
    assert (diagram.width, diagram.height) == shape
    assert diagram.mines is None
    assert diagram.notes == ()


def test_a_total_may_be_stated_or_be_unknown():
    assert (read("1#").mines, read("1#").states_total) == (None, False)
    assert (read("mines: ?\n1#").mines, read("mines: ?\n1#").states_total) == (None, True)
    assert (read("mines: 1\n1#\n1#\nmines: 1").mines, read("1#\nmines: 7").mines) == (1, 7)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("0.\n..", "read . as covered, because zeros are written 0"),
        (".1\n.1", "read . as covered, because no other cell is covered"),
        ("1#\n\n1#", "read the rows as one board, although blank lines part them"),
    ],
)
def test_what_is_not_plain_is_noted(text, note):
    assert read(text).notes == (note,)


@pytest.mark.parametrize("text", [".1\n#1", "size: 2x1\n.1", "\n\n1#\n; comment\n1#\n\n", "0#\n##", "1#"])
def test_what_is_plain_is_not(text):
    assert read(text).notes == ()


# Glyphs


@pytest.mark.parametrize(
    ("text", "glyphs", "cells"),
    [
        ("ab\ncd", {"covered": "a", "zero": "b", "flag": "c", "mine": "d"}, "#. F*"),
        ("..\n1#", {"covered": "."}, "## 1#"),
        ("..\n1o", {"covered": "o"}, ".. 1#"),
        ("size: 2x2\n..\n1#", {"covered": "."}, "## 1#"),
        ("x#\n1x", {"mine": "x"}, "*# 1*"),
        ("M1\nm1", {"flag": "Mm"}, "F1 F1"),
        ("9#\n11", {"covered": "9"}, "## 11"),
        ("00\n1#", {"covered": "0"}, "## 1#"),
        ("  1\n111\n #1", {"zero": " "}, "..1 111 .#1"),
        (" 1\n; ", {"covered": " ", "flag": ";"}, "#1 F#"),
        (":1\n1:", {"covered": ":"}, "#1 1#"),
        ("■1\n1■", {"covered": "■"}, "#1 1#"),
        ("🚩1\n1💣", {"flag": "🚩", "mine": "💣"}, "F1 1*"),
    ],
)
def test_glyphs(text, glyphs, cells):
    assert codes(text, **glyphs) == cells


@pytest.mark.parametrize("glyphs", [{"covered": "oo"}, {"covered": "o", "flag": "o"}, {"zero": "#", "mine": "#"}])
def test_a_glyph_has_one_meaning(glyphs):
    with pytest.raises(ValueError, match="two meanings"):
        Glyphs(**glyphs)


# Refusals

NO_HEADER = "expected a size and a total that fit the 3x2 cells below, or a row of 3 cells, found "
REFUSED = [
    ("", 1, 1, "expected rows of cells, found none"),
    ("\n \n; only a comment\n", 4, 1, "expected rows of cells, found none"),
    ("size: 3x2\nmines: 1\n", 3, 1, "expected rows of cells, found none"),
    ("111\n1#1\n11\n", 3, 3, "expected a row of 3 cells, found 2"),
    ("111\n1#1\n1111\n", 3, 4, "expected a row of 3 cells, found 4"),
    ("1 1 1\n1 # 1\n1 1 1 1\n", 3, 7, "expected a row of 3 cells, found 4"),
    ("11\n1#1\n111\n", 1, 1, NO_HEADER + "11"),
    ("1##\n12\n#1#", 2, 3, "expected a row of 3 cells, found 2"),
    ("11\n1g\n", 2, 2, "expected a cell, found 'g'"),
    ("\n 1 1 \r\n 1 g\n", 3, 4, "expected a cell, found 'g'"),
    ("\ufeff1@\n", 1, 2, "expected a cell, found '@'"),
    ("1#\n1\u200b", 2, 2, "expected a cell, found '\\u200b'"),
    ("1#\n1\x00", 2, 2, "expected a cell, found '\\x00'"),
    ("1#\n1\ufeff", 2, 2, "expected a cell, found '\\ufeff'"),
    ("1#\n19", 2, 2, "expected a number from 0 to 8, found '9'"),
    ("1#\n1⑨", 2, 2, "expected a number from 0 to 8, found '⑨'"),
    ("1#\n1½", 2, 2, "expected a cell, found '½'"),
    ("1#\n1f", 2, 2, "expected a cell, found 'f'"),
    ("1# ; here", 1, 4, "expected a cell, found ';'"),
    ("size: 3\n1#", 1, 7, "expected a size such as 30x16 (width x height), found '3'"),
    ("size:\n1#", 1, 6, "expected a size such as 30x16 (width x height), found ''"),
    ("size: 0x3\n1#", 1, 7, "expected a size such as 30x16 (width x height), found '0x3'"),
    ("size: -2x3\n1#", 1, 7, "expected a size such as 30x16 (width x height), found '-2x3'"),
    ("size: 30x16x99\n1#", 1, 7, "expected a size such as 30x16 (width x height), found '30x16x99'"),
    ("size: 1234567890x1\n1#", 1, 7, "expected a size such as 30x16 (width x height), found '1234567890x1'"),
    ("size: 2x1\nsize: 1x2\n1#", 2, 7, "a second, different size"),
    ("size: 2x2\n1#", 2, 1, "expected 2 rows, found 1"),
    ("size: 2x2\n1#\n1#\n\n1#", 5, 1, "expected 2 rows, found 3"),
    ("size: 3x1\n1#", 2, 3, "expected a row of 3 cells, found 2"),
    ("mines: many\n1#", 1, 8, "expected a number of mines or ?, found 'many'"),
    ("mines:   -1\n1#", 1, 10, "expected a number of mines or ?, found '-1'"),
    ("mines: 1.5\n1#", 1, 8, "expected a number of mines or ?, found '1.5'"),
    ("mines: ١\n1#", 1, 8, "expected a number of mines or ?, found '١'"),
    ("mines: 1234567890\n1#", 1, 8, "expected a number of mines or ?, found '1234567890'"),
    ("mines: 1\nmines: 2\n1#", 2, 8, "a second, different number of mines"),
    ("mines: ?\nmines: 2\n1#", 2, 8, "a second, different number of mines"),
    ("mines: 2\n1\n1##", 2, 1, "a second, different number of mines"),
    ("bombs: 2\n1#", 1, 1, "expected the header line size: or mines:, found 'bombs'"),
    ("9 9 10\n###\n###", 1, 1, NO_HEADER + "9 9 10"),
    ("7\n###\n###", 1, 1, NO_HEADER + "7"),
    ("2 3 1 1\n###\n###", 1, 1, NO_HEADER + "2 3 1 1"),
]


@pytest.mark.parametrize(("text", "line", "column", "message"), REFUSED)
def test_refusals(text, line, column, message):
    found_line, found_column, found_message = refusal(text)
    assert found_message.removesuffix(" (--covered, --zero, --flag and --mine give glyphs a meaning)") == message
    assert (found_line, found_column) == (line, column)


def test_an_unknown_glyph_is_explained_with_the_way_out():
    assert refusal("1o")[2].endswith("(--covered, --zero, --flag and --mine give glyphs a meaning)")
    assert "--covered" not in refusal("19")[2]


# Anything at all



def read_or_place(reader, source, *more):
    """What a reader makes of a source; (line, column) if it refuses; any other exception is let through."""
    try:
        return reader(source, *more)
    except ParseError as error:
        return error.line, error.column


ALPHABET = "0123456789.#?HxX-_F*×,;: \t\n\r\ufeffabmines:size"


@given(st.text() | st.text(ALPHABET))
@example("1 " * 3000 + "x5\n" + "#" * 3001 + "1")  # more digits than int() takes
@example("3x3")
@example("\ud800")
@settings(max_examples=1000)
def test_any_text_is_read_or_refused(text):
    diagram = read_or_place(read, text)
    if isinstance(diagram, tuple):
        assert min(diagram) >= 1
    else:
        assert len(diagram.cells) == diagram.width * diagram.height
        assert read(write(diagram.width, diagram.height, diagram.cells, diagram.mines)).cells == diagram.cells
        assert len(diagram.cells) <= sum(not char.isspace() for char in text)


@given(st.text(ALPHABET), st.text(max_size=2), st.text(max_size=2), st.text(max_size=2), st.text(max_size=2))
def test_any_glyphs_do(text, covered, zero, flag, mine):
    meant = covered + zero + flag + mine
    if len(set(meant)) < len(meant):
        with pytest.raises(ValueError, match="two meanings"):
            Glyphs(covered, zero, flag, mine)
        return
    diagram = read_or_place(read, text, Glyphs(covered, zero, flag, mine))
    if isinstance(diagram, tuple):
        assert min(diagram) >= 1
    else:
        assert len(diagram.cells) == diagram.width * diagram.height


@given(st.binary())
@example(b"\xff\xfe")
@example(b"\xff\xfe1")
@example(b"\xef\xbb\xbf\xff")
@settings(max_examples=500)
def test_any_bytes_are_decoded_or_refused(data):
    text = read_or_place(decode, data)
    assert isinstance(text, str) or min(text) >= 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(encoding):
    assert decode("1#\n１#".encode(encoding)) == "1#\n１#"
    assert decode(b"\xfe\xff" + "1#".encode("utf-16-be")) == "1#"


@pytest.mark.parametrize(
    ("data", "line", "column", "byte", "encoding"),
    [
        (b"11\n1\xff", 2, 2, "ff", "UTF-8"),
        (b"11\r1\xff", 2, 2, "ff", "UTF-8"),
        (b"11\r\n1\xff", 2, 2, "ff", "UTF-8"),
        (b"\xef\xbb\xbf1\xe9", 1, 2, "e9", "UTF-8"),
        ("é1".encode() + b"\xe9", 1, 3, "e9", "UTF-8"),
        (b"\xff\xfe1\x00\n\x001", 2, 1, "31", "UTF-16"),
    ],
)
def test_bytes_that_are_no_text(data, line, column, byte, encoding):
    with pytest.raises(ParseError, match=f"expected text in {encoding}, found the byte 0x{byte}") as caught:
        decode(data)
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize("size", ["999999999x999999999", "1x999999999", "999999999x1"])
def test_a_stated_size_reserves_nothing(size):
    started = time.perf_counter()
    assert refusal(f"size: {size}\n1")[0] == 2
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize(
    "text",
    ["1" * 300_000, " " * 300_000 + "g", "1 " * 150_000 + "#g", "1x" * 150_000 + "g", "a" * 300_000, "a " * 150_000,
     ";" * 300_000, "\n" * 300_000, "11\n" * 100_000 + "1", "5\n" * 150_000 + "####", "mines" * 60_000 + ":"],
)
def test_time_grows_no_faster_than_the_text(text):
    started = time.perf_counter()
    try:
        diagram = read(text)
    except ParseError:
        pass
    else:
        assert diagram.width * diagram.height <= len(text)
    assert time.perf_counter() - started < 5


def test_every_code_has_a_glyph_of_its_own():
    written = [write(1, 1, bytes([code]), None)[-2] for code in range(MINE + 1)]
    assert written == list(".12345678#F*")
    assert all(a != b for a, b in itertools.combinations(written, 2))
    assert (notation.COVERED, notation.FLAG, notation.MINE) == (9, 10, 11)
