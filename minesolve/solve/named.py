"""The names that players have for what two numbers say together.

Names as on minesweeper.online/help/patterns and in the strategy pages of minesweeper.info: ``1-1`` and ``1-2`` for the
numbers' values once known mines are taken out, ``1-2-1`` and ``1-2-2-1`` for rows of them, hole and triangle for a
number that has covered cells on both its sides.
"""

from __future__ import annotations

from collections.abc import Callable

from minesolve.grid import Grid

__all__ = ["PAIR", "name_of_pair"]

PAIR = "pair"
"""The rule of two numbers that form no named pattern."""


def name_of_pair(
    grid: Grid, own: tuple[int, int], other: tuple[int, int], shared: frozenset[int], needs: Callable[[int], int | None]
) -> str:
    """Return the name of the pattern in which one number gets a conclusion from another.

    Parameters
    ----------
    grid : Grid
    own, other : tuple of int
        The cell of each number and the mines it needs: the one with the conclusion, and the other one.
    shared : frozenset of int
        The unknown cells that both touch.
    needs : callable
        Gives the mines that the number on a cell still needs; None if the cell is not open.
    """
    (x, y), (other_x, other_y) = grid.xy(own[0]), grid.xy(other[0])
    dx, dy = x - other_x, y - other_y
    if abs(dx) + abs(dy) != 1:
        return PAIR
    # the cells on both sides of the number, seen from the other one
    sides = {_at(grid, x - dy, y - dx), _at(grid, x + dy, y + dx)}
    if shared >= sides:
        behind = [_at(grid, other_x - dy, other_y - dx), _at(grid, other_x + dy, other_y + dx)]
        walled = shared == sides and all(cell is not None and needs(cell) is not None for cell in behind)
        return "hole" if walled else "triangle"
    row = [other[1], own[1]]
    for steps in (1, 2):
        cell = _at(grid, x + steps * dx, y + steps * dy)
        row.append(-1 if cell is None else needs(cell) or 0)
    for name in ([1, 2, 1], [1, 2, 2, 1]):
        if row[: len(name)] == name:
            return "-".join(map(str, name))
    return "-".join(map(str, sorted(row[:2])))


def _at(grid: Grid, x: int, y: int) -> int | None:
    return grid.at(x, y) if 0 <= x < grid.width and 0 <= y < grid.height else None
