"""Playing one board by certain moves alone, layer by layer."""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minesolve.engine.board import (
    ACTIVE,
    FRESH,
    HIDDEN,
    MINES_LEFT,
    UNKNOWN,
    UNKNOWN_LEFT,
    Board,
    allocate_board,
    open_fresh,
    settle,
)
from minesolve.engine.compiling import inline_kernel, kernel, shared_kernel
from minesolve.engine.frontier import (
    BOXES,
    CELLS,
    COMPONENTS,
    CONSTRAINTS,
    Frontier,
    allocate_frontier,
    arrange,
    forget_frontier,
    gather,
)
from minesolve.engine.rules import drop_finished, exhaust_pairs, exhaust_singles
from minesolve.engine.states import (
    DONE,
    LAYERS,
    WIDE,
    States,
    allocate_states,
    expand,
    forget_states,
    prune,
)
from minesolve.engine.total import total_values, unconstrained_values

__all__ = [
    "LAYER_NAMES",
    "NEEDS_GUESS",
    "NOW",
    "NO_ROOM",
    "TOO_WIDE",
    "UNSOUND",
    "WIDEST",
    "Desk",
    "allocate_desk",
    "expand_all",
    "play",
    "total_layer",
]

NOW, WIDEST = 0, 1
"""Places in `Desk.widths`."""

LAYER_NAMES = ("single", "pair", "component", "total")

NEEDS_GUESS, TOO_WIDE, NO_ROOM, UNSOUND = -1, -2, -3, -4
"""Verdicts besides the hardest layer. TOO_WIDE and NO_ROOM leave it open, as `WIDE` and `FULL` of the states do.
UNSOUND: a mine was called safe: an error in the engine, never passed over."""


class Desk(NamedTuple):
    """All the arrays that one thread works on; made once, used for any number of boards of one size.

    Attributes
    ----------
    board : Board
    frontier : Frontier
    states : States
    low_of, high_of, cells_of : int32[places]
        Fewest and most mines, and cells, of the component whose first active number stands here; no cells elsewhere.
    steps : int64[4]
        How often each layer was the lowest one to find a safe cell.
    widths : int64[2]
        How many numbers were looked at together: in this pass (`NOW`; for the component layer in the smallest component
        with a safe cell, 0 if there was none), and in the widest step so far (`WIDEST`).
    """

    board: Board
    frontier: Frontier
    states: States
    low_of: Any
    high_of: Any
    cells_of: Any
    steps: Any
    widths: Any


def allocate_desk(width: int, height: int, capacity: int = 1 << 13, bits: int = 62) -> Desk:
    """Return the arrays for boards of one size, with room for `capacity` states (a power of two)."""
    board = allocate_board(width, height)
    places = len(board.words)
    low_of, high_of, cells_of = np.zeros((3, places), dtype=np.int32)
    frontier, states = allocate_frontier(places, bits), allocate_states(places, capacity)
    return Desk(board, frontier, states, low_of, high_of, cells_of, np.zeros(4, np.int64), np.zeros(2, np.int64))


@kernel
def _settle_forced(board: Board, frontier: Frontier, states: States, component: int) -> None:
    """Settle all cells of a component whose boxes can hold only no mine, or only mines."""
    for i in range(frontier.cell_start[component], frontier.cell_start[component + 1]):
        cell = frontier.cells[i]
        box = frontier.box_of[cell]
        if states.values[box] == 1:
            settle(board, cell, 0)
        elif states.values[box] == 1 << frontier.box_size[box]:
            settle(board, cell, 1)


@inline_kernel
def _drop_component(frontier: Frontier, component: int) -> None:
    """Take back the component that was gathered last, though its cells stay marked."""
    count = frontier.count
    count[COMPONENTS] = component
    count[CONSTRAINTS] = frontier.constraint_start[component]
    count[BOXES] = frontier.box_start[component]
    count[CELLS] = frontier.cell_start[component]


