"""Chances of positions from Python: arrays made, and what the kernels can't hold passed on to the slow path."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesolve.engine import chances as kernels
from minesolve.engine import slow
from minesolve.engine.judging import CAPACITIES, desk_for
from minesolve.engine.play import Desk
from minesolve.engine.states import DONE, FULL, IMPOSSIBLE
from minesolve.errors import BudgetExceeded

__all__ = ["weigh"]


def weigh(
    codes: NDArray[np.int8], totals: NDArray[np.int64], densities: NDArray[np.float64], *, trust_flags: bool = False,
    bits: int = 62,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:  # fmt: skip
    """Return (number, height, width) chances of (number, height, width) codes, and which positions have a layout.

    A total of -1 is unknown; then the density counts. Rows of positions without a layout hold NaN. BudgetExceeded if
    a component is too wide for the arrays and for the slow path.
    """
    number, height, width = codes.shape
    flat = np.ascontiguousarray(codes.reshape(number, height * width))
    out = np.full(flat.shape, np.nan)
    statuses = np.full(number, FULL, dtype=np.int64)
    for capacity in CAPACITIES:
        rows = np.flatnonzero(statuses == FULL)
        if len(rows):
            desk = desk_for(width, height, capacity, bits)
            _fill(desk, rows, flat, totals, densities, trust_flags, out, statuses)
    for i in np.flatnonzero(statuses > IMPOSSIBLE):
        if statuses[i] == FULL:
            raise BudgetExceeded(f"a component has more than {CAPACITIES[-1]} states")
        one = slice(i, i + 1)
        desk = desk_for(width, height, CAPACITIES[-1] if statuses[i] == kernels.UNSURE else CAPACITIES[0], bits)
        _fill(desk, np.array([i]), flat, totals, densities, trust_flags, out, statuses)
        possible = _weigh_slowly(desk, flat[i], int(totals[i]), float(densities[i]), trust_flags, out[one][0])
        statuses[i] = DONE if possible else IMPOSSIBLE
    out[statuses == IMPOSSIBLE] = np.nan
    return out.reshape(number, height, width), statuses == DONE


def _fill(
    desk: Desk, rows: NDArray[np.int64], flat: Any, totals: Any, densities: Any, trust_flags: bool, out: Any,
    statuses: Any,
) -> None:  # fmt: skip
    found, codes = np.empty((len(rows), flat.shape[1])), flat[rows]
    status, scratch = np.empty(len(rows), dtype=np.int64), np.zeros(len(desk.board.words) + 1)
    kernels.chances_of(desk, codes, totals[rows], densities[rows], trust_flags, scratch, found, status)
    out[rows], statuses[rows] = found, status


def _weigh_slowly(
    desk: Desk, codes: NDArray[np.int8], total: int, density: float, trust_flags: bool, out: NDArray[np.float64]
) -> bool:
    """Write the chances of the position that the kernels left on the desk, cheap rules run; False if it has no layout."""
    found = slow.chances(slow.remainder_of(desk.board), total >= 0, Fraction(density) if total < 0 else None)
    if found is None:
        return False
    known = (11, 10) if trust_flags else (11,)
    for cell, code in enumerate(codes):
        place = int(desk.board.places[cell])
        if code <= 8 or code in known:
            out[cell] = np.nan
        elif place in found:
            out[cell] = _rounded(found[place])
        else:
            out[cell] = float(desk.board.status[place] == kernels.KNOWN_MINE)
    return True


def _rounded(chance: Fraction) -> float:
    """Return the float nearest to a chance, kept off 0 and 1 if the chance is."""
    if chance in (0, 1):
        return float(chance)
    return min(max(float(chance), 5e-324), 1.0 - 2.0**-53)
