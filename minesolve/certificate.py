"""Checking the proof that a board needs no guess, one step at a time and without search.

A certificate is a list of steps, as JSON holds them. The first one opens the start::

    {"verdict": "start", "cells": ["r2c1"], "revealed": {"r2c1": 0, ...}}

and each one after it concludes that some cells are safe, or mines::

    {"verdict": "safe", "cells": ["r4c2"], "layer": "pair", "rule": "1-2", "premises": ["r3c1", "r3c2"],
     "given": ["r4c3"], "uses_total": false, "revealed": {"r4c2": 3}}

``premises`` are opened numbers and ``given`` are cells that earlier steps concluded. From these alone, with what is
open by then and the total if ``uses_total``, the cells must follow. Safe cells are opened at once: ``revealed`` is what
shows, cascades included. At the end every cell without a mine must be open.

That cells follow is checked by counting: the covered cells beside the premises fall into boxes that nothing tells
apart; taking box after box, the set of all possible needs of the premises (and of mines used) is carried along, equal
ones merged. If no possible end gives the concluded cells another content, they follow. Nothing is shared with the
solver that wrote the certificate.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from minesolve.minefield import Minefield

__all__ = ["CertificateCheck", "check_certificate"]

_MOST_STATES = 1 << 20  # of one step; those of real proofs have a few dozen


@dataclass(frozen=True, slots=True)
class CertificateCheck:
    """What `check_certificate` found; true as a condition if the certificate is right.

    Attributes
    ----------
    ok : bool
    step : int or None
        The number of the first step that is wrong, from 0; None if all are right, or if what is wrong is the end.
    reason : str
        What is wrong with it; empty if nothing is.
    """

    ok: bool
    step: int | None = None
    reason: str = ""

    def __bool__(self) -> bool:
        return self.ok


class _Wrong(Exception):  # an outcome inside the checker, turned into a value at its border
    """What is wrong with a step."""


def check_certificate(
    minefield: Minefield, certificate: Sequence[Mapping[str, Any]], *, opened: Iterable[int] | None = None
) -> CertificateCheck:
    r"""Check that every step of a certificate follows, and that the steps solve the board.

    Takes time linear in the steps, times the possible needs of a step's premises, which are few where those are few.

    Parameters
    ----------
    minefield : Minefield
    certificate : sequence of mappings
        As described at the top of this module.
    opened : iterable of int, optional
        The cells that are open at the beginning; without it, whatever the certificate says.

    Examples
    --------
    >>> field = Minefield.from_text("..*\n...")
    >>> start = {"verdict": "start", "cells": ["r1c1"], "revealed": {"r1c1": 0, "r1c2": 1, "r2c1": 0, "r2c2": 1}}
    >>> check_certificate(field, [start]).reason
    'the board is not solved: r2c3 is still covered'
    >>> step = {"verdict": "safe", "cells": ["r2c3"], "premises": ["r1c2"], "given": [], "revealed": {"r2c3": 1}}
    >>> check_certificate(field, [start, step])
    CertificateCheck(ok=False, step=1, reason='r2c3 need not be safe')
    """
    checker, number = _Checker(minefield), None
    try:
        if not isinstance(certificate, Sequence) or isinstance(certificate, str):
            raise _Wrong("expected a list of steps")
        for number, step in enumerate(certificate):
            checker.take(number, step, None if opened is None else set(opened))
        number = None
        checker.finish()
    except _Wrong as wrong:
        return CertificateCheck(False, number, str(wrong))
    return CertificateCheck(True)


class _Checker:
    """The board as far as the steps so far have opened it."""

    def __init__(self, minefield: Minefield):
        self.grid, self.total = minefield.grid, minefield.total
        self._truth = minefield
        self.open: dict[int, int] = {}
        self.mines: set[int] = set()

    def take(self, number: int, step: Mapping[str, Any], opened: set[int] | None) -> None:
        """Check one step and do what it says."""
        if not isinstance(step, Mapping):
            raise _Wrong("expected a step")
        verdict, cells = step.get("verdict"), self._cells(step, "cells")
        if (number == 0) != (verdict == "start"):
            raise _Wrong("the first step, and no other, is the start")
        if number and verdict not in ("safe", "mine"):
            raise _Wrong("expected the verdict safe or mine")
        if number:
            self._check(step, cells, verdict == "mine")
        elif opened is not None and set(cells) != opened:
            raise _Wrong("these are not the cells that are open at the beginning")
        if verdict == "mine":
            self.mines.update(cells)
        elif step.get("revealed") != self._reveal(cells):
            raise _Wrong("other numbers are revealed")

    def finish(self) -> None:
        """Check that no safe cell is left."""
        left = [cell for cell, mine in enumerate(self._truth.mines) if not mine and cell not in self.open]
        if left:
            raise _Wrong(f"the board is not solved: {self.grid.name(left[0])} is still covered")

    def _cells(self, step: Mapping[str, Any], key: str) -> list[int]:
        names = step.get(key, [])
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise _Wrong(f"expected a list of cells for {key}")
        try:
            return [self.grid.cell(name) for name in names]
        except ValueError as error:
            raise _Wrong(str(error)) from None

    def _reveal(self, cells: Iterable[int]) -> dict[str, int]:
        """Open cells, with their cascades, and return the numbers that show."""
        revealed, waiting = {}, list(cells)
        while waiting:
            cell = waiting.pop()
            if cell in self.open:
                continue
            if self._truth.mines[cell]:
                raise _Wrong(f"{self.grid.name(cell)} is a mine")
            number = self.open[cell] = self._truth.number(cell)
            revealed[self.grid.name(cell)] = number
            if number == 0:
                waiting.extend(self.grid.neighbours(cell))
        return revealed

    def _check(self, step: Mapping[str, Any], cells: list[int], mine: bool) -> None:
        premises, given, names = self._cells(step, "premises"), set(self._cells(step, "given")), self.grid.name
        uses_total = step.get("uses_total", False)
        if not cells:
            raise _Wrong("the step concludes nothing")
        for cell in cells:
            if cell in self.open or cell in self.mines:
                raise _Wrong(f"{names(cell)} was concluded before")
        for cell in premises:
            if cell not in self.open:
                raise _Wrong(f"{names(cell)} shows no number yet")
        for cell in given:
            if cell not in self.open and cell not in self.mines:
                raise _Wrong(f"{names(cell)} was not concluded before")
        free = _Free(self, premises, given & self.mines, uses_total is True)
        for cell in cells:
            if not free.forces(cell, mine):
                raise _Wrong(f"{names(cell)} need not be {'a mine' if mine else 'safe'}")


class _Free:
    """The covered cells a step may not know, and what its premises say about them.

    Attributes
    ----------
    boxes : dict of tuple of int to list of int
        The cells touched by exactly these premises.
    """

    def __init__(self, board: _Checker, premises: Iterable[int], mines: Collection[int], uses_total: bool):
        self.needs: dict[int, int] = {}
        touching: dict[int, list[int]] = defaultdict(list)
        for premise in sorted(set(premises)):
            around = board.grid.neighbours(premise)
            self.needs[premise] = board.open[premise] - sum(n in mines for n in around)
            for n in around:
                if n not in board.open and n not in mines:
                    touching[n].append(premise)
        self.boxes: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for cell, touched in touching.items():
            self.boxes[tuple(touched)].append(cell)
        self._box_of = {cell: tuple(touched) for cell, touched in touching.items()}
        self._outside = len(board.grid) - len(board.open) - len(mines) - len(touching)
        self._left = board.total - len(mines) if uses_total else None

    def forces(self, cell: int, mine: bool) -> bool:
        """Say whether a cell is a mine (or safe) whatever the cells beside the premises hold."""
        box = self._box_of.get(cell)
        if box is not None:
            content = len(self.boxes[box]) if mine else 0
            return not self._fits(self._used(box, content), self._left, self._outside)
        if self._left is None:
            return False
        return not self._fits(self._used(None, 0), self._left - (not mine), self._outside - 1)

    @staticmethod
    def _fits(used: int, left: int | None, room: int) -> bool:
        """Say whether one of the numbers of mines in `used` (its bits) leaves a number that the other cells take."""
        if left is None or not used:
            return used > 0
        low, high = max(left - room, 0), left
        return high >= low and used >> low & ((1 << high - low + 1) - 1) > 0

    def _used(self, special: tuple[int, ...] | None, content: int) -> int:
        """Return the numbers of mines, as bits, that all boxes together can hold if box `special` holds not `content`.

        A state is what each premise that has boxes before and after this point still needs.
        """
        states: dict[tuple[int, ...], int] = {(): 1}
        open_premises: tuple[int, ...] = ()
        for box, closed in self._closing():
            after = tuple(p for p in dict.fromkeys((*open_premises, *box)) if p not in closed)
            values = [v for v in range(len(self.boxes[box]) + 1) if box != special or v != content]
            states = self._step(states, open_premises, box, values, after)
            open_premises = after
        return states.get((), 0)

    def _step(
        self, states: Mapping[tuple[int, ...], int], before: tuple[int, ...], box: tuple[int, ...],
        values: Sequence[int], after: tuple[int, ...],
    ) -> dict[tuple[int, ...], int]:  # fmt: skip
        found: dict[tuple[int, ...], int] = defaultdict(int)
        for state, used in states.items():
            needs = {**{p: self.needs[p] for p in box}, **dict(zip(before, state, strict=True))}
            for v in values:
                rest = {p: need - v * (p in box) for p, need in needs.items()}
                if all(need >= 0 if p in after else need == 0 for p, need in rest.items()):
                    found[tuple(rest[p] for p in after)] |= used << v
        if len(found) > _MOST_STATES:
            raise _Wrong("the premises have too many possible needs to be checked by counting")
        return found

    def _closing(self) -> Iterator[tuple[tuple[int, ...], set[int]]]:
        """Yield the boxes in an order that keeps few premises open, each with those that it is the last box of."""
        left = {premise: sum(premise in box for box in self.boxes) for premise in self.needs}
        waiting, started = set(self.boxes), set[int]()
        while waiting:
            box = min(waiting, key=lambda box: (not started & set(box), len(set(box) - started), box))
            waiting.remove(box)
            started.update(box)
            for premise in box:
                left[premise] -= 1
            closed = {premise for premise in box if left[premise] == 0}
            started -= closed
            yield box, closed
