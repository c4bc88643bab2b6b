"""The regions of a position: parts of it that have nothing to do with each other.

No number, shown or still to be shown, depends on two regions, and each holds the same number of mines in every layout.
So the layouts of the position are the products of those of its regions, what is opened in one tells nothing about
another, and the chance of winning is the product of theirs. Layouts are counted exactly, up to a limit.
"""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minesolve.engine.board import KNOWN_SAFE, MINES_LEFT, UNKNOWN, UNKNOWN_LEFT, Board
from minesolve.engine.compiling import kernel, merged_kernel
from minesolve.engine.frontier import CELLS, COMPONENTS, Frontier
from minesolve.engine.play import Desk
from minesolve.engine.states import States
from minesolve.engine.total import end_state

__all__ = [
    "LOOSE", "MOST", "REGIONS", "Regions", "allocate_regions", "are_many", "choose", "find_regions", "is_sealed",
    "records",
]  # fmt: skip

REGIONS, LOOSE = 0, 1
"""Places in `Regions.count`: how many there are; the one whose mines need not be fixed by itself, if there is one."""

MOST = 1 << 30
"""Counts of layouts stop here: this many or more."""

_CHOOSE = np.array([[int(_v in (0, _n)) for _v in range(9)] for _n in range(9)], dtype=np.int64)
for _n in range(2, 9):
    for _v in range(1, _n):
        _CHOOSE[_n, _v] = _CHOOSE[_n - 1, _v - 1] + _CHOOSE[_n - 1, _v]

_PLACE = np.dtype([("region", "i8"), ("component", "i8"), ("number", "i8")])
_REGION = np.dtype([("components", "i8"), ("unconstrained", "i8"), ("mines", "i8"), ("loose", "i8"), ("layouts", "i8")])
_COMPONENT = np.dtype([("region", "i8"), ("mines", "i8"), ("elsewhere", "i8"), ("start", "i8"), ("solutions", "i8")])


class Regions(NamedTuple):
    """The regions of a position.

    Attributes
    ----------
    place : record[places]
        The ``region`` and the ``component`` of a cell, -1 for none; its ``number`` in the region listed last.
    region : record[regions]
        How many ``components``, ``unconstrained`` cells, ``mines`` and ``layouts`` it has (`MOST` at most); while
        regions are being found, whether the mines on an island are ``loose``, not the same in all layouts.
    component : record[components]
        Its ``region``; its ``mines`` if they are the same in all layouts, else -1; the mines ``elsewhere``, in other
        regions, in the components up to this one; the ``start`` of its ``solutions`` in a list, and how many.
    ways : int64[rows]
        Solutions of the boxes so far, rows as in `States`.
    sums : int64[2, places]
        Solutions of several components, by their mines.
    stack : int64[places]
        Scratch.
    count : int64[2]
    """

    place: Any
    region: Any
    component: Any
    ways: Any
    sums: Any
    stack: Any
    count: Any


def records(kind: Any, *shape: int) -> Any:
    """Return records that kernels, and Python, read and write by the names of their fields."""
    return np.zeros(shape, kind).view(np.recarray)


def allocate_regions(places: int, rows: int) -> Regions:
    """Return the arrays for boards with this many places, and states with this many rows."""
    n = places + 1
    return Regions(
        records(_PLACE, n), records(_REGION, n), records(_COMPONENT, n), np.zeros(rows, np.int64),
        np.zeros((2, n), np.int64), np.zeros(n, np.int64), np.zeros(2, np.int64),
    )  # fmt: skip


@kernel
def choose(n: int, k: int) -> int:
    """Return how many ways there are to choose k of n, `MOST` at most."""
    if k < 0 or k > n:
        return 0
    ways = 1
    for i in range(1, min(k, n - k) + 1):
        ways = ways * (n - i + 1) // i
        if ways >= MOST:
            return MOST
    return ways


@merged_kernel
def _add(board: Board, regions: Regions, q: int, island: int, height: int) -> int:
    """Put a cell that can still be opened on an island and on the stack, unless it is there."""
    covered = board.status[q] == UNKNOWN or board.status[q] == KNOWN_SAFE
    if not covered or regions.place[q].region >= 0:
        return height
    regions.place[q].region = island
    regions.stack[height] = q
    return height + 1