@kernel
def _component_layer(desk: Desk) -> int:
    """Settle what each component implies without the total; DONE, IMPOSSIBLE, WIDE or FULL.

    Components in which nothing changed since the last time say nothing new and are only counted.
    """
    board, frontier, states = desk.board, desk.frontier, desk.states
    drop_finished(board)
    forget_frontier(frontier)
    desk.widths[NOW] = 0
    component = frontier.count[COMPONENTS]
    for i in range(board.count[ACTIVE]):
        start = board.active[i]
        if frontier.constraint_of[start] >= 0:
            desk.cells_of[start] = 0  # it belongs to a component that another number stands for
            continue
        changed = gather(board, frontier, start)
        cells = frontier.cell_start[1] - frontier.cell_start[0]
        if changed:
            forget_states(states)
            status = expand(frontier, states, component) if arrange(frontier, component) else WIDE
            if status != DONE:
                return status
            prune(frontier, states, component, component)
            end = states.layer[frontier.box_start[1]]
            desk.low_of[start], desk.high_of[start], desk.cells_of[start] = states.low[end], states.high[end], cells
            fresh, width = board.count[FRESH], frontier.constraint_start[1] - frontier.constraint_start[0]
            _settle_forced(board, frontier, states, component)
            if board.count[FRESH] > fresh:
                desk.widths[NOW] = min(desk.widths[NOW], width) if desk.widths[NOW] else width
        _drop_component(frontier, component)
    return DONE


@inline_kernel
def _total_is_silent(desk: Desk) -> bool:
    """Return True if the total can't force a cell because every choice of layouts, one a component, fits it."""
    board = desk.board
    low, high, cells = 0, 0, 0
    for i in range(board.count[ACTIVE]):
        start = board.active[i]
        if desk.cells_of[start]:
            low += desk.low_of[start]
            high += desk.high_of[start]
            cells += desk.cells_of[start]
    unconstrained, mines = board.count[UNKNOWN_LEFT] - cells, board.count[MINES_LEFT]
    if unconstrained and (mines == low or mines - high == unconstrained):
        return False
    return high <= mines and mines - low <= unconstrained


@kernel
def expand_all(desk: Desk) -> int:
    """Gather and expand all components, and note which values their boxes can have without the total."""
    board, frontier, states = desk.board, desk.frontier, desk.states
    drop_finished(board)
    forget_frontier(frontier)
    forget_states(states)
    for i in range(board.count[ACTIVE]):
        if frontier.constraint_of[board.active[i]] >= 0:
            continue
        component = frontier.count[COMPONENTS]
        gather(board, frontier, board.active[i])
        states.layers_of[component] = states.count[LAYERS]
        status = expand(frontier, states, component) if arrange(frontier, component) else WIDE
        if status != DONE:
            return status
        prune(frontier, states, component, states.layers_of[component])
    return DONE


@kernel
def total_layer(desk: Desk) -> int:
    """Settle what the whole board implies, the total included; DONE, IMPOSSIBLE, WIDE or FULL."""
    board, frontier, states = desk.board, desk.frontier, desk.states
    status = expand_all(desk)
    if status != DONE:
        return status
    mines, unconstrained = board.count[MINES_LEFT], board.count[UNKNOWN_LEFT] - frontier.count[CELLS]
    status = total_values(frontier, states, mines, unconstrained, False)
    if status != DONE:
        return status
    desk.widths[NOW] = frontier.count[CONSTRAINTS]
    found = unconstrained_values(frontier, states, mines, unconstrained)
    for component in range(frontier.count[COMPONENTS]):
        _settle_forced(board, frontier, states, component)
    if unconstrained and found != 3:
        for p in board.places:
            if board.status[p] == UNKNOWN and frontier.box_of[p] < 0:
                settle(board, p, found >> 1)
    return DONE


@shared_kernel
def play(desk: Desk, max_layer: int) -> int:
    """Play on until the board is solved, or no layer up to `max_layer` (1 to 4) finds a safe cell.

    Safe cells wait in `board.fresh`. Cells found before stay known. A step of a layer is one time that the layers
    below found no safe cell and this one, run to exhaustion, did. Returns the hardest layer that had a step (0 if
    none had), NEEDS_GUESS, TOO_WIDE, NO_ROOM or UNSOUND.
    """
    board = desk.board
    sound = open_fresh(board)
    while sound and board.count[HIDDEN]:
        for layer in range(max_layer):
            status = DONE
            if layer == 1:
                exhaust_pairs(board)
            elif layer == 2:
                status = _component_layer(desk)
            elif layer == 3 and not _total_is_silent(desk):
                status = total_layer(desk)
            if status != DONE:
                return TOO_WIDE if status == WIDE else NO_ROOM
            exhaust_singles(board)
            if board.count[FRESH]:
                desk.steps[layer] += 1
                width = layer + 1 if layer < 2 else desk.widths[NOW]
                desk.widths[WIDEST] = max(desk.widths[WIDEST], width)
                break
        if board.count[FRESH] == 0:
            return NEEDS_GUESS
        sound = open_fresh(board)
    if not sound:
        return UNSOUND
    hardest = 0
    for layer in range(4):
        if desk.steps[layer]:
            hardest = layer + 1
    return hardest
