"""Shares: their intervals, and how people read them."""

from __future__ import annotations

import math
from fractions import Fraction

__all__ = ["per_cent", "wilson"]

_Z95 = 1.959963984540054  # two-sided 95 % point of the normal distribution


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
