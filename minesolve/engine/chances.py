"""The chance of every covered cell of one position, in float64.

Which cells are forced is decided on the exact graph of states (`minesolve.engine.total`), never by a float. The floats
are sums of non-negative terms only, so each keeps a relative error of some 1e-13. Ways are scaled layer by layer, and
binomials are taken relative to the largest that matters; where a scaled term that matters could have vanished, the
position is passed on to the exact slow path.
"""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from math import lgamma, log
from typing import Any

import numpy as np

from minesolve.engine.board import (
    ACTIVE,
    CHANGED,
    HIDDEN,
    KNOWN_MINE,
    MINES_LEFT,
    NEED,
    OPEN,
    OPENED,
    QUEUE,
    QUEUED,
    RIM,
    UNKNOWN,
    UNKNOWN_LEFT,
    Board,
)
from minesolve.engine.compiling import entry_kernel, inline_kernel, kernel, shared_kernel
from minesolve.engine.frontier import CELLS, COMPONENTS, Frontier
from minesolve.engine.play import Desk, expand_all
from minesolve.engine.rules import exhaust_pairs, exhaust_singles
from minesolve.engine.states import DONE, IMPOSSIBLE, States
from minesolve.engine.total import end_state, total_values, unconstrained_values

__all__ = ["CHOOSE", "EQUAL", "UNSURE", "chance_at", "chances_of", "load_position", "lowest_chance", "weigh_board"]

UNSURE = 4
"""How work ends, besides the codes of `minesolve.engine.states`: floats don't reach far enough."""

EQUAL = 1e-9
"""Chances, and what is computed from them, that are no further apart count as equal."""

CHOOSE = np.array([[float(_v <= _n) for _v in range(9)] for _n in range(9)])
for _n in range(2, 9):
    for _v in range(1, _n):
        CHOOSE[_n, _v] = CHOOSE[_n - 1, _v - 1] + CHOOSE[_n - 1, _v]
"""Ways to choose v of n cells, of up to eight."""

_HUGE = 1e100
"""Rows are scaled so that no value is larger: what vanishes is below 1e-308, so no product it is in reaches 1e-200."""

_TINY = 1e-150
"""A sum of products below this may have lost terms that matter."""


@kernel
def load_position(board: Board, codes: Any, total: int, trust_flags: bool) -> None:
    """Put a position on the board: 0 to 8 opened, 9 covered, 10 a flag, 11 a shown mine; nothing is open to play on."""
    words, status, numbers, offsets, count = board.words, board.status, board.numbers, board.offsets, board.count
    for p in range(len(words)):
        words[p] = board.blank[p]
        status[p] = RIM * board.rim[p]
    for i in range(6):
        count[i] = 0
    unknown, mines = 0, total
    for i in range(len(codes)):
        p, code = board.places[i], codes[i]
        if code <= 8:
            status[p] = OPENED
            numbers[p] = code
            words[p] += (np.int32(code) << NEED) | OPEN | CHANGED | QUEUED
            board.queue[count[QUEUE]] = p
            board.active[count[QUEUE]] = p
            count[QUEUE] += 1
        elif code == 11 or (trust_flags and code == 10):
            status[p] = KNOWN_MINE
            mines -= 1
        else:
            unknown += 1
    for p in board.places:
        if status[p] != UNKNOWN:
            mine = 8 if status[p] == KNOWN_MINE else 0
            for d in range(8):
                words[p + offsets[d]] -= board.loss[mine + d]
    count[ACTIVE] = count[QUEUE]
    count[UNKNOWN_LEFT], count[MINES_LEFT], count[HIDDEN] = unknown, mines, 1


