"""Constraints as clauses: what is possible, what is forced, and what a refutation rests on.

Each number is a set of clauses behind a selector, so that it can be left out; the mines may be counted in unary by a
totalizer (Bailleux and Boufkhad, CP 2003) whose outputs bound their number. This is the only module that knows pysat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Self

from pysat.solvers import Solver

from minesolve.solve.constraints import Constraint
from minesolve.solve.frontier import Component

__all__ = ["Oracle", "backbone", "mines_range", "minimal"]


class Oracle:
    """Numbers as clauses, asked with assumptions.

    Literals are what the methods `cell`, `number`, `alike`, `at_least` and `at_most` return; ``-literal`` is the
    opposite. Use it as a context manager, so that the solver's memory is freed.

    Parameters
    ----------
    constraints : iterable of Constraint
    groups : sequence of sequences of sequences of int
        Components, their boxes, the cells of each: cells of a box may be told apart by nothing, so one order of their
        mines stands for all while the box's `alike` literal is assumed. Groups are counted together before they are
        counted with others. Cells in no box are counted last.
    count : bool
        Whether mines are counted at all.
    """

    def __init__(
        self, constraints: Iterable[Constraint], groups: Sequence[Sequence[Sequence[int]]], *, count: bool = False
    ):
        constraints = tuple(constraints)
        self._solver = Solver(name="glucose4")
        self._last = 0
        self._cells: dict[int, int] = {}
        self._numbers: dict[int, int] = {}
        self._alike: dict[int, int] = {}
        self._false = self._new()
        self._add([-self._false])
        boxed = [list(box) for group in groups for box in group]
        loose = {cell for constraint in constraints for cell in constraint.cells} - {c for box in boxed for c in box}
        for cell in (*(cell for box in boxed for cell in box), *sorted(loose)):
            self._cells[cell] = self._new()
        for constraint in constraints:
            self._exactly(constraint)
        for box in boxed:
            self._order(box)
        self._outputs = self._count(groups, sorted(loose)) if count else []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the solver's memory."""
        self._solver.delete()

    def cell(self, cell: int, mine: bool) -> int:
        """Return the literal that says a cell is a mine, or safe."""
        return self._cells[cell] if mine else -self._cells[cell]

    def number(self, number: int) -> int:
        """Return the literal that lets the number on this cell count."""
        return self._numbers[number]

    def alike(self, box: Sequence[int]) -> int:
        """Return the literal that orders the mines of a box: its first cells are mines, the others safe."""
        return self._alike[box[0]]

    def at_most(self, mines: int) -> int | None:
        """Return the literal that says there are at most so many mines; None if that says nothing."""
        if mines >= len(self._outputs):
            return None
        return -self._outputs[mines] if mines >= 0 else self._false

    def at_least(self, mines: int) -> int | None:
        """Return the literal that says there are at least so many mines; None if that says nothing."""
        if mines <= 0:
            return None
        return self._outputs[mines - 1] if mines <= len(self._outputs) else self._false

    def require(self, literal: int) -> None:
        """Take a literal as true from now on."""
        self._add([literal])

    def possible(self, assumptions: Iterable[int]) -> bool:
        """Say whether the assumptions can hold together with the numbers whose literals are among them."""
        return bool(self._solver.solve(assumptions=list(assumptions)))

    def is_mine(self) -> Callable[[int], bool]:
        """Return which cells are mines in the layout that `possible` found."""
        model = self._solver.get_model()
        return lambda cell: bool(model[self._cells[cell] - 1] > 0)

    def core(self) -> frozenset[int]:
        """Return assumptions that already can't hold together, after `possible` said no."""
        return frozenset(self._solver.get_core() or ())

    def _new(self) -> int:
        self._last += 1
        return self._last

    def _add(self, clause: list[int]) -> None:
        self._solver.add_clause(clause)

    def _exactly(self, constraint: Constraint) -> None:
        """Of any k+1 cells one is safe, of any n-k+1 one is a mine."""
        selector = self._numbers[constraint.number] = self._new()
        cells, mines = [self._cells[cell] for cell in constraint.cells], constraint.mines
        if not 0 <= mines <= len(cells):
            self._add([-selector])
            return
        for some in combinations(cells, mines + 1):
            self._add([-selector, *(-cell for cell in some)])
        for some in combinations(cells, len(cells) - mines + 1):
            self._add([-selector, *some])

    def _order(self, box: Sequence[int]) -> None:
        selector = self._alike[box[0]] = self._new()
        for first, second in pairwise(box):
            self._add([-selector, -self._cells[second], self._cells[first]])

    def _count(self, groups: Sequence[Sequence[Sequence[int]]], loose: Sequence[int]) -> list[int]:
        counted = [self._sum([self._sum([[self._cells[c]] for c in box]) for box in group]) for group in groups]
        return self._sum([*counted, *([self._cells[cell]] for cell in loose)])

    def _sum(self, parts: list[list[int]]) -> list[int]:
        """Add unary numbers, in a balanced tree."""
        if not parts:
            return []
        while len(parts) > 1:
            pairs = [self._merge(*parts[i : i + 2]) for i in range(0, len(parts) - 1, 2)]
            parts = pairs + (parts[-1:] if len(parts) % 2 else [])
        return parts[0]

    def _merge(self, one: list[int], two: list[int]) -> list[int]:
        """Add two unary numbers: output i is true if and only if their sum is more than i."""
        out = [self._new() for _ in range(len(one) + len(two))]
        for i in range(len(one) + 1):
            for j in range(len(two) + 1):
                low = [-one[i - 1]] * (i > 0) + [-two[j - 1]] * (j > 0)
                high = one[i : i + 1] + two[j : j + 1]
                if i + j > 0:
                    self._add([*low, out[i + j - 1]])
                if i + j < len(out):
                    self._add([*high, -out[i + j]])
        return out


