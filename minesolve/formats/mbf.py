"""``.mbf``: a minefield in bytes, as JSMinesweeper and LlamaSweeper write it (also under the suffix ``.abf``).

One byte width, one byte height, two bytes number of mines (most significant first), then for each mine one byte column
and one byte row, 0-based, in any order; we write row by row. Sizes up to 255.
(https://github.com/DavidNHill/JSMinesweeper)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from minesolve.errors import ParseError
from minesolve.formats.board import Board, minefield_of
from minesolve.minefield import Minefield

__all__ = ["read", "write"]

_LARGEST_FILE = 4 + 2 * 0xFFFF


def read(stream: BinaryIO, source: str = "<bytes>") -> Iterator[Board]:
    """Yield the one board of a file; ParseError if a byte is missing, left over, off the board or repeated.

    Examples
    --------
    >>> import io
    >>> next(read(io.BytesIO(bytes.fromhex("05040003020003010003")))).minefield.mine_cells
    (2, 8, 15)
    """
    data = stream.read(_LARGEST_FILE + 1)
    if len(data) < 4:
        raise ParseError(f"expected a header of 4 bytes, found {len(data)}", source=source)
    width, height, total = data[0], data[1], int.from_bytes(data[2:4], "big")
    if width == 0 or height == 0:
        raise ParseError(f"expected a size from 1x1 to 255x255, found {width}x{height}", source=source)
    if len(data) != 4 + 2 * total:
        found = f"more than {_LARGEST_FILE}" if len(data) > _LARGEST_FILE else str(len(data))
        raise ParseError(f"expected {4 + 2 * total} bytes for {total} mines, found {found}", source=source)
    mines = bytearray(width * height)
    for at in range(4, len(data), 2):
        x, y = data[at], data[at + 1]
        if x >= width or y >= height:
            raise ParseError(f"expected a mine on the board of {width}x{height}, found x={x}, y={y} at byte {at}",
                             source=source)
        if mines[y * width + x]:
            raise ParseError(f"expected each mine once, found x={x}, y={y} again at byte {at}", source=source)
        mines[y * width + x] = 1
    yield Board(minefield=Minefield(width, height, bytes(mines)))


def write(board: Board) -> bytes:
    """Return the bytes of a board; ValueError if its minefield is not known or a side is over 255.

    Examples
    --------
    >>> write(Board(minefield=Minefield.from_text(".*"))).hex(" ")
    '02 01 00 01 01 00'
    """
    minefield = minefield_of(board, "mbf")
    if minefield.width > 255 or minefield.height > 255:
        raise ValueError(f"mbf holds boards up to 255x255, not {minefield.width}x{minefield.height}")
    header = bytes([minefield.width, minefield.height]) + minefield.total.to_bytes(2, "big")
    return header + bytes(value for cell in minefield.mine_cells for value in minefield.grid.xy(cell))
