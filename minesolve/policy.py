"""Which cell to open when nothing is certain.

Three policies advise on one position (`guess`), each under the name by which it can be measured:

- ``strong``: where few enough layouts remain, the game is searched to its end for the cell that wins most of them.
  Otherwise each promising cell is supposed to be opened, then the next one, and what their numbers would say is weighed
  exactly; what such a position is worth was learned from play.
- ``lookahead``: the same one step ahead, with the end searched where still fewer layouts remain.
- ``safest``: the lowest chance of a mine.

The first two run on the engine and take the mine total. Without one, and where the engine's arrays can't hold a
position, the guess is that of ``safest``, and says so.

A policy for many games is a function from a position without a safe cell to a cell; those that have names stand in
`POLICIES`.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from minesolve.draws import SplitMix64
from minesolve.errors import BudgetExceeded
from minesolve.position import COVERED, FLAG, Position
from minesolve.solve.analysis import Analysis
from minesolve.solve.fifty import Fifty

__all__ = ["ADVISERS", "EFFORTS", "POLICIES", "Candidate", "Choose", "Guess", "Policy", "check_adviser", "guess",
           "lookahead", "policy_named", "random_safest", "safest", "strong"]  # fmt: skip

ADVISERS = ("strong", "lookahead", "safest")
"""The policies that advise on one position."""

EFFORTS = (1, 2)
"""How hard ``strong`` may think."""

_EQUAL = 1e-9  # figures of the engine that are no further apart count as equal
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
        The chance of winning by optimal play if it is opened first, where the game was searched to its end.
    win_estimate : float or None
        The same as far as the policy can estimate it, where the game was not.
    follow_up : float or None
        The chance that it is safe and that a cell is certainly safe afterwards, where that was looked into.
    """

    cell: int
    chance: Fraction
    win: Fraction | None = None
    win_estimate: float | None = None
    follow_up: float | None = None


@dataclass(frozen=True, slots=True)
class Guess:
    """The advice where nothing is certain.

    Attributes
    ----------
    candidates : tuple of Candidate
        The cell to open, then the best of the others; the safest cell is always among them.
    decided_by : str
        What put the first before the second: ``"win"``, the exact chance of winning; ``"estimate"``, the estimated one;
        ``"chance"``, that of a mine; ``"follow-up"``, that of a certain move afterwards; ``"order"`` where they are
        alike; or ``"only"``.
    tied : int
        How many cells are as safe as the one advised.
    layouts : int
        Layouts of the position.
    fifties : tuple of Fifty
        The true 50/50s: waiting can't help there.
    policy : str
        The policy that was followed.
    effort : int
    trouble : str
        Why that is not the policy that was asked for; empty if it is.
    winners : tuple of int
        The cells that win as often as the one advised, it included, ascending; empty where that is not known exactly.
    """

    candidates: tuple[Candidate, ...]
    decided_by: str
    tied: int
    layouts: int
    fifties: tuple[Fifty, ...]
    policy: str
    effort: int = 1
    trouble: str = ""
    winners: tuple[int, ...] = ()

    @property
    def best(self) -> Candidate:
        """The cell to open."""
        return self.candidates[0]

    @property
    def exact(self) -> bool:
        """Whether the game was searched to its end."""
        return self.best.win is not None


def check_adviser(policy: str, effort: int) -> None:
    """Raise ValueError unless a policy can advise on one position with so much effort.

    Examples
    --------
    >>> check_adviser("strong", 2)
    >>> check_adviser("lookahead", 2)
    Traceback (most recent call last):
    ValueError: an effort other than 1 goes with strong alone, not with lookahead
    """
    if policy not in ADVISERS:
        raise ValueError(f"the policy of a hint is one of {', '.join(ADVISERS)}, not {policy!r}")
    if effort not in EFFORTS:
        raise ValueError(f"the effort is {' or '.join(map(str, EFFORTS))}, not {effort!r}")
    if effort != 1 and policy != "strong":
        raise ValueError(f"an effort other than 1 goes with strong alone, not with {policy}")


