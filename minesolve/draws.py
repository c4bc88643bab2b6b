"""Random draws that are the same for ever: SplitMix64, its state hashed from a seed and an index.

Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. The compiled engine draws the same
numbers from the same definition, so board ``index`` of ``seed`` is one board in both.
"""

from __future__ import annotations

__all__ = ["LARGEST_RANGE", "SplitMix64"]

_MASK = (1 << 64) - 1
_GAMMA = 0x9E3779B97F4A7C15

LARGEST_RANGE = 1 << 24
"""The most values that `SplitMix64.below` chooses between, and so the most cells of a random board."""


def _mix(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


class SplitMix64:
    """The stream of draws number ``index`` of ``seed``.

    Parameters
    ----------
    seed, index : int
        Each from 0 to 2**64 - 1; ValueError otherwise, so that no two seeds mean the same stream unnoticed.

    Examples
    --------
    >>> draws = SplitMix64(seed=1, index=0)
    >>> draws.next() != draws.next(), 0 <= draws.below(9) < 9
    (True, True)
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int, index: int = 0):
        for name, value in (("seed", seed), ("index", index)):
            if not 0 <= value <= _MASK:
                raise ValueError(f"the {name} must be from 0 to 2**64 - 1, not {value}")
        self._state = _mix((_mix((seed + _GAMMA) & _MASK) + index) & _MASK)

    def next(self) -> int:
        """Return the next number, from 0 to 2**64 - 1."""
        self._state = (self._state + _GAMMA) & _MASK
        return _mix(self._state)

    def below(self, n: int) -> int:
        """Return a draw from 0 to n - 1; ValueError unless n is from 1 to `LARGEST_RANGE`.

        It is the high half of the 128-bit product of a draw and n. A value's chance differs from 1/n by less than
        2**-64, which is less than 2**-40 of it at the largest n.
        """
        if not 1 <= n <= LARGEST_RANGE:
            raise ValueError(f"a draw is among 1 to {LARGEST_RANGE} values, not {n}")
        return (self.next() * n) >> 64
