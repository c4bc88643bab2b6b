"""The geometry of a board: cells, their neighbours and their names.

A cell is an index, ``y * width + x``, row by row from the top left, 0-based, in every array and file. People see
``r3c4`` (row 3, column 4, 1-based).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Grid"]

_NAME = re.compile(r"r(\d{1,9})c(\d{1,9})", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Grid:
    """A rectangle of cells.

    Examples
    --------
    >>> grid = Grid(width=5, height=3)
    >>> grid.neighbours(0)
    (1, 5, 6)
    >>> grid.name(7), grid.cell("r2c3"), grid.xy(7)
    ('r2c3', 7, (2, 1))
    """

    width: int
    height: int

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1:
            raise ValueError(f"a board has at least one row and one column, not {self.width}x{self.height}")

    def __len__(self) -> int:
        return self.width * self.height

    def neighbours(self, cell: int) -> tuple[int, ...]:
        """Return the three to eight cells around a cell, ascending (fewer on boards one cell wide)."""
        width = self.width
        y, x = divmod(cell, width)
        up, down = cell - width, cell + width
        if 0 < x < width - 1 and 0 < y < self.height - 1:
            return (up - 1, up, up + 1, cell - 1, cell + 1, down - 1, down, down + 1)
        columns = range(max(x - 1, 0), min(x + 2, width))
        rows = range(max(y - 1, 0), min(y + 2, self.height))
        return tuple(r * width + c for r in rows for c in columns if r != y or c != x)

    def xy(self, cell: int) -> tuple[int, int]:
        """Return (x, y) of a cell, both 0-based."""
        y, x = divmod(cell, self.width)
        return x, y

    def at(self, x: int, y: int) -> int:
        """Return the cell in column x and row y, both 0-based; ValueError if that is off the board."""
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise ValueError(f"x={x}, y={y} is off the board of {self.width}x{self.height}")
        return y * self.width + x

    def name(self, cell: int) -> str:
        """Return the name people see, such as ``r3c4``."""
        y, x = divmod(cell, self.width)
        return f"r{y + 1}c{x + 1}"

    def names(self, cells: Iterable[int]) -> list[str]:
        """Return the names of several cells, in the order given."""
        return [self.name(cell) for cell in cells]

    def cell(self, name: str) -> int:
        """Return the cell of a name such as ``r3c4``; ValueError if it is no name or off the board."""
        match = _NAME.fullmatch(name.strip())
        if match is None:
            raise ValueError(f"a cell is written like r3c4 (row 3, column 4), not {name!r}")
        y, x = int(match[1]) - 1, int(match[2]) - 1
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise ValueError(
                f"{name} is off the board: rows are 1 to {self.height}, columns 1 to {self.width}"
            )
        return y * self.width + x