def guess(analysis: Analysis, *, policy: str = "strong", effort: int = 1) -> Guess | None:
    r"""Return the advised guess of a position without a safe cell; None if it has no cell left to open.

    Parameters
    ----------
    analysis : Analysis
    policy : str
        One of `ADVISERS`. All but ``"safest"`` load the engine.
    effort : int
        How hard ``"strong"`` thinks, one of `EFFORTS`. The same position, policy and effort give the same guess on any
        machine, however busy it is.

    Raises
    ------
    BudgetExceeded
        If a component is too wide to be counted.
    ValueError
        If the total is unknown and no density given, so that there are no chances, if a cell is certainly safe, or if
        there is no such policy or effort.

    Examples
    --------
    >>> from minesolve.solve.analysis import analyse
    >>> found = guess(analyse(Position.from_text("1##\n###", mines=2)), policy="safest")
    >>> found.best.cell, found.best.chance, found.tied, found.decided_by
    (3, Fraction(1, 3), 3, 'order')
    """
    check_adviser(policy, effort)
    if analysis.safe:
        raise ValueError("a cell is certainly safe: no guess is needed")
    if analysis.position.mines is None and analysis.density is None:
        raise ValueError("chances need the mine total or a density")
    chances = {cell: chance for cell, chance in enumerate(analysis.chances) if chance is not None and chance < 1}
    if not chances:
        return None
    candidates, trouble = _by_engine(analysis, chances, policy, effort)
    if not candidates:
        candidates, policy, effort = _by_safety(analysis.position, chances), "safest", 1
    best = candidates[0]
    return Guess(
        _promising(candidates, chances), _decision(candidates), sum(map(best.chance.__eq__, chances.values())),
        analysis.layouts, analysis.fifties, policy, effort, trouble,
        tuple(sorted(c.cell for c in candidates if c.win == best.win is not None)),
    )  # fmt: skip


def _by_engine(
    analysis: Analysis, chances: Mapping[int, Fraction], policy: str, effort: int
) -> tuple[list[Candidate], str]:
    """Return the candidates as the engine ranks them; or none, and why."""
    if policy == "safest":
        return [], ""
    position = analysis.position
    if position.mines is None:
        return [], "looking ahead takes the mine total"
    from minesolve.engine import advise  # loads numba, which certain moves do without

    try:
        found = advise(position, policy=policy, effort=effort, trust_flags=analysis.trust_flags)
    except BudgetExceeded as error:
        return [], str(error)
    rows = zip(found.cells.tolist(), found.wins.tolist(), found.follow_ups.tolist(), strict=True)
    if found.won is None or found.layouts is None:
        return [Candidate(cell, chances[cell], None, _known(win), _known(follows)) for cell, win, follows in rows], ""
    wins = [Fraction(won, found.layouts) for won in found.won.tolist()]
    return [
        Candidate(cell, chances[cell], win, None, _known(follows))
        for (cell, _, follows), win in zip(rows, wins, strict=True)
    ], ""


def _known(figure: float) -> float | None:
    return None if math.isnan(figure) else figure


def _by_safety(position: Position, chances: Mapping[int, Fraction]) -> list[Candidate]:
    """Return the candidates as `safest` ranks them."""
    ranked = sorted(chances, key=lambda cell: (chances[cell], _covered_around(position, cell), cell))
    return [Candidate(cell, chances[cell]) for cell in ranked]


def _covered_around(position: Position, cell: int) -> int:
    return sum(position.cells[n] in (COVERED, FLAG) for n in position.grid.neighbours(cell))


def _promising(candidates: Sequence[Candidate], chances: Mapping[int, Fraction]) -> tuple[Candidate, ...]:
    """Return the first candidates, and the safest cell if it is not among them."""
    first = tuple(candidates[: _RUNNERS_UP + 1])
    lowest = min(chances.values())
    if any(candidate.chance == lowest for candidate in first):
        return first
    looked = next((candidate for candidate in candidates if candidate.chance == lowest), None)
    return *first, looked or Candidate(min(cell for cell in chances if chances[cell] == lowest), lowest)


def _decision(candidates: Sequence[Candidate]) -> str:
    """Return the first figure, in the order of their weight, by which the first candidate is above the second."""
    if len(candidates) == 1:
        return "only"
    first, second = candidates[:2]
    if (first.win or 0) > (second.win or 0):
        return "win"
    if (first.win_estimate or 0) > (second.win_estimate or 0) + _EQUAL:
        return "estimate"
    if first.chance < second.chance:
        return "chance"
    return "follow-up" if (first.follow_up or 0) > (second.follow_up or 0) + _EQUAL else "order"


