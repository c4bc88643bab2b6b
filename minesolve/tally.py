"""What is counted over games: whole numbers and a few sums, which add up to the same whatever the order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from minesolve.statistics import Estimate, mean, share

if TYPE_CHECKING:
    from minesolve.engine import Games

__all__ = ["Tally"]


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over the games of one policy.

    Attributes
    ----------
    layers : tuple of int
        Games by the hardest layer, numbered as in `minesolve.playing.HARDEST`; the last one takes a guess.
    guesses : tuple of int
        Games by the number of guesses.
    won, lost_on_fifty, lost_at_once : int
        Games that were won; lost on a true 50/50; lost because the start was a mine.
    bbbv, bbbv_squares : int
        Sums of the 3BV and its square.
    survival, survival_squares, expected : float
        Sums of the product of a game's chances of survival, of its square, and of the chances themselves.
    """

    layers: tuple[int, ...] = (0,) * 6
    guesses: tuple[int, ...] = ()
    won: int = 0
    lost_on_fifty: int = 0
    lost_at_once: int = 0
    bbbv: int = 0
    bbbv_squares: int = 0
    survival: float = 0.0
    survival_squares: float = 0.0
    expected: float = 0.0

    @classmethod
    def of(cls, games: Games) -> Tally:
        """Count games that were played."""
        import numpy as np

        lost_at_once = (games.ends == 0) & (games.guesses == 0)
        metric = games.bbbv.astype(np.int64)
        return cls(
            tuple(np.bincount(games.layers, minlength=6).tolist()), tuple(np.bincount(games.guesses).tolist()),
            int((games.ends == 1).sum()), int((games.ends == 2).sum()), int(lost_at_once.sum()), int(metric.sum()),
            int((metric * metric).sum()), math.fsum(games.survival), math.fsum(games.survival**2),
            math.fsum(games.expected),
        )  # fmt: skip

    @classmethod
    def total(cls, tallies: Iterable[Tally]) -> Tally:
        """Add up; the sums are rounded once, so that the order does not matter.

        Examples
        --------
        >>> parts = [Tally(guesses=(1,), survival=0.1), Tally(guesses=(0, 2), survival=0.2)]
        >>> Tally.total(parts) == Tally.total(reversed(parts)), Tally.total(parts).guesses
        (True, (1, 2))
        """
        several = list(tallies)
        sums: dict[str, Any] = {f.name: _sum([getattr(tally, f.name) for tally in several]) for f in fields(cls)}
        return cls(**sums)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Tally:
        """Read what `to_json` wrote."""
        names = [field.name for field in fields(cls)]
        values: dict[str, Any] = {name: tuple(v) if isinstance(v := found[name], list) else v for name in names}
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON values."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def boards(self) -> int:
        """How many games were played."""
        return sum(self.layers)

    @property
    def no_guess(self) -> int:
        """Games that took no guess."""
        return sum(self.layers[:-1])

    @property
    def made(self) -> int:
        """All guesses of all games."""
        return sum(number * games for number, games in enumerate(self.guesses))

    @property
    def survived(self) -> int:
        """Guesses that did not lose."""
        return self.made - (self.boards - self.won - self.lost_at_once)

    def share(self, count: int) -> Estimate:
        """Return a number of games as a share of all."""
        return share(count, self.boards)

    def mean_guesses(self) -> Estimate:
        """Return the guesses per game."""
        squares = sum(number * number * games for number, games in enumerate(self.guesses))
        return mean(self.made, squares, self.boards)


def _sum(values: Sequence[Any]) -> Any:
    """Add up numbers, or tuples place by place."""
    if not values:
        return 0
    if isinstance(values[0], tuple):
        longest = max(map(len, values))
        return tuple(sum(value[i] for value in values if i < len(value)) for i in range(longest))
    return math.fsum(values) if isinstance(values[0], float) else sum(values)
