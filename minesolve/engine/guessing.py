"""Whole games: certain moves while there are any, then a guess by a policy, until the game is won or lost.

A guess loses on a true 50/50 if its cell belongs to a set as `minesolve.solve.fifty` defines it: two patterns, each the
other with mines and safe cells swapped, every layout shows one of them, and no number outside the set can tell them
apart. Whether it does is decided on the exact graph of states: the set can only be the cells that are alike or opposite
to the guess in every layout, and those are found by taking the guess for a mine, and then for safe.
"""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minesolve.engine.batch import draw_board
from minesolve.engine.board import (
    ACTIVE,
    KNOWN_MINE,
    KNOWN_SAFE,
    MINES_LEFT,
    OPENED,
    RIM,
    UNKNOWN,
    UNKNOWN_LEFT,
    Board,
    bbbv,
    lay_mines,
    settle,
)
from minesolve.engine.chances import weigh_board
from minesolve.engine.compiling import entry_kernel, inline_kernel, kernel
from minesolve.engine.draws import below, first_state, next_state, unsigned
from minesolve.engine.frontier import CELLS, COMPONENTS
from minesolve.engine.play import NEEDS_GUESS, NO_ROOM, TOO_WIDE, Desk, expand_all, play
from minesolve.engine.rules import exhaust_pairs, exhaust_singles
from minesolve.engine.states import DONE, FULL, IMPOSSIBLE
from minesolve.engine.total import end_state, total_values, unconstrained_values

__all__ = ["CHANCE", "EQUAL", "LOST", "LOST_ON_FIFTY", "POLICIES", "SALT", "WON", "Scratch", "allocate_scratch",
           "play_games", "play_laid"]  # fmt: skip

POLICIES = ("safest", "random-safest")
"""The policies that are compiled, by their number."""

_RANDOM_SAFEST = 1

EQUAL = 1e-9
"""Chances that are no further apart count as equal."""

SALT = 0x7469657361726566
"""A policy's draws for board i of seed s are those of board i of seed s XOR this: never those that laid the mines."""

LOST, WON, LOST_ON_FIFTY = 0, 1, 2
"""How a game ends."""

CHANCE = 5
"""The hardest layer of a game that took a guess."""

_SALT = unsigned(SALT)


class Scratch(NamedTuple):
    """What a game needs besides a desk.

    Attributes
    ----------
    chances : float64[places + 1]
        By box; of an unconstrained cell in the last place.
    tied : int32[places]
        Places to choose from.
    words, status, active, count
        A copy of the board's arrays of these names.
    side : int8[places]
        1 for cells that are alike to the guess in every layout, 2 for those that are opposite, else 0.
    """

    chances: Any
    tied: Any
    words: Any
    status: Any
    active: Any
    count: Any
    side: Any


def allocate_scratch(board: Board) -> Scratch:
    """Return the arrays for boards of one size."""
    places = len(board.words)
    return Scratch(
        np.zeros(places + 1), np.zeros(places, np.int32), np.zeros_like(board.words), np.zeros_like(board.status),
        np.zeros_like(board.active), np.zeros_like(board.count), np.zeros(places, np.int8),
    )  # fmt: skip


@inline_kernel
def _chance_at(desk: Desk, chances: Any, p: int) -> float:
    box = desk.frontier.box_of[p]
    return chances[-1] if box < 0 else chances[box]


@kernel
def _find_tied(desk: Desk, scratch: Scratch) -> int:
    """Write the places with the lowest chance to `scratch.tied`, ascending; return how many there are."""
    board, chances, tied, lowest, count = desk.board, scratch.chances, scratch.tied, 2.0, 0
    for p in board.places:
        if board.status[p] == UNKNOWN:
            lowest = min(lowest, _chance_at(desk, chances, p))
    for p in board.places:
        if board.status[p] == UNKNOWN and _chance_at(desk, chances, p) <= lowest + EQUAL:
            tied[count] = p
            count += 1
    return count


