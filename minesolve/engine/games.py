"""Playing games from Python: arrays made, and games that the small arrays can't hold played with larger ones."""

from __future__ import annotations

import threading
from dataclasses import dataclass, fields
from typing import cast

import numpy as np
from numpy.typing import NDArray

from minesolve.engine import guessing
from minesolve.engine.draws import unsigned
from minesolve.engine.judging import CAPACITIES, checked_click, desk_for
from minesolve.engine.look import Look, allocate_look
from minesolve.engine.play import NO_ROOM, UNSOUND, Desk
from minesolve.engine.value import stored_parameters

__all__ = ["Games", "look_for", "play_boards", "play_minefield", "scratch_for"]

_mine = threading.local()


@dataclass(frozen=True, slots=True)
class Games:
    """How games ended on boards of a seed; arrays by board.

    Attributes
    ----------
    starts : int32[count]
        The cell that was opened first.
    ends : int8[count]
        0 lost, 1 won, 2 lost on a true 50/50; below 0 if the arrays could not hold the game: then the other rows say
        nothing of it, but for the start and the 3BV.
    layers : int8[count]
        The hardest layer that the game took: 0 to 4 as in `Verdicts`, 5 if a guess was made or the start was a mine.
    guesses : int32[count]
        The guess that lost included; opening the start is none.
    bbbv : int32[count]
    survival, expected : float64[count]
        The product and the sum of the chances of survival of the guesses.
    """

    starts: NDArray[np.int32]
    ends: NDArray[np.int8]
    layers: NDArray[np.int8]
    guesses: NDArray[np.int32]
    bbbv: NDArray[np.int32]
    survival: NDArray[np.float64]
    expected: NDArray[np.float64]

    def part(self, which: slice) -> Games:
        """Return some of the games; the arrays are views."""
        return Games(*(getattr(self, field.name)[which] for field in fields(self)))


def _no_games(count: int) -> Games:
    def small() -> NDArray[np.int32]:
        return np.zeros(count, np.int32)

    return Games(small(), np.zeros(count, np.int8), np.zeros(count, np.int8), small(), small(), np.ones(count),
                 np.zeros(count))  # fmt: skip


def scratch_for(desk: Desk) -> guessing.Scratch:
    """Return arrays that belong to this thread."""
    if getattr(_mine, "places", None) != len(desk.board.words):
        _mine.places, _mine.scratch = len(desk.board.words), guessing.allocate_scratch(desk.board)
    return cast(guessing.Scratch, _mine.scratch)


def look_for(desk: Desk, policy: str) -> Look:
    """Return arrays that belong to this thread, and what a policy sets; those for the smallest desks are kept."""
    size, settings = (desk.board.width, desk.board.height), guessing.SETTINGS[policy]
    smallest = len(desk.states.keys) == CAPACITIES[0]
    if smallest and getattr(_mine, "size", None) == size:
        return cast(Look, _mine.look)._replace(settings=settings)
    look = allocate_look(desk, settings, stored_parameters())
    if smallest:
        _mine.size, _mine.look = size, look
    return look


def play_boards(
    width: int, height: int, mines: int, *, start: int | None, count: int, seed: int = 0, first: int = 0,
    first_click: str = "opening", policy: str = "safest", bits: int = 62,
) -> Games:  # fmt: skip
    """Play boards `first` to ``first + count - 1`` of a seed to their ends: certain moves first, else a guess.

    Parameters
    ----------
    width, height, mines : int
    start : int or None
        The cell that is opened first; None: drawn for each board.
    count, seed, first : int
        0 to 2**64 - 1 (seed and index).
    first_click : str
        ``"opening"``, ``"safe"`` or ``"any"``.
    policy : str
        ``"safest"``: the lowest chance of a mine, chances within 1e-9 being equal; ties by the fewest covered
        neighbours, then the lowest index. ``"random-safest"``: ties at random, by draws that depend on seed and index
        alone. ``"lookahead"``, ``"strong"``, ``"strong:2"``: by looking ahead
        (`minesolve.engine.look`), as far as `guessing.SETTINGS` says.
    bits : int
        The width of a packed state; smaller in tests.

    Raises
    ------
    ValueError
        If the mines don't fit or an argument makes no sense.

    Examples
    --------
    >>> games = play_boards(9, 9, 10, start=40, count=3, seed=7)
    >>> games.guesses.shape, bool(((games.survival > 0) & (games.survival <= 1)).all())
    ((3,), True)
    """
    click = checked_click(width, height, mines, start, first_click)
    if count < 0 or not 0 <= seed < 2**64 or not 0 <= first <= 2**64 - count:
        raise ValueError("seed and index are from 0 to 2**64 - 1")
    _check_policy(policy)

    def play(capacity: int, begin: int, games: Games) -> None:
        desk = desk_for(width, height, capacity, bits)
        place = -1 if start is None else int(desk.board.places[start])
        _play(desk, policy, mines, place, click, seed, first + begin, games)

    games = _no_games(count)
    if count:
        play(CAPACITIES[0], 0, games)
    for capacity in CAPACITIES[1:]:
        for i in np.flatnonzero(games.ends == NO_ROOM).tolist():
            play(capacity, i, games.part(slice(i, i + 1)))
    return games


def play_minefield(
    mask: NDArray[np.bool_], start: int, *, policy: str = "safest", seed: int = 0, index: int = 0
) -> Games:  # fmt: skip
    """Play one minefield, a (height, width) array that is true on mines; return that one game.

    Seed and index are what ``"random-safest"`` draws by. The rest is as for `play_boards`.

    Examples
    --------
    >>> mask = np.zeros((3, 5), dtype=bool)
    >>> mask[0, 4] = True
    >>> int(play_minefield(mask, 10).ends[0])
    1
    """
    mask = np.asarray(mask)
    if mask.ndim != 2 or mask.dtype != np.bool_ or not 0 <= start < mask.size:
        raise ValueError("expected a two-dimensional array of booleans, (height, width), and a start on it")
    _check_policy(policy)
    games = _no_games(1)
    for capacity in CAPACITIES:
        desk = desk_for(mask.shape[1], mask.shape[0], capacity)
        laid = desk.board.places[mask.ravel()]
        desk.board.drawn[: len(laid)] = laid
        _play(desk, policy, len(laid), int(desk.board.places[start]), guessing.LAID, seed, index, games)
        if games.ends[0] != NO_ROOM:
            break
    return games


def _check_policy(policy: str) -> None:
    if policy not in guessing.POLICIES:
        raise ValueError(f"a compiled policy is one of {', '.join(guessing.POLICIES)}, not {policy!r}")


def _play(desk: Desk, policy: str, mines: int, place: int, click: int, seed: int, first: int, games: Games) -> None:
    look = look_for(desk, policy) if policy in guessing.SETTINGS else None
    guessing.play_games(
        desk, scratch_for(desk), look, policy == "random-safest", mines, place, click, unsigned(seed), unsigned(first),
        games.starts, games.ends, games.layers, games.guesses, games.bbbv, games.survival, games.expected,
    )  # fmt: skip
    if (games.ends == UNSOUND).any():
        raise AssertionError("the engine called a mine safe; please report the board")
