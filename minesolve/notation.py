"""The text of a board: liberal in reading, one form in writing.

Written form, after optional comments (``;``) and header lines::

    size: 5x3
    mines: 4

    1#F..
    11*1.
    #####

``.`` is a revealed zero, ``1`` to ``8`` the other numbers, ``#`` a covered cell, ``F`` a flag, ``*`` a mine that is
shown. `read` also takes what people have in files today (other covered glyphs, blanks between cells, other line ends,
Unicode digits, sizes and totals on lines of their own) and says in `Diagram.notes` how it read what was not plain.
What it can't read it refuses, with line and column; it never pads, drops or guesses a cell.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from minesolve.errors import ParseError

__all__ = ["COVERED", "FLAG", "MINE", "Diagram", "Glyphs", "decode", "read", "write"]

COVERED, FLAG, MINE = 9, 10, 11
"""Codes of cells without a number; 0 to 8 are the numbers themselves."""

_COVERED_GLYPHS = "?#H-_xX"
_FLAG_GLYPHS = "F"
_MINE_GLYPHS = "*"
_WRITTEN = str.maketrans({**{n: str(n) for n in range(1, 9)}, 0: ".", COVERED: "#", FLAG: "F", MINE: "*"})

_KEY = re.compile(r"\s*([A-Za-z][A-Za-z-]*)\s*:(.*)")
_NUMBERS = re.compile(r"\s*\d{1,9}(?:(?:\s*[xX×,*]\s*|\s+)\d{1,9})*\s*", re.ASCII)
_SIZE = re.compile(r"([1-9]\d{0,8})\s*[xX×]\s*([1-9]\d{0,8})", re.ASCII)
_SIZE_LINE = re.compile(r"\d+([xX])\d", re.ASCII)


@dataclass(frozen=True, slots=True)
class Glyphs:
    """What characters mean where the usual reading is wrong: each string lists characters of one meaning.

    A blank among them makes blanks cells; otherwise blanks between cells are skipped.

    Examples
    --------
    >>> read("o o 1", Glyphs(covered="o")).cells.hex()
    '090901'
    """

    covered: str = ""
    zero: str = ""
    flag: str = ""
    mine: str = ""

    def __post_init__(self) -> None:
        twice = [char for char, times in Counter(self.covered + self.zero + self.flag + self.mine).items() if times > 1]
        if twice:
            raise ValueError(f"the character {twice[0]!r} is given two meanings")


@dataclass(frozen=True, slots=True)
class Diagram:
    """A board as it was read.

    Attributes
    ----------
    width, height : int
    cells : bytes
        A code a cell, row by row: 0 to 8, `COVERED`, `FLAG` or `MINE`.
    mines : int or None
        The total, if the text states one.
    states_total : bool
        Whether the text says anything about the total, be it that it is unknown (``mines: ?``).
    notes : tuple of str
        How it was read, where that was not plain.
    """

    width: int
    height: int
    cells: bytes
    mines: int | None = None
    states_total: bool = False
    notes: tuple[str, ...] = ()


def decode(data: bytes, source: str = "<bytes>") -> str:
    """Return the text of a file's bytes: UTF-8, or UTF-16 where a byte-order mark says so; ParseError otherwise."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        read = _lines(data[: error.start].decode(encoding))
        message = f"expected text in {encoding.upper()}, found the byte 0x{data[error.start]:02x}"
        raise ParseError(message, source=source, line=len(read), column=len(read[-1]) + 1) from None


