"""The exact end of a game from Python: arrays made, a position put on the desk, what can't be searched refused."""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesolve.engine.board import UNKNOWN_LEFT
from minesolve.engine.chances import load_position
from minesolve.engine.compiling import entry_kernel
from minesolve.engine.endgame import OVER_BUDGET, SOLVED, TOO_MANY, Ending, allocate_ending, solve_ending
from minesolve.engine.frontier import COMPONENTS
from minesolve.engine.handful import SETS
from minesolve.engine.judging import CAPACITIES, desk_for
from minesolve.engine.play import Desk, total_layer
from minesolve.engine.regions import Regions, allocate_regions, find_regions
from minesolve.engine.rules import exhaust_pairs, exhaust_singles
from minesolve.engine.states import DONE, FULL, IMPOSSIBLE
from minesolve.errors import BudgetExceeded
from minesolve.position import FLAG, MINE, Position

__all__ = ["BUDGET", "LIMIT", "BestPlay", "Sealed", "best_play", "expand_position", "sealed_components"]

LIMIT = 20_000
"""Layouts that `best_play` takes on unless told otherwise."""

BUDGET = 1_000_000
"""Sets of layouts that `best_play` looks into unless told otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class BestPlay:
    """What optimal play wins of a position.

    Attributes
    ----------
    layouts : int
        Layouts that are possible, all alike.
    won : int
        How many of them optimal play wins.
    cells : tuple of int
        The covered cells, ascending, without known mines.
    wins : int64[cells]
        How many layouts are won if the cell is opened first and play is optimal after that.
    best : tuple of int
        The cells that win most, ascending; empty if there is nothing to open.
    sets : int
        Sets of layouts that were looked into.
    """

    layouts: int
    won: int
    cells: tuple[int, ...]
    wins: NDArray[np.int64]
    best: tuple[int, ...]
    sets: int


@dataclass(frozen=True, slots=True)
class Sealed:
    """A component that nothing outside can tell more about: its chance of winning is a factor of the game's.

    Attributes
    ----------
    cells : tuple of int
        Ascending.
    layouts, won : int
        Its own, and how many of them optimal play wins.
    """

    cells: tuple[int, ...]
    layouts: int
    won: int


@entry_kernel
def expand_position(desk: Desk, regions: Regions, codes: Any, total: int, trust_flags: bool) -> tuple[int, int]:
    """Put a position on the desk, with all that is certain, and part the rest into regions.

    Returns DONE, IMPOSSIBLE, WIDE or FULL, and how many regions there are.
    """
    board, status, before = desk.board, DONE, -1
    load_position(board, codes, total, trust_flags)
    while status == DONE and board.count[UNKNOWN_LEFT] != before:  # until nothing more is certain
        if not (exhaust_singles(board) and exhaust_pairs(board)):
            return IMPOSSIBLE, 0
        before = board.count[UNKNOWN_LEFT]
        status = total_layer(desk)
    return status, find_regions(desk, regions) if status == DONE else 0


@entry_kernel
def _solve(
    desk: Desk, ending: Ending, limit: int, budget: int, every: bool, component: int
) -> tuple[int, int, int, int]:
    return solve_ending(desk, ending, limit, budget, every, component)


def best_play(
    position: Position, *, limit: int = LIMIT, budget: int = BUDGET, trust_flags: bool = False
) -> BestPlay:
    r"""Return, for each covered cell, how many layouts are won if it is opened first and play is optimal after that.

    Parameters
    ----------
    position : Position
        With a total; anything from an untouched board on.
    limit : int
        Layouts to take on, in each of the regions that have nothing to do with each other.
    budget : int
        Sets of layouts to look into.
    trust_flags : bool
        Whether flags are taken for mines.

    Raises
    ------
    BudgetExceeded
        If there are more layouts than the limit, or more sets than the budget, or a component is too wide.
    ValueError
        If there is no layout, or the total is unknown (layouts of different totals are not alike).

    Examples
    --------
    >>> play = best_play(Position.from_text("#####\n#1###\n#3###\n#####", mines=5))
    >>> play.layouts, play.won, play.best
    (360, 285, (2,))
    """
    desk, ending = _prepared(position, trust_flags, limit)
    status, won, layouts, _ = _solve(desk, ending, limit, budget, True, -1)
    if status == TOO_MANY:
        raise BudgetExceeded(f"there are more than the {limit:,} layouts that the exact end game takes on")
    if status == OVER_BUDGET:
        raise BudgetExceeded(f"the exact end game looked into {budget:,} sets of layouts and is not done")
    known = (MINE, FLAG) if trust_flags else (MINE,)
    cells = tuple(cell for cell, code in enumerate(position.cells) if code > 8 and code not in known)
    wins = ending.wins[desk.board.places[list(cells)]]
    best = tuple(cell for cell, wins_of_cell in zip(cells, wins.tolist(), strict=True) if wins_of_cell == won)
    return BestPlay(layouts, won, cells, wins, best, int(ending.search.handful.count[SETS]))


def sealed_components(
    position: Position, *, limit: int = LIMIT, budget: int = BUDGET, trust_flags: bool = False
) -> tuple[Sealed, ...]:
    r"""Return the components of a position that are sealed off, those with more layouts or sets left out.

    A component is sealed if none of its cells is beside a covered cell outside it that may be safe, and if it holds
    the same number of mines in all layouts of the position. Parameters and errors are those of `best_play`.

    Examples
    --------
    >>> sealed_components(Position.from_text("1#\n1#", mines=1))
    (Sealed(cells=(1, 3), layouts=2, won=1),)
    """
    desk, ending = _prepared(position, trust_flags, limit)
    frontier, found = desk.frontier, []
    for component in range(frontier.count[COMPONENTS]):
        status, won, layouts, _ = _solve(desk, ending, limit, budget, False, component)
        if status == SOLVED:
            places = frontier.cells[frontier.cell_start[component] : frontier.cell_start[component + 1]]
            cells = np.searchsorted(desk.board.places, np.sort(places))
            found.append(Sealed(tuple(cells.tolist()), layouts, won))
    return tuple(found)


def _prepared(position: Position, trust_flags: bool, limit: int) -> tuple[Desk, Ending]:
    """Return a desk with the position, and the arrays for its end, with the regions found."""
    if position.mines is None:
        raise ValueError("the end of a game needs a total")
    codes = np.frombuffer(position.cells, np.uint8).astype(np.int8)
    for capacity in CAPACITIES:
        desk = desk_for(position.width, position.height, capacity)
        regions = allocate_regions(len(desk.board.words), len(desk.states.reach))
        status, number = expand_position(desk, regions, codes, position.mines, trust_flags)
        if status != FULL:
            break
    if status == IMPOSSIBLE:
        raise ValueError("there is no layout to play for")
    if status != DONE:
        raise BudgetExceeded("a component is too wide to list its layouts")
    found = regions.place.region[desk.board.places]
    widest = int(np.bincount(found[found >= 0], minlength=1).max())
    layouts = min(int(regions.region.layouts[:number].max(initial=1)), limit)
    ending = allocate_ending(desk, layouts, widest, 1 << min(max(64 * layouts, 1 << 12).bit_length(), 22))
    return desk, ending._replace(regions=regions)
