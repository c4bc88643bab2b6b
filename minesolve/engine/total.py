"""What the mine total adds: which numbers of mines each component can have together with the others.

Components form a chain. A row over x, the mines in all components before one, says whether x can be met; a second
row of the same shape, whether the rest of the board can then hold exactly the mines that are left.
"""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from minesolve.engine.compiling import inline_kernel, kernel
from minesolve.engine.frontier import COMPONENTS, Frontier
from minesolve.engine.states import DONE, FULL, IMPOSSIBLE, ROWS, States, prune_rows, reach_rows

__all__ = ["end_state", "total_values", "unconstrained_values"]


@inline_kernel
def end_state(frontier: Frontier, states: States, component: int) -> int:
    """Return the last state of a component: nothing is needed any more."""
    boxes = frontier.box_start[component + 1] - frontier.box_start[component]
    return states.layer[states.layers_of[component] + boxes]


@kernel
def _lay_chain(frontier: Frontier, states: States) -> bool:
    """Reserve the rows of the chain; False if they don't fit."""
    length, least, most = states.count[ROWS], 0, 0
    for component in range(frontier.count[COMPONENTS] + 1):
        states.chain_row[component] = length
        states.chain_low[component] = least
        length += most - least + 1
        if component < frontier.count[COMPONENTS]:
            end = end_state(frontier, states, component)
            least += states.low[end]
            most += states.high[end]
    if length > len(states.reach):
        return False
    for at in range(states.count[ROWS], length):
        states.reach[at] = 0
        states.usable[at] = 0
    states.chain_row[frontier.count[COMPONENTS] + 1] = length
    states.count[ROWS] = length
    return True


@kernel
def _chain_forward(frontier: Frontier, states: States) -> None:
    """Note how many mines all components before each can have."""
    reach, row, start = states.reach, states.row, states.chain_row
    reach[start[0]] = 1
    for component in range(frontier.count[COMPONENTS]):
        end = end_state(frontier, states, component)
        width = states.high[end] - states.low[end] + 1
        for at in range(start[component], start[component + 1]):
            if reach[at]:
                shift = start[component + 1] + at - start[component]
                for m in range(width):
                    reach[shift + m] |= reach[row[end] + m]


@kernel
def _chain_back(frontier: Frontier, states: States, mines: int, unconstrained: int) -> None:
    """Note from which numbers of mines before each component the whole board can be filled."""
    reach, usable, row, start = states.reach, states.usable, states.row, states.chain_row
    last = frontier.count[COMPONENTS]
    for at in range(start[last], start[last + 1]):
        rest = mines - states.chain_low[last] - at + start[last]
        usable[at] = 1 if 0 <= rest <= unconstrained else 0
    for component in range(last - 1, -1, -1):
        end = end_state(frontier, states, component)
        width = states.high[end] - states.low[end] + 1
        for m in range(width):
            usable[row[end] + m] = 0
        for at in range(start[component], start[component + 1]):
            shift = start[component + 1] + at - start[component]
            for m in range(width):
                both = reach[row[end] + m] & usable[shift + m]
                usable[at] |= both
                usable[row[end] + m] |= both & reach[at]


@kernel
def total_values(frontier: Frontier, states: States, mines: int, unconstrained: int, any_total: bool) -> int:
    """Note which values each box can have when the board holds exactly `mines` more mines; DONE, IMPOSSIBLE or FULL.

    All components must have been expanded. `unconstrained` is the number of unknown cells outside them. With
    `any_total` the rows are laid out, and the values stay those that `prune` found.
    """
    for component in range(frontier.count[COMPONENTS]):
        if not reach_rows(frontier, states, component, states.layers_of[component]):
            return FULL
    if not _lay_chain(frontier, states):
        return FULL
    if any_total:
        return DONE
    _chain_forward(frontier, states)
    _chain_back(frontier, states, mines, unconstrained)
    if not states.usable[states.chain_row[0]]:
        return IMPOSSIBLE
    for component in range(frontier.count[COMPONENTS]):
        prune_rows(frontier, states, component, states.layers_of[component])
    return DONE


@kernel
def unconstrained_values(frontier: Frontier, states: States, mines: int, unconstrained: int) -> int:
    """Return bit 0 if some layout has a safe unconstrained cell, and bit 1 if some has a mine there."""
    found, last = 0, frontier.count[COMPONENTS]
    for at in range(states.chain_row[last], states.chain_row[last + 1]):
        if states.reach[at] and states.usable[at]:
            rest = mines - states.chain_low[last] - at + states.chain_row[last]
            found |= (1 if rest < unconstrained else 0) | (2 if rest > 0 else 0)
    return found
