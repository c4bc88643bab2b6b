"""Shares and their intervals."""

from __future__ import annotations

import math

__all__ = ["wilson"]

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