@kernel
def _count_ways(frontier: Frontier, states: States, component: int) -> float:
    """Fill the rows `ways` of a component: layouts of the boxes so far, by state and mines used, scaled by layer.

    Returns the logarithm of what the last row was divided by.
    """
    divided = 0.0
    low, high, row, child, ways = states.low, states.high, states.row, states.child, states.ways
    layers, begin = states.layers_of[component], frontier.box_start[component]
    boxes = frontier.box_start[component + 1] - begin
    end = end_state(frontier, states, component)
    root = states.layer[layers]
    for at in range(row[root], row[end] + high[end] - low[end] + 1):
        ways[at] = 0.0
    ways[row[root]] = 1.0
    for i in range(boxes):
        choose = CHOOSE[frontier.box_size[frontier.order[begin + i]]]
        for s in range(states.layer[layers + i], states.layer[layers + i + 1]):
            if not states.alive[s]:
                continue
            for v in range(states.least[s], states.most[s] + 1):
                t = child[states.first[s] - states.least[s] + v]
                if states.alive[t]:
                    shift, factor = row[t] + low[s] + v - low[t] - row[s], choose[v]
                    for at in range(row[s], row[s] + high[s] - low[s] + 1):
                        ways[at + shift] += factor * ways[at]
        first, last = states.layer[layers + i + 1], states.layer[layers + i + 2] - 1
        largest = _rescale(ways, row[first], row[last] + high[last] - low[last] + 1, _HUGE)
        if largest > _HUGE:
            divided += log(largest)
    return divided


@inline_kernel
def _rescale(values: Any, start: int, stop: int, limit: float) -> float:
    """Divide values by the largest if that is over the limit; return the largest as it was."""
    largest = 0.0
    for at in range(start, stop):
        largest = max(largest, values[at])
    if largest > limit:
        for at in range(start, stop):
            values[at] /= largest
    return largest


@kernel
def _weigh_back(frontier: Frontier, states: States, component: int, chances: Any) -> bool:
    """Write the chance of each box of a component; False if floats don't reach far enough.

    `weight` of the last state's row holds what each number of mines in the component weighs outside it.
    """
    low, high, row, child = states.low, states.high, states.row, states.child
    ways, weight = states.ways, states.weight
    layers, begin = states.layers_of[component], frontier.box_start[component]
    for i in range(frontier.box_start[component + 1] - begin - 1, -1, -1):
        box = frontier.order[begin + i]
        size, everything, mines = frontier.box_size[box], 0.0, 0.0
        choose = CHOOSE[size]
        first, last = states.layer[layers + i], states.layer[layers + i + 1] - 1
        for at in range(row[first], row[last] + high[last] - low[last] + 1):
            weight[at] = 0.0
        for s in range(first, last + 1):
            if not states.alive[s]:
                continue
            for v in range(states.least[s], states.most[s] + 1):
                t = child[states.first[s] - states.least[s] + v]
                if not states.alive[t]:
                    continue
                shift, factor, met = row[t] + low[s] + v - low[t] - row[s], choose[v], 0.0
                for at in range(row[s], row[s] + high[s] - low[s] + 1):
                    onward = factor * weight[at + shift]
                    weight[at] += onward
                    met += ways[at] * onward
                everything += met
                mines += v * met
        if not everything > _TINY:
            return False
        _rescale(weight, row[first], row[last] + high[last] - low[last] + 1, _HUGE)
        chances[box] = mines / (size * everything)
    return True


@kernel
def _chain_ways(frontier: Frontier, states: States) -> tuple[bool, float]:
    """Fill the chain's rows `ways`: layouts of all components before each; False if floats don't reach.

    The second value is the logarithm of what the last row was divided by.
    """
    divided = 0.0
    ways, row, start = states.ways, states.row, states.chain_row
    last = frontier.count[COMPONENTS]
    for at in range(start[0], start[last + 1]):
        ways[at] = 0.0
    ways[start[0]] = 1.0
    for component in range(last):
        end = end_state(frontier, states, component)
        width = states.high[end] - states.low[end] + 1
        largest = _rescale(ways, row[end], row[end] + width, 0.0)
        if not largest > 0.0:
            return False, 0.0
        divided += log(largest)
        for at in range(start[component], start[component + 1]):
            shift = start[component + 1] + at - start[component]
            for m in range(width):
                ways[shift + m] += ways[at] * ways[row[end] + m]
        largest = _rescale(ways, start[component + 1], start[component + 2], 0.0)
        if not largest > _TINY:
            return False, 0.0
        divided += log(largest)
    return True, divided


