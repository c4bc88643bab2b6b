"""Why: a minimal set of numbers and known cells that a conclusion, or a contradiction, rests on.

A SAT refutation gives assumptions that suffice; trying to drop each makes them minimal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Self

from minesolve.solve.constraints import Constraint, System
from minesolve.solve.deduction import Deduction
from minesolve.solve.frontier import split
from minesolve.solve.sat import Oracle, minimal

__all__ = ["Reasons", "find_clash"]


class Reasons:
    """Gives reasons for cells that the numbers not yet used up force, with the total if it is needed.

    Use it as a context manager, so that the solver's memory is freed.

    Parameters
    ----------
    system : System
        The numbers of the position, or those of one component and no total. The total may be used if there is one.
    known : mapping of int to bool
        Cells known before (True: a mine).
    """

    def __init__(self, system: System, known: Mapping[int, bool]):
        self._system, self._known = system, known
        numbers = [c for c in system.constraints if any(cell not in known for cell in c.cells)]
        inside = {cell for constraint in numbers for cell in constraint.cells}
        groups = [[box.cells for box in component.boxes] for component in split(system.without(known))]
        self._unseen = tuple(cell for cell in system.cells if cell not in known and cell not in inside)
        self._outside = [cell for cell in system.cells if cell in known and cell not in inside]
        self._oracle = oracle = Oracle(numbers, groups, count=system.total is not None)
        self._alike = [oracle.alike(box) for group in groups for box in group]
        self._literals = {("number", c.number): oracle.number(c.number) for c in numbers}
        self._literals |= {("given", cell): oracle.cell(cell, known[cell]) for cell in sorted(inside & known.keys())}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._oracle.close()

    def deduce(self, cells: tuple[int, ...], mine: bool, layer: str) -> Deduction:
        """Return the step that forces the cells of a box, or all unconstrained cells, from as little as possible.

        Raises ValueError if they are not forced.
        """
        if cells == self._unseen:
            return self._with_total(cells, mine, layer, [])
        opposite = self._oracle.cell(cells[-1 if mine else 0], not mine)
        used = self._minimal(cells[0], [opposite])
        if used is None:
            return self._with_total(cells, mine, layer, [opposite])
        return self._step(cells, mine, layer, used)

    def size(self, cells: tuple[int, ...], mine: bool) -> float:
        """Return how many numbers and known cells one refutation takes, or infinity if it needs the total."""
        opposite = [] if cells == self._unseen else [self._oracle.cell(cells[-1 if mine else 0], not mine)]
        if self._oracle.possible([*self._literals.values(), *self._alike, *opposite]):
            return math.inf
        return len(self._oracle.core())

    def _minimal(self, near: int, against: list[int]) -> list[tuple[str, int]] | None:
        """Return numbers and known cells that refute `against` with none to spare, or None if all together don't.

        Numbers are dropped before known cells, and those far away before those near, so that the reason is short.
        """
        grid, (x, y) = self._system.grid, self._system.grid.xy(near)

        def rank(name: tuple[str, int]) -> tuple[bool, int, int]:
            column, row = grid.xy(name[1])
            return name[0] == "given", -max(abs(column - x), abs(row - y)), name[1]

        assumed = {name: self._literals[name] for name in sorted(self._literals, key=rank)}
        if self._oracle.possible([*assumed.values(), *self._alike, *against]):
            return None
        core = self._oracle.core()
        candidates = [literal for literal in assumed.values() if literal in core]
        needed = set(minimal(self._oracle, candidates, [*self._alike, *against]))
        return [name for name, literal in assumed.items() if literal in needed]

    def _with_total(self, cells: tuple[int, ...], mine: bool, layer: str, opposite: list[int]) -> Deduction:
        """Bound the mines of the frontier by what the total leaves, then loosen the bounds as far as they go.

        Known cells beside none of the numbers only move the bounds: each mine among them that is dropped moves the
        upper one by one, each safe cell the lower one. That one unconstrained cell is a mine (or safe) moves them, too.
        """
        if self._system.total is None:
            raise ValueError("these cells are not forced without a total")
        mines = [cell for cell in self._outside if self._known[cell]]
        safe = [cell for cell in self._outside if not self._known[cell]]
        unseen = not opposite
        high = self._system.total - len(mines) - (unseen and not mine)
        low = self._system.total - len(mines) - len(self._unseen) + (unseen and mine)
        top, bottom = self._oracle.at_most(high), self._oracle.at_least(low)
        used = self._minimal(cells[0], [*opposite, *_there(top, bottom)])
        if used is None:
            raise ValueError("these cells are not forced")
        kept = [*(self._literals[name] for name in used), *self._alike, *opposite]
        spare, top = self._loosen(len(mines), top, lambda n: self._oracle.at_most(high + n), [*kept, *_there(bottom)])
        needed = mines[spare:]
        spare, _ = self._loosen(len(safe), bottom, lambda n: self._oracle.at_least(low - n), [*kept, *_there(top)])
        return self._step(cells, mine, layer, used, [*needed, *safe[spare:]], uses_total=True)

    def _loosen(
        self, most: int, bound: int | None, loosened: Callable[[int], int | None], kept: list[int]
    ) -> tuple[int, int | None]:
        """Return how many of `most` alike known cells a refutation can do without, and the bound that is left."""
        if not self._oracle.possible(kept):
            return most, None
        spare = 0
        while spare < most and not self._oracle.possible([*kept, *_there(loosened(spare + 1))]):
            spare += 1
        return spare, loosened(spare) if spare else bound

    def _step(
        self, cells: tuple[int, ...], mine: bool, layer: str, used: Sequence[tuple[str, int]],
        outside: Sequence[int] = (), *, uses_total: bool = False
    ) -> Deduction:
        premises = tuple(sorted(cell for kind, cell in used if kind == "number"))
        given = tuple(sorted([*(cell for kind, cell in used if kind == "given"), *outside]))
        given_mines = tuple(cell for cell in given if self._known[cell])
        rule = "total" if uses_total else "component"
        return Deduction(cells, mine, layer, rule, premises, given, given_mines, uses_total)


def _there(*literals: int | None) -> list[int]:
    return [literal for literal in literals if literal is not None]


def find_clash(system: System) -> tuple[tuple[int, ...], bool] | None:
    r"""Return numbers (their cells, ascending) that can't all be right, minimal, and whether the total is among them.

    Without the total if possible, and then in the component with the fewest; None if there is a layout.

    Examples
    --------
    >>> from minesolve.position import Position
    >>> from minesolve.solve.constraints import system_of
    >>> find_clash(system_of(Position.from_text(".#\n1#")))
    ((0, 2), False)
    """
    by_themselves = [c.number for c in system.constraints if not 0 <= c.mines <= len(c.cells)]
    if by_themselves:
        return (by_themselves[0],), False
    components = split(system)
    groups = [[box.cells for box in component.boxes] for component in components]
    clashes = [clash for component, group in zip(components, groups, strict=True)
               if (clash := _clash(component.constraints, [group])) is not None]
    if clashes:
        return min(clashes, key=lambda clash: (len(clash), clash)), False
    if system.total is None:
        return None
    bounds = (system.total - len(system.unconstrained), system.total)
    clash = _clash(system.constraints, groups, bounds)
    return None if clash is None else (clash, True)


def _clash(
    constraints: Sequence[Constraint], groups: Sequence[Sequence[Sequence[int]]], bounds: tuple[int, int] | None = None
) -> tuple[int, ...] | None:
    with Oracle(constraints, groups, count=bounds is not None) as oracle:
        selectors = {constraint.number: oracle.number(constraint.number) for constraint in constraints}
        fixed = [oracle.alike(box) for group in groups for box in group]
        if bounds is not None:
            fixed += _there(oracle.at_least(bounds[0]), oracle.at_most(bounds[1]))
        if oracle.possible([*selectors.values(), *fixed]):
            return None
        core = oracle.core()
        needed = set(minimal(oracle, [literal for literal in selectors.values() if literal in core], fixed))
        return tuple(sorted(number for number, literal in selectors.items() if literal in needed))
