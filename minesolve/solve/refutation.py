"""What an assumption would break: consequences of one number at a time, with cases where that is not enough."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from minesolve.solve.constraints import Constraint

__all__ = ["Consequence", "Refutation", "refute"]


@dataclass(frozen=True, slots=True)
class Consequence:
    """What one number then says: `cells` are all mines, or all safe."""

    number: int
    cells: tuple[int, ...]
    mine: bool


@dataclass(frozen=True, slots=True)
class Refutation:
    """Consequences in order, and then either a number that is broken or a cell that is impossible both ways.

    Attributes
    ----------
    consequences : tuple of Consequence
    broken : int or None
        The cell of the number that can't be right any more.
    too_many : bool
        Whether it has too many mines; otherwise too few.
    split : int or None
        The cell to tell cases by, if no number is broken yet.
    cases : tuple of Refutation
        What happens if that cell is a mine, and if it is safe.
    """

    consequences: tuple[Consequence, ...]
    broken: int | None = None
    too_many: bool = False
    split: int | None = None
    cases: tuple[Refutation, ...] = ()

    def __len__(self) -> int:
        """Count the consequences, those of all cases included."""
        return len(self.consequences) + sum(map(len, self.cases))


@dataclass(slots=True)
class _Branch:
    """A refutation in the making, with the cells that it rests on."""

    refutation: Refutation
    rests_on: set[int]


def refute(constraints: Sequence[Constraint], assumed: Mapping[int, bool]) -> Refutation:
    """Return why some constraints and assumptions (True: a mine) can't hold together, without needless steps.

    Raises ValueError if they can. Cases multiply; meant for the few constraints of a minimal reason.

    Examples
    --------
    >>> two = [Constraint(0, (1, 2), 1), Constraint(3, (2, 4), 1)]
    >>> refute(two, {1: True, 2: False, 4: False}).broken
    3
    """
    return _refute(constraints, dict(assumed)).refutation


def _refute(constraints: Sequence[Constraint], values: dict[int, bool]) -> _Branch:
    trail: list[Consequence] = []
    broken = _propagate(constraints, values, trail)
    if broken is not None:
        too_many = sum(values.get(cell, False) for cell in broken.cells) > broken.mines
        rests_on = {cell for cell in broken.cells if values.get(cell, not too_many) == too_many}
        return _trimmed(constraints, values, trail, _Branch(Refutation((), broken.number, too_many), rests_on))
    return _trimmed(constraints, values, trail, _cases(constraints, values))


def _propagate(
    constraints: Sequence[Constraint], values: dict[int, bool], trail: list[Consequence]
) -> Constraint | None:
    """Follow single numbers as far as they go; return one that is broken."""
    changed = True
    while changed:
        changed = False
        for constraint in constraints:
            free = [cell for cell in constraint.cells if cell not in values]
            need = constraint.mines - sum(values.get(cell, False) for cell in constraint.cells)
            if not 0 <= need <= len(free):
                return constraint
            if free and need in (0, len(free)):
                trail.append(Consequence(constraint.number, tuple(free), need > 0))
                values |= dict.fromkeys(free, need > 0)
                changed = True
    return None


def _cases(constraints: Sequence[Constraint], values: dict[int, bool]) -> _Branch:
    """Tell cases by a cell for which one case ends at once, if there is one."""
    open_cells = {cell for constraint in constraints for cell in constraint.cells if cell not in values}
    if not open_cells:
        raise ValueError("these constraints and assumptions can hold together")
    split = min(open_cells, key=lambda cell: (not any(_ends(constraints, values, cell)), cell))
    branches = [_refute(constraints, values | {split: mine}) for mine in (True, False)]
    for branch in branches:
        if split not in branch.rests_on:
            return branch
    rests_on = (branches[0].rests_on | branches[1].rests_on) - {split}
    return _Branch(Refutation((), split=split, cases=tuple(branch.refutation for branch in branches)), rests_on)


def _ends(constraints: Sequence[Constraint], values: Mapping[int, bool], cell: int) -> Iterator[bool]:
    return (_propagate(constraints, {**values, cell: mine}, []) is not None for mine in (True, False))


def _trimmed(
    constraints: Sequence[Constraint], values: Mapping[int, bool], trail: Sequence[Consequence], end: _Branch
) -> _Branch:
    """Put before an end those consequences that it rests on."""
    by_number = {constraint.number: constraint for constraint in constraints}
    rests_on, kept = set(end.rests_on), []
    for consequence in reversed(trail):
        if rests_on.isdisjoint(consequence.cells):
            continue
        kept.append(consequence)
        rests_on.difference_update(consequence.cells)
        others = set(by_number[consequence.number].cells).difference(consequence.cells)
        rests_on |= {cell for cell in others if values.get(cell) == (not consequence.mine)}
    last = end.refutation
    consequences = (*reversed(kept), *last.consequences)
    return _Branch(Refutation(consequences, last.broken, last.too_many, last.split, last.cases), rests_on)
