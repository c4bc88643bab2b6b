"""Shares, means and paired differences: their intervals, and how people read them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["Estimate", "mcnemar", "mean", "paired_difference", "per_cent", "share", "trials_to_settle", "wilson"]

_Z95 = 1.959963984540054  # two-sided 95 % point of the normal distribution
_Z80 = 0.8416212335729143  # 80 % point: a difference that is there is found in four runs of five


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value that was measured, with its 95 % interval; ``float()`` gives the value.

    Attributes
    ----------
    value : float
        NaN if there was nothing to measure it by.
    interval : tuple of float
    """

    value: float
    interval: tuple[float, float]

    def __float__(self) -> float:
        return self.value

    @property
    def width(self) -> float:
        """The width of the interval."""
        return self.interval[1] - self.interval[0]


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a share after Wilson (1927, J. Am. Stat. Assoc. 22, 209-212).

    Raises ValueError unless ``0 <= successes <= trials``; no trials at all tell nothing: (0, 1).

    Examples
    --------
    >>> low, high = wilson(0, 100)
    >>> low, round(high, 4)
    (0.0, 0.037)
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials")
    if trials == 0:
        return 0.0, 1.0
    share, z2 = successes / trials, _Z95 * _Z95
    middle = share + z2 / (2 * trials)
    spread = _Z95 * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials))
    scale = 1 + z2 / trials
    low = 0.0 if successes == 0 else (middle - spread) / scale
    high = 1.0 if successes == trials else (middle + spread) / scale
    return low, high


def share(successes: int, trials: int) -> Estimate:
    """Return a share with its interval after Wilson.

    Examples
    --------
    >>> float(share(1, 4)), share(0, 0).interval
    (0.25, (0.0, 1.0))
    """
    return Estimate(successes / trials if trials else math.nan, wilson(successes, trials))


def mean(total: float, squares: float, count: int) -> Estimate:
    """Return a mean, from the sum of the values and that of their squares, with the normal distribution's interval.

    With fewer than two values there is no telling how they spread: the interval is infinite.

    Examples
    --------
    >>> float(mean(6, 14, 3)), mean(2, 4, 1).interval
    (2.0, (-inf, inf))
    """
    if count < 2:
        return Estimate(total / count if count else math.nan, (-math.inf, math.inf))
    middle = total / count
    spread = _Z95 * math.sqrt(max(squares - total * middle, 0.0) / (count - 1) / count)
    return Estimate(middle, (middle - spread, middle + spread))


def paired_difference(only_first: int, only_second: int, trials: int) -> Estimate:
    """Return the difference of two shares in the same trials, from those in which only one of the two succeeded.

    The interval is that of Agresti and Min (2005, Statistics in Medicine 24, 729-740): half a trial is added to each of
    the four outcomes, so that it holds its level with few trials, too, and is never a single point.

    Examples
    --------
    >>> found = paired_difference(30, 10, 1000)
    >>> float(found), found.interval[0] > 0
    (0.02, True)
    """
    n, first, second = trials + 2, only_first + 0.5, only_second + 0.5
    middle = (first - second) / n
    spread = _Z95 * math.sqrt((first + second) / n - middle * middle) / math.sqrt(n)
    value = (only_first - only_second) / trials if trials else math.nan
    return Estimate(value, (max(middle - spread, -1.0), min(middle + spread, 1.0)))


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the chance of a difference at least this large between two that are alike: McNemar's test.

    Exact, by the binomial distribution, up to 2,000 trials in which only one of the two succeeded; above that by the
    normal distribution with continuity correction, where the two agree.

    Examples
    --------
    >>> mcnemar(1, 4), mcnemar(5, 5)
    (0.375, 1.0)
    """
    n, least = only_first + only_second, min(only_first, only_second)
    if n <= 2000:
        return min(1.0, float(Fraction(sum(math.comb(n, k) for k in range(least + 1)), 2 ** max(n - 1, 0))))
    return math.erfc(max(abs(only_first - only_second) - 1, 0) / math.sqrt(2 * n))


def trials_to_settle(only_first: int, only_second: int, trials: int) -> int | None:
    """Return how many trials it takes to tell a difference of this size from none; None if there is no difference.

    With so many, four runs of five give a 95 % interval without zero (Connor 1987, Biometrics 43, 207-211), if the
    shares are those of these trials.

    Examples
    --------
    >>> trials_to_settle(60, 40, 1000)
    1960
    """
    if only_first == only_second:
        return None
    either, difference = (only_first + only_second) / trials, abs(only_first - only_second) / trials
    root = _Z95 * math.sqrt(either) + _Z80 * math.sqrt(either - difference * difference)
    return math.ceil((root / difference) ** 2)


def per_cent(chance: Fraction, decimals: int = 0) -> str:
    """Return a chance in per cent, without the sign; ``0`` and ``100`` only where it is exactly that.

    Rounds half to even, exactly. What would round to 0 or 100 is written as a bound.

    Examples
    --------
    >>> [per_cent(Fraction(n, 10_000)) for n in (0, 3, 867, 9_997, 10_000)]
    ['0', '<1', '9', '>99', '100']
    >>> per_cent(Fraction(867, 10_000), decimals=1), per_cent(Fraction(1, 10_000), decimals=1)
    ('8.7', '<0.1')
    """
    if chance in (0, 1):
        return str(100 * int(chance))
    scale = 10**decimals
    rounded = round(chance * 100 * scale)
    sign, shown = ("<", 1) if rounded == 0 else (">", 100 * scale - 1) if rounded == 100 * scale else ("", rounded)
    whole, rest = divmod(shown, scale)
    return f"{sign}{whole}.{rest:0{decimals}}" if decimals else f"{sign}{whole}"
