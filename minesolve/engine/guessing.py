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
from minesolve.engine.chances import EQUAL, chance_at, lowest_chance, weigh_board
from minesolve.engine.compiling import entry_kernel, kernel, merged_kernel
from minesolve.engine.draws import below, first_state, next_state, unsigned
from minesolve.engine.frontier import CELLS, COMPONENTS
from minesolve.engine.look import Look, Settings, look_ahead, play_ending
from minesolve.engine.play import NEEDS_GUESS, NO_ROOM, TOO_WIDE, Desk, expand_all, play
from minesolve.engine.rules import exhaust_pairs, exhaust_singles
from minesolve.engine.states import DONE, FULL, IMPOSSIBLE
from minesolve.engine.supposing import Kept, allocate_kept, keep, put_back
from minesolve.engine.total import end_state, total_values, unconstrained_values

__all__ = [
    "CHANCE", "LAID", "LOST", "LOST_ON_FIFTY", "POLICIES", "SALT", "SETTINGS", "WON", "Scratch", "allocate_scratch",
    "choose_ahead", "choose_safest", "note_components", "play_games",
]  # fmt: skip

SETTINGS = {
    "lookahead": Settings(0.85, most=8, outside=4, deep=0, inner=0, margin=0.0, near=0.5, layouts=1024, sets=10_000),
    "strong": Settings(0.85, most=8, outside=4, deep=4, inner=6, margin=0.02, near=0.5, layouts=16384, sets=200_000),
    "strong:2": Settings(0.85, most=8, outside=4, deep=8, inner=8, margin=0.2, near=0.5, layouts=16384, sets=1_000_000),
}
"""The policies that look ahead, and how far they do."""

POLICIES = ("safest", "random-safest", *SETTINGS)
"""The policies that are compiled."""

