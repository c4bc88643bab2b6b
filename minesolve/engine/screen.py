"""Boards that are seen to need a guess at a glance, from the truth.

If some mines and as many safe cells can change places without changing the number of any other safe cell, then no
number that can be seen while those cells are covered tells the two minefields apart, so none of those cells is ever
proven safe. Two kinds are looked for: a mine and a safe cell side by side, and a square of two mines and two safe cells
at opposite corners. The cells that would notice must all be mines or off the board.
"""

from __future__ import annotations

from typing import Any

from minesolve.engine.board import Board
from minesolve.engine.compiling import inline_kernel, kernel

__all__ = ["needs_guess"]


@inline_kernel
def _side_by_side(walls: Any, a: int, step: int, across: int) -> bool:
    """Return whether the mine at a and the safe cell at a + step are indistinguishable; `across` is the other axis."""
    behind, beyond = a - step, a + 2 * step
    return bool(
        walls[behind] and walls[beyond] and walls[behind - across] and walls[behind + across]
        and walls[beyond - across] and walls[beyond + across]
    )  # fmt: skip


@kernel
def needs_guess(board: Board, mines: int, start: int) -> bool:
    """Return True if a board surely needs a guess when play begins at place `start`; False says nothing."""
    walls, stride = board.walls, board.stride
    for j in range(mines):
        a = board.drawn[j]
        for step, across in ((1, stride), (-1, stride), (stride, 1), (-stride, 1)):
            b = a + step
            if not walls[b] and b != start and _side_by_side(walls, a, step, across):
                return True
        for side in (1, -1):
            b, c, d = a + side, a + stride, a + stride + side
            if board.status[d] or not walls[d] or walls[b] or walls[c] or b == start or c == start:  # noqa: PLR1714
                continue
            if (
                walls[a - stride - side] and walls[d + stride + side]
                and walls[b - stride + side] and walls[c + stride - side]
            ):  # fmt: skip
                return True
    return False