@kernel
def _least_covered(board: Board, tied: Any, count: int) -> int:
    """Return the first of the tied places with the fewest covered neighbours."""
    best, fewest = -1, 9
    for i in range(count):
        covered = 0
        for d in range(8):
            status = board.status[tied[i] + board.offsets[d]]
            covered += 0 if status in (OPENED, RIM) else 1
        if covered < fewest:
            best, fewest = tied[i], covered
    return best


@kernel
def _note_components(desk: Desk) -> None:
    """Note the fewest and most mines of each component, so that `play` goes on from what was expanded here."""
    board, frontier, states = desk.board, desk.frontier, desk.states
    for i in range(board.count[ACTIVE]):
        desk.cells_of[board.active[i]] = 0
    for component in range(frontier.count[COMPONENTS]):
        start, end = frontier.numbers[frontier.constraint_start[component]], end_state(frontier, states, component)
        desk.low_of[start], desk.high_of[start] = states.low[end], states.high[end]
        desk.cells_of[start] = frontier.cell_start[component + 1] - frontier.cell_start[component]


@inline_kernel
def _copy(source: Any, target: Any) -> None:
    for i in range(len(source)):  # a slice would be copied by way of a new array, and kernels make none
        target[i] = source[i]


@kernel
def _copy_board(source: Any, target: Any) -> None:
    """Copy what playing on changes; one of the two is a `Board`, the other a `Scratch`."""
    _copy(source.words, target.words)
    _copy(source.status, target.status)
    _copy(source.active, target.active)
    _copy(source.count, target.count)


@kernel
def _suppose(desk: Desk, p: int, mine: int) -> int:
    """Settle an unknown cell and find all that follows, the total included; DONE, IMPOSSIBLE, WIDE or FULL."""
    board, frontier, states = desk.board, desk.frontier, desk.states
    settle(board, p, mine)
    if not (exhaust_singles(board) and exhaust_pairs(board)):
        return IMPOSSIBLE
    status = expand_all(desk)
    if status != DONE:
        return status
    mines, unconstrained = board.count[MINES_LEFT], board.count[UNKNOWN_LEFT] - frontier.count[CELLS]
    return total_values(frontier, states, mines, unconstrained, False)


@kernel
def _mark(desk: Desk, scratch: Scratch, safe: int) -> None:
    """Keep as `safe` (1 or 2) in `scratch.side` only what follows to be safe, and as the other one what is a mine."""
    board, frontier, states = desk.board, desk.frontier, desk.states
    mines, unconstrained = board.count[MINES_LEFT], board.count[UNKNOWN_LEFT] - frontier.count[CELLS]
    outside = unconstrained_values(frontier, states, mines, unconstrained)
    for p in board.places:
        if scratch.status[p] != UNKNOWN:
            continue
        box, forced = frontier.box_of[p], 0
        if board.status[p] != UNKNOWN:
            forced = safe if board.status[p] == KNOWN_SAFE else 3 - safe
        elif box < 0:
            forced = safe if outside == 1 else 3 - safe if outside == 2 else 0
        elif states.values[box] == 1:
            forced = safe
        elif states.values[box] == 1 << frontier.box_size[box]:
            forced = 3 - safe
        scratch.side[p] &= forced


@kernel
def _is_sealed(board: Board, side: Any) -> bool:
    """Return whether no cell outside the set in `side` can tell its two patterns apart."""
    balance = 0
    for p in board.places:
        balance += (side[p] & 1) - (side[p] >> 1)
        if side[p] or board.status[p] == KNOWN_MINE:  # a mine never shows a number
            continue
        view = 0
        for d in range(8):
            beside = side[p + board.offsets[d]]
            view += (beside & 1) - (beside >> 1)
        if view:
            return False
    return balance == 0


