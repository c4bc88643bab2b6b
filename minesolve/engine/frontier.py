"""The frontier of a board: components, boxes, the order in which boxes are counted, and how states are packed.

A state of the count is what the open constraints (those with boxes before and after this point of the order) still
need. Each open constraint has a field in a 62-bit word, as wide as its need, free again once the constraint is used
up; so taking v mines from a box is one multiplication and one subtraction on all its constraints at once.
"""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minesolve.engine.board import FOR_COMPONENTS, NEED, OPEN, POPCOUNT, Board
from minesolve.engine.compiling import inline_kernel, kernel

__all__ = [
    "BOXES",
    "CELLS",
    "COMPONENTS",
    "CONSTRAINTS",
    "FIELD_BITS",
    "Frontier",
    "allocate_frontier",
    "arrange",
    "forget_frontier",
    "gather",
]

COMPONENTS, CONSTRAINTS, BOXES, CELLS, FIELD_BITS = 0, 1, 2, 3, 4
"""Places in `Frontier.count`; the last is the width of a packed state, 62 unless a test makes it smaller."""


class Frontier(NamedTuple):
    """The components of a board, one after the other.

    Attributes
    ----------
    box_of, constraint_of : int32[places]
        By place: the box of a covered cell, the constraint of an opened number; -1 if none.
    cells, numbers : int32[places]
        Frontier cells and opened numbers, grouped by component.
    cell_start, constraint_start, box_start : int32[components + 1]
    need, room, boxes_left : by constraint; mines it still needs, cells not yet counted, boxes not yet in the order.
    constraint_boxes : int32[constraints, 8], constraint_size : int32[constraints]
    box_constraints : int32[boxes, 8], box_degree, box_size : int32[boxes]
    chain, chain_start : int32
        Boxes that share their first constraint, so that a cell finds its box.
    order : int32[boxes]
        The boxes of each component in the order of counting; what follows is by place in that order.
    opening, step : int64[boxes]
        What a state gains when the box opens constraints, and loses for each mine in the box.
    shift, mask, room_after : int64[boxes, 8]
        The field of each constraint of the box, and how many cells the constraint has after this box.
    shift_of : int64[constraints]
    count : int64[5]
    """

    box_of: Any
    constraint_of: Any
    cells: Any
    numbers: Any
    cell_start: Any
    constraint_start: Any
    box_start: Any
    need: Any
    room: Any
    boxes_left: Any
    constraint_boxes: Any
    constraint_size: Any
    box_constraints: Any
    box_degree: Any
    box_size: Any
    chain: Any
    chain_start: Any
    order: Any
    opening: Any
    step: Any
    shift: Any
    mask: Any
    room_after: Any
    shift_of: Any
    count: Any


def allocate_frontier(places: int, bits: int = 62) -> Frontier:
    """Return the arrays for boards with this many places."""

    def small(*shape: int) -> Any:
        return np.zeros(shape, dtype=np.int32)

    def wide(*shape: int) -> Any:
        return np.zeros(shape, dtype=np.int64)

    n = places
    return Frontier(
        small(n), small(n), small(n), small(n), small(n + 1), small(n + 1), small(n + 1),
        small(n), small(n), small(n), small(n, 8), small(n), small(n, 8), small(n), small(n), small(n), small(n),
        small(n), wide(n), wide(n), wide(n, 8), wide(n, 8), wide(n, 8), wide(n),
        np.array([0, 0, 0, 0, bits], dtype=np.int64),
    )  # fmt: skip


@kernel
def forget_frontier(frontier: Frontier) -> None:
    """Forget all components."""
    box_of, constraint_of = frontier.box_of, frontier.constraint_of
    for p in range(len(box_of)):
        box_of[p] = -1
        constraint_of[p] = -1
    count = frontier.count
    count[COMPONENTS] = count[CONSTRAINTS] = count[BOXES] = count[CELLS] = 0


@inline_kernel
def _constraint_at(board: Board, frontier: Frontier, q: int) -> int:
    """Return the constraint of an opened number, which joins the component if it is new."""
    known = frontier.constraint_of[q]
    if known >= 0:
        return known
    new = frontier.count[CONSTRAINTS]
    frontier.count[CONSTRAINTS] += 1
    frontier.constraint_of[q] = new
    frontier.numbers[new] = q
    frontier.need[new] = board.words[q] >> NEED
    frontier.room[new] = POPCOUNT[board.words[q] & 255]
    frontier.constraint_size[new] = 0
    frontier.chain_start[new] = -1
    return new