@kernel
def _binomials(frontier: Frontier, states: States, mines: int, unconstrained: int) -> float:
    """Fill the chain's last row `weight` with C(unconstrained, mines left), relative to the largest in the row.

    Returns the logarithm of that largest.
    """
    weight, last = states.weight, frontier.count[COMPONENTS]
    start, stop = states.chain_row[last], states.chain_row[last + 1]
    rest = mines - states.chain_low[last] + start  # mines left at place `at` of the row: rest - at
    for at in range(start, stop):
        weight[at] = 0.0
    least, most = max(start, rest - unconstrained), min(stop - 1, rest)
    peak = min(max(rest - unconstrained // 2, least), most)
    weight[peak] = 1.0
    for at in range(peak + 1, most + 1):  # C(n, k - 1) / C(n, k) = k / (n - k + 1)
        k = rest - at + 1
        weight[at] = weight[at - 1] * (k / (unconstrained - k + 1))
    for at in range(peak - 1, least - 1, -1):  # C(n, k + 1) / C(n, k) = (n - k) / (k + 1)
        k = rest - at - 1
        weight[at] = weight[at + 1] * ((unconstrained - k) / (k + 1))
    k = rest - peak
    return lgamma(unconstrained + 1.0) - lgamma(k + 1.0) - lgamma(unconstrained - k + 1.0)


@kernel
def _chain_weights(frontier: Frontier, states: States) -> bool:
    """Fill the chain's other rows `weight`, and that of each component's last state; False if floats don't reach."""
    ways, weight, row, start = states.ways, states.weight, states.row, states.chain_row
    for component in range(frontier.count[COMPONENTS] - 1, -1, -1):
        end = end_state(frontier, states, component)
        width = states.high[end] - states.low[end] + 1
        for m in range(width):
            weight[row[end] + m] = 0.0
        for at in range(start[component], start[component + 1]):
            shift, onward = start[component + 1] + at - start[component], 0.0
            for m in range(width):
                onward += ways[row[end] + m] * weight[shift + m]
                weight[row[end] + m] += ways[at] * weight[shift + m]
            weight[at] = onward
        if not _rescale(weight, row[end], row[end] + width, 0.0) > _TINY:
            return False
        if not _rescale(weight, start[component], start[component + 1], 0.0) > _TINY:
            return False
    return True


@kernel
def _unconstrained_chance(frontier: Frontier, states: States, mines: int, unconstrained: int) -> tuple[float, float]:
    """Return the chance of a cell beside no number (-1 if floats don't reach), and the sum over the chain's last row.

    Without an unconstrained cell the chance is 0.
    """
    last, everything, found = frontier.count[COMPONENTS], 0.0, 0.0
    for at in range(states.chain_row[last], states.chain_row[last + 1]):
        met = states.ways[at] * states.weight[at]
        rest = mines - states.chain_low[last] - at + states.chain_row[last]
        everything += met
        found += met * rest
    if not everything > _TINY:
        return -1.0, 0.0
    return found / (everything * unconstrained) if unconstrained else 0.0, everything


@kernel
def _boxes_by_total(
    frontier: Frontier, states: States, mines: int, unconstrained: int, chances: Any
) -> tuple[bool, float]:
    """Write the chances of all boxes, and of an unconstrained cell in the last place, when the total is known.

    Returns whether floats reach, and the logarithm of the number of layouts.
    """
    layouts = 0.0
    for component in range(frontier.count[COMPONENTS]):
        layouts += _count_ways(frontier, states, component)
    sure, divided = _chain_ways(frontier, states)
    if not sure:
        return False, 0.0
    layouts += divided + _binomials(frontier, states, mines, unconstrained)
    chances[-1], everything = _unconstrained_chance(frontier, states, mines, unconstrained)
    if chances[-1] < 0.0 or not _chain_weights(frontier, states):
        return False, 0.0
    for component in range(frontier.count[COMPONENTS]):
        sure = sure and _weigh_back(frontier, states, component, chances)
    return sure, layouts + log(everything)


@kernel
def _boxes_by_density(frontier: Frontier, states: States, density: float, chances: Any) -> bool:
    """Write the chances of all boxes when each layout weighs density**mines * (1 - density)**(cells - mines)."""
    odds = density / (1.0 - density)
    for component in range(frontier.count[COMPONENTS]):
        _count_ways(frontier, states, component)
        end = end_state(frontier, states, component)
        start, width = states.row[end], states.high[end] - states.low[end] + 1
        for m in range(width):
            states.weight[start + m] = odds**m if odds <= 1.0 else (1.0 / odds) ** (width - 1 - m)
        if not _weigh_back(frontier, states, component, chances):
            return False
    chances[-1] = density
    return True


@inline_kernel
def _chance(values: int, size: int, chance: float) -> float:
    """Return exactly 0 or 1 where the values of a box leave nothing else, and otherwise a chance between the two."""
    if values == 1:
        return 0.0
    if values == 1 << size:
        return 1.0
    return min(max(chance, 5e-324), 1.0 - 2.0**-53)


@kernel
def _write(
    desk: Desk, codes: Any, trust_flags: bool, outside_values: int, chances: Any, out: Any
) -> None:
    """Write the chance of every cell: NaN where it is open, a shown mine or a trusted flag."""
    board, frontier, states = desk.board, desk.frontier, desk.states
    outside = _chance(outside_values, 1, chances[-1])
    for i in range(len(codes)):
        p, code = board.places[i], codes[i]
        if code <= 8 or code == 11 or (trust_flags and code == 10):
            out[i] = np.nan
        elif board.status[p] != UNKNOWN:
            out[i] = 1.0 if board.status[p] == KNOWN_MINE else 0.0
        elif frontier.box_of[p] < 0:
            out[i] = outside
        else:
            box = frontier.box_of[p]
            out[i] = _chance(states.values[box], frontier.box_size[box], chances[box])


@shared_kernel
def weigh_board(desk: Desk, any_total: bool, density: float, chances: Any) -> tuple[int, int, float]:
    """Weigh the board on the desk, the cheap layers run; return DONE, IMPOSSIBLE, WIDE, FULL or UNSURE, and a mask.

    Writes the chance of a mine to `chances`, by box, and of an unconstrained cell to its last place. The mask has bit 0
    if an unconstrained cell can be safe, and bit 1 if it can be a mine; `states.values` says the same of boxes. Last
    comes the logarithm of the number of layouts of the unknown cells (0 with `any_total`).
    """
    board, frontier, states = desk.board, desk.frontier, desk.states
    status = expand_all(desk)
    if status != DONE:
        return status, 0, 0.0
    mines, unconstrained = board.count[MINES_LEFT], board.count[UNKNOWN_LEFT] - frontier.count[CELLS]
    status = total_values(frontier, states, mines, unconstrained, any_total)
    if status != DONE:
        return status, 0, 0.0
    if any_total:
        return (DONE if _boxes_by_density(frontier, states, density, chances) else UNSURE), 3, 0.0
    sure, layouts = _boxes_by_total(frontier, states, mines, unconstrained, chances)
    return (DONE if sure else UNSURE), unconstrained_values(frontier, states, mines, unconstrained), layouts


@inline_kernel
def chance_at(desk: Desk, chances: Any, p: int) -> float:
    """Return the chance that an unknown cell is a mine, from what `weigh_board` wrote."""
    box = desk.frontier.box_of[p]
    return chances[-1] if box < 0 else chances[box]


@kernel
def lowest_chance(desk: Desk, chances: Any) -> float:
    """Return the lowest chance of a mine on an unknown cell, from what `weigh_board` wrote; 1 if there is none."""
    board, lowest = desk.board, 1.0
    for p in board.places:
        if board.status[p] == UNKNOWN:
            lowest = min(lowest, chance_at(desk, chances, p))
    return lowest


@entry_kernel
def chances_of(
    desk: Desk, positions: Any, totals: Any, densities: Any, trust_flags: bool, chances: Any, out: Any, statuses: Any
) -> None:
    """Write the chances of positions of one size, (number, cells) codes to (number, cells) chances.

    A total of -1 is unknown; then the density counts. `chances` is scratch, one longer than the places of the board.
    The status of a position is DONE, IMPOSSIBLE, WIDE, FULL or UNSURE.
    """
    board = desk.board
    for i in range(len(statuses)):
        load_position(board, positions[i], max(totals[i], 0), trust_flags)
        statuses[i] = IMPOSSIBLE
        if exhaust_singles(board) and exhaust_pairs(board):
            statuses[i], outside, _ = weigh_board(desk, totals[i] < 0, densities[i], chances)
            if statuses[i] == DONE:
                _write(desk, positions[i], trust_flags, outside, chances, out[i])
