"""What is to be drawn: cells, chances and marks, whatever they come from.

A `Picture` is plain data. Both renderers draw it, and neither knows how its marks were found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Protocol

from minesolve.errors import MinesolveError
from minesolve.grid import Grid
from minesolve.notation import COVERED, FLAG, MINE

__all__ = ["MAX_CELLS", "Board", "Picture", "Window", "window_around"]

MAX_CELLS = 1 << 16
"""The most cells that are drawn at once: 256x256, more than a screen or a page can show."""

Window = tuple[int, int, int, int]
"""A cut-out (x0, y0, x1, y1), 0-based: columns x0 to x1 - 1 and rows y0 to y1 - 1."""

_NUMBERS, _COVERED, _FLAG, _MINE = frozenset(range(9)), frozenset({COVERED, FLAG}), frozenset({FLAG}), frozenset({MINE})
_MARKABLE = {
    "safe": _COVERED,
    "mines": _COVERED | _MINE,
    "premises": _NUMBERS,
    "wrong_flags": _FLAG,
    "fatal": _MINE,
    "best": _COVERED,
    "concluded": _COVERED,
}


class Board(Protocol):
    """Anything with a size and a code a cell: a Position, a Diagram."""

    @property
    def width(self) -> int:
        """Columns."""

    @property
    def height(self) -> int:
        """Rows."""

    @property
    def cells(self) -> bytes:
        """A code a cell, row by row."""


@dataclass(frozen=True, slots=True)
class Picture:
    r"""A board with marks, ready to be drawn.

    Marks that contradict each other or the board raise ValueError: a picture never shows half of what it was given.

    Attributes
    ----------
    width, height : int
    cells : bytes
        A code a cell, row by row: 0 to 8, `COVERED`, `FLAG` or `MINE` (shown).
    chances : tuple of (Fraction or None), or None
        By cell, the chance of a mine; None where there is none to show. A chance of 0 or 1 marks the cell as forced.
    safe, mines : frozenset of int
        Forced cells.
    premises : frozenset of int
        Cells of the numbers that a deduction rests on.
    given, concluded : frozenset of int
        Forced cells that the deduction takes as known, and those it shows; each is in `safe` or in `mines`.
    wrong_flags : frozenset of int
        Flagged cells without a mine; a flagged cell that is safe is one without being named here.
    fatal : frozenset of int
        Shown mines that were opened.
    best : frozenset of int
        The advised guess.
    window : Window or None
        The part to draw; None for the whole board.

    Examples
    --------
    >>> picture = Picture(3, 1, bytes([9, 1, 9]), safe=frozenset({0}))
    >>> picture.verdict(0), picture.verdict(2)
    ('safe', None)
    """

    width: int
    height: int
    cells: bytes
    chances: tuple[Fraction | None, ...] | None = None
    safe: frozenset[int] = frozenset()
    mines: frozenset[int] = frozenset()
    premises: frozenset[int] = frozenset()
    given: frozenset[int] = frozenset()
    concluded: frozenset[int] = frozenset()
    wrong_flags: frozenset[int] = frozenset()
    fatal: frozenset[int] = frozenset()
    best: frozenset[int] = frozenset()
    window: Window | None = None

    def __post_init__(self) -> None:
        size = len(Grid(self.width, self.height))
        if len(self.cells) != size or max(self.cells) > MINE:
            raise ValueError(f"{self.width}x{self.height} takes {size} codes from 0 to {MINE}")
        self._check_marks()
        self._check_chances()
        x0, y0, x1, y1 = self.view
        if not (0 <= x0 < x1 <= self.width and 0 <= y0 < y1 <= self.height):
            raise ValueError(f"the window {self.window} is not a part of a board of {self.width}x{self.height}")

    @classmethod
    def of_position(
        cls,
        position: Board,
        *,
        chances: Sequence[Fraction | None] | None = None,
        window: Window | None = None,
        **marks: Iterable[int],
    ) -> Picture:
        r"""Return the picture of a position, with marks by name, each any iterable of cells.

        Examples
        --------
        >>> from minesolve.position import Position
        >>> Picture.of_position(Position.from_text("1#\n##"), premises=[0]).premises
        frozenset({0})
        """
        return cls(
            position.width,
            position.height,
            position.cells,
            chances=None if chances is None else tuple(chances),
            window=window,
            **{name: frozenset(cells) for name, cells in marks.items()},
        )

    @property
    def view(self) -> Window:
        """The part that is drawn: the window, or the whole board."""
        return self.window or (0, 0, self.width, self.height)

    def cut_out(self, cells: Iterable[int] | None = None, margin: int = 1) -> Picture:
        """Return the same picture cut down to some cells and a margin; to all its marked cells if none are named.

        Examples
        --------
        >>> Picture(9, 9, bytes([9] * 81), best=frozenset({40})).cut_out().window
        (3, 3, 6, 6)
        """
        return replace(self, window=window_around(self.width, self.height, self._marked() if cells is None else cells,
                                                  margin))

    def chance(self, cell: int) -> Fraction | None:
        """Return the chance of a mine in a cell; None where there is none to show."""
        return None if self.chances is None else self.chances[cell]

    def verdict(self, cell: int) -> str | None:
        """Return ``"safe"`` or ``"mine"`` for a cell that is forced, be it by a mark or a chance of 0 or 1, or None."""
        chance = self.chance(cell)
        if cell in self.safe or chance == 0:
            return "safe"
        return "mine" if cell in self.mines or chance == 1 else None

    def flag_is_wrong(self, cell: int) -> bool:
        """Return whether a cell is flagged and has no mine, by a mark or because it is safe."""
        return cell in self.wrong_flags or (self.cells[cell] == FLAG and self.verdict(cell) == "safe")

    def lowest(self) -> frozenset[int]:
        """Return the cells with the lowest chance on the whole board; none if a safe cell makes guessing needless."""
        known = {cell: chance for cell, chance in enumerate(self.chances or ()) if chance is not None}
        least = min(known.values(), default=Fraction(0))
        if self.safe or not 0 < least < 1:
            return frozenset()
        return frozenset(cell for cell, chance in known.items() if chance == least)

    def require_drawable(self) -> None:
        """Raise MinesolveError if more than `MAX_CELLS` cells would be drawn."""
        x0, y0, x1, y1 = self.view
        if (x1 - x0) * (y1 - y0) > MAX_CELLS:
            raise MinesolveError(
                f"a picture of {x1 - x0}x{y1 - y0} cells is too large to draw (at most {MAX_CELLS} cells): "
                "draw a part of the board"
            )

    def _marked(self) -> frozenset[int]:
        names = (field.name for field in fields(self) if isinstance(field.default, frozenset))
        return frozenset[int]().union(*(getattr(self, name) for name in names))

    def _check_marks(self) -> None:
        for cell in self._marked():
            if not 0 <= cell < len(self.cells):
                raise ValueError(f"cell {cell} is not on a board of {self.width}x{self.height}")
        for name, codes in _MARKABLE.items():
            for cell in sorted(getattr(self, name)):
                if self.cells[cell] not in codes:
                    raise ValueError(f"{self._name(cell)} shows the code {self.cells[cell]}: {name} can't name it")
        if self.safe & self.mines:
            raise ValueError(f"{self._name(min(self.safe & self.mines))} is both safe and a mine")
        if self.wrong_flags & self.mines:
            raise ValueError(f"{self._name(min(self.wrong_flags & self.mines))} is a mine: its flag is not wrong")
        if not self.given | self.concluded <= self.safe | self.mines:
            raise ValueError("cells that are given or concluded must be among the safe cells or the mines")
        if self.best & (self.safe | self.mines):
            raise ValueError(f"{self._name(min(self.best & (self.safe | self.mines)))} is forced: it is no guess")

    def _check_chances(self) -> None:
        if self.chances is None:
            return
        if len(self.chances) != len(self.cells):
            raise ValueError(f"{len(self.cells)} cells take as many chances, not {len(self.chances)}")
        for cell, chance in enumerate(self.chances):
            if chance is None:
                continue
            if not 0 <= chance <= 1 or self.cells[cell] not in _COVERED:
                raise ValueError(f"{self._name(cell)} can't have the chance {chance}")
            if (cell in self.safe and chance != 0) or (cell in self.mines and chance != 1):
                raise ValueError(f"{self._name(cell)} is forced, and its chance is {chance}")
            if cell in self.wrong_flags and chance != 0:
                raise ValueError(f"{self._name(cell)} is a wrong flag, and its chance is {chance}")
            if cell in self.best and chance in (0, 1):
                raise ValueError(f"{self._name(cell)} is forced: it is no guess")

    def _name(self, cell: int) -> str:
        return Grid(self.width, self.height).name(cell)


def window_around(width: int, height: int, cells: Iterable[int], margin: int = 1) -> Window:
    """Return the smallest window that holds all the cells and a margin around them, as far as the board goes.

    Raises ValueError if there are no cells.

    Examples
    --------
    >>> window_around(30, 16, [0, 33])
    (0, 0, 5, 3)
    """
    at = [divmod(cell, width) for cell in cells]
    if not at:
        raise ValueError("a cut-out needs at least one cell")
    rows, columns = [y for y, _ in at], [x for _, x in at]
    return (
        max(min(columns) - margin, 0),
        max(min(rows) - margin, 0),
        min(max(columns) + margin + 1, width),
        min(max(rows) + margin + 1, height),
    )
