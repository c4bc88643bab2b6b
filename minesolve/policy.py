"""Which cell to open when nothing is certain.

When few layouts remain, the end of the game is searched and the cell with the greatest chance of winning is advised.
Otherwise it is the safest cell, and among equally safe ones that which is most likely to be followed by a certain move
(with a known total; without one, that with the fewest covered neighbours).

That is the advice for one position. A policy for many games is a function from a position without a certain move to a
cell; those that have names stand in `POLICIES`.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from minesolve.draws import SplitMix64
from minesolve.errors import BudgetExceeded, Contradiction, InvalidPosition
from minesolve.position import COVERED, FLAG, Position
from minesolve.solve import endgame
from minesolve.solve.analysis import Analysis, analyse
from minesolve.solve.fifty import Fifty

__all__ = ["POLICIES", "TIED", "Candidate", "Choose", "Guess", "Policy", "guess", "policy_named", "random_safest",
           "safest"]  # fmt: skip

TIED = 12
"""Equally safe cells that are looked into for what follows; the others rank behind them."""

_SETS = 200_000  # sets of layouts that the end of a game may look into before the safest cell is advised instead
_RUNNERS_UP = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cell that could be opened.

    Attributes
    ----------
    cell : int
    chance : Fraction
        The chance that it is a mine.
    win : Fraction or None
        The chance of winning by optimal play if it is opened first, where the end of the game was searched.
    follow_up : Fraction or None
        The chance that it is safe and that a cell is certainly safe afterwards, where that was looked into.
    """

    cell: int
    chance: Fraction
    win: Fraction | None = None
    follow_up: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Guess:
    """The advice where nothing is certain.

    Attributes
    ----------
    candidates : tuple of Candidate
        The cell to open, then the runners-up.
    decided_by : str
        What put the first before the second: ``"win"``, ``"chance"``, ``"follow-up"``, or ``"order"`` where they are
        alike (the one with fewer covered neighbours, then the first in reading order), or ``"only"``.
    tied : int
        How many cells are as safe as the one advised.
    layouts : int
        Layouts of the position.
    fifties : tuple of Fifty
        The true 50/50s: waiting can't help there.
    """

    candidates: tuple[Candidate, ...]
    decided_by: str
    tied: int
    layouts: int
    fifties: tuple[Fifty, ...]

    @property
    def best(self) -> Candidate:
        """The cell to open."""
        return self.candidates[0]


def guess(analysis: Analysis) -> Guess | None:
    r"""Return the advised guess of a position without a safe cell; None if it has no cell left to open.

    Raises
    ------
    BudgetExceeded
        If a component is too wide to be counted.
    ValueError
        If the total is unknown and no density given, so that there are no chances, or if a cell is certainly safe.

    Examples
    --------
    >>> from minesolve.position import Position
    >>> found = guess(analyse(Position.from_text("##\n##", mines=1)))
    >>> found.best.cell, found.best.chance, found.best.win
    (0, Fraction(1, 4), Fraction(1, 4))
    """
    if analysis.safe:
        raise ValueError("a cell is certainly safe: no guess is needed")
    if analysis.position.mines is None and analysis.density is None:
        raise ValueError("chances need the mine total or a density")
    chances = {cell: chance for cell, chance in enumerate(analysis.chances) if chance is not None and chance < 1}
    if not chances:
        return None
    candidates = _by_winning(analysis, chances) or _by_safety(analysis, chances)
    tied = sum(chance == chances[candidates[0].cell] for chance in chances.values())
    return Guess(tuple(candidates[: _RUNNERS_UP + 1]), _decision(candidates), tied, analysis.layouts, analysis.fifties)


def _by_winning(analysis: Analysis, chances: dict[int, Fraction]) -> list[Candidate]:
    """Return the candidates by their chance of winning; none where the end of the game is too large to search."""
    if analysis.position.mines is None or analysis.layouts > endgame.LIMIT:
        return []
    try:
        outcome = analysis.best_play(budget=_SETS)
    except BudgetExceeded:
        return []
    found = [Candidate(cell, chance, win=outcome.moves[cell]) for cell, chance in chances.items()]
    return sorted(found, key=lambda c: (-(c.win or 0), c.chance, c.cell))


def _by_safety(analysis: Analysis, chances: dict[int, Fraction]) -> list[Candidate]:
    """Return the candidates by safety, the equally safe ones by what follows."""
    position = analysis.position

    def covered_around(cell: int) -> int:
        return sum(position.cells[n] in (COVERED, FLAG) for n in position.grid.neighbours(cell))

    ranked = sorted(chances, key=lambda cell: (chances[cell], covered_around(cell), cell))
    safest = [cell for cell in ranked if chances[cell] == chances[ranked[0]]]
    if len(safest) == 1 or position.mines is None:
        return [Candidate(cell, chances[cell]) for cell in ranked]
    looked = [Candidate(cell, chances[cell], follow_up=_follow_up(analysis, cell)) for cell in safest[:TIED]]
    looked.sort(key=lambda candidate: -(candidate.follow_up or 0))  # stable: alike ones stay in order
    return [*looked, *(Candidate(cell, chances[cell]) for cell in ranked[len(looked) :])]


