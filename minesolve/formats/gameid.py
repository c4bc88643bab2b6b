"""Game ids of Simon Tatham's Mines, one a line: ``WxH:x,y,m<hex>``.

``x,y`` is the first cell opened, 0-based, and may be missing. The hex digits are the mines row by row, four cells a
digit, most significant first; after ``u`` or nothing plainly, after ``m`` masked so that a player who looks at the id
learns nothing: the first half of the bytes is masked by a SHA-1 stream seeded by the second half, then the second half
by one seeded by the masked first half. (mines.c and misc.c of https://git.tartarus.org/simon/puzzles.git)
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import BinaryIO

from minesolve.errors import ParseError
from minesolve.formats.bits import from_digits, to_digits
from minesolve.formats.board import Board, lines, minefield_of
from minesolve.minefield import Minefield

__all__ = ["format_id", "mask", "parse_id", "read", "unmask", "write"]

_ID = re.compile(r"(\d{1,7})x(\d{1,7}):(?:(\d{1,7}),(\d{1,7}),)?([mu]?)([0-9a-fA-F]*)", re.ASCII)
_SEED = re.compile(r"\d+x\d+(n\d+)?a?#.*|\d+x\d+:r.*", re.ASCII)


def read(stream: BinaryIO, source: str = "<bytes>") -> Iterator[Board]:
    """Yield the boards of a file of ids, one a line; ParseError at the first line that is none, or for no line."""
    number = 0
    for number, text in lines(stream, source):
        yield parse_id(text, source, number)
    if not number:
        raise ParseError("expected a game id, found none", source=source)


def write(board: Board) -> bytes:
    """Return the line of a board; ValueError if its minefield is not known."""
    return format_id(board).encode() + b"\n"


def parse_id(text: str, source: str = "<text>", line: int | None = None) -> Board:
    """Read one game id; ParseError if it is none.

    Examples
    --------
    >>> board = parse_id("9x9:4,4,mb071b49fbd1cb6a0d5868")
    >>> board.start, board == parse_id("9x9:4,4,u004000007c00010022080")
    (40, True)
    """
    match = _ID.fullmatch(text)
    if match is None:
        what = "a seed, from which only that program makes a board" if _SEED.fullmatch(text) else repr(text[:60])
        raise ParseError(f"expected a game id such as 9x9:4,4,mb071b49fbd1cb6a0d5868, found {what}", source=source,
                         line=line)
    width, height = int(match[1]), int(match[2])
    mines = None
    if width and height:
        mines = from_digits(match[6].lower(), 4, width * height)
    if mines is None:
        raise ParseError(
            f"expected {-(-width * height // 4)} hex digits for {width}x{height} cells and no bits after the last cell,"
            f" found {len(match[6])} digits", source=source, line=line, column=match.start(6) + 1)
    start = None
    if match[3] is not None:
        x, y = int(match[3]), int(match[4])
        if x >= width or y >= height:
            raise ParseError(f"expected a start on the board of {width}x{height}, found {x},{y}", source=source,
                             line=line, column=match.start(3) + 1)
        start = y * width + x
    return Board(minefield=Minefield(width, height, unmask(mines) if match[5] == "m" else mines), start=start)


def format_id(board: Board, *, masked: bool = True) -> str:
    """Return the game id of a board; ValueError if its minefield is not known.

    Examples
    --------
    >>> format_id(parse_id("9x9:4,4,u004000007c00010022080"))
    '9x9:4,4,mb071b49fbd1cb6a0d5868'
    """
    minefield = minefield_of(board, "gameid")
    start = "" if board.start is None else "{},{},".format(*minefield.grid.xy(board.start))
    bits = mask(minefield.mines) if masked else minefield.mines
    return f"{minefield.width}x{minefield.height}:{start}{'m' if masked else 'u'}{to_digits(bits, 4)}"


def mask(mines: bytes) -> bytes:
    """Return the masked bits of a minefield, a byte (0 or 1) a cell in and out.

    Examples
    --------
    >>> from minesolve.formats.bits import from_digits, to_digits
    >>> to_digits(mask(from_digits("1234567", 4, 28)), 4)
    '07fa650'
    """
    return _masked(mines, (0, 1))


def unmask(bits: bytes) -> bytes:
    """Return the minefield of masked bits; the inverse of `mask`."""
    return _masked(bits, (1, 0))


def _masked(cells: bytes, halves: tuple[int, int]) -> bytes:
    digits = to_digits(cells, 4)
    data = bytearray.fromhex(digits + "0" * (len(digits) % 2))
    middle = len(data) // 2
    parts = (slice(0, middle), slice(middle, len(data)))
    for half in halves:
        target, seed = parts[half], parts[1 - half]
        data[target] = bytes(a ^ b for a, b in zip(data[target], _stream(bytes(data[seed])), strict=False))
        data[-1] &= 0xFF << (-len(cells) % 8) & 0xFF  # the bits after the last cell stay 0, also inside the seed
    bits = from_digits(data.hex()[: len(digits)], 4, len(cells))
    assert bits is not None  # because the bits after the last cell were cleared
    return bits


def _stream(seed: bytes) -> Iterator[int]:
    """Yield the bytes of SHA-1 of the seed with 0, 1, 2, ... in decimal behind it."""
    counter = 0
    while True:
        yield from hashlib.sha1(seed + str(counter).encode(), usedforsecurity=False).digest()
        counter += 1
