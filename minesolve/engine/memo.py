"""What was found out about sets of layouts: a table of fixed size.

Each layout has a key of 126 random bits, always the same for its number; a set's key is the XOR of theirs. Two
different sets share a key with a chance of 2**-126: among ten million sets, below 10**-23 that any two of them do.
"""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minesolve.engine.compiling import inline_kernel

__all__ = ["Memo", "allocate_memo", "find", "forget_memo", "keep"]

_PROBES = 8
_GENERATION = 32
"""How far the generation is shifted in a row's last word; below it stands twice the value, plus 1 if it is exact."""


class Memo(NamedTuple):
    """A hash table of sets of layouts.

    Attributes
    ----------
    rows : int64[rows, 3]
        The key's two halves; the generation, and the value.
    generation : int64[1]
        Rows of an older generation count as empty.
    keys : int64[layouts, 2]
        By layout.
    """

    rows: Any
    generation: Any
    keys: Any


def allocate_memo(layouts: int, rows: int) -> Memo:
    """Return a table with so many rows (a power of two), and keys for so many layouts."""
    keys = np.arange(1, 2 * layouts + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)  # SplitMix64, seed 0
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    keys = (keys ^ (keys >> np.uint64(31))) >> np.uint64(1)
    return Memo(np.zeros((rows, 3), np.int64), np.zeros(1, np.int64), keys.astype(np.int64).reshape(layouts, 2))


@inline_kernel
def forget_memo(memo: Memo) -> None:
    """Forget all sets."""
    memo.generation[0] += 1


@inline_kernel
def find(memo: Memo, first: int, second: int) -> int:
    """Return twice the value that was kept for a key, plus 1 if it is exact and not only an upper bound; -1 if none."""
    rows, last, generation = memo.rows, len(memo.rows) - 1, memo.generation[0]
    slot = first & last
    for _ in range(_PROBES):
        if rows[slot, 2] >> _GENERATION != generation:
            return -1
        if rows[slot, 0] == first and rows[slot, 1] == second:
            return rows[slot, 2] & ((1 << _GENERATION) - 1)
        slot = (slot + 1) & last
    return -1


@inline_kernel
def keep(memo: Memo, first: int, second: int, value: int, exact: bool) -> None:
    """Keep a value for a key; where the table is crowded, the set that came first goes."""
    rows, last, generation = memo.rows, len(memo.rows) - 1, memo.generation[0]
    slot = first & last
    for _ in range(_PROBES):
        if rows[slot, 2] >> _GENERATION != generation or (rows[slot, 0] == first and rows[slot, 1] == second):
            break
        slot = (slot + 1) & last
    else:
        slot = first & last
    rows[slot, 0], rows[slot, 1] = first, second
    rows[slot, 2] = generation << _GENERATION | 2 * value + (1 if exact else 0)
