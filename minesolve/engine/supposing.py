"""Supposing that a cell shows a number: what would follow, and the board as it was put back afterwards.

Nothing is opened beside the cell; what would be certain then is settled (`minesolve.engine.rules`), and the rest is
weighed (`minesolve.engine.chances`). The truth is never looked at.
"""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minesolve.engine.board import (
    ACTIVE,
    CHANGED,
    HIDDEN,
    NEED,
    OPEN,
    OPENED,
    QUEUED,
    Board,
    list_number,
    take_out,
)
from minesolve.engine.chances import weigh_board
from minesolve.engine.compiling import inline_kernel, kernel
from minesolve.engine.play import Desk
from minesolve.engine.rules import exhaust_pairs, exhaust_singles
from minesolve.engine.states import IMPOSSIBLE

__all__ = ["SOLVED_WITHIN", "Kept", "allocate_kept", "keep", "put_back", "show", "weigh_after"]

SOLVED_WITHIN = 1e-9
"""A logarithm of the number of layouts below this means that one is left."""


class Kept(NamedTuple):
    """Copies of what supposing and settling change on a board: its arrays of these names."""

    words: Any
    status: Any
    active: Any
    count: Any


def allocate_kept(board: Board) -> Kept:
    """Return the arrays for boards of one size."""
    return Kept(*(np.zeros_like(array) for array in (board.words, board.status, board.active, board.count)))


@inline_kernel
def _copy(source: Any, target: Any, length: int) -> None:
    for i in range(length):  # a slice would be copied by way of a new array, and kernels make none
        target[i] = source[i]


@kernel
def keep(board: Board, kept: Kept) -> None:
    """Keep the board, in the place of what was kept before."""
    _copy(board.words, kept.words, len(board.words))
    _copy(board.status, kept.status, len(board.status))
    _copy(board.count, kept.count, len(board.count))
    _copy(board.active, kept.active, board.count[ACTIVE])


@kernel
def put_back(board: Board, kept: Kept) -> None:
    """Make the board what it was when it was kept; lists are the same as far as they are counted."""
    _copy(kept.words, board.words, len(board.words))
    _copy(kept.status, board.status, len(board.status))
    _copy(kept.count, board.count, len(board.count))
    _copy(kept.active, board.active, board.count[ACTIVE])


@kernel
def show(board: Board, p: int, more: int) -> None:
    """Suppose that an unknown cell is open and shows `more` mines than are known around it."""
    take_out(board, p, 0)
    board.status[p] = OPENED
    board.count[HIDDEN] -= 1
    word = (board.words[p] & 255) | (more << NEED) | OPEN | CHANGED
    if word & 255:
        word |= QUEUED
        list_number(board, p)
    board.words[p] = word


@kernel
def weigh_after(desk: Desk, chances: Any) -> tuple[int, float]:
    """Settle what is certain and weigh the rest; return what `weigh_board` does, but for the mask."""
    if not (exhaust_singles(desk.board) and exhaust_pairs(desk.board)):
        return IMPOSSIBLE, 0.0
    status, _, layouts = weigh_board(desk, False, 0.0, chances)
    return status, layouts
