"""Games on boards of a seed, played to their ends by a policy.

A game opens its start, then every cell that is certainly safe, the total included, and where there is none the cell
that the policy chooses, until it is won or lost. The engine plays the policies it knows. Every other one, and what the
engine's arrays can't hold, is played here by the rules of `minesolve.game`, on the same boards.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from minesolve.draws import SplitMix64
from minesolve.game import Game
from minesolve.minefield import Minefield
from minesolve.policy import Choose, Policy, policy_named
from minesolve.position import COVERED, Position
from minesolve.request import OUTCOMES, Request
from minesolve.solve.analysis import analyse

if TYPE_CHECKING:
    from minesolve.engine import Games

__all__ = ["ENDS", "HARDEST", "Played", "play", "play_boards"]

HARDEST = (*OUTCOMES, "chance")
"""The hardest layer that a game can take; ``"chance"`` where a guess was made, or the start was a mine."""

ENDS = ("lost", "won", "lost on a true 50/50")

_SALT = 0x7469657361726566  # a policy draws from another seed than the board, as the engine does
_HALF_WITHIN = 1e-9


@dataclass(frozen=True, slots=True)
class Played:
    """How one game went.

    Attributes
    ----------
    end : int
        A number of `ENDS`.
    guesses : int
        The one that lost included; opening the start is none.
    survival, expected : float
        The product and the sum of the chances of survival of the guesses.
    """

    end: int
    guesses: int
    survival: float
    expected: float


def play(minefield: Minefield, start: int, choose: Choose, name: str = "the policy") -> Played:
    r"""Play one game to its end; `choose` is asked wherever no cell is certainly safe.

    Raises
    ------
    ValueError
        If `choose` returns anything but a covered cell; `name` is named then.

    Examples
    --------
    >>> from minesolve.policy import safest
    >>> play(Minefield.from_text(".*.\n...\n..."), 6, safest)
    Played(end=1, guesses=0, survival=1.0, expected=0.0)
    """
    from minesolve.engine import mine_probabilities  # loads numba

    game, guesses, survival, expected = Game(minefield), 0, 1.0, 0.0
    game.open(start)
    while game.status == "playing":
        position = game.position
        chances = mine_probabilities(position).ravel()
        safe = (chances == 0).nonzero()[0].tolist()
        if safe:
            for cell in safe:
                game.open(cell)
            continue
        cell = _checked(choose(position), position, name)
        guesses += 1
        survival *= 1 - float(chances[cell])
        expected += 1 - float(chances[cell])
        game.open(cell)
        if game.fatal:
            return Played(2 * _is_fifty(position, cell, float(chances[cell])), guesses, survival, expected)
    return Played(int(not game.fatal), guesses, survival, expected)


def _checked(cell: object, position: Position, name: str) -> int:
    try:
        index = operator.index(cell)  # type: ignore[arg-type]
    except TypeError:
        raise ValueError(f"{name} returned {cell!r}, not the index of a cell") from None
    if not 0 <= index < len(position.cells) or position.cells[index] != COVERED:
        raise ValueError(f"{name} returned {index}, which is no covered cell of\n{position}")
    return index


def _is_fifty(position: Position, cell: int, chance: float) -> bool:
    """Return whether a cell belongs to a true 50/50 of a position."""
    near = abs(chance - 0.5) < _HALF_WITHIN
    return near and any(cell in fifty.cells for fifty in analyse(position).fifties)


def play_boards(request: Request, policy: str | Choose, first: int, count: int) -> Games:
    """Play boards `first` to ``first + count - 1`` of a request; what comes back depends on nothing else.

    Examples
    --------
    >>> from minesolve.draws import LARGEST_RANGE
    >>> expert = Request(30, 16, 99, 0, "safe", 0, OUTCOMES, (0, LARGEST_RANGE))
    >>> len(play_boards(expert, "safest", 0, 5).ends)
    5
    """
    from minesolve import engine  # loads numba

    found, r = policy_named(policy), request
    games = engine.play_boards(
        r.width, r.height, r.mines, start=r.start, count=count, seed=r.seed, first=first, first_click=r.first_click,
        policy=found.name if found.compiled else "safest",
    )  # fmt: skip
    for i in range(count):
        asked = games.layers[i] == len(OUTCOMES) and games.guesses[i] > 0 and not found.compiled
        if asked or games.ends[i] < 0:
            _replay(request, found, first + i, games, i)
    return games


def _replay(request: Request, policy: Policy, index: int, games: Games, i: int) -> None:
    """Play a board by the rules of the game, and write how it went in the place of what the engine found."""
    import numpy as np

    from minesolve.engine import judge_minefield

    minefield, start = request.draw(index)
    played = play(minefield, start, policy.bind(SplitMix64(request.seed ^ _SALT, index)), policy.name)
    games.ends[i], games.guesses[i] = played.end, played.guesses
    games.survival[i], games.expected[i] = played.survival, played.expected
    games.layers[i] = len(OUTCOMES)
    if played.guesses == 0:
        mask = np.frombuffer(minefield.mines, dtype=bool).reshape(request.height, request.width)
        games.layers[i] = judge_minefield(mask, [start])[0]
