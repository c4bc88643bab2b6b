"""All layouts of a region, one by one, for the end of a game, when there are few.

The solutions of each component are listed from the graph of states, each of which belongs to a layout, and put
together; the unconstrained cells take what mines are left. So no work is done for what leads to no layout.
"""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minesolve.engine.board import POPCOUNT, UNKNOWN, Board
from minesolve.engine.compiling import kernel, merged_kernel
from minesolve.engine.frontier import COMPONENTS, Frontier
from minesolve.engine.play import Desk
from minesolve.engine.regions import LOOSE, Regions, choose, records
from minesolve.engine.states import States

__all__ = ["LISTED", "MINE", "WIDTH", "Layouts", "Listing", "allocate_listing", "list_region"]

WIDTH, LISTED = 0, 1
"""Places in `Layouts.count`: cells and layouts of the region listed."""

MINE = 9
"""What a cell shows in a layout that has a mine there."""

_CELL = np.dtype([("place", "i8"), ("degree", "i8")])
_STEP = np.dtype([("at", "i8"), ("used", "i8"), ("choice", "i8"), ("begun", "i8")])


class Layouts(NamedTuple):
    """All layouts of one region.

    Attributes
    ----------
    cell : record[cells]
        The region's cells, ascending: the ``place``, and the ``degree``, how many neighbours are cells of the region.
    beside : int64[cells, 8]
        The numbers of those neighbours.
    shows : uint8[cells * stride]
        What a cell shows in each layout, counting only cells of the region, or `MINE`.
    stride : int
        From one cell's row to the next.
    count : int64[2]
    """

    cell: Any
    beside: Any
    shows: Any
    stride: int
    count: Any


class Listing(NamedTuple):
    """What it takes to list layouts.

    Attributes
    ----------
    box_cells : int64[boxes, 8]
        Numbers of the cells in a box.
    step : record[places]
        The walk: ``at`` a state, with so many mines ``used``; the ``choice`` made there; the first layout ``begun``.
    chosen : int64[2, places]
        The unconstrained cells, and which of them are mines.
    pool : uint8
        For each solution of a component, for each box in its order, which of the box's cells are mines.
    mined : uint8[cells * stride]
        1 for a mine, by cell and layout.
    """

    box_cells: Any
    step: Any
    chosen: Any
    pool: Any
    mined: Any


def allocate_listing(places: int, layouts: int, width: int) -> tuple[Layouts, Listing]:
    """Return the arrays for so many layouts of so many cells."""
    n, stride = places + 1, layouts + 64  # not a power of two: rows would compete for the same lines of the cache
    shows, mined, pool = np.zeros((3, width * stride), np.uint8)
    listing = Listing(np.zeros((n, 8), np.int64), records(_STEP, n), np.zeros((2, n), np.int64), pool, mined)
    return Layouts(records(_CELL, n), np.zeros((n, 8), np.int64), shows, stride, np.zeros(2, np.int64)), listing


@merged_kernel
def _gather_cells(board: Board, regions: Regions, layouts: Layouts, r: int) -> int:
    """Gather the cells of a region and note which are beside which; return how many there are."""
    place, cell, width = regions.place, layouts.cell, 0
    for p in board.places:
        if place[p].region == r:
            cell[width].place = p
            place[p].number = width
            width += 1
    for i in range(width):
        degree = 0
        for d in range(8):
            q = cell[i].place + board.offsets[d]
            if place[q].region == r:
                layouts.beside[i, degree] = place[q].number
                degree += 1
        cell[i].degree = degree
    return width


@merged_kernel
def _list_component(frontier: Frontier, states: States, regions: Regions, listing: Listing, c: int, start: int) -> int:
    """List the solutions of a component from a place in the pool on; return where they end, -1 if they don't fit."""
    step, pool, row, low, met = listing.step, listing.pool, states.row, states.low, listing.chosen[1]
    begin, boxes = frontier.box_start[c], frontier.box_start[c + 1] - frontier.box_start[c]
    for i in range(boxes):
        met[begin + i] = 0
    for i in range(frontier.cell_start[c], frontier.cell_start[c + 1]):
        box = frontier.box_of[frontier.cells[i]]
        listing.box_cells[box, met[box]] = regions.place[frontier.cells[i]].number
        met[box] += 1
    regions.component[c].start, regions.component[c].solutions = start, 0
    step[0].at, step[0].used, step[0].choice, depth = states.layer[states.layers_of[c]], 0, -1, 0
    while depth >= 0:
        s, size, t = step[depth].at, frontier.box_size[frontier.order[begin + depth]], -1
        while t < 0 and step[depth].choice < (1 << size) - 1:
            step[depth].choice += 1
            v = POPCOUNT[step[depth].choice]
            if states.least[s] <= v <= states.most[s]:
                t = states.child[states.first[s] - states.least[s] + v]
                step[depth + 1].used = step[depth].used + v
                if not states.usable[row[t] + step[depth + 1].used - low[t]]:
                    t = -1
        if t < 0:
            depth -= 1
        elif depth + 1 < boxes:
            depth += 1
            step[depth].at, step[depth].choice = t, -1
        else:
            if start + boxes > len(pool):
                return -1
            for i in range(boxes):
                pool[start + i] = step[i].choice
            start += boxes
            regions.component[c].solutions += 1
    return start


