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
    grid: Grid, own: int, other: int, shared: frozenset[int], is_open: Callable[[int], bool],
    needs: Callable[[int], int | None]
) -> str:
    """Return the name of the pattern in which the number at `own` gets a conclusion from the one at `other`.

    Parameters
    ----------
    own, other : int
        The cells of the two numbers.
    shared : frozenset of int
        The unknown cells that both touch.
    is_open : callable
        Says whether a cell is open.
    needs : callable
        Gives the mines a number still needs, None if the cell is no number.
    """
    (x, y), (other_x, other_y) = grid.xy(own), grid.xy(other)
    dx, dy = x - other_x, y - other_y
    if abs(dx) + abs(dy) != 1:
        return PAIR
    # the cells on both sides of the number, seen from the other one
    sides = [(x - dy, y - dx), (x + dy, y + dx)]
    if shared == {_at(grid, *side) for side in sides}:
        behind = [_at(grid, other_x - dy, other_y - dx), _at(grid, other_x + dy, other_y + dx)]
        return "hole" if all(cell is not None and is_open(cell) for cell in behind) else "triangle"
    row = [needs(other), needs(own)]
    for steps in (1, 2):
        cell = _at(grid, x + steps * dx, y + steps * dy)
        row.append(None if cell is None else needs(cell))
    for name in ((1, 2, 1), (1, 2, 2, 1)):
        if row[: len(name)] == list(name):
            return "-".join(map(str, name))
    return f"{row[0]}-{row[1]}"


def _at(grid: Grid, x: int, y: int) -> int | None:
    return grid.at(x, y) if 0 <= x < grid.width and 0 <= y < grid.height else None
