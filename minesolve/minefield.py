"""A minefield: the truth about a board, and how it is drawn.

Board ``index`` of ``seed`` for a size, number of mines, start and first-click convention is one fixed board for ever:
a partial Fisher-Yates shuffle of the legal cells (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm P) over
the draws of `minesolve.draws`. No rejection: bounded work, every layout of the convention equally likely.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Literal, get_args

from minesolve import notation
from minesolve.draws import LARGEST_RANGE, SplitMix64
from minesolve.errors import GenerationFailed, ParseError
from minesolve.grid import Grid
from minesolve.notation import COVERED, MINE, Glyphs

__all__ = [
    "CLASSIC_LIMITS",
    "FirstClick",
    "Minefield",
    "Start",
    "check_classic_limits",
    "draw",
    "legal_cells",
    "max_mines",
    "start_cell",
]

FirstClick = Literal["opening", "safe", "any"]
"""What the first click meets: always a zero, always a safe cell, or anything."""

Start = int | str
"""A cell index, a name such as ``r8c15``, ``centre``, ``corner`` or ``random``."""

CLASSIC_LIMITS = (30, 24, 360)
"""The largest width, height and number of mines of the classic custom level."""

_FREE = bytes.maketrans(b"\x01", bytes([MINE]))


@dataclass(frozen=True, slots=True)
class Minefield:
    r"""Where the mines are.

    Immutable and hashable. Players and solvers never see one: they see a `Position`.

    Attributes
    ----------
    width, height : int
    mines : bytes
        One byte a cell, row by row: 1 for a mine, 0 for none.

    Examples
    --------
    >>> field = Minefield.from_text(".*.\n...")
    >>> field.total, field.mine_cells, field.number(0)
    (1, (1,), 1)
    >>> Minefield.random(30, 16, 99, start="r8c15", seed=7, index=3).number(Grid(30, 16).cell("r8c15"))
    0
    """

    width: int
    height: int
    mines: bytes

    def __post_init__(self) -> None:
        if len(self.mines) != len(Grid(self.width, self.height)):
            raise ValueError(f"{self.width}x{self.height} has {self.width * self.height} cells, not {len(self.mines)}")
        if self.mines.count(0) + self.mines.count(1) != len(self.mines):
            raise ValueError("a cell of a minefield is 1 (a mine) or 0")

    @property
    def grid(self) -> Grid:
        """The geometry: neighbours and names of cells."""
        return Grid(self.width, self.height)

    @property
    def total(self) -> int:
        """The number of mines on the whole board."""
        return self.mines.count(1)

    @property
    def mine_cells(self) -> tuple[int, ...]:
        """The cells with a mine, ascending."""
        return tuple(compress(range(len(self.mines)), self.mines))

    @classmethod
    def from_cells(cls, width: int, height: int, cells: Iterable[int]) -> Minefield:
        r"""Lay mines on the given cells; ValueError if one is off the board or given twice.

        Examples
        --------
        >>> Minefield.from_cells(3, 1, [1]).mines
        b'\x00\x01\x00'
        """
        mines = bytearray(len(Grid(width, height)))
        for cell in cells:
            if not 0 <= cell < len(mines):
                raise ValueError(f"cell {cell} is off the board of {width}x{height}")
            if mines[cell]:
                raise ValueError(f"two mines on cell {cell}")
            mines[cell] = 1
        return cls(width, height, bytes(mines))

    @classmethod
    def random(cls, width: int, height: int, mines: int, *, start: Start = "centre", seed: int = 0, index: int = 0,
               first_click: FirstClick = "opening") -> Minefield:
        """Draw board ``index`` of ``seed``: the same arguments give the same board for ever.

        Raises GenerationFailed if there are more mines than legal cells and ValueError for arguments without meaning.

        Examples
        --------
        >>> Minefield.random(9, 9, 10, seed=1, index=5) == Minefield.random(9, 9, 10, seed=1, index=5)
        True
        """
        return draw(width, height, mines, start=start, seed=seed, index=index, first_click=first_click)[0]

    @classmethod
    def from_text(cls, text: str, glyphs: Glyphs | None = None, source: str = "<text>") -> Minefield:
        r"""Read a minefield: ``*`` is a mine, ``.`` is none, and numbers, where there are any, must be right.

        Everything else is read as `minesolve.notation` does it. Raises ParseError, also for a covered cell or a flag:
        what such a text says is a position, not the truth.

        Examples
        --------
        >>> Minefield.from_text("1*1\n1.1").mine_cells
        (1,)
        """
        return _from_text(text, glyphs or Glyphs(), source)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Minefield:
        """Read a minefield from a text file; ParseError where it can't be read, OSError where the file can't."""
        source = os.fspath(path)
        return cls.from_text(notation.decode(Path(path).read_bytes(), source), source=source)

    def to_text(self) -> str:
        """Return the written form: ``.`` and ``*`` under ``size:`` and ``mines:``."""
        return notation.write(self.width, self.height, self.mines.translate(_FREE), self.total)

    def number(self, cell: int) -> int:
        """Return how many mines are beside a cell; ValueError if it holds one itself or is off the board."""
        if not 0 <= cell < len(self.mines):
            raise ValueError(f"cell {cell} is off the board")
        if self.mines[cell]:
            raise ValueError(f"{self.grid.name(cell)} is a mine and shows no number")
        return sum(self.mines[n] for n in self.grid.neighbours(cell))

    def numbers(self) -> bytes:
        r"""Return what every cell shows once opened, row by row: 0 to 8, or `MINE`.

        Examples
        --------
        >>> Minefield.from_text("..*").numbers() == bytes([0, 1, MINE])
        True
        """
        grid, counts = self.grid, bytearray(len(self.mines))
        for mine in compress(range(len(counts)), self.mines):
            for cell in grid.neighbours(mine):
                counts[cell] += 1
        return bytes(MINE if mine else count for mine, count in zip(self.mines, counts, strict=True))

    def __str__(self) -> str:
        return self.to_text()


def start_cell(width: int, height: int, start: Start, draws: SplitMix64 | None = None) -> int:
    """Return the cell that a start means; ``random`` takes it from the draws. ValueError if it means none.

    Examples
    --------
    >>> start_cell(30, 16, "centre"), start_cell(30, 16, "corner"), start_cell(30, 16, "r2c1")
    (255, 0, 30)
    """
    grid = Grid(width, height)
    if not isinstance(start, str):
        if not 0 <= start < len(grid):
            raise ValueError(f"the start {start} is off the board of {width}x{height}")
        return operator.index(start)
    if start == "random":
        if draws is None:
            raise ValueError("a random start needs draws")
        return draws.below(len(grid))
    named = {"centre": (height // 2) * width + width // 2, "corner": 0}
    return named[start] if start in named else grid.cell(start)


def legal_cells(width: int, height: int, start: int, first_click: FirstClick = "opening") -> list[int]:
    """Return the cells that may hold a mine when the first click is on ``start``, ascending.

    Examples
    --------
    >>> legal_cells(4, 2, start=0, first_click="opening")
    [2, 3, 6, 7]
    """
    if first_click not in get_args(FirstClick):
        raise ValueError(f"the first click is opening, safe or any, not {first_click!r}")
    grid = Grid(width, height)
    free: set[int] = set()
    if first_click != "any":
        free = {start, *(grid.neighbours(start) if first_click == "opening" else ())}
    return [cell for cell in range(len(grid)) if cell not in free]


def max_mines(width: int, height: int, start: Start = "centre", first_click: FirstClick = "opening") -> int:
    """Return how many mines fit; ValueError for a random start, where it depends on the cell.

    Examples
    --------
    >>> max_mines(9, 1, "corner"), max_mines(9, 1, "centre"), max_mines(5, 5), max_mines(5, 5, first_click="safe")
    (7, 6, 16, 24)
    """
    return len(legal_cells(width, height, start_cell(width, height, start), first_click))


def draw(width: int, height: int, mines: int, *, start: Start = "centre", seed: int = 0, index: int = 0,
         first_click: FirstClick = "opening") -> tuple[Minefield, int]:
    """Draw board ``index`` of ``seed`` and return it with its start, which ``start="random"`` draws before the mines.

    Raises GenerationFailed if there are more mines than legal cells: never a board with fewer mines than asked for.

    Examples
    --------
    >>> field, start = draw(9, 9, 10, start="random", seed=3)
    >>> field.total, field.number(start)
    (10, 0)
    """
    if mines < 0:
        raise ValueError(f"a board can't have {mines} mines")
    if len(Grid(width, height)) > LARGEST_RANGE:
        raise ValueError(f"a random board has at most {LARGEST_RANGE} cells, not {width}x{height}")
    draws = SplitMix64(seed, index)
    cell = start_cell(width, height, start, draws)
    legal = legal_cells(width, height, cell, first_click)
    if mines > len(legal):
        raise _too_many(Grid(width, height), mines, len(legal), cell, first_click)
    for j in range(mines):
        k = j + draws.below(len(legal) - j)
        legal[j], legal[k] = legal[k], legal[j]
    return Minefield.from_cells(width, height, legal[:mines]), cell


def _too_many(grid: Grid, mines: int, room: int, start: int, first_click: FirstClick) -> GenerationFailed:
    kept = {"opening": f" with {grid.name(start)} and its neighbours free", "safe": f" with {grid.name(start)} free"}
    return GenerationFailed(
        f"{mines} mines are too many: {grid.width}x{grid.height}{kept.get(first_click, '')} takes at most {room}",
        bound=0.0)


def check_classic_limits(width: int, height: int, mines: int) -> None:
    """Check a custom board against the classic limits: up to 30x24 and 360 mines; ValueError names the one broken.

    Examples
    --------
    >>> check_classic_limits(30, 24, 360)
    >>> check_classic_limits(31, 24, 10)
    Traceback (most recent call last):
    ValueError: the classic custom level allows a width of at most 30, not 31
    """
    for name, value, limit in zip(("width", "height", "number of mines"), (width, height, mines), CLASSIC_LIMITS,
                                  strict=True):
        if value > limit:
            raise ValueError(f"the classic custom level allows a {name} of at most {limit}, not {value}")


def _from_text(text: str, glyphs: Glyphs, source: str) -> Minefield:
    """Read the text twice, with free cells as zeros and as covered: what differs is a cell whose number is not told."""
    free = glyphs.zero + ("" if "." in glyphs.covered + glyphs.zero + glyphs.flag + glyphs.mine else ".")
    diagram = notation.read(text, Glyphs(glyphs.covered, free, glyphs.flag, glyphs.mine), source)
    untold = notation.read(text, Glyphs(glyphs.covered + free, "", glyphs.flag, glyphs.mine), source).cells
    field = Minefield(diagram.width, diagram.height, bytes(code == MINE for code in diagram.cells))
    numbers, name = field.numbers(), field.grid.name
    for cell, (code, other) in enumerate(zip(diagram.cells, untold, strict=True)):
        if code >= COVERED and code != MINE:
            found = "a covered cell" if code == COVERED else "a flag"
            raise ParseError(f"expected * or . in a minefield, found {found} at {name(cell)}", source=source)
        if code == other and code != numbers[cell]:
            raise ParseError(f"expected {numbers[cell]} at {name(cell)}, as the mines are, found {code}", source=source)
    if diagram.mines not in (None, field.total):
        raise ParseError(f"expected {diagram.mines} mines as the header says, found {field.total}", source=source)
    return field
