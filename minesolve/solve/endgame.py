"""The exact end of a game: when few layouts remain, the move that wins most of them.

The value of a position depends only on the set of layouts still possible, for all that was opened shows in it. A cell
that is safe in all of them is opened first, as it costs nothing. Any other move loses the layouts in which the cell is
a mine, and parts the others by the number it shows. A game is won when one layout remains: then the rest is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from minesolve.errors import BudgetExceeded
from minesolve.solve.constraints import System
from minesolve.solve.layouts import Layouts

__all__ = ["LIMIT", "Game", "Outcome", "play"]

LIMIT = 1_024
"""Layouts that `play` takes on unless told otherwise."""

BUDGET = 500_000
"""Sets of layouts that `play` looks into unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What optimal play achieves.

    Attributes
    ----------
    layouts : int
        Layouts that are possible.
    chance : Fraction
        The chance of winning by optimal play.
    best : tuple of int
        The cells to open, each of which achieves it, ascending; empty if nothing is left to open.
    moves : mapping of int to Fraction
        For each cell of the system, ascending, the chance of winning if it is opened first.
    """

    layouts: int
    chance: Fraction
    best: tuple[int, ...]
    moves: Mapping[int, Fraction]


def play(system: System, limit: int = LIMIT, budget: int = BUDGET) -> Outcome:
    r"""Return the best moves at the end of a game, by exhaustive search over sets of layouts.

    Parameters
    ----------
    system : System
        Its cells are those that can be opened. Known mines may have been taken out of it before; a cell known to be
        safe must not, unless it is open, for what it shows is worth knowing.
    limit : int
        Layouts to take on.
    budget : int
        Sets of layouts to look into.

    Raises
    ------
    BudgetExceeded
        If there are more layouts than the limit, or more sets than the budget.
    ValueError
        If there is no layout, or the total is unknown (layouts of different totals are not alike).

    Examples
    --------
    >>> from minesolve.position import Position
    >>> from minesolve.solve.constraints import system_of
    >>> outcome = play(system_of(Position.from_text("##\n##", mines=1)))
    >>> outcome.layouts, outcome.chance, outcome.best
    (4, Fraction(1, 4), (0, 1, 2, 3))
    """
    if system.total is None:
        raise ValueError("the end of a game needs a total")
    found = Layouts(system)
    if found.number > limit:
        raise BudgetExceeded(f"{found.number:,} layouts are more than the {limit:,} that the exact end game takes on")
    if not found.number:
        raise ValueError("there is no layout to play for")
    game = Game(system, found, budget)
    moves = {cell: Fraction(game.wins_after(cell), found.number) for cell in system.cells}
    chance = Fraction(game.wins(), found.number)
    best = tuple(cell for cell, value in moves.items() if value == chance)
    return Outcome(found.number, chance, best, moves)


class Game:
    """All layouts of a system, and how many of any set of them optimal play wins.

    Layouts are numbered; a set of them is an integer with a bit for each.
    """

    def __init__(self, system: System, layouts: Iterable[frozenset[int]], budget: int = BUDGET):
        self.budget = budget
        self.cells = system.cells
        index = {cell: i for i, cell in enumerate(self.cells)}
        self.layouts = [sum(1 << index[cell] for cell in layout) for layout in layouts]
        self.all = (1 << len(self.layouts)) - 1
        around = [sum(1 << index[n] for n in system.grid.neighbours(cell) if n in index) for cell in self.cells]
        self.mined, self.shows = [], []
        for i, near in enumerate(around):
            mined, shows = self._views(1 << i, near)
            self.mined.append(mined)
            self.shows.append(shows)
        seen = [near | 1 << i for i, near in enumerate(around)]
        told = [sum(1 << index[cell] for cell in constraint.cells) for constraint in system.constraints]
        self.seen, self.told = seen, told
        self.known: dict[int, int] = {}

    def _views(self, cell: int, near: int) -> tuple[int, tuple[int, ...]]:
        """Return the set of layouts in which a cell is a mine, and those in which it shows each number."""
        mined = 0
        shows: dict[int, int] = {}
        for i, layout in enumerate(self.layouts):
            if layout & cell:
                mined |= 1 << i
            else:
                number = (layout & near).bit_count()
                shows[number] = shows.get(number, 0) | 1 << i
        return mined, tuple(shows[number] for number in sorted(shows))

    def wins(self, among: int | None = None) -> int:
        """Return how many layouts of a set (by default all) optimal play wins."""
        among = self.all if among is None else among
        if among & (among - 1) == 0:
            return 1 if among else 0
        found = self.known.get(among)
        if found is None:
            if len(self.known) >= self.budget:
                raise BudgetExceeded(f"the exact end game looked into {self.budget:,} sets of layouts and is not done")
            found = self.known[among] = self._wins(among)
        return found

    def wins_after(self, cell: int, among: int | None = None) -> int:
        """Return how many layouts of a set (by default all) are won if a cell is opened first."""
        among = self.all if among is None else among
        return sum(self.wins(among & shown) for shown in self.shows[self.cells.index(cell)])

    def _wins(self, among: int) -> int:
        parts = self._opened_freely(among)
        if len(parts) > 1:
            return sum(map(self.wins, parts))
        factors = self._factors(among)
        if len(factors) > 1:
            return prod(map(self.wins, factors))
        return self._best(among)

    def _opened_freely(self, among: int) -> list[int]:
        """Part a set by all that the cells safe in all of it show."""
        parts = [among]
        for mined, shows in zip(self.mined, self.shows, strict=True):
            if not among & mined:
                parts = [part & shown for part in parts for shown in shows if part & shown]
        return parts

    def _best(self, among: int) -> int:
        """Try the moves, the safest first, until no other can win more than the best so far.

        A move wins at most the layouts in which it is safe; of a part that was looked into, what was found.
        """
        best = 0
        for most, parts in self._moves(among):
            if most <= best:
                break
            best = max(best, self._wins_of(parts, best))
        return best

    def _moves(self, among: int) -> list[tuple[int, list[int]]]:
        """Return the moves, as the parts they make, the safest first; alike ones once."""
        distinct: dict[tuple[int, ...], None] = {}
        for mined, shows in zip(self.mined, self.shows, strict=True):
            safe = among & ~mined
            if safe and safe != among:
                distinct[tuple(sorted(part for shown in shows if (part := safe & shown)))] = None
        moves = [(sum(self._bound(part) for part in parts), list(parts)) for parts in distinct]
        return sorted(moves, key=lambda move: (-move[0], -len(move[1]), move[1]))

    def _bound(self, part: int) -> int:
        return self.known.get(part, part.bit_count())

    def _wins_of(self, parts: Sequence[int], best: int) -> int:
        """Return what a move wins, or some number not above `best` as soon as it can't win more."""
        bounds = {part: self._bound(part) for part in parts}
        most = sum(bounds.values())
        for part in sorted(parts, key=int.bit_count):
            most += self.wins(part) - bounds[part]
            if most <= best:
                return most
        return most

    def _factors(self, among: int) -> list[int]:
        """Part a set into games that have nothing to do with each other: then the chances of winning multiply.

        Cells belong together if a number, shown already or to be shown, depends on both. The set must be the product of
        what it holds for each group of cells; each factor returned is a subset that varies in one group only.
        """
        groups = self._groups(among)
        if len(groups) < 2:
            return [among]
        members = list(_bits(among))
        chosen = [self.layouts[i] for i in members]
        ways = [{layout & group for layout in chosen} for group in groups]
        if prod(map(len, ways)) != len(members):
            return [among]
        first = chosen[0]
        return [
            sum(1 << i for i, layout in zip(members, chosen, strict=True) if not (layout ^ first) & ~group)
            for group in groups
        ]

    def _groups(self, among: int) -> list[int]:
        """Return the cells that vary in a set of layouts, as groups that no number joins."""
        varying = certain = 0
        for i, mined in enumerate(self.mined):
            here = among & mined
            if here == among:
                certain |= 1 << i
            elif here:
                varying |= 1 << i
        views = [seen & varying for i, seen in enumerate(self.seen) if not certain >> i & 1]
        groups: list[int] = []
        for view in [*views, *(told & varying for told in self.told)]:
            if view:
                apart = [group for group in groups if not group & view]
                groups = [*apart, view | _union(group for group in groups if group & view)]
        return groups


def _union(sets: Iterable[int]) -> int:
    union = 0
    for one in sets:
        union |= one
    return union


def _bits(number: int) -> Iterator[int]:
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low
