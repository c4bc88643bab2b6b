"""The two cheap layers, by work list: one number, and two numbers."""

from __future__ import annotations

from typing import Any

from minesolve.engine.board import (
    ACTIVE,
    FOR_PAIRS,
    NEED,
    OPEN,
    POPCOUNT,
    QUEUE,
    QUEUED,
    Board,
    settle,
)
from minesolve.engine.compiling import inline_kernel, kernel

__all__ = ["exhaust_pairs", "exhaust_singles"]


@inline_kernel
def _settle_all(board: Board, p: int, which: int, mine: int) -> None:
    """Settle the unknown neighbours of p whose bits are set in `which`."""
    for d in range(8):
        if which >> d & 1:
            settle(board, p + board.offsets[d], mine)


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
        if unknown and (need == 0 or need == room):
            _settle_all(board, p, unknown, 1 if need else 0)
    return True


def shared_bits() -> Any:
    """Return, for the 24 numbers at distance two or less, how far they are and which neighbours are shared.

    Rows are (dx, dy, mask): bits of the neighbours of a cell that are also neighbours of the cell at (dx, dy).
    """
    import numpy as np

    around = [(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy]
    rows = []
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            if dx or dy:
                mask = sum(1 << d for d, (x, y) in enumerate(around) if (x - dx, y - dy) in around)
                rows.append((dx, dy, mask))
    return np.array(rows, dtype=np.int64)


_NEAR = shared_bits()


@inline_kernel
def _pair(board: Board, p: int, q: int, shared: int, back: int) -> int:
    """Settle what the numbers at p and q imply together; return 1 if that was anything, 0 if not, -1 if they clash.

    `shared` are the neighbours of p that are neighbours of q too, `back` the same seen from q.
    """
    first, second = board.words[p], board.words[q]
    both = first & shared
    overlap = POPCOUNT[both]
    only_p, only_q = POPCOUNT[first & 255] - overlap, POPCOUNT[second & 255] - overlap
    need_p, need_q = first >> NEED, second >> NEED
    least = max(0, need_p - only_p, need_q - only_q)
    most = min(overlap, need_p, need_q)
    if least > most:
        return -1
    if overlap == 0:
        return 0
    mine_p, safe_p = need_p - most == only_p, need_p == least
    mine_q, safe_q = need_q - most == only_q, need_q == least
    found = 0
    if only_p and (mine_p or safe_p):
        _settle_all(board, p, first & 255 & ~shared, 1 if mine_p else 0)
        found = 1
    if only_q and (mine_q or safe_q):
        _settle_all(board, q, second & 255 & ~back, 1 if mine_q else 0)
        found = 1
    if most == 0 or least == overlap:
        _settle_all(board, p, both, 0 if most == 0 else 1)
        found = 1
    return found


@inline_kernel
def _pairs_of(board: Board, p: int) -> int:
    """Try a number with all numbers near it, up to the first pair that says something."""
    words, stride, width, height = board.words, board.stride, board.width, board.height
    y, x = p // stride - 1, p % stride - 1
    for i in range(24):
        dx, dy, shared = _NEAR[i, 0], _NEAR[i, 1], _NEAR[i, 2]
        if 0 <= x + dx < width and 0 <= y + dy < height and words[p] & shared:
            q = p + dy * stride + dx
            if words[q] & OPEN and words[q] & 255:
                found = _pair(board, p, q, shared, _NEAR[23 - i, 2])
                if found:
                    return found
    return 0


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
        for i in range(board.count[ACTIVE]):
            p = active[i]
            while words[p] & FOR_PAIRS and words[p] & 255:
                words[p] &= ~FOR_PAIRS
                found = _pairs_of(board, p)
                if found < 0:
                    return False
                if found:
                    again = True
                    words[p] |= FOR_PAIRS
                    if not exhaust_singles(board):
                        return False
    return True
