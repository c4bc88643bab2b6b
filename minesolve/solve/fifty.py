"""True 50/50s: sets of covered cells about which nothing opened elsewhere can ever tell anything.

Definition. A set of covered cells is a true 50/50 if it has two patterns, each the other with mines and safe cells
swapped, such that every layout shows one of the two, both have as many mines, and every cell outside the set that shows
a number, or ever can, has as many mines of the one pattern beside it as of the other.

Then every layout pairs up with the one in which the set's pattern is swapped: it agrees with all numbers and the total
too, and no cell outside the set shows a difference between the two. So each cell of the set is a mine with chance
1/2, and that stays so whatever is opened outside the set: nothing is gained by waiting.

All such sets are found. Given its pattern one cell tells all the others, so a set is a class of cells that are alike or
opposite in every layout; and the whole class, as any cell of it that was left outside would give the set away.
Sets of more than two patterns, in which layouts pair up in a less simple way, are not looked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from minesolve.solve.constraints import System
from minesolve.solve.counting import BUDGET
from minesolve.solve.frontier import boxes_of
from minesolve.solve.probability import Chances, weigh

__all__ = ["Fifty", "find"]

_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Fifty:
    """A true 50/50: in every layout either the cells `one` are the mines and `other` safe, or the other way round.

    Both are ascending; `one` holds the first cell of the set.
    """

    one: tuple[int, ...]
    other: tuple[int, ...]

    @property
    def cells(self) -> tuple[int, ...]:
        """All cells of the set, ascending."""
        return tuple(sorted(self.one + self.other))


def find(system: System, chances: Chances | None = None, budget: int = BUDGET) -> tuple[Fifty, ...]:
    r"""Return the true 50/50s of a system, ordered by their first cell.

    Parameters
    ----------
    system : System
    chances : Chances, optional
        What `weigh` returned for it, where it is at hand and holds a chance for every cell.
    budget : int
        States that the count of one component may visit.

    Raises
    ------
    Contradiction, BudgetExceeded
        As `weigh` does.

    Examples
    --------
    >>> from minesolve.position import Position
    >>> from minesolve.solve.constraints import system_of
    >>> find(system_of(Position.from_text("1#\n1#", mines=1)))
    (Fifty(one=(1,), other=(3,)),)
    """
    weighed = {} if chances is None else chances.chances
    if not weighed or None in weighed.values():
        # both patterns have as many mines, so with an unknown total any density shows them
        weighed = weigh(system, _HALF, budget).chances
    found, tried = [], set[int]()
    for cell in _suspects(system):
        if weighed[cell] == _HALF and cell not in tried:
            fifty = _class(system, cell, [c for c in system.cells if weighed[c] == _HALF], budget)
            tried.update(fifty.cells)
            if _is_sealed(system, fifty, {c for c in system.cells if weighed[c] == 1}):
                found.append(fifty)
    return tuple(found)


def _suspects(system: System) -> Iterator[int]:
    """Yield, ascending, the cells that one other cell may tell: of three cells that nothing tells apart, none does."""
    free = system.unconstrained
    small = [box.cells for box in boxes_of(system.constraints) if len(box.cells) <= 2]
    small += [free] if len(free) <= 2 else []
    yield from sorted(cell for cells in small for cell in cells)


def _class(system: System, cell: int, halves: list[int], budget: int) -> Fifty:
    """Return the cells that are alike or opposite to a cell in every layout."""
    given = weigh(system.without({cell: True}), _HALF, budget).chances
    alike = [cell, *(c for c in halves if c != cell and given[c] == 1)]
    return Fifty(tuple(sorted(alike)), tuple(c for c in halves if c != cell and given[c] == 0))


def _is_sealed(system: System, fifty: Fifty, mines: set[int]) -> bool:
    """Say whether no cell outside the set can tell its patterns apart; certain mines never show a number."""
    if len(fifty.one) != len(fifty.other):
        return False
    one, other = set(fifty.one), set(fifty.other)
    views = [set(constraint.cells) for constraint in system.constraints]
    views += [set(system.grid.neighbours(c)) for c in system.cells if c not in one | other | mines]
    return all(len(view & one) == len(view & other) for view in views)