@kernel
def _on_fifty(desk: Desk, scratch: Scratch, p: int) -> int:
    """Return LOST_ON_FIFTY if an unknown cell belongs to a true 50/50, LOST if not; TOO_WIDE or NO_ROOM."""
    board, side = desk.board, scratch.side
    _copy_board(board, scratch)
    side[:] = 0
    for q in board.places:
        side[q] = 3 if board.status[q] == UNKNOWN else 0
    for mine in (1, 0):
        status = _suppose(desk, p, mine)
        if status not in (DONE, IMPOSSIBLE):
            return NO_ROOM if status == FULL else TOO_WIDE
        if status == DONE:
            _mark(desk, scratch, 1 + mine)
        _copy_board(scratch, board)
    return LOST_ON_FIFTY if _is_sealed(board, side) else LOST


@kernel
def _play_on(desk: Desk, scratch: Scratch, policy: int, state: int) -> tuple[int, int, int, float, float]:
    """Play a game to its end; return LOST, WON, LOST_ON_FIFTY or a verdict below 0, and what was met on the way.

    That is the hardest layer; how many guesses were made; the product and the sum of their chances of survival.
    """
    board, guesses, survival, expected = desk.board, 0, 1.0, 0.0
    while True:
        layer = play(desk, 4)
        if layer >= 0:
            return WON, CHANCE if guesses else layer, guesses, survival, expected
        if layer != NEEDS_GUESS:
            return layer, CHANCE, guesses, survival, expected
        status, _ = weigh_board(desk, False, 0.0, scratch.chances)
        if status != DONE:
            return NO_ROOM if status == FULL else TOO_WIDE, CHANCE, guesses, survival, expected
        _note_components(desk)
        tied = _find_tied(desk, scratch)
        if policy == _RANDOM_SAFEST:
            state = next_state(state)
            p = scratch.tied[below(state, tied)]
        else:
            p = _least_covered(board, scratch.tied, tied)
        chance = _chance_at(desk, scratch.chances, p)
        guesses += 1
        survival *= 1.0 - chance
        expected += 1.0 - chance
        if board.walls[p]:
            half = abs(chance - 0.5) < EQUAL
            return _on_fifty(desk, scratch, p) if half else LOST, CHANCE, guesses, survival, expected
        settle(board, p, 0)


@kernel
def _play_laid(
    desk: Desk, scratch: Scratch, mines: int, place: int, policy: int, state: int
) -> tuple[int, int, int, float, float, int]:
    """Play the board with mines on the first `mines` places of `drawn`; return what `_play_on` does, and the 3BV."""
    board = desk.board
    lay_mines(board, mines)
    metric = bbbv(board)
    desk.steps[:] = 0
    desk.widths[:] = 0
    if board.walls[place]:
        return LOST, CHANCE, 0, 1.0, 0.0, metric
    settle(board, place, 0)
    end, layer, guesses, survival, expected = _play_on(desk, scratch, policy, state)
    return end, layer, guesses, survival, expected, metric


@entry_kernel
def play_laid(
    desk: Desk, scratch: Scratch, mines: int, place: int, policy: int, seed: int, index: int
) -> tuple[int, int, int, float, float, int]:
    """Do what `_play_laid` does, with the draws of board `index` of a seed."""
    return _play_laid(desk, scratch, mines, place, policy, first_state(seed ^ _SALT, index))


@entry_kernel
def play_games(
    desk: Desk, scratch: Scratch, mines: int, start: int, first_click: int, seed: int, first: int, policy: int,
    starts: Any, ends: Any, layers: Any, guesses: Any, metrics: Any, survival: Any, expected: Any,
) -> None:  # fmt: skip
    """Play the boards `first`, `first` + 1, ... of a seed, as many as the result arrays are long.

    `start` is a place, or -1 for a random one. Results, by board: the start's cell; the end, or a verdict below 0 if
    the arrays can't hold it; the hardest layer; the guesses; the 3BV; the product and the sum of the guesses' chances.
    """
    board = desk.board
    for i in range(len(ends)):
        place = draw_board(board, mines, start, first_click, seed, first + unsigned(i))
        starts[i] = (place // board.stride - 1) * board.width + place % board.stride - 1
        state = first_state(seed ^ _SALT, first + unsigned(i))
        ends[i], layers[i], guesses[i], survival[i], expected[i], metrics[i] = _play_laid(
            desk, scratch, mines, place, policy, state
        )
