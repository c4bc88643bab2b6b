"""``.mine``: a position in text, as JSMinesweeper and its Java ancestor write it, one board a file.

A header ``WxHxM`` (width, height, number of mines), then the rows: ``0`` to ``8`` opened, ``H`` covered, ``F`` flagged,
``?`` a mine without a flag; from the Java program also ``M``, a mine with a flag, ``m``, a mine without one, and ``h``.
An ``F`` is the player's opinion; the others are the truth, and if they are all the mines, the minefield is known.

We write ``H``, ``F``, ``?``. Where we know the truth of a position, we write ``M`` and ``m`` for the mines that are
covered in it, so that nothing is lost; a minefield alone is written in ``H`` and ``?``.
(https://github.com/DavidNHill/JSMinesweeper)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from minesolve import notation
from minesolve.errors import ParseError
from minesolve.formats.board import Board, read_all, truth_of
from minesolve.minefield import Minefield
from minesolve.position import COVERED, FLAG, MINE, Position

__all__ = ["read", "write"]

_HEADER = re.compile(r"(\d{1,7})x(\d{1,7})x(\d{1,9})", re.ASCII)
_READ = {**{str(n): n for n in range(9)}, "H": COVERED, "h": COVERED, "F": FLAG, "?": MINE, "M": FLAG, "m": COVERED}
_WRITTEN = {**{n: str(n) for n in range(9)}, COVERED: "H", FLAG: "F", MINE: "?"}


def read(stream: BinaryIO, source: str = "<bytes>") -> Iterator[Board]:
    r"""Yield the one board of a file; ParseError if it can't be read.

    Examples
    --------
    >>> import io
    >>> board = next(read(io.BytesIO(b"5x4x3\n01F2H\n01HHH\n11111\nH1000\n")))
    >>> board.position.mines, board.minefield
    (3, None)
    """
    text = notation.decode(read_all(stream, source), source)
    rows = text.replace("\r\n", "\n").replace("\r", "\n").rstrip().split("\n")
    header = _HEADER.fullmatch(rows[0].strip())
    if header is None:
        raise ParseError(f"expected a header such as 30x16x99, found {rows[0][:40]!r}", source=source, line=1)
    width, height, total = int(header[1]), int(header[2]), int(header[3])
    cells = _cells([row.rstrip() for row in rows[1:]], width, height, source)
    mines = sum(cells.count(char) for char in "?Mm")
    if total > len(cells) or mines > total:
        raise ParseError(f"expected {total} mines as the header says, found "
                         f"{'fewer cells' if total > len(cells) else mines}", source=source, line=1)
    position = Position(width, height, bytes(map(_READ.__getitem__, cells)), total)
    minefield = Minefield(width, height, bytes(char in "?Mm" for char in cells)) if mines == total else None
    try:
        if minefield is not None and set(cells) <= set("H?"):
            yield Board(minefield=minefield)
        else:
            yield Board(position, minefield or truth_of(position))
    except ValueError as error:
        raise ParseError(str(error), source=source) from None


def _cells(rows: list[str], width: int, height: int, source: str) -> str:
    if len(rows) != height or not width or not height:
        raise ParseError(f"expected {height} rows of {width} cells, found {len(rows)} rows", source=source, line=1)
    for line, row in enumerate(rows, 2):
        wrong = re.search("[^0-8HhF?Mm]", row)
        if wrong:
            raise ParseError(f"expected 0 to 8, H, F, ?, M or m, found {wrong[0]!r}", source=source, line=line,
                             column=wrong.start() + 1)
        if len(row) != width:
            raise ParseError(f"expected a row of {width} cells, found {len(row)}", source=source, line=line,
                             column=min(len(row), width) + 1)
    return "".join(rows)


def write(board: Board) -> bytes:
    r"""Return the bytes of a board; ValueError if its total is not known.

    Examples
    --------
    >>> write(Board(minefield=Minefield.from_text(".*.\n...")))
    b'3x2x1\nH?H\nHHH\n'
    """
    if board.total is None:
        raise ValueError("mine files state the number of mines, and of this board it is not known")
    width, height, total = board.width, board.height, board.total
    glyphs = "".join(_glyphs(board))
    rows = [glyphs[start : start + width] for start in range(0, width * height, width)]
    return "\n".join([f"{width}x{height}x{total}", *rows, ""]).encode()


def _glyphs(board: Board) -> list[str]:
    position, minefield = board.position, board.minefield
    if position is None:
        assert minefield is not None
        return ["?" if mine else "H" for mine in minefield.mines]
    glyphs = [_WRITTEN[code] for code in position.cells]
    if minefield is not None:
        for cell in minefield.mine_cells:
            glyphs[cell] = {COVERED: "m", FLAG: "M"}.get(position.cells[cell], "?")
    return glyphs
