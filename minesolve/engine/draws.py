"""The random numbers of boards, and the mines drawn with them.

SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014), its state hashed from
(seed, index), so that board i of seed s is one fixed board for ever. Draws are bounded by the high half of a product
of 64 bits by n; the bias is below n / 2**64. All arithmetic is modulo 2**64: on uint64 when compiled, on Python's
integers with a mask when not.
"""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from typing import Any

import numpy as np

from minesolve.engine.compiling import COMPILED, inline_kernel, kernel

__all__ = ["below", "first_state", "next_state", "share", "shuffle_mines", "unsigned"]

unsigned: Any = np.uint64 if COMPILED else int
"""The type that kernels take seeds and indices in."""

_GOLDEN = unsigned(0x9E3779B97F4A7C15)
_FIRST = unsigned(0xBF58476D1CE4E5B9)
_SECOND = unsigned(0x94D049BB133111EB)
_ALL = unsigned(0xFFFFFFFFFFFFFFFF)
_LOW = unsigned(0xFFFFFFFF)
_11, _27, _30, _31, _32 = unsigned(11), unsigned(27), unsigned(30), unsigned(31), unsigned(32)


@inline_kernel
def mix(z: int) -> int:
    """Return 64 bits scrambled."""
    z = ((z ^ (z >> _30)) * _FIRST) & _ALL
    z = ((z ^ (z >> _27)) * _SECOND) & _ALL
    return z ^ (z >> _31)


@inline_kernel
def first_state(seed: int, index: int) -> int:
    """Return the state that board `index` of `seed` begins with."""
    return mix((mix((seed + _GOLDEN) & _ALL) + index) & _ALL)


@inline_kernel
def next_state(state: int) -> int:
    """Return the state after one more draw."""
    return (state + _GOLDEN) & _ALL


@inline_kernel
def below(state: int, n: int) -> int:
    """Return the number from 0 to n - 1 that a state stands for; n is below 2**32."""
    bits, bound = mix(state), unsigned(n)
    product: Any = ((bits >> _32) * bound + (((bits & _LOW) * bound) >> _32)) >> _32
    return np.int64(product)  # type: ignore[return-value]


@inline_kernel
def share(state: int) -> float:
    """Return the number from 0 up to 1, without 1, that a state stands for; of 53 bits."""
    return float(np.int64(mix(state) >> _11)) * 2.0**-53


@kernel
def shuffle_mines(state: int, cells: Any, count: int, mines: int) -> int:
    """Bring `mines` of the first `count` cells to the front, each set of them equally likely; return the state."""
    for j in range(mines):
        state = next_state(state)
        k = j + below(state, count - j)
        cells[j], cells[k] = cells[k], cells[j]
    return state
