"""How often a board needs a guess, how often it is won, and which of two policies wins more often.

Every figure has a 95 % interval and can be made again: the boards are those of `Minefield.random` with the same seed,
and the result depends on neither workers nor machine.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from minesolve.draws import LARGEST_RANGE
from minesolve.levels import standard_level
from minesolve.minefield import FirstClick, Start, start_cell
from minesolve.playing import HARDEST
from minesolve.policy import Choose
from minesolve.request import OUTCOMES, Request, board_size
from minesolve.runs import UNTIL_BOARDS, Counts, Place, Plan, run
from minesolve.statistics import Estimate, mcnemar, mean, paired_difference, share, trials_to_settle
from minesolve.tally import Tally

__all__ = ["BOARDS", "Comparison", "Measurement", "board_request", "compare", "comparisons", "measure",
           "measurements", "plan"]  # fmt: skip

BOARDS = 10_000
"""Boards that are played where no number is given."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was counted over the games of one policy on one kind of board. Shares are of all boards.

    Attributes
    ----------
    request : Request
        The boards: size, mines, start (None: random), first click, seed.
    policy : str
    tally : Tally
    """

    request: Request
    policy: str
    tally: Tally

    @property
    def board(self) -> str:
        """The level's name, or width, height and mines as ``30x16/99``."""
        r = self.request
        level = standard_level(r.width, r.height)
        return level.name if level and level.mines == r.mines else f"{r.width}x{r.height}/{r.mines}"

    @property
    def start(self) -> str:
        """The cell that is opened first, such as ``r8c15``, or ``random``."""
        cell = self.request.start
        return "random" if cell is None else f"r{cell // self.request.width + 1}c{cell % self.request.width + 1}"

    @property
    def boards(self) -> int:
        """How many boards were played."""
        return self.tally.boards

    @property
    def no_guess_share(self) -> Estimate:
        """Boards that need no guess, with the mine total."""
        return self.tally.share(self.tally.no_guess)

    @property
    def no_guess_without_total_share(self) -> Estimate:
        """Boards that need no guess even if the mine total is never used."""
        return self.tally.share(sum(self.tally.layers[:4]))

    @property
    def win_share(self) -> Estimate:
        """Boards that were won."""
        return self.tally.share(self.tally.won)

    @property
    def lost_on_fifty_share(self) -> Estimate:
        """Boards that were lost by guessing in a true 50/50."""
        return self.tally.share(self.tally.lost_on_fifty)

    @property
    def lost_at_once_share(self) -> Estimate:
        """Boards whose start was a mine, which first click ``any`` allows."""
        return self.tally.share(self.tally.lost_at_once)

    @property
    def guesses_per_game(self) -> Estimate:
        """The mean number of guesses, the one that lost included."""
        return self.tally.mean_guesses()

    @property
    def guesses(self) -> dict[int, Estimate]:
        """The share of boards by the number of guesses."""
        return {number: self.tally.share(count) for number, count in enumerate(self.tally.guesses)}

    @property
    def layers(self) -> dict[str, Estimate]:
        """The share of boards by the hardest layer needed."""
        return {name: self.tally.share(n) for name, n in zip(HARDEST, self.tally.layers, strict=True)}

    @property
    def bbbv(self) -> Estimate:
        """The mean 3BV."""
        return mean(self.tally.bbbv, self.tally.bbbv_squares, self.boards)

    @property
    def survival(self) -> Estimate:
        """The mean, over boards, of the product of the chances of survival of the guesses made."""
        return mean(self.tally.survival, self.tally.survival_squares, self.boards)

    @property
    def guesses_survived(self) -> Estimate:
        """The share of guesses that did not lose (of all guesses, not of boards)."""
        return share(self.tally.survived, self.tally.made)

    @property
    def guesses_expected(self) -> float:
        """The share of guesses that should not lose by their exact chances; NaN if there was no guess."""
        return self.tally.expected / self.tally.made if self.tally.made else float("nan")

    def to_json(self) -> dict[str, Any]:
        """Return all figures as JSON values; what can't be told is None."""
        r = self.request
        figures = {name: _json(getattr(self, name)) for name in _FIGURES}
        return {
            "board": self.board, "width": r.width, "height": r.height, "mines": r.mines, "first_click": r.first_click,
            "start": self.start, "seed": r.seed, "policy": self.policy, "boards": self.boards, **figures,
            "guesses_expected": self.guesses_expected if self.tally.made else None,
            "guesses": {str(number): _json(estimate) for number, estimate in self.guesses.items()},
            "layers": {name: _json(estimate) for name, estimate in self.layers.items()},
        }  # fmt: skip


