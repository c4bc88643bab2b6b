"""The exact end of a game: when few layouts remain, how many of them each move wins.

A position's value depends only on the set of layouts still possible. A cell that is safe in all of them is opened
first, as it costs nothing; any other move loses the layouts in which it is a mine and parts the others by the number
shown; a game is won when one layout is left. Regions that have nothing to do with each other are played one by one
(`minesolve.engine.regions`). The search goes depth first over sets of layouts, with a memo (`minesolve.engine.memo`)
and bounds. Sets of at most 62 layouts are single words of bits (`minesolve.engine.handful`), larger ones several
(`minesolve.engine.wide`). All counts are exact.

A set is searched with a floor: its value need only be exact if it is above it.
"""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minesolve.engine.compiling import merged_kernel, shared_kernel
from minesolve.engine.handful import BUDGET, SETS
from minesolve.engine.layouts import WIDTH, Listing, allocate_listing, list_region
from minesolve.engine.play import Desk
from minesolve.engine.regions import Regions, allocate_regions, are_many, find_regions, is_sealed
from minesolve.engine.wide import Search, allocate_search, solve_region

__all__ = ["NOT_SEALED", "OVER_BUDGET", "SOLVED", "TOO_MANY", "Ending", "allocate_ending", "solve_ending"]

SOLVED, TOO_MANY, OVER_BUDGET, NOT_SEALED = 0, 1, 2, 3
"""How a search ends: well; a region has more layouts than the limit, or than fit; more sets than the budget; the
component is not sealed."""

_MOST_LAYOUTS = 1 << 62


class Ending(NamedTuple):
    """What it takes, besides a desk, to play the end of a game.

    Attributes
    ----------
    regions : Regions
    listing : Listing
    search : Search
    wins : int64[places]
        By place: layouts of the whole position that are won if the cell is opened first.
    """

    regions: Regions
    listing: Listing
    search: Search
    wins: Any


def allocate_ending(desk: Desk, layouts: int, width: int, memo: int) -> Ending:
    """Return the arrays for so many layouts of so many cells, and sets to remember (a power of two)."""
    places = len(desk.board.words)
    listed, listing = allocate_listing(places, layouts, width)
    return Ending(
        allocate_regions(places, len(desk.states.reach)), listing,
        allocate_search(listed, layouts, width, places, memo),
        np.zeros(places, np.int64),
    )  # fmt: skip


@merged_kernel
def _note_wins(ending: Ending, r: int, won: int, before: int) -> None:
    """Multiply what each move of a region wins by what the other regions win, as far as they are known."""
    place, layouts = ending.regions.place, ending.search.layouts
    for p in range(len(ending.wins)):
        if 0 <= place[p].region < r:
            ending.wins[p] *= won
    for cell in range(layouts.count[WIDTH]):
        ending.wins[layouts.cell[cell].place] = ending.search.move[cell].wins * before


@merged_kernel
def _choose_regions(desk: Desk, regions: Regions, limit: int, component: int) -> tuple[int, int, int, int]:
    """Return SOLVED or why not, the first region to solve and the one after the last, and all their layouts."""
    first, last, layouts = regions.component[component].region, regions.component[component].region + 1, 1
    if component < 0:
        if are_many(desk, limit):
            return TOO_MANY, 0, 0, 0
        first, last = 0, find_regions(desk, regions)
    elif not is_sealed(desk, regions, component):
        return NOT_SEALED, 0, 0, 0
    for r in range(first, last):
        number = regions.region[r].layouts
        if number > limit or layouts > _MOST_LAYOUTS // number:
            return TOO_MANY, 0, 0, 0
        layouts *= number
    return SOLVED, first, last, layouts


@shared_kernel
def solve_ending(
    desk: Desk, ending: Ending, limit: int, budget: int, every: bool, component: int
) -> tuple[int, int, int, int]:
    """Solve the position on the desk, or a component; return how it ended, layouts won, layouts, and the best place.

    The position must have been expanded with its total (`weigh_board` does). It ends with SOLVED, TOO_MANY, OVER_BUDGET
    or NOT_SEALED. `limit` bounds the layouts of each region, and `budget` the sets looked into. Equally good moves: the
    safest, then the lowest place. With `every`, `ending.wins` says by place what is won after each move.

    A component, if it is not -1, is solved by itself, if it is sealed (`minesolve.engine.regions.is_sealed`); regions
    must have been found for the position before.
    """
    regions, search = ending.regions, ending.search
    search.handful.count[SETS], search.handful.count[BUDGET] = 0, budget
    limit = min(limit, search.members.shape[1])
    status, first, last, layouts = _choose_regions(desk, regions, limit, component)
    wins, best, best_safe, best_of = 1, -1, 0, 1
    for r in range(first, last):
        number = regions.region[r].layouts
        if number == 1 and not every:
            continue
        if not list_region(desk, regions, search.layouts, ending.listing, r):
            return TOO_MANY, 0, 0, -1
        won, cell = solve_region(search, every)
        if won < 0:
            return OVER_BUDGET, 0, 0, -1
        won = max(won, 1)  # one layout is won, also where nothing but mines is left
        if every:
            _note_wins(ending, r, won, wins)
        wins *= won
        safe, place = search.move[cell].safe, search.layouts.cell[cell].place
        if safe * best_of > best_safe * number or (safe * best_of == best_safe * number and place < best):
            best, best_safe, best_of = place, safe, number
    return status, wins if status == SOLVED else 0, layouts, best