def _lines(text: str) -> list[str]:
    """Return the lines of a text with any of the three line ends, without a byte-order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def write(width: int, height: int, cells: bytes, mines: int | None) -> str:
    r"""Return the written form, always with ``size:`` and ``mines:``.

    Examples
    --------
    >>> write(3, 1, bytes([0, 1, COVERED]), None)
    'size: 3x1\nmines: ?\n\n.1#\n'
    """
    text = cells.decode("latin-1").translate(_WRITTEN)
    rows = "\n".join(text[start : start + width] for start in range(0, width * height, width))
    return f"size: {width}x{height}\nmines: {'?' if mines is None else mines}\n\n{rows}\n"


def read(text: str, glyphs: Glyphs | None = None, source: str = "<text>") -> Diagram:
    r"""Read the text of a board; ParseError says where and why it can't be read.

    Examples
    --------
    >>> diagram = read("2 3 1\n0?\n1?\n??")
    >>> diagram.width, diagram.height, diagram.mines, diagram.notes
    (2, 3, 1, ('read line 1 as size 2x3, total 1',))
    """
    return _Reader(text, glyphs or Glyphs(), source).read()


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    raw: str
    cells: str


class _Reader:
    """One reading of one text."""

    def __init__(self, text: str, glyphs: Glyphs, source: str):
        self.glyphs, self.source = glyphs, source
        self.given = glyphs.covered + glyphs.zero + glyphs.flag + glyphs.mine
        self.blanks_are_cells = any(char.isspace() for char in self.given)
        self.lines = _lines(text)
        self.size: tuple[int, int] | None = None
        self.total: int | None = None
        self.states_total = False
        self.notes: list[str] = []

    def read(self) -> Diagram:
        body = self._take_keys()
        header, rows = self._split(body)
        codes = self._codes(rows)
        width, height = self._check_rectangle(rows)
        self._take_numbers(header, width, height)
        if rows[-1].number - rows[0].number >= height:
            self._note_gaps(rows)
        table = {ord(glyph): chr(code) for glyph, code in codes.items()}
        cells = "".join(row.cells for row in rows).translate(table).encode("latin-1")
        return Diagram(width, height, cells, self.total, self.states_total, tuple(self.notes))

    def _note_gaps(self, rows: Sequence[_Line]) -> None:
        gaps = set(range(rows[0].number, rows[-1].number)) - {row.number for row in rows}
        if any(not self.lines[number - 1].strip() for number in gaps):
            self.notes.append("read the rows as one board, although blank lines part them")

    def _fail(self, message: str, line: int | None = None, column: int | None = None) -> ParseError:
        return ParseError(message, source=self.source, line=line, column=column)

    def _take_keys(self) -> list[_Line]:
        """Take the ``key: value`` lines and return the others that are not blank and no comment."""
        body = []
        for number, raw in enumerate(self.lines, 1):
            if raw.lstrip().startswith(";") and ";" not in self.given:
                continue
            key = None if ":" in self.given else _KEY.fullmatch(raw)
            if key is not None:
                column = key.start(2) + len(key[2]) - len(key[2].lstrip()) + 1
                self._take_key(key[1].lower(), key[2].strip(), (number, column))
                continue
            cells = raw if self.blanks_are_cells else "".join(raw.split())
            if cells:
                body.append(_Line(number, raw, cells))
        if not body:
            raise self._fail("expected rows of cells, found none", len(self.lines), 1)
        return body

    def _take_key(self, key: str, value: str, place: tuple[int, int]) -> None:
        if key == "size":
            match = _SIZE.fullmatch(value)
            if match is None:
                raise self._fail(f"expected a size such as 30x16 (width x height), found {value[:40]!r}", *place)
            size = int(match[1]), int(match[2])
            if self.size not in (None, size):
                raise self._fail("a second, different size", *place)
            self.size = size
        elif key == "mines":
            if value != "?" and not (value.isascii() and value.isdigit() and len(value) <= 9):
                raise self._fail(f"expected a number of mines or ?, found {value[:40]!r}", *place)
            self._set_total(None if value == "?" else int(value), *place)
        else:
            raise self._fail(f"expected the header line size: or mines:, found {key[:40]!r}", place[0], 1)

    def _set_total(self, total: int | None, line: int, column: int = 1) -> None:
        if self.states_total and total != self.total:
            raise self._fail("a second, different number of mines", line, column)
        self.total, self.states_total = total, True

    def _split(self, body: Sequence[_Line]) -> tuple[Sequence[_Line], Sequence[_Line]]:
        """Part the lines of numbers that are a header (two for the size, one for the total at most) from the rows."""
        numeric = list(takewhile(lambda line: _NUMBERS.fullmatch(line.raw), body[:4]))
        for start in range(min(len(numeric), 3, len(body) - 1) + 1):
            if self._parts_well(body[:start], body[start:]):
                return body[:start], body[start:]
        width = self._usual_width(body)  # nothing fits: part by width, so that what is reported is where it goes wrong
        start = sum(1 for _ in takewhile(lambda line: len(line.cells) != width, numeric))
        if start == len(body):
            raise self._fail("expected rows of cells, found only numbers of a header", body[-1].number, 1)
        return body[:start], body[start:]

    def _parts_well(self, header: Sequence[_Line], rows: Sequence[_Line]) -> bool:
        """Say whether the rows are even and the header is about them, in lines of another width."""
        width = len(rows[0].cells)
        if len({len(row.cells) for row in rows}) > 1 or self.size not in (None, (width, len(rows))):
            return False
        if not header:
            return not (self._no_row(rows[0], rows[1:]) and _fits(rows[:1], width, len(rows) - 1))
        apart = all(len(line.cells) != width or self._no_row(line, rows) for line in header)
        return apart and _fits(header, width, len(rows))

    def _no_row(self, line: _Line, rows: Sequence[_Line]) -> bool:
        """Say whether a line of numbers differs from the rows below it although it is as wide.

        It is written with signs that are no cells, with blanks between its numbers where the rows have none, or as a
        size with an x that stands for no covered cell there (or after a number that no corner can show).
        """
        if not _NUMBERS.fullmatch(line.raw):
            return False
        if any(sign in line.cells and sign not in self.given for sign in ",×"):
            return True
        if not self.blanks_are_cells and len(line.raw.split()) > 1 and all(len(row.raw.split()) == 1 for row in rows):
            return True
        match = _SIZE_LINE.match(line.cells)
        return match is not None and (int(line.cells[0]) > 3 or not any(match[1] in row.cells for row in rows))

    def _usual_width(self, lines: Sequence[_Line]) -> int:
        """Return the width that was stated, or that most lines have (of equals the one seen last)."""
        if self.size is not None:
            return self.size[0]
        times = Counter(len(line.cells) for line in reversed(lines))
        return max(times, key=times.__getitem__)

    def _codes(self, rows: Sequence[_Line]) -> dict[str, int]:
        """Return what each character of the rows means."""
        codes = dict.fromkeys(_COVERED_GLYPHS, COVERED) | dict.fromkeys(_FLAG_GLYPHS, FLAG)
        codes |= dict.fromkeys(_MINE_GLYPHS, MINE) | dict.fromkeys(self.glyphs.covered, COVERED)
        codes |= dict.fromkeys(self.glyphs.zero, 0) | dict.fromkeys(self.glyphs.flag, FLAG)
        codes |= dict.fromkeys(self.glyphs.mine, MINE)
        used = set().union(*(row.cells for row in rows))
        for char in used - codes.keys() - {"."}:
            digit = unicodedata.digit(char, None)
            if digit is not None and digit <= 8:
                codes[char] = digit
        if "." in used and "." not in self.given:
            codes["."] = self._dot({codes[char] for char in used if char in codes})
        unknown = used - codes.keys()
        if unknown:
            raise self._unknown(rows, unknown)
        return codes

    def _dot(self, others: set[int]) -> int:
        if self.size is not None:
            return 0
        if 0 in others:
            self.notes.append("read . as covered, because zeros are written 0")
        elif COVERED not in others:
            self.notes.append("read . as covered, because no other cell is covered")
        else:
            return 0
        return COVERED

    def _unknown(self, rows: Sequence[_Line], unknown: set[str]) -> ParseError:
        for row in rows:
            for column, char in enumerate(row.raw, 1):
                if char in unknown:
                    meaning = "a number from 0 to 8" if unicodedata.digit(char, None) is not None else "a cell"
                    hint = "" if char.isdigit() else " (--covered, --zero, --flag and --mine give glyphs a meaning)"
                    return self._fail(f"expected {meaning}, found {char!r}{hint}", row.number, column)
        raise AssertionError("an unknown character that stands in no row")

    def _check_rectangle(self, rows: Sequence[_Line]) -> tuple[int, int]:
        width = self._usual_width(rows)
        height = len(rows) if self.size is None else self.size[1]
        for row in rows:
            if len(row.cells) != width:
                raise self._fail(f"expected a row of {width} cells, found {len(row.cells)}", row.number,
                                 self._column(row, width))
        if len(rows) != height:
            wrong = rows[height] if len(rows) > height else rows[-1]
            raise self._fail(f"expected {height} rows, found {len(rows)}", wrong.number, 1)
        return width, height

    def _column(self, row: _Line, width: int) -> int:
        """Return the column of the first cell too many, or the one behind the last cell."""
        columns = [c for c, char in enumerate(row.raw, 1) if self.blanks_are_cells or not char.isspace()]
        return columns[width] if len(columns) > width else columns[-1] + 1

    def _take_numbers(self, header: Sequence[_Line], width: int, height: int) -> None:
        """Read size and total from the lines of numbers before the rows; they must fit."""
        if not header:
            return
        size, total = _size_and_total(header)
        first, last = header[0].number, header[-1].number
        if not _fits(header, width, height):
            found = " ".join(map(str, size + total))
            raise self._fail(
                f"expected a size and a total that fit the {width}x{height} cells below, or a row of {width} cells, "
                f"found {found[:40]}", first, 1)
        if total:
            self._set_total(total[0], last)
        said = ([f"size {width}x{height}"] if size else []) + [f"total {n}" for n in total]
        where = f"line {first}" if first == last else f"lines {first} to {last}"
        self.notes.append(f"read {where} as {', '.join(said)}")


def _size_and_total(header: Sequence[_Line]) -> tuple[list[int], list[int]]:
    numbers = [int(n) for line in header for n in re.findall(r"\d+", line.raw)]
    return (numbers[:2], numbers[2:]) if len(numbers) > 1 else ([], numbers)


def _fits(header: Sequence[_Line], width: int, height: int) -> bool:
    """Say whether the numbers of a header are a size (either way round), a total, or both, of such a board."""
    size, total = _size_and_total(header)
    right = not size or tuple(size) in {(width, height), (height, width)}
    return right and len(total) <= 1 and all(n <= width * height for n in total)
