"""The graph of states of a component's count: which states can be reached, and from which the end can.

One layer of states before each box and one after the last. Forward, each state is found once (equal states merge);
backward, what can't reach the end is dropped. Both are exact. A third and fourth pass, over the mines used so far,
take in the total.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minesolve.engine.compiling import inline_kernel, kernel
from minesolve.engine.frontier import Frontier

__all__ = [
    "DONE",
    "FULL",
    "IMPOSSIBLE",
    "LAYERS",
    "ROWS",
    "STATES",
    "WIDE",
    "States",
    "allocate_states",
    "expand",
    "forget_states",
    "prune",
    "prune_rows",
    "reach_rows",
]

DONE, IMPOSSIBLE, WIDE, FULL = 0, 1, 2, 3
"""How work ends: well; no layout exists; a state has too many open constraints; the arrays are too small."""

STATES, CHILDREN, ROWS, LAYERS = 0, 1, 2, 3
"""Places in `States.count`."""


class States(NamedTuple):
    """States of all components that were expanded, one after the other.

    Attributes
    ----------
    layer : int32
        Where each layer starts; a component of n boxes has n + 1 layers (and one more start).
    keys : int64[states]
        What the open constraints still need.
    low, high : int32[states]
        Fewest and most mines used before this state.
    first, least, most : int32[states]
        The state's children are ``child[first + v - least]`` for v from least to most mines in the next box.
    alive : uint8[states]
    child, table : int32
        `table` finds a state of the newest layer by its key; older entries count as empty.
    row : int32[states]
        Where the state's row over the mines used (low to high) starts in the arrays that follow.
    reach, usable : uint8[rows]
        Whether this state can be met with that many mines used; and whether the end can then be reached with a number
        of mines that is allowed.
    ways, weight : float64[rows]
        The number of ways to get here (up to a factor of the component), and the weight of the ways on.
    values : int32[places]
        For each box, bit v says that v mines in it are possible.
    chain_row, chain_low : int32[components + 1]
        Rows, in the same arrays, over the mines in all components before one: where they start, the fewest mines.
    layers_of : int32[components]
        The first layer of each component.
    count : int64[4]
    """

    layer: Any
    keys: Any
    low: Any
    high: Any
    first: Any
    least: Any
    most: Any
    alive: Any
    child: Any
    table: Any
    row: Any
    reach: Any
    usable: Any
    ways: Any
    weight: Any
    values: Any
    chain_row: Any
    chain_low: Any
    layers_of: Any
    count: Any


def allocate_states(places: int, capacity: int) -> States:
    """Return the arrays for `capacity` states (a power of two), four times as many children, 16 times as many rows."""

    def small(n: int) -> Any:
        return np.zeros(n, dtype=np.int32)

    return States(
        small(3 * places + 3), np.zeros(capacity, np.int64), small(capacity), small(capacity), small(capacity),
        small(capacity), small(capacity), np.zeros(capacity, np.uint8), small(4 * capacity), small(2 * capacity),
        small(capacity), np.zeros(16 * capacity, np.uint8), np.zeros(16 * capacity, np.uint8),
        np.zeros(16 * capacity), np.zeros(16 * capacity), small(places), small(places + 2),
        small(places + 2), small(places + 1), np.zeros(4, np.int64),
    )  # fmt: skip


@inline_kernel
def forget_states(states: States) -> None:
    """Forget all states."""
    states.count[:] = 0


@inline_kernel
def _find(states: States, key: int, base: int, length: int) -> int:
    """Return the slot of the table where a key of the newest layer (base to length) stands or would stand."""
    table, keys = states.table, states.keys
    last = len(table) - 1
    slot = (key & 0x3FFFFFFF) * 0x2545F491 ^ (key >> 30) * 0x1B873593
    slot = (slot ^ slot >> 17) & last
    while True:
        at = table[slot]
        if at < base or at >= length or keys[at] == key:
            return slot
        slot = (slot + 1) & last


@kernel
def expand(frontier: Frontier, states: States, component: int) -> int:
    """Build all layers of a component; DONE, IMPOSSIBLE or FULL."""
    keys, low, high, table, child = states.keys, states.low, states.high, states.table, states.child
    count, layers = states.count, states.count[LAYERS]
    begin, end = frontier.box_start[component], frontier.box_start[component + 1]
    base, length, children = count[STATES], count[STATES] + 1, count[CHILDREN]
    if length >= len(keys):
        return FULL
    keys[base] = low[base] = high[base] = 0
    states.layer[layers] = base
    for i in range(begin, end):
        box = frontier.order[i]
        size, degree = frontier.box_size[box], frontier.box_degree[box]
        opening, step = frontier.opening[i], frontier.step[i]
        after = length
        for s in range(base, after):
            key, least, most = keys[s] + opening, 0, size
            for k in range(degree):
                need = key >> frontier.shift[i, k] & frontier.mask[i, k]
                least = max(least, need - frontier.room_after[i, k])
                most = min(most, need)
            states.first[s], states.least[s], states.most[s] = children, least, most
            if length + 9 >= len(keys) or children + 9 >= len(child):
                return FULL
            for v in range(least, most + 1):
                slot = _find(states, key - v * step, after, length)
                at = table[slot]
                if at < after or at >= length:
                    at = length
                    table[slot] = at
                    keys[at] = key - v * step
                    low[at] = low[s] + v
                    high[at] = high[s] + v
                    length += 1
                else:
                    low[at] = min(low[at], low[s] + v)
                    high[at] = max(high[at], high[s] + v)
                child[children] = at
                children += 1
        if length == after:
            return IMPOSSIBLE
        layers += 1
        states.layer[layers] = base = after
    states.layer[layers + 1] = length
    count[STATES], count[CHILDREN], count[LAYERS] = length, children, layers + 2
    return DONE


@kernel
def prune(frontier: Frontier, states: States, component: int, layers: int) -> None:
    """Note which states can reach the end, and which values each box can have without the total."""
    begin, end = frontier.box_start[component], frontier.box_start[component + 1]
    alive, child = states.alive, states.child
    alive[states.layer[layers + end - begin]] = 1
    for i in range(end - 1, begin - 1, -1):
        layer, values = layers + i - begin, 0
        for s in range(states.layer[layer], states.layer[layer + 1]):
            alive[s] = 0
            shift = states.first[s] - states.least[s]
            for v in range(states.least[s], states.most[s] + 1):
                if alive[child[shift + v]]:
                    values |= 1 << v
                    alive[s] = 1
        states.values[frontier.order[i]] = values


@kernel
def reach_rows(frontier: Frontier, states: States, component: int, layers: int) -> bool:
    """Note with how many mines used each state can be met; False if the rows don't fit."""
    low, high, row, reach, child = states.low, states.high, states.row, states.reach, states.child
    begin, end = frontier.box_start[component], frontier.box_start[component + 1]
    length = states.count[ROWS]
    for s in range(states.layer[layers], states.layer[layers + end - begin + 1]):
        row[s] = length
        length += high[s] - low[s] + 1
    if length > len(reach):
        return False
    for at in range(states.count[ROWS], length):
        reach[at] = 0
    reach[row[states.layer[layers]]] = 1
    states.count[ROWS] = length
    for s in range(states.layer[layers], states.layer[layers + end - begin]):
        for v in range(states.least[s], states.most[s] + 1):
            t = child[states.first[s] - states.least[s] + v]
            shift = row[t] + low[s] + v - low[t] - row[s]
            for at in range(row[s], row[s] + high[s] - low[s] + 1):
                reach[at + shift] |= reach[at]
    return True


@kernel
def prune_rows(frontier: Frontier, states: States, component: int, layers: int) -> None:
    """Note with how many mines used an allowed end can be reached, and which values each box can have then.

    The row `usable` of the component's last state says which ends are allowed.
    """
    low, high, row, child = states.low, states.high, states.row, states.child
    reach, usable = states.reach, states.usable
    begin, end = frontier.box_start[component], frontier.box_start[component + 1]
    for i in range(end - 1, begin - 1, -1):
        layer, values = layers + i - begin, 0
        for s in range(states.layer[layer], states.layer[layer + 1]):
            stop = row[s] + high[s] - low[s] + 1
            for at in range(row[s], stop):
                usable[at] = 0
            for v in range(states.least[s], states.most[s] + 1):
                t = child[states.first[s] - states.least[s] + v]
                shift, found = row[t] + low[s] + v - low[t] - row[s], 0
                for at in range(row[s], stop):
                    both = reach[at] & usable[at + shift]
                    usable[at] |= both
                    found |= both
                if found:
                    values |= 1 << v
        states.values[frontier.order[i]] = values
