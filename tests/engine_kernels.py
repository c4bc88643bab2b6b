"""Ways into the inner kernels of looking ahead, for tests: one position at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minesolve.engine.board import NEED, OPENED, UNKNOWN, lay_mines, settle
from minesolve.engine.chances import load_position, weigh_board
from minesolve.engine.compiling import entry_kernel
from minesolve.engine.draws import first_state, unsigned
from minesolve.engine.ending import expand_position
from minesolve.engine.games import look_for, scratch_for
from minesolve.engine.judging import desk_for
from minesolve.engine.look import candidates, score_candidate
from minesolve.engine.play import NEEDS_GUESS, play
from minesolve.engine.redraw import redraw
from minesolve.engine.rules import exhaust_pairs, exhaust_singles
from minesolve.engine.states import DONE, IMPOSSIBLE
from minesolve.engine.supposing import keep
from minesolve.engine.value import describe, estimate


@entry_kernel
def _examine(desk, scratch, look, codes, total, settled, numbers):
    """Describe a position, then score its candidates; numbers gets a row for each of them and each number."""
    board = desk.board
    if settled:
        status, _ = expand_position(desk, look.ending.regions, codes, total, False)
    else:
        load_position(board, codes, total, False)
        status = DONE if exhaust_singles(board) and exhaust_pairs(board) else IMPOSSIBLE
    if status != DONE:
        return status, 0.0, 0.0, 0
    status, _, layouts = weigh_board(desk, False, 0.0, scratch.chances)
    if status != DONE:
        return status, 0.0, 0.0, 0
    describe(desk, scratch.chances, layouts, look.value)
    worth = estimate(look.value)
    count = candidates(desk, look, look.step, scratch.chances, look.settings.most)
    keep(board, look.step.kept)
    for i in range(count):
        look.step.number[i, :, 0] = -np.inf
        status = score_candidate(desk, look, look.step, i)
        for more in range(9):
            for k in range(4):
                numbers[i, more, k] = look.step.number[i, more, k]
        if status != DONE:
            return status, layouts, worth, count
    return status, layouts, worth, count


@dataclass
class Examined:
    """What the kernels say of a position; arrays by candidate."""

    layouts: float
    worth: float
    cells: Any
    chance: Any
    value: Any
    near: Any
    follow: Any
    numbers: Any
    desk: Any
    look: Any


def examine(position, policy="lookahead", *, settled=True, most=None):
    """Return what is seen of a position, None where that can't be told; with `settled` all that is certain is known.

    With no candidates (`most` of 0) what is described stays in the arrays.
    """
    desk = desk_for(position.width, position.height)
    look = look_for(desk, policy)
    if most is not None:
        look = look._replace(settings=look.settings._replace(most=most))
    numbers = np.zeros((16, 9, 4))
    codes = position.to_array().ravel()
    status, layouts, worth, count = _examine(
        desk, scratch_for(desk), look, codes, position.mines, settled, numbers
    )
    if status != DONE:
        return None
    step = look.step
    cells = np.searchsorted(desk.board.places, step.cells[:count])
    return Examined(layouts, worth, cells, *(array[:count].copy() for array in (step.chance, step.value, step.near, step.follow)),
                    numbers[:count], desk, look)  # fmt: skip


@entry_kernel
def _draw_again(desk, scratch, mines, place, seed, walls):
    """Play a board until a guess is needed, and draw layouts in the place of the truth; each is checked on the board."""
    board = desk.board
    lay_mines(board, mines)
    if board.walls[place]:
        return -1
    settle(board, place, 0)
    if play(desk, 4) != NEEDS_GUESS:
        return -1
    weigh_board(desk, False, 0.0, scratch.chances)
    state, wrong = first_state(seed, unsigned(0)), 0
    for i in range(len(walls)):
        state = redraw(desk, state)
        for k in range(len(board.places)):
            p = board.places[k]
            walls[i, k] = board.walls[p]
            around, unknown = 0, 0
            for d in range(8):
                q = p + board.offsets[d]
                beside = board.walls[q] if board.status[q] != 4 else 0
                around += beside
                unknown += beside if board.status[q] == UNKNOWN else 0
            if board.status[p] in (OPENED, UNKNOWN):
                wrong += 1 if board.numbers[p] != around else 0
                wrong += 1 if board.words[p] >> NEED != unknown else 0
    return wrong


def draw_again(width, height, mines, start, seed, count):
    """Return the codes of the position, (count, cells) mines, and how many numbers were wrong; None without a guess.

    `mines` are cells.
    """
    desk = desk_for(width, height)
    board = desk.board
    board.drawn[: len(mines)] = board.places[sorted(mines)]
    walls = np.zeros((count, width * height), np.uint8)
    wrong = _draw_again(desk, scratch_for(desk), len(mines), int(board.places[start]), unsigned(seed), walls)
    if wrong < 0:
        return None
    opened = board.status[board.places] == OPENED
    return np.where(opened, board.numbers[board.places], 9).astype(np.uint8), walls, wrong
