"""Chances of positions from Python: arrays made, and what the kernels can't hold passed on to the slow path."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesolve.engine import chances as kernels
from minesolve.engine import slow
from minesolve.engine.board import KNOWN_MINE
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
            out[rows], statuses[rows] = _weigh_rows(desk, flat[rows], totals[rows], densities[rows], trust_flags)
    for i in np.flatnonzero(statuses > IMPOSSIBLE):
        if statuses[i] == FULL:
            raise BudgetExceeded(f"a component has more than {CAPACITIES[-1]} states")
        desk, one = desk_for(width, height, bits=bits), slice(i, i + 1)
        _weigh_rows(desk, flat[one], totals[one], densities[one], trust_flags)  # leaves the position on the desk
        density = Fraction(float(densities[i])) if totals[i] < 0 else None
        found = slow.chances(slow.remainder_of(desk.board), totals[i] >= 0, density)
        statuses[i] = DONE if found else IMPOSSIBLE
        out[i] = _row(desk, flat[i], (11, 10) if trust_flags else (11,), found or {})
    out[statuses == IMPOSSIBLE] = np.nan
    return out.reshape(number, height, width), statuses == DONE


def _weigh_rows(desk: Desk, codes: Any, totals: Any, densities: Any, trust_flags: bool) -> tuple[Any, Any]:
    """Return the chances and statuses of positions, as far as the kernels come."""
    found, status = np.full(codes.shape, np.nan), np.empty(len(codes), dtype=np.int64)
    scratch = np.zeros(len(desk.board.words) + 1)
    kernels.chances_of(desk, codes, totals, densities, trust_flags, scratch, found, status)
    return found, status


def _row(
    desk: Desk, codes: NDArray[np.int8], known: tuple[int, ...], found: dict[int, Fraction]
) -> NDArray[np.float64]:
    """Return the chances of the position on the desk, given those of the cells that the cheap layers left unknown."""
    out = np.full(len(codes), np.nan)
    for cell, code in enumerate(codes):
        place = int(desk.board.places[cell])
        if place in found:
            out[cell] = _rounded(found[place])
        elif code > 8 and code not in known:
            out[cell] = float(desk.board.status[place] == KNOWN_MINE)
    return out


def _rounded(chance: Fraction) -> float:
    """Return the float nearest to a chance, kept off 0 and 1 if the chance is."""
    if chance in (0, 1):
        return float(chance)
    return min(max(float(chance), 5e-324), 1.0 - 2.0**-53)