_FIGURES = ("no_guess_share", "no_guess_without_total_share", "win_share", "lost_on_fifty_share", "lost_at_once_share",
            "guesses_per_game", "bbbv", "survival", "guesses_survived")  # fmt: skip


def _json(estimate: Estimate) -> dict[str, Any]:
    """Return a value and its interval; None in the place of numbers that JSON does not have."""
    finite = [value if math.isfinite(value) else None for value in (estimate.value, *estimate.interval)]
    return {"value": finite[0], "interval": finite[1:]}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two policies on the same boards.

    Attributes
    ----------
    first, second : Measurement
    pairs : tuple of int
        Boards won by both, by the first alone, by the second alone, by none.
    """

    first: Measurement
    second: Measurement
    pairs: tuple[int, ...]

    @property
    def boards(self) -> int:
        """How many boards each of the two played."""
        return self.first.boards

    @property
    def difference(self) -> Estimate:
        """The share that the first wins less that of the second, paired."""
        return paired_difference(self.pairs[1], self.pairs[2], self.boards)

    @property
    def chance(self) -> float:
        """The chance of a difference at least this large if the two were alike (McNemar's test)."""
        return mcnemar(self.pairs[1], self.pairs[2])

    @property
    def settled(self) -> bool:
        """Whether the interval of the difference leaves out zero."""
        low, high = self.difference.interval
        return low > 0 or high < 0

    @property
    def boards_to_settle(self) -> int | None:
        """How many boards tell a difference of this size from none in four runs of five; None if there is none."""
        return trials_to_settle(self.pairs[1], self.pairs[2], self.boards)

    def to_json(self) -> dict[str, Any]:
        """Return all figures as JSON values."""
        names = ("won_by_both", "won_by_first_alone", "won_by_second_alone", "won_by_none")
        return {
            "boards": self.boards, "difference": _json(self.difference), "chance_if_alike": self.chance,
            "settled": self.settled, "boards_to_settle": self.boards_to_settle,
            **dict(zip(names, self.pairs, strict=True)), "first": self.first.to_json(), "second": self.second.to_json(),
        }  # fmt: skip


def board_request(
    level: str | None, *, width: int | None = None, height: int | None = None, mines: int | None = None,
    start: Start = "centre", first_click: FirstClick = "opening", seed: int = 0,
) -> Request:  # fmt: skip
    """Return which boards are meant; ValueError or GenerationFailed if there are none."""
    columns, rows, total = board_size(level, (width, height, mines))
    cell = None if start == "random" else start_cell(columns, rows, start)
    return Request(columns, rows, total, cell, first_click, seed, OUTCOMES, (0, LARGEST_RANGE))


def plan(
    requests: Sequence[Request], policies: Sequence[str | Choose], boards: int | None, until_ci: float | None
) -> Plan:
    """Return what is to be played; ValueError if it makes no sense."""
    if boards is None:
        boards = BOARDS if until_ci is None else UNTIL_BOARDS
    if not 1 <= boards <= 2**40:
        raise ValueError(f"boards are from 1 to 2**40, not {boards}")
    if until_ci is not None and not 0 < until_ci < 1:
        raise ValueError(f"the width of an interval of a share is between 0 and 1, not {until_ci}")
    return Plan(tuple(requests), tuple(policies), boards, until_ci)


def measurements(planned: Plan, counts: Sequence[Counts]) -> list[list[Measurement]]:
    """Return the measurements of each request, one a policy."""
    return [
        [Measurement(request, name, tally) for name, tally in zip(planned.names, found.tallies, strict=True)]
        for request, found in zip(planned.requests, counts, strict=True)
    ]


def comparisons(planned: Plan, counts: Sequence[Counts]) -> list[Comparison]:
    """Return the comparison of the two policies on each request."""
    found = zip(measurements(planned, counts), counts, strict=True)
    return [Comparison(first, second, counted.pairs) for (first, second), counted in found]


def measure(
    level: str | None = None, *, boards: int | None = None, seed: int = 0, start: Start = "centre",
    first_click: FirstClick = "opening", policy: str | Choose = "safest", width: int | None = None,
    height: int | None = None, mines: int | None = None, until_ci: float | None = None, workers: int = 1,
    scheduler: str | None = None, out: str | os.PathLike[str] | None = None,
    games: str | os.PathLike[str] | None = None, overwrite: bool = False,
) -> Measurement:  # fmt: skip
    """Play boards of a seed and return how often they need a guess and are won, with intervals.

    Parameters
    ----------
    level : str
        ``"beginner"``, ``"intermediate"`` or ``"expert"``; or else give `width`, `height` and `mines`.
    boards : int
        How many: boards 0, 1, 2, ... of the seed. 10,000 if left out; with `until_ci` a hundred million.
    start : int or str
        The cell that is opened first: an index, a name such as ``"r8c15"``, ``"centre"``, ``"corner"``, ``"random"``.
    first_click : str
        ``"opening"``, ``"safe"`` or ``"any"``, as in `minesolve.minefield`.
    policy : str or callable
        How to guess: a name in `minesolve.policy.POLICIES` (``"safest"``, ``"random-safest"``, ``"lookahead"``,
        ``"strong"``, ``"strong:2"``), ``"module:function"``, or a function that takes a `Position` in
        which no cell is certainly safe and returns the cell to open (some 100 to 200 games a second).
    until_ci : float
        Stop when the intervals of the shares without a guess and won are at most so wide.
    workers : int
        Threads; the result does not depend on them. A function in Python gains nothing by them.
    scheduler : str
        The address of a Dask scheduler, ``"tcp://host:port"``, whose workers are used instead.
    out : path
        A run file that grows as boards are played; the same call goes on with it. `overwrite` starts it anew.
    games : path
        A Parquet file with a row for each game, see `minesolve.parquet`.

    Raises
    ------
    ValueError
        If an argument makes no sense, or `out` holds another run.
    GenerationFailed
        If there are more mines than fit.

    Examples
    --------
    >>> found = measure("beginner", boards=500)
    >>> found.boards, 0.85 < float(found.no_guess_share) < 0.95, found.win_share.interval[1] <= 1
    (500, True, True)
    """
    request = board_request(level, width=width, height=height, mines=mines, start=start, first_click=first_click,
                            seed=seed)  # fmt: skip
    planned = plan([request], [policy], boards, until_ci)
    counts = run(planned, Place(_checked(workers), scheduler, out, games, overwrite))
    return measurements(planned, counts)[0][0]


def compare(
    level: str | None, first: str | Choose, second: str | Choose, *, boards: int | None = None, seed: int = 0,
    start: Start = "centre", first_click: FirstClick = "opening", width: int | None = None,
    height: int | None = None, mines: int | None = None, until_ci: float | None = None, workers: int = 1,
    scheduler: str | None = None, out: str | os.PathLike[str] | None = None,
    games: str | os.PathLike[str] | None = None, overwrite: bool = False,
) -> Comparison:  # fmt: skip
    """Play the same boards with two policies and return the difference of their shares won, paired.

    Everything but the policies is as for `measure`.

    Examples
    --------
    >>> found = compare("beginner", "safest", "random-safest", boards=500, first_click="safe", start="corner")
    >>> sum(found.pairs), found.difference.interval[0] < float(found.difference) < found.difference.interval[1]
    (500, True)
    """
    request = board_request(level, width=width, height=height, mines=mines, start=start, first_click=first_click,
                            seed=seed)  # fmt: skip
    planned = plan([request], [first, second], boards, until_ci)
    counts = run(planned, Place(_checked(workers), scheduler, out, games, overwrite))
    return comparisons(planned, counts)[0]


def _checked(workers: int) -> int:
    if workers < 1:
        raise ValueError(f"workers are at least 1, not {workers}")
    return workers