@inline_kernel
def _join_box(frontier: Frontier, c: int, box: int, degree: int) -> None:
    """Put a cell into the box that has its constraints; those stand in row `box`, and stay there if it is new."""
    constraints, chain = frontier.box_constraints, frontier.chain
    other = frontier.chain_start[constraints[box, 0]]
    while other >= 0:
        same = frontier.box_degree[other] == degree
        for k in range(degree):
            same = same and constraints[other, k] == constraints[box, k]
        if same:
            frontier.box_of[c] = other
            frontier.box_size[other] += 1
            return
        other = chain[other]
    frontier.count[BOXES] += 1
    frontier.box_of[c] = box
    frontier.box_size[box] = 1
    frontier.box_degree[box] = degree
    chain[box] = frontier.chain_start[constraints[box, 0]]
    frontier.chain_start[constraints[box, 0]] = box
    for k in range(degree):
        j = constraints[box, k]
        frontier.constraint_boxes[j, frontier.constraint_size[j]] = box
        frontier.constraint_size[j] += 1


@kernel
def gather(board: Board, frontier: Frontier, start: int) -> bool:
    """Add the component of an opened number; return whether any of its numbers has changed since the last time."""
    words, offsets, count = board.words, board.offsets, frontier.count
    component = count[COMPONENTS]
    frontier.cell_start[component] = count[CELLS]
    frontier.constraint_start[component] = count[CONSTRAINTS]
    frontier.box_start[component] = count[BOXES]
    changed = False
    current = _constraint_at(board, frontier, start)
    while current < count[CONSTRAINTS]:
        p = frontier.numbers[current]
        word = words[p]
        if word & FOR_COMPONENTS:
            changed = True
            words[p] = word & ~FOR_COMPONENTS
        for d in range(8):
            c = p + offsets[d]
            if not word >> d & 1 or frontier.box_of[c] >= 0:
                continue
            box, degree = count[BOXES], 0
            for e in range(8):
                q = c + offsets[e]
                if words[q] & OPEN:
                    frontier.box_constraints[box, degree] = _constraint_at(board, frontier, q)
                    degree += 1
            _join_box(frontier, c, box, degree)
            frontier.cells[count[CELLS]] = c
            count[CELLS] += 1
        current += 1
    count[COMPONENTS] += 1
    frontier.cell_start[component + 1] = count[CELLS]
    frontier.constraint_start[component + 1] = count[CONSTRAINTS]
    frontier.box_start[component + 1] = count[BOXES]
    return changed


@kernel
def arrange(frontier: Frontier, component: int) -> bool:
    """Choose the order of a component's boxes and pack its states; False if a state would not fit.

    Greedy: the constraint with the fewest boxes left is finished first, an open one before a new one.
    """
    first, last = frontier.constraint_start[component], frontier.constraint_start[component + 1]
    left, size = frontier.boxes_left, frontier.constraint_size
    for j in range(first, last):
        left[j] = size[j]
    placed = frontier.box_start[component]
    for i in range(placed, frontier.box_start[component + 1]):
        frontier.chain[i] = 0  # from here on: whether the box is in the order
    while placed < frontier.box_start[component + 1]:
        best, best_score = -1, 1 << 30
        for j in range(first, last):
            if left[j]:
                score = left[j] if left[j] < size[j] else 64 + left[j]
                if score < best_score:
                    best, best_score = j, score
        for k in range(size[best]):
            box = frontier.constraint_boxes[best, k]
            if not frontier.chain[box]:
                frontier.chain[box] = 1
                frontier.order[placed] = box
                placed += 1
                for e in range(frontier.box_degree[box]):
                    left[frontier.box_constraints[box, e]] -= 1
    return _pack(frontier, component)


@inline_kernel
def _free_field(used: int, width: int, bits: int) -> int:
    """Return the lowest place where `width` bits are free, -1 if there is none."""
    field = (1 << width) - 1
    shift = 0
    while shift + width <= bits:
        if used >> shift & field == 0:
            return shift
        shift += 1
    return -1


@kernel
def _pack(frontier: Frontier, component: int) -> bool:
    """Give each constraint its field of the packed state; False if they don't fit."""
    used, bits = 0, frontier.count[FIELD_BITS]
    need, room, shift_of = frontier.need, frontier.room, frontier.shift_of
    for j in range(frontier.constraint_start[component], frontier.constraint_start[component + 1]):
        shift_of[j] = -1
    for i in range(frontier.box_start[component], frontier.box_start[component + 1]):
        box = frontier.order[i]
        opening, step = 0, 0
        for k in range(frontier.box_degree[box]):
            j = frontier.box_constraints[box, k]
            width = 1 + (need[j] > 1) + (need[j] > 3) + (need[j] > 7)
            if shift_of[j] < 0:
                shift_of[j] = _free_field(used, width, bits)
                if shift_of[j] < 0:
                    return False
                used |= ((1 << width) - 1) << shift_of[j]
                opening += need[j] << shift_of[j]
            room[j] -= frontier.box_size[box]
            step += 1 << shift_of[j]
            frontier.shift[i, k] = shift_of[j]
            frontier.mask[i, k] = (1 << width) - 1
            frontier.room_after[i, k] = room[j]
        for k in range(frontier.box_degree[box]):
            j = frontier.box_constraints[box, k]
            if room[j] == 0:
                used &= ~(frontier.mask[i, k] << shift_of[j])
        frontier.opening[i] = opening
        frontier.step[i] = step
    return True
