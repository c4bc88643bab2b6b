"""A position: what a player knows of a board."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from minesolve import notation
from minesolve.errors import Problem
from minesolve.grid import Grid
from minesolve.notation import COVERED, FLAG, MINE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["COVERED", "FLAG", "MINE", "Position"]

_CODES = frozenset(range(12))


@dataclass(frozen=True, slots=True)
class Position:
    r"""What a player knows: numbers, covered cells, flags, shown mines and, if known, the total.

    Immutable and hashable. Nothing in it says where the mines are, so nothing that reasons about it can peek.

    Attributes
    ----------
    width, height : int
    cells : bytes
        A code a cell, row by row: 0 to 8 for an opened number, `COVERED` (9), `FLAG` (10), `MINE` (11, shown).
    mines : int or None
        The total, mines on the whole board; None if it is unknown. It is never assumed.

    Examples
    --------
    >>> p = Position.from_text("1#\n1#", mines=1)
    >>> p.width, p.height, p.mines
    (2, 2, 1)
    >>> print(p.with_opened(1, 1).to_text())
    size: 2x2
    mines: 1
    <BLANKLINE>
    11
    1#
    <BLANKLINE>
    """

    width: int
    height: int
    cells: bytes
    mines: int | None = None

    def __post_init__(self) -> None:
        if len(self.cells) != len(Grid(self.width, self.height)):
            raise ValueError(f"{self.width}x{self.height} has {self.width * self.height} cells, not {len(self.cells)}")
        if not _CODES.issuperset(self.cells):
            raise ValueError("a cell is 0 to 8, COVERED (9), FLAG (10) or MINE (11)")
        if self.mines is not None and self.mines < 0:
            raise ValueError(f"a total can't be negative: {self.mines}")

    @property
    def grid(self) -> Grid:
        """The geometry: neighbours and names of cells."""
        return Grid(self.width, self.height)

    @classmethod
    def from_text(cls, text: str, mines: int | None = None) -> Position:
        r"""Read a position in any form that `minesolve.notation` takes; a total given here counts over the text's.

        Raises ParseError where the text can't be read.

        Examples
        --------
        >>> Position.from_text("2 ?\n? ?", mines=3).cells.hex()
        '02090909'
        """
        return cls.from_diagram(notation.read(text), mines)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], mines: int | None = None) -> Position:
        """Read a position from a text file; ParseError where it can't be read, OSError where the file can't."""
        source = os.fspath(path)
        return cls.from_diagram(notation.read(notation.decode(Path(path).read_bytes(), source), source=source), mines)

    @classmethod
    def from_diagram(cls, diagram: notation.Diagram, mines: int | None = None) -> Position:
        """Take a diagram that was read; a total given here counts over the diagram's."""
        return cls(diagram.width, diagram.height, diagram.cells, diagram.mines if mines is None else mines)

    @classmethod
    def from_array(cls, array: ArrayLike, mines: int | None = None) -> Position:
        """Take a (height, width) array of integer codes; ValueError if it has another shape or other codes.

        Examples
        --------
        >>> Position.from_array([[1, COVERED], [COVERED, COVERED]], mines=1).width
        2
        """
        import numpy as np

        codes = np.asarray(array)
        if codes.ndim != 2 or codes.dtype.kind not in "iu":
            raise ValueError("expected a two-dimensional array of integers, (height, width)")
        if codes.size and (codes.min() < 0 or codes.max() > MINE):
            raise ValueError("a cell is 0 to 8, COVERED (9), FLAG (10) or MINE (11)")
        height, width = codes.shape
        return cls(width, height, codes.astype(np.uint8).tobytes(), mines)

    def to_array(self) -> NDArray[np.int8]:
        """Return a new (height, width) array of the codes."""
        import numpy as np

        return np.frombuffer(self.cells, dtype=np.int8).reshape(self.height, self.width).copy()

    def to_text(self) -> str:
        """Return the written form, with its ``size:`` and ``mines:`` lines."""
        return notation.write(self.width, self.height, self.cells, self.mines)

    def with_opened(self, cell: int, number: int) -> Position:
        """Return the position after a covered cell was opened and showed a number; ValueError if it is open already."""
        if not 0 <= cell < len(self.cells) or self.cells[cell] not in (COVERED, FLAG):
            raise ValueError(f"cell {cell} is not covered")
        if not 0 <= number <= 8:
            raise ValueError(f"a cell shows a number from 0 to 8, not {number}")
        return replace(self, cells=self.cells[:cell] + bytes([number]) + self.cells[cell + 1 :])

    def with_mines(self, mines: int | None) -> Position:
        """Return the same position with another total."""
        return replace(self, mines=mines)

    def problems(self, *, trust_flags: bool = False) -> tuple[Problem, ...]:
        r"""Return everything that makes this position impossible and needs no search to see; empty if there is nothing.

        Examples
        --------
        >>> [str(problem) for problem in Position.from_text("4#\n##", mines=9).problems()]
        ['the 4 at r1c1 has only 3 covered cells around it', '9 mines are too many: there is room for 3']
        """
        return tuple(_number_problems(self, trust_flags)) + tuple(_total_problems(self, trust_flags))

    def __str__(self) -> str:
        return self.to_text()

    def _repr_svg_(self) -> str | None:
        """Return the picture that a notebook shows; None where the board is too large for one."""
        from minesolve.render import svg
        from minesolve.render.picture import MAX_CELLS, Picture

        return svg.draw(Picture.of_position(self)) if len(self.cells) <= MAX_CELLS else None


def _known_mines(trust_flags: bool) -> tuple[int, ...]:
    return (MINE, FLAG) if trust_flags else (MINE,)


def _number_problems(position: Position, trust_flags: bool) -> list[Problem]:
    cells, grid, known, found = position.cells, position.grid, _known_mines(trust_flags), []
    for cell, number in enumerate(cells):
        if number > 8:
            continue
        around = [cells[n] for n in grid.neighbours(cell)]
        mines = sum(code in known for code in around)
        room = mines + sum(code > 8 and code not in known for code in around)
        name = f"the {number} at {grid.name(cell)}"
        if number > room:
            text = f"{name} has {f'only {room}' if room else 'no'} covered cell{'s' * (room != 1)} around it"
            found.append(Problem("number-too-large", text, (cell,)))
        elif number < mines:
            kind = "known" if trust_flags else "shown"
            text = f"{name} has {mines} {kind} mine{'s' * (mines > 1)} around it"
            found.append(Problem("number-too-small", text, (cell,)))
    return found


def _total_problems(position: Position, trust_flags: bool) -> list[Problem]:
    cells, grid, total = position.cells, position.grid, position.mines
    if total is None:
        return []
    known = _known_mines(trust_flags)
    shown = sum(cells.count(code) for code in known)
    room = sum(code > 8 for code in cells)
    if total > room:
        return [Problem("too-many-mines", f"{total} mines are too many: there is room for {room}")]
    if total < shown:
        return [Problem("too-few-mines", f"a total of {total} is too few: {shown} mines are known")]
    if total - shown >= 8:
        return []
    found = []
    for cell, number in enumerate(cells):
        if number > 8 or number <= total - shown:
            continue
        missing = number - sum(cells[n] in known for n in grid.neighbours(cell))
        if missing > total - shown:
            more = f"{missing} more mine{'s' * (missing > 1)}"
            text = f"the {number} at {grid.name(cell)} needs {more}, and the total leaves {total - shown}"
            found.append(Problem("too-few-mines", text, (cell,)))
    return found