Choose = Callable[[Position], int]
"""Takes a position in which no cell is certainly safe, and returns the cell to open."""

_BY_HAND = 20


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
    games : int
        How many games make a piece of work of a few seconds.
    """

    name: str
    says: str
    bind: Callable[[SplitMix64], Choose]
    compiled: bool = False
    games: int = _BY_HAND


def safest(position: Position) -> int:
    r"""Return the cell with the lowest chance of a mine; ties by the fewest covered neighbours, then the lowest index.

    Chances within 1e-9 count as equal. Raises what `minesolve.mine_probabilities` does, and ValueError if no cell is
    covered.

    Examples
    --------
    >>> safest(Position.from_text("2##\n###", mines=2))
    2
    """
    return min(_tied(position), key=lambda cell: (_covered_around(position, cell), cell))


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


def lookahead(position: Position) -> int:
    r"""Return the cell with the best prospects one step ahead; where the engine can't hold that, the safest.

    Raises what `minesolve.mine_probabilities` does.

    Examples
    --------
    >>> lookahead(Position.from_text("1#\n1#", mines=1)) in (1, 3)
    True
    """
    return _first(position, "lookahead", 1)


def strong(position: Position, effort: int = 1) -> int:
    r"""Return the cell that wins most as far as can be told; where the engine can't hold that, the safest.

    Raises what `minesolve.mine_probabilities` does.

    Examples
    --------
    >>> strong(Position.from_text("1#\n1#", mines=1)) in (1, 3)
    True
    """
    return _first(position, "strong", effort)


def _first(position: Position, policy: str, effort: int) -> int:
    from minesolve.engine import advise  # loads numba

    try:
        return int(advise(position, policy=policy, effort=effort).cells[0])
    except BudgetExceeded:
        return safest(position)


_AHEAD = "the end of the game searched exactly where that can be, else looking {} ahead by a value learned from play"
_STRONG = _AHEAD.format("two steps")
POLICIES = {
    policy.name: policy
    for policy in (
        Policy("safest", "the lowest chance of a mine; ties by the fewest covered neighbours, then the lowest index",
               lambda _: safest, compiled=True, games=10_000),
        Policy("random-safest", "the lowest chance of a mine; ties at random",
               lambda draws: lambda position: random_safest(position, draws), compiled=True, games=10_000),
        Policy("lookahead", _AHEAD.format("one step"), lambda _: lookahead, compiled=True, games=2_000),
        Policy("strong", _STRONG, lambda _: strong, compiled=True, games=100),
        Policy("strong:2", f"{_STRONG}, with more effort", lambda _: partial(strong, effort=2), compiled=True),
    )
}
"""The policies that have names."""


def policy_named(policy: str | Choose) -> Policy:
    """Return a policy by its name in `POLICIES`, as ``module:function``, or from a function itself.

    ``strong:1`` is ``strong``. ValueError if there is none.

    Examples
    --------
    >>> policy_named("safest").compiled, policy_named("minesolve.policy:safest").compiled
    (True, False)
    >>> policy_named("strong:1").name, policy_named("strong:2").name
    ('strong', 'strong:2')
    """
    if callable(policy):
        name = f"{getattr(policy, '__module__', None)}:{getattr(policy, '__qualname__', type(policy).__qualname__)}"
        return Policy(name, "a function", lambda _: policy)
    if policy in POLICIES or policy == "strong:1":
        return POLICIES[policy.removesuffix(":1")]
    module, colon, function = policy.partition(":")
    if module in POLICIES and colon and not function.isidentifier():
        raise ValueError(f"an effort goes with strong alone, as strong:1 to strong:{EFFORTS[-1]}, not {policy!r}")
    if not (module and colon and function):
        raise ValueError(f"a policy is one of {', '.join(POLICIES)}, or module:function, not {policy!r}")
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"there is no policy {policy}: {error}") from None
    if not callable(found):
        raise ValueError(f"there is no policy {policy}: it is no function")
    return Policy(policy, "a function", lambda _: found)
