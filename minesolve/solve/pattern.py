"""Layers 1 and 2: what one number says, and what two say together, by a work list.

Nothing is opened meanwhile: the numbers stay as they are, and cells that become known are taken out of them. A number
is looked at again only when one of its cells became known, so the work is linear in the size of the frontier.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator

from minesolve.solve.constraints import Constraint, System
from minesolve.solve.deduction import Deduction
from minesolve.solve.named import name_of_pair

__all__ = ["Clash", "LocalRules"]


class Clash(Exception):  # an outcome inside the solver; the analysis turns it into a Contradiction with its cells
    """Two numbers, or one, that can't be right."""


class LocalRules:
    """The state of layers 1 and 2: which cells are known so far, and what the numbers still say about the others.

    Parameters
    ----------
    system : System

    Attributes
    ----------
    known : dict of int to bool
        Every cell that is certain by now; True is a mine.
    """

    def __init__(self, system: System):
        self.constraints = system.constraints
        self._grid = system.grid
        self._covered = frozenset(system.cells)
        self._index = {constraint.number: index for index, constraint in enumerate(self.constraints)}
        self.known: dict[int, bool] = {}
        self._touching: dict[int, list[int]] = defaultdict(list)
        for index, constraint in enumerate(self.constraints):
            for cell in constraint.cells:
                self._touching[cell].append(index)
        self._free = [len(constraint.cells) for constraint in self.constraints]
        self._need = [constraint.mines for constraint in self.constraints]
        self._singles = deque(range(len(self.constraints)))
        self._pairs = deque(range(len(self.constraints)))
        self._waiting = bytearray(b"\x01") * len(self.constraints)

    def singles(self, layer: str = "single") -> Iterator[Deduction]:
        """Yield the steps of one number, each learned before it is yielded, until there are none.

        `layer` is what the steps are labelled with: a step of one number that follows from cells of a higher layer
        belongs to that layer. Raises Clash if a number is wrong.
        """
        while self._singles:
            index = self._singles.popleft()
            step = self._single(index, layer)
            if step is not None:
                self.learn(step)
                yield step

    def steps(self, layer: str = "pair") -> Iterator[Deduction]:
        """Yield the steps of one and two numbers, those of one first, until there are none; Clash if some are wrong."""
        yield from self.singles(layer)
        while self._pairs:
            step = self._pair(self._pairs[0], layer)
            if step is None:
                self._waiting[self._pairs.popleft()] = 0
            else:
                self.learn(step)
                yield step
                yield from self.singles(layer)

    def learn(self, step: Deduction) -> None:
        """Take the cells of a step out of the numbers around them."""
        mine = step.mine
        for cell in step.cells:
            self.known[cell] = mine
            for index in self._touching[cell]:
                self._free[index] -= 1
                self._need[index] -= mine
                self._singles.append(index)
                if not self._waiting[index]:
                    self._waiting[index] = 1
                    self._pairs.append(index)

    def _unknown(self, index: int) -> list[int]:
        known = self.known
        return [cell for cell in self.constraints[index].cells if cell not in known]

    def _single(self, index: int, layer: str) -> Deduction | None:
        free, need = self._free[index], self._need[index]
        if not 0 <= need <= free:
            raise Clash
        if free == 0 or 0 < need < free:
            return None
        constraint, mine = self.constraints[index], need > 0
        # that the others are mines follows from those known to be safe, and the other way round
        given = tuple([cell for cell in constraint.cells if self.known.get(cell, mine) != mine])
        return Deduction(tuple(self._unknown(index)), mine, layer, "all mines" if mine else "all safe",
                         (constraint.number,), given, () if mine else given)

    def _pair(self, index: int, layer: str) -> Deduction | None:
        """Return a step from this number and one that shares cells with it, or None."""
        if self._free[index] == 0:
            return None
        mine = set(self._unknown(index))
        partners = {other for cell in mine for other in self._touching[cell]} - {index}
        for other in sorted(partners):
            theirs = set(self._unknown(other))
            for first, second, own, foreign in ((index, other, mine, theirs), (other, index, theirs, mine)):
                verdict = _rest(own, foreign, self._need[first], self._need[second])
                if verdict is not None:
                    return self._pair_step(first, second, tuple(sorted(own - foreign)), verdict, layer)
        return None

    def _pair_step(self, first: int, second: int, cells: tuple[int, ...], mine: bool, layer: str) -> Deduction:
        one, two = self.constraints[first], self.constraints[second]
        given = self._minimal_given(one, two, set(cells), mine)
        given_mines = tuple(cell for cell in given if self.known[cell])
        own, other = ((c.number, c.mines - len(set(given_mines).intersection(c.cells))) for c in (one, two))
        shared = frozenset(one.cells).intersection(two.cells).difference(given)
        rule = name_of_pair(self._grid, own, other, shared, self._still_needs)
        return Deduction(cells, mine, layer, rule, tuple(sorted((one.number, two.number))), given, given_mines)

    def _still_needs(self, cell: int) -> int | None:
        """Return the mines that an open cell's number still needs; None if the cell is not open."""
        if cell in self._covered:
            return None
        index = self._index.get(cell)
        return 0 if index is None else self._need[index]

    def _minimal_given(self, one: Constraint, two: Constraint, cells: set[int], mine: bool) -> tuple[int, ...]:
        """Return known cells that the step needs, none of which can be dropped."""
        given = {cell for cell in (*one.cells, *two.cells) if cell in self.known}
        for cell in sorted(given):
            fewer = given - {cell}
            own, foreign = set(one.cells) - fewer, set(two.cells) - fewer
            needs = [c.mines - sum(self.known[n] for n in c.cells if n in fewer) for c in (one, two)]
            if _rest(own, foreign, *needs) is mine:
                given = fewer
        return tuple(sorted(given))


def _rest(own: set[int], foreign: set[int], own_mines: int, foreign_mines: int) -> bool | None:
    """Say what two constraints force on the cells that only the first one touches: mines, safe (False) or nothing.

    Of the cells they share, at least `low` and at most `high` are mines; the rest of each takes what is missing.
    """
    shared = len(own & foreign)
    own_only, foreign_only = len(own) - shared, len(foreign) - shared
    low = max(0, own_mines - own_only, foreign_mines - foreign_only)
    high = min(shared, own_mines, foreign_mines)
    if low > high:
        raise Clash
    if own_only == 0:
        return None
    if own_mines == low:
        return False
    return True if own_mines - high == own_only else None
