"""One board in arrays: the truth, what is open, what is known, and the cascade.

The board has a rim of one cell all round, so that every cell has eight neighbours and none needs a test for the edge:
cell (x, y) stands at place ``(y + 1) * stride + x + 1``. All that the local rules ask about a cell is packed into one
32-bit word, so that a cell that becomes known is taken out of its eight neighbours with one subtraction each::

    bits 0-7    which neighbours are unknown, in the order of `Board.offsets`
    bit  8      OPEN: this cell is an opened number
    bit  9      QUEUED: it stands in the queue of the single rule
    bit  10     FOR_PAIRS: changed since the pair rule last looked at it
    bit  11     FOR_COMPONENTS: changed since its component was last counted
    bits 16-31  its number less the known mines around it (signed: below zero in impossible positions)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minesolve.engine.compiling import inline_kernel, kernel

__all__ = [
    "ACTIVE",
    "CHANGED",
    "FOR_COMPONENTS",
    "FOR_PAIRS",
    "FRESH",
    "HIDDEN",
    "KNOWN_MINE",
    "KNOWN_SAFE",
    "LOWEST",
    "MINES_LEFT",
    "NEED",
    "OPEN",
    "OPENED",
    "POPCOUNT",
    "QUEUE",
    "QUEUED",
    "RIM",
    "UNKNOWN",
    "UNKNOWN_LEFT",
    "Board",
    "allocate_board",
    "bbbv",
    "known_mines",
    "lay_mines",
    "list_number",
    "open_fresh",
    "settle",
    "take_out",
]

OPEN, QUEUED, FOR_PAIRS, FOR_COMPONENTS = 1 << 8, 1 << 9, 1 << 10, 1 << 11
CHANGED = FOR_PAIRS | FOR_COMPONENTS
NEED = 16
"""How far the number is shifted in a word."""

UNKNOWN, OPENED, KNOWN_MINE, KNOWN_SAFE, RIM = 0, 1, 2, 3, 4
"""What is known of a cell (`Board.status`)."""

QUEUE, ACTIVE, FRESH, HIDDEN, UNKNOWN_LEFT, MINES_LEFT = 0, 1, 2, 3, 4, 5
"""Places in `Board.count`: lengths of three lists, safe cells not yet open, unknown cells, mines among those."""

POPCOUNT = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.int8)
LOWEST = np.array([(byte & -byte).bit_length() - 1 for byte in range(256)], dtype=np.int8)
"""How many bits of a byte are set, and which is the lowest of them."""


class Board(NamedTuple):
    """A board's arrays; all lists of cells hold places on the board with its rim.

    Attributes
    ----------
    width, height, stride : int
    offsets : int64[8]
        From a place to its neighbours, ascending; direction ``7 - d`` leads back.
    loss : int32[16]
        What a word loses when the neighbour in direction d becomes known to be safe (d) or a mine (8 + d).
    near : int64[24]
        From a place to the 24 places at distance two or less; ``23 - i`` leads back.
    places : int32[cells]
        The place of every cell.
    blank : int32[places], rim : uint8[places]
        Words and walls of a board without mines, to start from.
    words, status, numbers, walls
        By place: the words above; what is known; the true number (8 at most, mines have one too); 1 for a mine and
        for the rim.
    queue, active, fresh, stack : int32[places]
        Numbers for the single rule; opened numbers, some of which still have unknown neighbours; cells known to be
        safe and not yet open; scratch.
    drawn : int32[cells]
        The cells mines are drawn from.
    count : int64[6]
    """

    width: int
    height: int
    stride: int
    offsets: Any
    loss: Any
    near: Any
    places: Any
    blank: Any
    rim: Any
    words: Any
    status: Any
    numbers: Any
    walls: Any
    queue: Any
    active: Any
    fresh: Any
    stack: Any
    drawn: Any
    count: Any


def allocate_board(width: int, height: int) -> Board:
    """Return the arrays for boards of one size."""
    stride = width + 2
    size = stride * (height + 2)
    offsets = np.array([dy * stride + dx for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy], dtype=np.int64)
    near = [dy * stride + dx for dy in range(-2, 3) for dx in range(-2, 3) if dx or dy]
    losses = [(1 << (7 - d)) + (mine << NEED) for mine in (0, 1) for d in range(8)]
    rectangle = np.zeros((height + 2, stride), dtype=np.uint8)
    rectangle[1:-1, 1:-1] = 1
    inside = rectangle.ravel()
    places = np.flatnonzero(inside).astype(np.int32)
    blank = np.full(size, 255, dtype=np.int32)
    for d in range(8):
        blank[places] -= (1 - inside[places + offsets[d]].astype(np.int32)) << d
    # one entry to spare: an entry is written first and counted then
    queue, active, fresh, stack = np.zeros((4, size + 1), dtype=np.int32)
    return Board(
        width, height, stride, offsets, np.array(losses, dtype=np.int32), np.array(near, dtype=np.int64),
        places, blank, 1 - inside, blank.copy(), np.zeros(size, np.uint8), np.zeros(size, np.int8), 1 - inside,
        queue, active, fresh, stack, places.copy(), np.zeros(6, np.int64),
    )  # fmt: skip


@kernel
def lay_mines(board: Board, mines: int) -> None:
    """Start a board anew with mines on the first `mines` cells of `board.drawn`, everything covered."""
    offsets, numbers, walls = board.offsets, board.numbers, board.walls
    words, status, blank, rim = board.words, board.status, board.blank, board.rim
    for p in range(len(walls)):
        walls[p] = rim[p]
        numbers[p] = 0
    for j in range(mines):
        p = board.drawn[j]
        walls[p] = 1
        for d in range(8):
            numbers[p + offsets[d]] += 1
    for p in range(len(walls)):
        words[p] = blank[p] + (np.int32(numbers[p]) << NEED)
        status[p] = RIM * rim[p]
    count = board.count
    count[QUEUE] = count[ACTIVE] = count[FRESH] = 0
    count[UNKNOWN_LEFT] = len(board.places)
    count[MINES_LEFT] = mines
    count[HIDDEN] = len(board.places) - mines


@inline_kernel
def take_out(board: Board, p: int, mine: int) -> None:
    """Take a cell that has become known out of its neighbours, and queue the numbers among them."""
    words, loss, offsets, queue = board.words, board.loss, board.offsets, board.queue
    length = board.count[QUEUE]
    for d in range(8):
        q = p + offsets[d]
        word = words[q] - loss[8 * mine + d]
        new = 1 if word & (OPEN | QUEUED) == OPEN else 0  # no branch: it would be mispredicted half the time
        queue[length] = q
        length += new
        words[q] = word | new * (QUEUED | CHANGED)
    count = board.count
    count[QUEUE] = length
    count[UNKNOWN_LEFT] -= 1
    count[MINES_LEFT] -= mine


@inline_kernel
def settle(board: Board, p: int, mine: int) -> None:
    """Note that an unknown cell is a mine (1) or safe (0); safe cells wait in `board.fresh` to be opened."""
    board.status[p] = KNOWN_SAFE - mine
    board.fresh[board.count[FRESH]] = p
    board.count[FRESH] += 1 - mine
    take_out(board, p, mine)


@inline_kernel
def known_mines(board: Board, p: int) -> int:
    """Return how many of the cells around one are known to be mines."""
    known = 0
    for d in range(8):
        known += 1 if board.status[p + board.offsets[d]] == KNOWN_MINE else 0
    return known


@inline_kernel
def list_number(board: Board, p: int) -> None:
    """Put an opened number in the lists: of numbers for the single rule, and of those with unknown neighbours."""
    count = board.count
    board.queue[count[QUEUE]] = p
    count[QUEUE] += 1
    board.active[count[ACTIVE]] = p
    count[ACTIVE] += 1


@inline_kernel
def _uncover(board: Board, p: int) -> None:
    """Open one safe cell, without the cascade."""
    if board.status[p] == UNKNOWN:
        take_out(board, p, 0)
    board.status[p] = OPENED
    board.count[HIDDEN] -= 1
    word = board.words[p] | OPEN | CHANGED
    if board.numbers[p] > 0 and word & 255:
        word |= QUEUED
        list_number(board, p)
    board.words[p] = word


@kernel
def open_fresh(board: Board) -> bool:
    """Open all cells that wait in `board.fresh`, and what their cascades open; False if one of them is a mine."""
    status, stack, offsets = board.status, board.stack, board.offsets
    for i in range(board.count[FRESH]):
        if board.walls[board.fresh[i]]:
            return False
        if status[board.fresh[i]] == OPENED:
            continue
        _uncover(board, board.fresh[i])
        stack[0] = board.fresh[i]
        height = 1 if board.numbers[board.fresh[i]] == 0 else 0
        while height:
            height -= 1
            p = stack[height]
            for d in range(8):
                q = p + offsets[d]
                if status[q] == UNKNOWN or status[q] == KNOWN_SAFE:
                    _uncover(board, q)
                    if board.numbers[q] == 0:
                        stack[height] = q
                        height += 1
    board.count[FRESH] = 0
    return True


@kernel
def bbbv(board: Board) -> int:
    """Return the 3BV of the truth: openings, and numbers that no opening holds. Uses the queue and the stack."""
    numbers, walls, offsets, stack, seen = board.numbers, board.walls, board.offsets, board.stack, board.queue
    for p in range(len(walls)):
        seen[p] = walls[p]
    total = 0
    for p in board.places:
        if seen[p] or numbers[p] > 0:
            continue
        total += 1
        seen[p] = 1
        stack[0] = p
        height = 1
        while height:
            height -= 1
            around = stack[height]
            for d in range(8):
                q = around + offsets[d]
                if not seen[q]:
                    seen[q] = 1
                    if numbers[q] == 0:
                        stack[height] = q
                        height += 1
    for p in board.places:
        total += 1 - seen[p]
    return total
