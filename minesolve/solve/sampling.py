"""Chances by sampling, for positions that are too wide to count: an estimate with a stated error, only if asked for.

Numbers of the component that is too wide are left out until what remains can be counted. Layouts of what remains
are drawn exactly uniformly, by their counts, and those that break a number left out are thrown away. What is kept is
therefore an exactly uniform, independent sample of the layouts of the whole position: nothing is assumed about mixing
or weights. The price is that few may be kept; when too few are, that is an error and no estimate is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log, sqrt
from random import Random

from minesolve.errors import BudgetExceeded
from minesolve.solve.constraints import Constraint, System
from minesolve.solve.frontier import elimination_order, heaviest, split
from minesolve.solve.layouts import BUDGET, Layouts

__all__ = ["TRIES", "Sample", "sample"]

TRIES = 100_000
"""Layouts that may be drawn, kept or not, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Chances estimated from uniform layouts.

    Attributes
    ----------
    layouts : int
        Layouts kept.
    drawn : int
        Layouts drawn.
    left_out : tuple of int
        Cells of the numbers that were left out of the draw and checked afterwards; empty if none had to be.
    chances : mapping of int to Fraction
        For each cell of the system, ascending, the share of the kept layouts in which it is a mine.
    error : float
        With 95 % confidence, every one of these shares is within this of the exact chance (Hoeffding 1963, J. Am. Stat.
        Assoc. 58, 13-30, for all cells at once by the union bound).
    """

    layouts: int
    drawn: int
    left_out: tuple[int, ...]
    chances: Mapping[int, Fraction]
    error: float


def sample(
    system: System,
    layouts: int,
    *,
    seed: int = 0,
    density: Fraction | None = None,
    budget: int = BUDGET,
    tries: int = TRIES,
) -> Sample:
    r"""Estimate the chances of a system from so many uniform layouts.

    The same seed gives the same sample. With an unknown total, layouts are drawn as the density weighs them.

    Raises
    ------
    BudgetExceeded
        If fewer layouts than asked for were kept of all the tries.
    ValueError
        If no layouts are asked for, there are none, or neither total nor density is known.

    Examples
    --------
    >>> from minesolve.position import Position
    >>> from minesolve.solve.constraints import system_of
    >>> found = sample(system_of(Position.from_text("1##\n###", mines=2)), 1000)
    >>> abs(found.chances[1] - Fraction(1, 3)) <= found.error
    True
    """
    if layouts < 1:
        raise ValueError(f"a sample holds at least one layout, not {layouts}")
    source, left_out = _countable(system, budget)
    random = Random(seed)
    mines: Counter[int] = Counter()
    kept = drawn = 0
    while kept < layouts:
        if drawn == tries:
            raise BudgetExceeded(
                f"of {tries:,} layouts drawn without {len(left_out)} of the numbers, {kept:,} agree with those, fewer "
                f"than the {layouts:,} asked for"
            )
        layout = source.draw(random, density)
        drawn += 1
        if all(len(layout.intersection(c.cells)) == c.mines for c in left_out):
            kept += 1
            mines.update(layout)
    chances = {cell: Fraction(mines[cell], kept) for cell in system.cells}
    numbers = tuple(sorted(constraint.number for constraint in left_out))
    return Sample(kept, drawn, numbers, chances, _error(len(system.cells), kept))


def _error(cells: int, layouts: int) -> float:
    return sqrt(log(2 * cells / 0.05) / (2 * layouts)) if cells else 0.0


def _countable(system: System, budget: int) -> tuple[Layouts, list[Constraint]]:
    """Leave out numbers until the layouts of the rest can be counted; return these, and the numbers left out."""
    left_out: list[Constraint] = []
    while True:
        kept = tuple(constraint for constraint in system.constraints if constraint not in left_out)
        relaxed = replace(system, constraints=kept)
        try:
            return Layouts(relaxed, budget), left_out
        except BudgetExceeded as error:
            [wide] = [component for component in split(relaxed) if component.cells == error.cells]
            left_out.append(heaviest(wide, elimination_order(wide)))
