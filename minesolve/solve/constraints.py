"""What a position says, as arithmetic: "exactly k mines among these cells", once for every number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from minesolve.grid import Grid
from minesolve.position import FLAG, MINE, Position

__all__ = ["Constraint", "System", "system_of"]


@dataclass(frozen=True, slots=True)
class Constraint:
    """Exactly `mines` mines among `cells` (ascending), which is what the number on cell `number` says."""

    number: int
    cells: tuple[int, ...]
    mines: int


@dataclass(frozen=True, slots=True)
class System:
    """All constraints of a position.

    Attributes
    ----------
    grid : Grid
    cells : tuple of int
        The cells reasoned about, ascending: covered, and not known to be a mine from the start.
    constraints : tuple of Constraint
        One for each number with such a cell beside it, and for each number that is wrong without any.
    total : int or None
        Mines among `cells`; None if the total is unknown. It may lie outside 0 to ``len(cells)``: then it is wrong.
    """

    grid: Grid
    cells: tuple[int, ...]
    constraints: tuple[Constraint, ...]
    total: int | None

    @property
    def frontier(self) -> tuple[int, ...]:
        """The cells beside a number, ascending."""
        return tuple(sorted({cell for constraint in self.constraints for cell in constraint.cells}))

    @property
    def unconstrained(self) -> tuple[int, ...]:
        """The cells beside no number, ascending."""
        beside = {cell for constraint in self.constraints for cell in constraint.cells}
        return tuple(cell for cell in self.cells if cell not in beside)

    def without(self, known: Mapping[int, bool]) -> System:
        """Return what is left to say once some cells are known (True: a mine); constraints that are used up go.

        Examples
        --------
        >>> system = system_of(Position.from_text("1###", mines=2))
        >>> system.without({1: True})
        System(grid=Grid(width=4, height=1), cells=(2, 3), constraints=(), total=1)
        """
        left = []
        for constraint in self.constraints:
            cells = tuple(cell for cell in constraint.cells if cell not in known)
            mines = constraint.mines - sum(known.get(cell, False) for cell in constraint.cells)
            if cells or mines:
                left.append(Constraint(constraint.number, cells, mines))
        total = None if self.total is None else self.total - sum(known[cell] for cell in self.cells if cell in known)
        return System(self.grid, tuple(cell for cell in self.cells if cell not in known), tuple(left), total)


def system_of(position: Position, *, trust_flags: bool = False) -> System:
    r"""Return the constraints of a position. Shown mines (and flags, if they are trusted) count as known mines.

    Examples
    --------
    >>> system_of(Position.from_text("1#\n1#", mines=1)).constraints
    (Constraint(number=0, cells=(1, 3), mines=1), Constraint(number=2, cells=(1, 3), mines=1))
    """
    grid, codes = position.grid, position.cells
    known = (MINE, FLAG) if trust_flags else (MINE,)
    open_or_known = (*range(9), *known)
    constraints = []
    for cell, number in enumerate(codes):
        if number > 8:
            continue
        around = grid.neighbours(cell)
        cells = tuple([n for n in around if codes[n] not in open_or_known])
        mines = number - sum([codes[n] in known for n in around])
        if cells or mines:
            constraints.append(Constraint(cell, cells, mines))
    covered = tuple(cell for cell, code in enumerate(codes) if code not in open_or_known)
    total = None if position.mines is None else position.mines - sum(codes.count(code) for code in known)
    return System(grid, covered, tuple(constraints), total)