LAID = -1
"""A first click that stands for a board whose mines are laid already."""

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
    kept : Kept
    side : int8[places]
        1 for cells that are alike to the guess in every layout, 2 for those that are opposite, else 0.
    """

    chances: Any
    tied: Any
    kept: Kept
    side: Any


def allocate_scratch(board: Board) -> Scratch:
    """Return the arrays for boards of one size."""
    places = len(board.words)
    kept = allocate_kept(board)
    return Scratch(np.zeros(places + 1), np.zeros(places, np.int32), kept, np.zeros(places, np.int8))


@kernel
def _find_tied(desk: Desk, scratch: Scratch) -> int:
    """Write the places with the lowest chance to `scratch.tied`, ascending; return how many there are."""
    board, chances, tied, count = desk.board, scratch.chances, scratch.tied, 0
    lowest = lowest_chance(desk, chances)
    for p in board.places:
        if board.status[p] == UNKNOWN and chance_at(desk, chances, p) <= lowest + EQUAL:
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
def note_components(desk: Desk) -> None:
    """Note the fewest and most mines of each component, so that `play` goes on from what was expanded here."""
    board, frontier, states = desk.board, desk.frontier, desk.states
    for i in range(board.count[ACTIVE]):
        desk.cells_of[board.active[i]] = 0
    for component in range(frontier.count[COMPONENTS]):
        start, end = frontier.numbers[frontier.constraint_start[component]], end_state(frontier, states, component)
        desk.low_of[start], desk.high_of[start] = states.low[end], states.high[end]
        desk.cells_of[start] = frontier.cell_start[component + 1] - frontier.cell_start[component]


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
        if scratch.kept.status[p] != UNKNOWN:
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
    keep(board, scratch.kept)
    side[:] = 0
    for q in board.places:
        side[q] = 3 if board.status[q] == UNKNOWN else 0
    for mine in (1, 0):
        status = _suppose(desk, p, mine)
        if status not in (DONE, IMPOSSIBLE):
            return NO_ROOM if status == FULL else TOO_WIDE
        if status == DONE:
            _mark(desk, scratch, 1 + mine)
        put_back(board, scratch.kept)
    return LOST_ON_FIFTY if _is_sealed(board, side) else LOST


@kernel
def choose_safest(desk: Desk, scratch: Scratch, at_random: bool, state: int) -> tuple[int, float, int]:
    """Return the safest place, its chance of a mine and the state of the draws; ties at random, or as is fixed."""
    tied = _find_tied(desk, scratch)
    if at_random:
        state = next_state(state)
        p = scratch.tied[below(state, tied)]
    else:
        p = _least_covered(desk.board, scratch.tied, tied)
    return p, chance_at(desk, scratch.chances, p), state


@merged_kernel
def choose_ahead(desk: Desk, scratch: Scratch, look: Look, layouts: float) -> tuple[int, int, float, float, bool]:
    """Return DONE or FULL, the best place, its chance of a mine, what it is worth, and if that is exact."""
    p, won, number = play_ending(desk, look, layouts)
    if p >= 0:
        return DONE, p, chance_at(desk, scratch.chances, p), won / number, True
    status, _ = look_ahead(desk, look, scratch.chances)
    best = look.order[0]
    return status, look.step.cells[best], look.step.chance[best], look.step.score[best], False


@merged_kernel
def _choose(
    desk: Desk, scratch: Scratch, look: Look | None, at_random: bool, state: int, layouts: float
) -> tuple[int, int, float, int]:
    """Return DONE or FULL, a place, its chance of a mine, and the state of the draws.

    The compiler drops the branch that the type of `look` rules out: what plays by safety alone is compiled without
    all that looking ahead takes.
    """
    if look is None:
        p, chance, state = choose_safest(desk, scratch, at_random, state)
        return DONE, p, chance, state
    status, p, chance, _, _ = choose_ahead(desk, scratch, look, layouts)
    return status, p, chance, state


@merged_kernel
def _play_on(
    desk: Desk, scratch: Scratch, look: Look | None, at_random: bool, state: int
) -> tuple[int, int, int, float, float]:
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
        status, _, layouts = weigh_board(desk, False, 0.0, scratch.chances)
        if status == DONE:
            note_components(desk)
            status, p, chance, state = _choose(desk, scratch, look, at_random, state, layouts)
        if status != DONE:
            return NO_ROOM if status == FULL else TOO_WIDE, CHANCE, guesses, survival, expected
        guesses += 1
        survival *= 1.0 - chance
        expected += 1.0 - chance
        if board.walls[p]:
            half = abs(chance - 0.5) < EQUAL
            return _on_fifty(desk, scratch, p) if half else LOST, CHANCE, guesses, survival, expected
        settle(board, p, 0)


@entry_kernel
def play_games(
    desk: Desk, scratch: Scratch, look: Look | None, at_random: bool, mines: int, start: int, first_click: int,
    seed: int, first: int, starts: Any, ends: Any, layers: Any, guesses: Any, metrics: Any, survival: Any,
    expected: Any,
) -> None:  # fmt: skip
    """Play the boards `first`, `first` + 1, ... of a seed, as many as the result arrays are long.

    `start` is a place, or -1 for a random one. With `LAID` for a first click the mines are those that stand in
    `board.drawn`, and there is one board. By `look`, or by safety alone if that is None: then ties are broken
    `at_random` or not. Results, by board: the start's cell; the end, or a verdict below 0 if the arrays can't hold it;
    the hardest layer; the guesses; the 3BV; the product and the sum of the guesses' chances.
    """
    board = desk.board
    for i in range(len(ends)):
        index = first + unsigned(i)
        place = start if first_click == LAID else draw_board(board, mines, start, first_click, seed, index)
        lay_mines(board, mines)
        starts[i] = (place // board.stride - 1) * board.width + place % board.stride - 1
        metrics[i] = bbbv(board)
        desk.steps[:] = 0
        desk.widths[:] = 0
        if board.walls[place]:
            ends[i], layers[i], guesses[i], survival[i], expected[i] = LOST, CHANCE, 0, 1.0, 0.0
            continue
        settle(board, place, 0)
        ends[i], layers[i], guesses[i], survival[i], expected[i] = _play_on(
            desk, scratch, look, at_random, first_state(seed ^ _SALT, index)
        )
