"""The text of boards: `minesolve.notation`, for positions and for minefields.

A text of nothing but ``.`` and ``*`` is a minefield if it has a mine or a ``size:`` line and no other total; any other
text is a position. Several boards in one file each begin with their ``size:`` line. The start is kept in a comment,
``; start: r3c4``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import BinaryIO, TypeVar

from minesolve import notation
from minesolve.errors import ParseError
from minesolve.formats.board import Board, read_all, truth_of
from minesolve.grid import Grid
from minesolve.minefield import Minefield
from minesolve.notation import COVERED, MINE, Diagram, Glyphs
from minesolve.position import Position

__all__ = ["diagrams", "parse", "read", "write"]

T = TypeVar("T")

_MOST_LINES = 1 << 16
_SIZE = re.compile(r"\s*size\s*:", re.IGNORECASE)
_START = re.compile(r"^[^\S\n]*;[^\S\n]*start:[^\S\n]*(\S+)[^\S\n]*$", re.MULTILINE)


def read(stream: BinaryIO, source: str = "<bytes>", glyphs: Glyphs | None = None) -> Iterator[Board]:
    r"""Yield the boards of a file; ParseError at the first that can't be read.

    Examples
    --------
    >>> import io
    >>> boards = list(read(io.BytesIO(b"size: 2x1\n\n1*\nsize: 2x1\nmines: 1\n\n#1\n")))
    >>> [board.minefield.mine_cells for board in boards]
    [(1,), (0,)]
    """
    return _each(stream, source, lambda text: parse(text, source, glyphs))


def diagrams(stream: BinaryIO, source: str = "<bytes>", glyphs: Glyphs | None = None) -> Iterator[Diagram]:
    r"""Yield the boards of a file as `minesolve.notation` reads them: all of them positions, and with what they state.

    Examples
    --------
    >>> import io
    >>> found = diagrams(io.BytesIO(b"size: 2x1\n\n1*\nsize: 2x1\nmines: 1\n\n#1\n"))
    >>> [(diagram.cells.hex(), diagram.states_total) for diagram in found]
    [('010b', False), ('0901', True)]
    """
    return _each(stream, source, lambda text: notation.read(text, glyphs, source))


def _each(stream: BinaryIO, source: str, parse_one: Callable[[str], T]) -> Iterator[T]:
    text = notation.decode(read_all(stream, source), source).replace("\r\n", "\n").replace("\r", "\n")
    if text.count("\n") > _MOST_LINES:
        raise ParseError(f"expected at most {_MOST_LINES} lines, found more", source=source)
    for before, chunk in _chunks(text):
        try:
            yield parse_one(chunk)
        except ParseError as error:
            line = None if error.line is None else error.line + before
            raise ParseError(error.message, source=source, line=line, column=error.column) from None


def _chunks(text: str) -> Iterator[tuple[int, str]]:
    """Part a text at its ``size:`` lines, the first one left out; with the number of lines before each part."""
    rows = text.split("\n")
    sizes = [number for number, row in enumerate(rows) if _SIZE.match(row)]
    parts = [0, *sizes[1:], len(rows)]
    for start, end in pairwise(parts):
        yield start, "\n".join(rows[start:end])


def parse(text: str, source: str = "<text>", glyphs: Glyphs | None = None) -> Board:
    r"""Read the text of one board, a position or a minefield; ParseError if it can't be read.

    Examples
    --------
    >>> parse("..*\n...").minefield.mine_cells, parse("1#*\n...").minefield
    ((2,), None)
    """
    glyphs = glyphs or Glyphs()
    has_size = any(_SIZE.match(row) for row in text.split("\n"))
    minefield = _minefield(text, glyphs, source, has_size)
    if minefield is not None:
        notes = () if has_size else ("read as a minefield, because it has only free cells and mines",)
        return Board(minefield=minefield, start=_start(text, minefield.grid, source), notes=notes)
    diagram = notation.read(text, glyphs, source)
    position = Position.from_diagram(diagram)
    return Board(position, truth_of(position), _start(text, position.grid, source), notes=diagram.notes)


def _minefield(text: str, glyphs: Glyphs, source: str, has_size: bool) -> Minefield | None:
    """Return the minefield if the text is one: read with dots as zeros and as covered, only those and mines."""
    given = glyphs.covered + glyphs.zero + glyphs.flag + glyphs.mine
    free = glyphs.zero + ("" if "." in given else ".")
    told = notation.read(text, Glyphs(glyphs.covered, free, glyphs.flag, glyphs.mine), source)
    untold = notation.read(text, Glyphs(glyphs.covered + free, "", glyphs.flag, glyphs.mine), source)
    if not set(told.cells) <= {0, MINE} or not set(untold.cells) <= {COVERED, MINE}:
        return None
    minefield = Minefield(told.width, told.height, bytes(code == MINE for code in told.cells))
    fits = told.mines == minefield.total or not told.states_total
    return minefield if fits and (has_size or minefield.total) else None


def _start(text: str, grid: Grid, source: str) -> int | None:
    match = _START.search(text)
    if match is None:
        return None
    try:
        return grid.cell(match[1])
    except ValueError as error:
        raise ParseError(str(error), source=source, line=text.count("\n", 0, match.start()) + 1) from None


def write(board: Board) -> bytes:
    r"""Return the text of a board: its position, or the minefield where there is no position.

    Examples
    --------
    >>> write(Board(minefield=Minefield.from_text(".*"), start=0))
    b'size: 2x1\nmines: 1\n; start: r1c1\n\n.*\n'
    """
    shown = board.position or board.minefield
    assert shown is not None  # as Board makes sure
    start = "" if board.start is None else f"; start: {board.grid.name(board.start)}\n"
    return shown.to_text().replace("\n\n", f"\n{start}\n", 1).encode()
