"""The slow path: exact chances in Python's integers, of any width, for what the kernels can't hold.

The kernels pass on a component whose states don't fit into 62 bits, and positions whose weights outrange float64.
Here states are Python integers (4 bits a constraint) and ways are exact. Work is bounded: BudgetExceeded, never a
guess.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from minesolve.engine.board import ACTIVE, MINES_LEFT, NEED, OPEN, UNKNOWN, Board
from minesolve.errors import BudgetExceeded

__all__ = ["BUDGET", "Remainder", "chances", "remainder_of"]

BUDGET = 400_000
"""States a component may have here before it is given up."""

Constraint = tuple[int, tuple[int, ...]]
Ways = dict[int, int]


@dataclass(frozen=True, slots=True)
class Remainder:
    """What is left of a position once the cheap rules have run: unknown cells, mines among them, constraints."""

    unknown: tuple[int, ...]
    mines: int
    constraints: tuple[Constraint, ...]


def remainder_of(board: Board) -> Remainder:
    """Read what is left from the arrays of a board; cells are places."""
    constraints = []
    for p in sorted(int(p) for p in board.active[: board.count[ACTIVE]]):
        word = int(board.words[p])
        cells = tuple(p + int(offset) for d, offset in enumerate(board.offsets) if word >> d & 1)
        if word & OPEN and cells:
            constraints.append((word >> NEED, cells))
    unknown = tuple(int(p) for p in board.places if board.status[p] == UNKNOWN)
    return Remainder(unknown, int(board.count[MINES_LEFT]), tuple(constraints))


@dataclass(frozen=True, slots=True)
class _Box:
    cells: tuple[int, ...]
    constraints: tuple[int, ...]


def _components(constraints: Sequence[Constraint]) -> list[list[_Box]]:
    """Return the boxes of each component, in an order that keeps few constraints open."""
    touching: dict[int, list[int]] = defaultdict(list)
    for j, (_, cells) in enumerate(constraints):
        for cell in cells:
            touching[cell].append(j)
    alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for cell, touched in sorted(touching.items()):
        alike[tuple(touched)].append(cell)
    left = {_Box(tuple(cells), touched) for touched, cells in alike.items()}
    components: list[list[_Box]] = []
    started: set[int] = set()
    while left:
        linked = [box for box in left if not started.isdisjoint(box.constraints)]
        if not linked:
            components.append([])
        new = min(linked or left, key=lambda box: (len(set(box.constraints) - started), box.cells))
        components[-1].append(new)
        left.remove(new)
        started.update(new.constraints)
    return components


class _Count:
    """The layouts of one component, by state and mines used, before each box."""

    def __init__(self, boxes: list[_Box], constraints: Sequence[Constraint]):
        self.boxes, self.constraints = boxes, constraints
        room = {j: len(constraints[j][1]) for box in boxes for j in box.constraints}
        self.room_after: list[dict[int, int]] = []
        for box in boxes:
            for j in box.constraints:
                room[j] -= len(box.cells)
            self.room_after.append({j: room[j] for j in box.constraints})
        needs = sum(constraints[j][0] << 4 * j for j in room)
        self.layers: list[dict[int, Ways]] = [{needs: {0: 1}}]
        states = 0
        for i in range(len(boxes)):
            self.layers.append(self._next_layer(i))
            states += len(self.layers[-1])
            if states > BUDGET:
                raise BudgetExceeded(
                    f"a component of {len(boxes)} boxes is too wide: more than {BUDGET} states", self._cells()
                )

    def _cells(self) -> list[int]:
        return sorted(cell for box in self.boxes for cell in box.cells)

    def moves(self, i: int, key: int) -> list[tuple[int, int, int]]:
        """Return (mines, ways, next state) for each number of mines that box i can have in a state."""
        box = self.boxes[i]
        size, step = len(box.cells), sum(1 << 4 * j for j in box.constraints)
        needs = {j: key >> 4 * j & 15 for j in box.constraints}
        least = max(0, *(needs[j] - self.room_after[i][j] for j in needs))
        most = min(size, *needs.values())
        return [(v, comb(size, v), key - v * step) for v in range(least, most + 1)]

    def _next_layer(self, i: int) -> dict[int, Ways]:
        after: dict[int, Ways] = {}
        for key, ways in self.layers[i].items():
            for v, choices, onward in self.moves(i, key):
                row = after.setdefault(onward, {})
                for used, count in ways.items():
                    row[used + v] = row.get(used + v, 0) + choices * count
        return after

    @property
    def total(self) -> Ways:
        """Layouts by number of mines."""
        return self.layers[-1].get(0, {})

    def chances(self, weights: dict[int, Any]) -> dict[int, Fraction]:
        """Return the chance of each cell when a layout with m mines weighs ``weights[m]``."""
        found: dict[int, Fraction] = {}
        onward: dict[int, dict[int, Any]] = {0: weights}
        for i in reversed(range(len(self.boxes))):
            before: dict[int, dict[int, Any]] = {}
            everything = mines = Fraction(0)
            for key, ways in self.layers[i].items():
                row = before.setdefault(key, {})
                for v, choices, target in self.moves(i, key):
                    rest = onward.get(target, {})
                    for used in ways:
                        if rest.get(used + v):
                            row[used] = row.get(used, 0) + choices * rest[used + v]
                            met = ways[used] * choices * rest[used + v]
                            everything += met
                            mines += v * met
            onward = before
            found.update(dict.fromkeys(self.boxes[i].cells, mines / (len(self.boxes[i].cells) * everything)))
        return found


def _convolve(a: dict[int, Any], b: dict[int, Any]) -> dict[int, Any]:
    product: dict[int, Any] = {}
    for i, x in a.items():
        for j, y in b.items():
            product[i + j] = product.get(i + j, 0) + x * y
    return product


def chances(left: Remainder, total_known: bool, density: Fraction | None = None) -> dict[int, Fraction] | None:
    """Return the exact chance of each unknown cell; None if no layout exists.

    With `total_known` layouts hold exactly `left.mines` mines and weigh the same; otherwise each mine weighs
    ``density / (1 - density)`` (density 1/2 if there is none, which is enough to tell what is forced).
    """
    counts = [_Count(boxes, left.constraints) for boxes in _components(left.constraints)]
    if not all(count.total for count in counts):
        return None
    beside = {cell for _, cells in left.constraints for cell in cells}
    outside = [cell for cell in left.unknown if cell not in beside]
    if not total_known:
        density = Fraction(1, 2) if density is None else density
        found = dict.fromkeys(outside, density)
        for count in counts:
            odds = density / (1 - density)
            found.update(count.chances({m: odds**m for m in count.total}))
        return found
    return _chances_by_total(counts, outside, left.mines)


def _chances_by_total(counts: list[_Count], outside: list[int], mines: int) -> dict[int, Fraction] | None:
    before: list[dict[int, int]] = [{0: 1}]
    for count in counts:
        before.append(_convolve(before[-1], count.total))
    n = len(outside)
    after = {x: comb(n, mines - x) for x in before[-1] if 0 <= mines - x <= n}  # by mines in all components before
    everything = sum(before[-1][x] * ways for x, ways in after.items())
    if not everything:
        return None
    found = {}
    if n:
        met = sum(before[-1][x] * ways * (mines - x) for x, ways in after.items())
        found = dict.fromkeys(outside, Fraction(met, n * everything))
    for k in reversed(range(len(counts))):
        own = counts[k].total
        weights = {m: sum(ways * after.get(x + m, 0) for x, ways in before[k].items()) for m in own}
        found.update(counts[k].chances(weights))
        after = {x: sum(ways * after.get(x + m, 0) for m, ways in own.items()) for x in before[k]}
    return found