@kernel
def _fill_component(
    frontier: Frontier, layouts: Layouts, listing: Listing, c: int, start: int, first: int, last: int
) -> None:
    """Write the solution at a place of the pool into the layouts from `first` to `last` (not included)."""
    begin, mined = frontier.box_start[c], listing.mined
    for i in range(begin, frontier.box_start[c + 1]):
        box, mask = frontier.order[i], listing.pool[start + i - begin]
        for k in range(frontier.box_size[box]):
            shift, mine = listing.box_cells[box, k] * layouts.stride, mask >> k & 1
            for at in range(shift + first, shift + last):
                mined[at] = mine


@kernel
def _fill_unconstrained(layouts: Layouts, listing: Listing, number: int, mines: int, first: int) -> int:
    """Write all ways to lay mines into unconstrained cells into the layouts from `first` on; return where they end."""
    ways, chosen, mined, stride = choose(number, mines), listing.chosen, listing.mined, layouts.stride
    for i in range(number):
        start = chosen[0, i] * stride + first
        for at in range(start, start + ways):
            mined[at] = 0
    for i in range(mines):
        chosen[1, i] = i
    for layout in range(first, first + ways):
        for i in range(mines):
            mined[chosen[0, chosen[1, i]] * stride + layout] = 1
        i = mines - 1
        while i >= 0 and chosen[1, i] == number - mines + i:
            i -= 1
        if i >= 0:
            chosen[1, i] += 1
            for k in range(i + 1, mines):
                chosen[1, k] = chosen[1, k - 1] + 1
    return first + ways


@merged_kernel
def _unconstrained_cells(board: Board, regions: Regions, layouts: Layouts, listing: Listing) -> int:
    """Write the region's unknown cells beside no number to the first row of `chosen`; return how many there are."""
    number = 0
    for i in range(layouts.count[WIDTH]):
        p = layouts.cell[i].place
        if board.status[p] == UNKNOWN and regions.place[p].component < 0:
            listing.chosen[0, number] = i
            number += 1
    return number


@merged_kernel
def _fits(states: States, regions: Regions, r: int, c: int, mines: int) -> bool:
    """Return whether the board can be filled with so many mines in the region's components up to this one.

    The chain of components knows; where the mines of a region are fixed, every choice fits.
    """
    if r != regions.count[LOOSE]:
        return True
    x = mines + regions.component[c].elsewhere - states.chain_low[c + 1]
    start, stop = states.chain_row[c + 1], states.chain_row[c + 2]
    return 0 <= x < stop - start and states.usable[start + x] == 1


@merged_kernel
def _gather_components(frontier: Frontier, regions: Regions, r: int) -> int:
    """Put the region's components on the stack, and note what the others hold; return how many they are."""
    number, mines = 0, 0
    for c in range(frontier.count[COMPONENTS]):
        if regions.component[c].region == r:
            regions.stack[number] = c
            number += 1
        else:
            mines += regions.component[c].mines
        regions.component[c].elsewhere = mines
    return number


@merged_kernel
def _combine(desk: Desk, regions: Regions, layouts: Layouts, listing: Listing, r: int, number: int) -> None:
    """Write the layouts: all choices of one solution for each of the region's components that fit together."""
    frontier, step, pool = desk.frontier, listing.step, listing.pool
    cells, mines = _unconstrained_cells(desk.board, regions, layouts, listing), regions.region[r].mines
    layout, j = 0, 0
    step[0].used, step[0].choice = 0, -1
    while j >= 0:
        if j == number:
            layout = _fill_unconstrained(layouts, listing, cells, mines - step[j].used, layout)
            j -= 1
            continue
        c = regions.stack[j]
        boxes, start = frontier.box_start[c + 1] - frontier.box_start[c], regions.component[c].start
        if step[j].choice >= 0:
            at = start + step[j].choice * boxes
            _fill_component(frontier, layouts, listing, c, at, step[j].begun, layout)
        found = False
        while not found and step[j].choice < regions.component[c].solutions - 1:
            step[j].choice += 1
            used, at = step[j].used, start + step[j].choice * boxes
            for i in range(at, at + boxes):
                used += POPCOUNT[pool[i]]
            step[j + 1].used = used
            found = _fits(desk.states, regions, r, c, used)
        step[j].begun = layout
        j += 1 if found else -1
        if found:
            step[j].choice = -1


@merged_kernel
def _look(layouts: Layouts, mined: Any) -> None:
    """Write what each cell shows in each layout."""
    stride, shows, number = layouts.stride, layouts.shows, layouts.count[LISTED]
    for i in range(layouts.count[WIDTH]):
        start = i * stride
        for at in range(start, start + number):
            shows[at] = 0
        for d in range(layouts.cell[i].degree):
            shift = layouts.beside[i, d] * stride - start
            for at in range(start, start + number):
                shows[at] += mined[at + shift]
        for at in range(start, start + number):
            shows[at] = MINE if mined[at] else shows[at]


@kernel
def list_region(desk: Desk, regions: Regions, layouts: Layouts, listing: Listing, r: int) -> bool:
    """List the layouts of a region that was found and counted; False if the arrays can't hold them."""
    width, number, end = _gather_cells(desk.board, regions, layouts, r), regions.region[r].layouts, 0
    layouts.count[WIDTH], layouts.count[LISTED] = width, number
    if width * layouts.stride > len(layouts.shows) or number > layouts.stride:
        return False
    components = _gather_components(desk.frontier, regions, r)
    for j in range(components):
        end = _list_component(desk.frontier, desk.states, regions, listing, regions.stack[j], end)
        if end < 0:
            return False
    for i in range(width):
        for at in range(i * layouts.stride, i * layouts.stride + number):
            listing.mined[at] = 0  # safe cells that wait to be opened belong to no component
    _combine(desk, regions, layouts, listing, r, components)
    _look(layouts, listing.mined)
    return True