def _follow_up(analysis: Analysis, cell: int) -> Fraction:
    """Return the chance that a cell is safe and that afterwards a cell is certainly safe, or all is known."""
    goes_on = sum(after.layouts for after in _shown(analysis, cell) if after.safe or not after.open_questions.cells)
    return Fraction(goes_on, analysis.layouts)


def _shown(analysis: Analysis, cell: int) -> Iterator[Analysis]:
    """Yield the analyses of what the cell may show."""
    position = analysis.position
    for number in range(len(position.grid.neighbours(cell)) + 1):
        with contextlib.suppress(Contradiction, InvalidPosition):
            yield analyse(position.with_opened(cell, number), trust_flags=analysis.trust_flags)


def _decision(candidates: Sequence[Candidate]) -> str:
    if len(candidates) == 1:
        return "only"
    first, second = candidates[:2]
    if first.win != second.win:
        return "win"
    if first.chance != second.chance:
        return "chance"
    return "follow-up" if first.follow_up != second.follow_up else "order"


Choose = Callable[[Position], int]
"""Takes a position in which no cell is certainly safe, and returns the cell to open."""

_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Policy:
    """A way to guess.

    Attributes
    ----------
    name : str
    says : str
        What it does, in a line.
    bind : callable
        Takes the draws of a game, and returns the function from a position to a cell.
    compiled : bool
        Whether the engine knows it by this name.
    """

    name: str
    says: str
    bind: Callable[[SplitMix64], Choose]
    compiled: bool = False


def safest(position: Position) -> int:
    r"""Return the cell with the lowest chance of a mine; ties by the fewest covered neighbours, then the lowest index.

    Chances within 1e-9 count as equal. Raises what `minesolve.mine_probabilities` does, and ValueError if no cell is
    covered.

    Examples
    --------
    >>> safest(Position.from_text("2##\n###", mines=2))
    2
    """
    grid = position.grid

    def covered_around(cell: int) -> int:
        return sum(position.cells[n] in (COVERED, FLAG) for n in grid.neighbours(cell))

    return min(_tied(position), key=lambda cell: (covered_around(cell), cell))


def random_safest(position: Position, draws: SplitMix64) -> int:
    r"""Return one of the cells with the lowest chance of a mine, each as likely.

    Examples
    --------
    >>> random_safest(Position.from_text("2##\n###", mines=2), SplitMix64(1)) in (2, 5)
    True
    """
    tied = _tied(position)
    return tied[draws.below(len(tied))]


def _tied(position: Position) -> list[int]:
    """Return the cells with the lowest chance, ascending."""
    from minesolve.engine import mine_probabilities  # loads numba, which a hint does without

    chances = [float(chance) for chance in mine_probabilities(position).ravel()]
    lowest = min(chance for chance in chances if chance >= 0)  # NaN is not
    return [cell for cell, chance in enumerate(chances) if chance <= lowest + _EQUAL]


POLICIES = {
    policy.name: policy
    for policy in (
        Policy("safest", "the lowest chance of a mine; ties by the fewest covered neighbours, then the lowest index",
               lambda _: safest, compiled=True),
        Policy("random-safest", "the lowest chance of a mine; ties at random",
               lambda draws: lambda position: random_safest(position, draws), compiled=True),
    )
}
"""The policies that have names."""


def policy_named(policy: str | Choose) -> Policy:
    """Return a policy by its name in `POLICIES`, as ``module:function``, or from a function itself.

    ValueError if there is none.

    Examples
    --------
    >>> policy_named("safest").compiled, policy_named("minesolve.policy:safest").compiled
    (True, False)
    """
    if callable(policy):
        name = f"{getattr(policy, '__module__', None)}:{getattr(policy, '__qualname__', type(policy).__qualname__)}"
        return Policy(name, "a function", lambda _: policy)
    if policy in POLICIES:
        return POLICIES[policy]
    module, colon, function = policy.partition(":")
    if not (module and colon and function):
        raise ValueError(f"a policy is one of {', '.join(POLICIES)}, or module:function, not {policy!r}")
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"there is no policy {policy}: {error}") from None
    if not callable(found):
        raise ValueError(f"there is no policy {policy}: it is no function")
    return Policy(policy, "a function", lambda _: found)