@merged_kernel
def _mark_islands(board: Board, frontier: Frontier, regions: Regions) -> int:
    """Mark cells that belong together, neighbours and those of one component, alike; return how many islands."""
    place, component, islands = regions.place, regions.component, 0
    for p in range(len(board.status)):
        place[p].region = place[p].component = -1
    for c in range(frontier.count[COMPONENTS]):
        component[c].region = -1
        for i in range(frontier.cell_start[c], frontier.cell_start[c + 1]):
            place[frontier.cells[i]].component = c
    for start in board.places:
        height = _add(board, regions, start, islands, 0)
        islands += height
        while height:
            height -= 1
            p = regions.stack[height]
            for d in range(8):
                height = _add(board, regions, p + board.offsets[d], place[p].region, height)
            c = place[p].component
            if c >= 0 and component[c].region < 0:
                component[c].region = place[p].region
                for i in range(frontier.cell_start[c], frontier.cell_start[c + 1]):
                    height = _add(board, regions, frontier.cells[i], place[p].region, height)
    return islands


@merged_kernel
def _mines_of_component(frontier: Frontier, states: States, c: int) -> int:
    """Return the mines of a component, -1 if layouts differ in them."""
    end, found, different = end_state(frontier, states, c), -1, 0
    for m in range(states.high[end] - states.low[end] + 1):
        if states.usable[states.row[end] + m]:
            different += 1
            found = states.low[end] + m
    return found if different == 1 else -1


@kernel
def _mines_outside(desk: Desk, unconstrained: int) -> tuple[int, int, int]:
    """Return the fewest and the most mines that unconstrained cells have, and the fewest ways to lay them."""
    states, last = desk.states, desk.frontier.count[COMPONENTS]
    fewest, most, ways = unconstrained, 0, MOST
    for at in range(states.chain_row[last], states.chain_row[last + 1]):
        if states.reach[at] and states.usable[at]:
            rest = desk.board.count[MINES_LEFT] - states.chain_low[last] - at + states.chain_row[last]
            fewest, most, ways = min(fewest, rest), max(most, rest), min(ways, choose(unconstrained, rest))
    return fewest, most, ways


@merged_kernel
def _describe_islands(desk: Desk, regions: Regions, islands: int, fewest: int, most: int) -> None:
    """Fill the records of the islands, all but the layouts.

    The mines in unconstrained cells are fixed if all these are safe, or all mines, or all on one island and the rest
    of the board has its mines fixed.
    """
    region, place = regions.region, regions.place
    for i in range(islands):
        region[i].components = region[i].unconstrained = region[i].mines = region[i].loose = 0
    for c in range(desk.frontier.count[COMPONENTS]):
        mines = _mines_of_component(desk.frontier, desk.states, c)
        regions.component[c].mines = mines
        i = regions.component[c].region
        region[i].components += 1
        region[i].mines += mines
        region[i].loose |= mines < 0
    unconstrained = desk.board.count[UNKNOWN_LEFT] - desk.frontier.count[CELLS]
    for p in desk.board.places:
        if desk.board.status[p] == UNKNOWN and place[p].component < 0:
            region[place[p].region].unconstrained += 1
    for i in range(islands):
        here = region[i].unconstrained
        if here and most > 0:
            alone = here == unconstrained and fewest == most
            region[i].loose |= not (alone or fewest == unconstrained)
            region[i].mines += most if alone else here


@merged_kernel
def _number_regions(desk: Desk, regions: Regions, islands: int) -> None:
    """Make each fixed island a region of its own, and all loose ones together the last, with the mines left over."""
    region, number, fixed, left = regions.region, regions.stack, 0, desk.board.count[MINES_LEFT]
    for i in range(islands):
        number[i] = fixed
        fixed += 1 - region[i].loose
    components, unconstrained = 0, 0
    for i in range(islands):
        if region[i].loose:
            number[i] = fixed
            components += region[i].components
            unconstrained += region[i].unconstrained
        else:
            left -= region[i].mines
            k = number[i]  # at most i: nothing is overwritten before it is read
            region[k].components, region[k].unconstrained = region[i].components, region[i].unconstrained
            region[k].mines = region[i].mines
    for p in desk.board.places:
        if regions.place[p].region >= 0:
            regions.place[p].region = number[regions.place[p].region]
    for c in range(desk.frontier.count[COMPONENTS]):
        regions.component[c].region = number[regions.component[c].region]
    regions.count[LOOSE], regions.count[REGIONS] = fixed, fixed
    if fixed < islands:
        regions.count[REGIONS] = fixed + 1
        region[fixed].components, region[fixed].unconstrained, region[fixed].mines = components, unconstrained, left