def backbone(
    components: Sequence[Component], low: int | None = None, high: int | None = None
) -> dict[tuple[int, ...], bool] | None:
    r"""Return the boxes that are the same in every layout, each with True for mines; None if there is no layout.

    `low` and `high` bound the mines of all components together. One call of the SAT solver for every box that
    could be forced as far as the layouts found so far tell (Janota, Lynce, Marques-Silva, AI Communications 2015).

    Examples
    --------
    >>> from minesolve.position import Position
    >>> from minesolve.solve.constraints import system_of
    >>> from minesolve.solve.frontier import split
    >>> backbone(split(system_of(Position.from_text("1221\n####"))))
    {(4,): False, (5,): True, (6,): True, (7,): False}
    """
    groups = [[box.cells for box in component.boxes] for component in components]
    constraints = [constraint for component in components for constraint in component.constraints]
    with Oracle(constraints, groups, count=low is not None or high is not None) as oracle:
        boxes = [box for group in groups for box in group]
        numbers = [oracle.number(constraint.number) for constraint in constraints]
        for literal in (*numbers, *map(oracle.alike, boxes), *_bounds(oracle, low, high)):
            oracle.require(literal)
        return _backbone(oracle, boxes)


def _bounds(oracle: Oracle, low: int | None, high: int | None) -> Iterator[int]:
    for literal in (None if low is None else oracle.at_least(low), None if high is None else oracle.at_most(high)):
        if literal is not None:
            yield literal


def _backbone(oracle: Oracle, boxes: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], bool] | None:
    """Ask, for each box that had no mine so far whether it can have one, and for each full one whether it must be."""
    if not oracle.possible(()):
        return None
    is_mine = oracle.is_mine()
    # a box is ordered: it has no mine if its first cell is safe, and is full if its last cell is a mine
    candidates = {(box, mine) for box in boxes for mine in (False, True) if is_mine(box[-1 if mine else 0]) == mine}
    forced: dict[tuple[int, ...], bool] = {}
    for box in boxes:
        for mine in (False, True):
            if (box, mine) not in candidates:
                continue
            if oracle.possible([oracle.cell(box[-1 if mine else 0], not mine)]):
                is_mine = oracle.is_mine()
                candidates = {(b, m) for b, m in candidates if is_mine(b[-1 if m else 0]) == m}
            else:
                oracle.require(oracle.cell(box[-1 if mine else 0], mine))
                forced[box] = mine
    return forced


def mines_range(constraints: Sequence[Constraint], fixed: Mapping[int, bool]) -> tuple[int, int] | None:
    r"""Return the fewest and the most mines that the cells of some constraints hold, some cells being fixed.

    None if there is no layout of them.

    Examples
    --------
    >>> from minesolve.position import Position
    >>> from minesolve.solve.constraints import system_of
    >>> mines_range(system_of(Position.from_text("#1#1#")).constraints, {})
    (1, 2)
    """
    with Oracle(constraints, [], count=True) as oracle:
        cells = {cell for constraint in constraints for cell in constraint.cells}
        assumed = [oracle.number(constraint.number) for constraint in constraints]
        assumed += [oracle.cell(cell, mine) for cell, mine in fixed.items() if cell in cells]
        if not oracle.possible(assumed):
            return None
        fewest = most = sum(map(oracle.is_mine(), cells))
        while (bound := oracle.at_most(fewest - 1)) is not None and oracle.possible([*assumed, bound]):
            fewest = sum(map(oracle.is_mine(), cells))
        while (bound := oracle.at_least(most + 1)) is not None and oracle.possible([*assumed, bound]):
            most = sum(map(oracle.is_mine(), cells))
        return fewest, most


def minimal(oracle: Oracle, assumed: Sequence[int], kept: Sequence[int]) -> list[int]:
    """Return assumptions, in their order, that can't hold together with `kept` and none of which can be dropped.

    `assumed` and `kept` together must be impossible. Assumptions are tried for dropping from the first on, so put
    first those that are better left out.
    """
    needed: list[int] = []
    left = list(assumed)
    while left:
        candidate = left.pop(0)
        if oracle.possible([*needed, *left, *kept]):
            needed.append(candidate)
        else:
            core = oracle.core()
            left = [literal for literal in left if literal in core]
    return [literal for literal in assumed if literal in set(needed)]
