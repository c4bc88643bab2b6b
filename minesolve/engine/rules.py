"""The two cheap layers, by work list: one number, and two numbers."""

from __future__ import annotations

import numpy as np

from minesolve.engine.board import (
    ACTIVE,
    FOR_PAIRS,
    LOWEST,
    NEED,
    OPEN,
    POPCOUNT,
    QUEUE,
    QUEUED,
    Board,
    settle,
)
from minesolve.engine.compiling import inline_kernel, kernel

__all__ = ["drop_finished", "exhaust_pairs", "exhaust_singles"]

_AROUND = [(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy]
_NEAR = [(dx, dy) for dy in range(-2, 3) for dx in range(-2, 3) if dx or dy]
_SHARED = np.array(
    [sum(1 << d for d, (x, y) in enumerate(_AROUND) if (x - dx, y - dy) in _AROUND) for dx, dy in _NEAR],
    dtype=np.int32,
)
"""For each place in `Board.near`: which neighbours of this cell are neighbours of that one too."""


@inline_kernel
def _settle_all(board: Board, p: int, which: int, mine: int) -> None:
    """Settle the unknown neighbours of p whose bits are set in `which`."""
    while which:
        settle(board, p + board.offsets[LOWEST[which]], mine)
        which &= which - 1


@kernel
def exhaust_singles(board: Board) -> bool:
    """Run the single rule over the queue until it is empty; False if a number can't be right."""
    words, queue, count = board.words, board.queue, board.count
    while count[QUEUE]:
        count[QUEUE] -= 1
        p = queue[count[QUEUE]]
        word = words[p] & ~QUEUED
        words[p] = word
        unknown, need = word & 255, word >> NEED
        room = POPCOUNT[unknown]
        if need < 0 or need > room:
            return False
        if need == 0 or need == room:  # noqa: PLR1714 - not one type to the compiler
            _settle_all(board, p, unknown, 1 if need else 0)
    return True


@inline_kernel
def _find_partner(board: Board, p: int) -> int:
    """Return the first of `Board.near` whose number says something together with p's; -1 if none, -2 for a clash.

    The single rule has been exhausted: each number has an unknown neighbour that is a mine and one that is not, as far
    as it can tell. Then two numbers say something exactly if one needs as many mines more than the other as it has
    cells of its own: those are mines, and the other's own cells are safe.
    """
    words, near = board.words, board.near
    word = words[p]
    need, room = word >> NEED, POPCOUNT[word & 255]
    for i in range(24):
        both = word & _SHARED[i]
        if both == 0:  # else the place is on the board or its rim
            continue
        other = words[p + near[i]]
        if other & OPEN:
            overlap = POPCOUNT[both]
            more, own, others = (other >> NEED) - need, room - overlap, POPCOUNT[other & 255] - overlap
            if more >= others or -more >= own:
                if more > others or -more > own:
                    return -2
                if own or others:
                    return i
    return -1


@inline_kernel
def _settle_pair(board: Board, p: int, i: int) -> None:
    """Settle what the numbers at p and its partner say: all cells that only one of them has."""
    first, second = board.words[p], board.words[p + board.near[i]]
    q = p + board.near[i]
    only_p, only_q = first & 255 & ~_SHARED[i], second & 255 & ~_SHARED[23 - i]
    mines_in_q = 1 if (second >> NEED) - (first >> NEED) == POPCOUNT[only_q] else 0
    for _ in range(2):
        _settle_all(board, p, only_p, 1 - mines_in_q)
        p, only_p, mines_in_q = q, only_q, 1 - mines_in_q


@kernel
def drop_finished(board: Board) -> None:
    """Drop the numbers without unknown neighbours from the list of active ones."""
    active, words, kept = board.active, board.words, 0
    for i in range(board.count[ACTIVE]):
        if words[active[i]] & 255:
            active[kept] = active[i]
            kept += 1
    board.count[ACTIVE] = kept


@kernel
def exhaust_pairs(board: Board) -> bool:
    """Run the pair rule, and the single rule after each find, until neither says more; False if numbers clash."""
    words, active = board.words, board.active
    drop_finished(board)
    again = True
    while again:
        again = False
        for k in range(board.count[ACTIVE]):
            p = active[k]
            while words[p] & FOR_PAIRS and words[p] & 255:
                i = _find_partner(board, p)
                if i == -2:
                    return False
                if i < 0:
                    words[p] &= ~FOR_PAIRS
                    break
                again = True
                _settle_pair(board, p, i)
                if not exhaust_singles(board):
                    return False
    return True