@merged_kernel
def _count_component(frontier: Frontier, states: States, ways: Any, c: int) -> None:
    """Fill the rows `ways` of a component: solutions that belong to a layout, by state and mines used."""
    low, high, row, child = states.low, states.high, states.row, states.child
    layers, begin = states.layers_of[c], frontier.box_start[c]
    end = end_state(frontier, states, c)
    for at in range(row[states.layer[layers]], row[end] + high[end] - low[end] + 1):
        ways[at] = 0
    ways[row[states.layer[layers]]] = 1
    for i in range(frontier.box_start[c + 1] - begin):
        size = frontier.box_size[frontier.order[begin + i]]
        for s in range(states.layer[layers + i], states.layer[layers + i + 1]):
            for v in range(states.least[s], states.most[s] + 1):
                t = child[states.first[s] - states.least[s] + v]
                shift = row[t] + low[s] + v - low[t] - row[s]
                for at in range(row[s], row[s] + high[s] - low[s] + 1):
                    if states.usable[at + shift]:
                        ways[at + shift] = min(ways[at + shift] + _CHOOSE[size, v] * ways[at], MOST)


@merged_kernel
def _count_region(frontier: Frontier, states: States, regions: Regions, r: int) -> int:
    """Return how many layouts a region has, `MOST` at most."""
    sums, now, high = regions.sums, 0, 0
    sums[0, 0] = 1
    for c in range(frontier.count[COMPONENTS]):
        if regions.component[c].region != r:
            continue
        _count_component(frontier, states, regions.ways, c)
        end = end_state(frontier, states, c)
        for x in range(high + states.high[end] + 1):
            sums[1 - now, x] = 0
        for x in range(high + 1):
            for m in range(states.low[end], states.high[end] + 1):
                ways = regions.ways[states.row[end] + m - states.low[end]]
                sums[1 - now, x + m] = min(sums[1 - now, x + m] + sums[now, x] * ways, MOST)
        high += states.high[end]
        now = 1 - now
    mines, unconstrained, layouts = regions.region[r].mines, regions.region[r].unconstrained, 0
    for x in range(min(high, mines) + 1):
        if sums[now, x]:
            layouts = min(layouts + sums[now, x] * choose(unconstrained, mines - x), MOST)
    return layouts


@kernel
def find_regions(desk: Desk, regions: Regions) -> int:
    """Part the position on the desk into regions and count the layouts of each; return how many regions there are.

    The position must have been expanded with its total (`minesolve.engine.total.total_values`). Cells that are known
    to be safe, and not yet open, belong to regions, too.
    """
    unconstrained = desk.board.count[UNKNOWN_LEFT] - desk.frontier.count[CELLS]
    fewest, most, _ = _mines_outside(desk, unconstrained)
    islands = _mark_islands(desk.board, desk.frontier, regions)
    _describe_islands(desk, regions, islands, fewest, most)
    _number_regions(desk, regions, islands)
    for r in range(regions.count[REGIONS]):
        regions.region[r].layouts = _count_region(desk.frontier, desk.states, regions, r)
    return regions.count[REGIONS]


@kernel
def are_many(desk: Desk, limit: int) -> bool:
    """Return True if the position has more layouts than a limit for its unconstrained cells alone."""
    return _mines_outside(desk, desk.board.count[UNKNOWN_LEFT] - desk.frontier.count[CELLS])[2] > limit


@kernel
def is_sealed(desk: Desk, regions: Regions, c: int) -> bool:
    """Return whether a component is sealed off; regions must have been found.

    None of its cells is beside an unknown cell outside it, or beside one that is safe and not yet open; and it holds
    the same number of mines in all layouts of the position. Then nothing that is opened elsewhere tells more about it,
    nor what is opened in it about anything else, and its chance of winning is a factor of the game's.
    """
    r, cells = regions.component[c].region, 0
    if regions.region[r].components > 1 or regions.region[r].unconstrained or r == regions.count[LOOSE]:
        return False
    for p in desk.board.places:
        cells += regions.place[p].region == r
    return cells == desk.frontier.cell_start[c + 1] - desk.frontier.cell_start[c]
