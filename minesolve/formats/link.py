"""Links to a board, ``?b=<size>&m=<mines>``, one a line, as the ZiNi tools PTTACG and LlamaSweeper share them.

``b`` is 1, 2 or 3 for the standard sizes, or else width and height, padded with zeros to the same number of digits.
``m`` holds the mines row by row, five cells a character, most significant first, digits 0-9 and a-v. We write the
address of https://pttacgfans.github.io/Minesweeper-ZiNi-Calculator/ .
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO

from minesolve.errors import ParseError
from minesolve.formats.bits import from_digits, to_digits
from minesolve.formats.board import Board, lines, minefield_of
from minesolve.levels import LEVELS
from minesolve.minefield import Minefield

__all__ = ["format_link", "parse_link", "read", "write"]

_PAGE = "https://pttacgfans.github.io/Minesweeper-ZiNi-Calculator/"
_SIZES = {str(number): (level.width, level.height) for number, level in enumerate(LEVELS.values(), 1)}
_MOST_PARAMETERS = 100
_PARAMETER = re.compile(r"(?:^|[?&])([A-Za-z]+)=([^&#\s]*)", re.ASCII)


def read(stream: BinaryIO, source: str = "<bytes>") -> Iterator[Board]:
    """Yield the boards of a file of links, one a line; ParseError at the first line that is none, or for no line."""
    number = 0
    for number, text in lines(stream, source):
        yield parse_link(text, source, number)
    if not number:
        raise ParseError("expected a link with ?b=...&m=..., found none", source=source)


def write(board: Board) -> bytes:
    """Return the line of a board; ValueError if its minefield is not known."""
    return format_link(board).encode() + b"\n"


def parse_link(text: str, source: str = "<text>", line: int | None = None) -> Board:
    """Read one link, or the part after its ``?``; ParseError if it is none.

    Examples
    --------
    >>> parse_link("https://llamasweeper.com/#/game/zini-explorer?b=54&m=420g").minefield.mine_cells
    (2, 8, 15)
    """
    found = [(match[1], match[2]) for match in islice(_PARAMETER.finditer(text), _MOST_PARAMETERS)]
    parameters = dict(found)
    size, digits = parameters.get("b", ""), parameters.get("m")
    if digits is None or not size.isdigit() or not size.isascii() or len(found) != len(parameters):
        raise ParseError(f"expected a link with one ?b=...&m=..., found {text[:60]!r}", source=source, line=line)
    width, height = _SIZES.get(size) or _split(size)
    if not width or not height:
        raise ParseError(f"expected 1, 2, 3 or a width and a height after b=, found {size[:20]}", source=source,
                         line=line)
    mines = None
    if re.fullmatch("[0-9a-v]*", digits):
        mines = from_digits(digits, 5, width * height)
    if mines is None:
        raise ParseError(
            f"expected {-(-width * height // 5)} characters from 0-9 and a-v after m= for {width}x{height} cells and "
            f"no bits after the last cell, found {digits[:60]!r}", source=source, line=line)
    notes = tuple(f"left out {key}=, which is not about the board" for key in parameters if key not in ("b", "m"))
    return Board(minefield=Minefield(width, height, mines), notes=notes)


def format_link(board: Board) -> str:
    """Return the link of a board; ValueError if its minefield is not known.

    Examples
    --------
    >>> format_link(Board(minefield=Minefield.from_cells(5, 4, [2, 8, 15])))
    'https://pttacgfans.github.io/Minesweeper-ZiNi-Calculator/?b=54&m=420g'
    """
    minefield = minefield_of(board, "link")
    width, height = minefield.width, minefield.height
    digits = len(str(max(width, height)))
    named = {size: name for name, size in _SIZES.items()}
    size = named.get((width, height), f"{width:0{digits}d}{height:0{digits}d}")
    return f"{_PAGE}?b={size}&m={to_digits(minefield.mines, 5)}"


def _split(size: str) -> tuple[int, int]:
    if not 2 <= len(size) <= 14:
        return 0, 0
    return int(size[: len(size) // 2]), int(size[len(size) // 2 :])
