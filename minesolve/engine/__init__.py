"""The engine: the solver's layers over arrays, compiled with Numba, for millions of boards.

Numbers in, numbers out; this module is all that the rest of minesolve uses. Importing it imports numba; the first call
ever on a machine compiles for a while and says so on stderr.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from minesolve.engine.advising import Advice, advise
from minesolve.engine.ending import BestPlay, best_play
from minesolve.engine.games import Games, play_boards, play_minefield
from minesolve.engine.judging import (
    NEEDS_GUESS,
    Verdicts,
    draw,
    draw_several,
    judge_drawn,
    judge_truth,
    room_for_mines,
)
from minesolve.engine.play import LAYER_NAMES
from minesolve.engine.weighing import weigh
from minesolve.errors import Contradiction, InvalidPosition
from minesolve.position import Position

__all__ = [
    "LAYER_NAMES",
    "NEEDS_GUESS",
    "Advice",
    "BestPlay",
    "Games",
    "Verdicts",
    "advise",
    "best_play",
    "draw_minefield",
    "draw_minefields",
    "judge_boards",
    "judge_minefield",
    "mine_probabilities",
    "play_boards",
    "play_minefield",
    "room_for_mines",
    "weigh",
]


def draw_minefield(
    width: int, height: int, mines: int, *, start: int | None, seed: int = 0, index: int = 0,
    first_click: str = "opening",
) -> tuple[int, NDArray[np.bool_]]:  # fmt: skip
    """Return the start and the (height, width) mines of board `index` of a seed, which is one fixed board for ever.

    `start` is a cell index, or None: then the start is drawn too. ValueError if the mines don't fit.

    Examples
    --------
    >>> start, mask = draw_minefield(5, 4, 3, start=0, seed=1)
    >>> start, int(mask.sum()), mask.shape
    (0, 3, (4, 5))
    """
    return draw(width, height, mines, start=start, first_click=first_click, seed=seed, index=index)


def draw_minefields(
    width: int, height: int, mines: int, *, start: int | None, indices: Sequence[int], seed: int = 0,
    first_click: str = "opening",
) -> NDArray[np.uint8]:  # fmt: skip
    """Return the (count, height * width) mines, 1 on a mine, of the boards of several indices, as `draw_minefield`.

    Examples
    --------
    >>> masks = draw_minefields(5, 4, 3, start=0, indices=[7, 2], seed=1)
    >>> masks.shape, bool((masks[1] == draw_minefield(5, 4, 3, start=0, seed=1, index=2)[1].ravel()).all())
    ((2, 20), True)
    """
    return draw_several(
        width, height, mines, start=start, first_click=first_click, seed=seed, indices=np.array(indices, np.uint64)
    )


def judge_boards(
    width: int, height: int, mines: int, *, start: int | None, count: int, seed: int = 0, first: int = 0,
    first_click: str = "opening", max_layer: int = 4, threads: int = 1,
) -> Verdicts:  # fmt: skip
    """Judge boards `first` to ``first + count - 1`` of a seed: which need no guess, and how hard they are.

    Parameters
    ----------
    width, height, mines : int
    start : int or None
        The cell that is opened first; None: drawn for each board.
    count, seed, first : int
        0 to 2**64 - 1 (seed and index).
    first_click : str
        ``"opening"``, ``"safe"`` or ``"any"``.
    max_layer : int
        The hardest layer a board may need, 1 to 4 (`LAYER_NAMES`).
    threads : int
        Threads that share the work; the result does not depend on them.

    Raises
    ------
    ValueError
        If the mines don't fit or an argument makes no sense.

    Examples
    --------
    >>> verdicts = judge_boards(9, 9, 10, start=40, count=3, seed=7)
    >>> bool((verdicts.layers <= 4).all()), verdicts.steps.shape
    (True, (3, 4))
    """
    _check_layer(max_layer)
    if count < 0 or not 0 <= seed < 2**64 or not 0 <= first <= 2**64 - count:
        raise ValueError("seed and index are from 0 to 2**64 - 1")
    return judge_drawn(
        width, height, mines, start=start, first_click=first_click, seed=seed, first=first, count=count,
        max_layer=max_layer, threads=threads,
    )  # fmt: skip


def judge_minefield(
    mask: NDArray[np.bool_], opened: Sequence[int], *, max_layer: int = 4
) -> tuple[int, NDArray[np.int32], int]:
    """Judge one minefield, given as a (height, width) array that is true on mines.

    Returns the hardest layer (`NEEDS_GUESS` if certain moves don't solve it), the steps of each layer, and the 3BV
    (0 with a guess); see `Verdicts`. `opened` are the cells that are open at the beginning: the start, or all that a
    puzzle shows.

    Raises
    ------
    ValueError
        If the array has another shape or a cell is off the board.
    BudgetExceeded
        If a component is too wide.

    Examples
    --------
    >>> mask = np.zeros((3, 5), dtype=bool)
    >>> mask[0, 4] = True
    >>> judge_minefield(mask, [10])[0]
    0
    """
    _check_layer(max_layer)
    mask = np.asarray(mask)
    if mask.ndim != 2 or mask.dtype != np.bool_ or not mask.size:
        raise ValueError("expected a two-dimensional array of booleans, (height, width)")
    for cell in opened:
        if not 0 <= cell < mask.size:
            raise ValueError(f"cell {cell} is off the board of {mask.shape[1]}x{mask.shape[0]}")
    return judge_truth(mask, opened, max_layer=max_layer)


def _check_layer(max_layer: int) -> None:
    if not 1 <= max_layer <= len(LAYER_NAMES):
        raise ValueError(f"max_layer is from 1 to {len(LAYER_NAMES)}, not {max_layer}")


@overload
def mine_probabilities(
    positions: Position, *, density: float | None = ..., trust_flags: bool = ...
) -> NDArray[np.float64]: ...


@overload
def mine_probabilities(
    positions: Sequence[Position], *, density: float | None = ..., trust_flags: bool = ...
) -> list[NDArray[np.float64]]: ...


def mine_probabilities(
    positions: Position | Sequence[Position], *, density: float | None = None, trust_flags: bool = False
) -> NDArray[np.float64] | list[NDArray[np.float64]]:
    r"""Return the chance of every covered cell to be a mine, as a (height, width) array; a list for a list.

    Forced cells are exactly 0.0 and 1.0 and no others are; open cells, shown mines and trusted flags are NaN. Others
    are right to within 1e-9. Where the total is unknown, `density` (between 0 and 1) is the chance of a cell that
    nothing is known about.

    Raises
    ------
    InvalidPosition, Contradiction
        If a position has no layout; the engine does not look for the numbers that clash.
    BudgetExceeded
        If a component is too wide.
    ValueError
        If neither the total nor a density is known.

    Examples
    --------
    >>> mine_probabilities(Position.from_text("1#\n##", mines=1)).round(3)
    array([[  nan, 0.333],
           [0.333, 0.333]])
    """
    alone = isinstance(positions, Position)
    several = [positions] if isinstance(positions, Position) else list(positions)
    if density is not None and not 0 < density < 1:
        raise ValueError(f"a density is between 0 and 1, not {density}")
    if density is None and any(position.mines is None for position in several):
        raise ValueError("chances need the mine total or a density")
    found: list[NDArray[np.float64] | None] = [None] * len(several)
    sizes = {(position.height, position.width) for position in several}
    for size in sizes:
        group = [i for i, position in enumerate(several) if (position.height, position.width) == size]
        for i, chances in zip(group, _weigh_group([several[i] for i in group], density, trust_flags), strict=True):
            found[i] = chances
    arrays = [chances for chances in found if chances is not None]
    return arrays[0] if alone else arrays


def _weigh_group(positions: list[Position], density: float | None, trust_flags: bool) -> NDArray[np.float64]:
    """Return the chances of positions of one size."""
    codes = np.stack([position.to_array() for position in positions])
    totals = np.array([-1 if p.mines is None else min(p.mines, codes[0].size + 1) for p in positions], dtype=np.int64)
    densities = np.full(len(positions), 0.5 if density is None else density)
    out, possible = weigh(codes, totals, densities, trust_flags=trust_flags)
    if not possible.all():
        _refuse(positions[int(np.flatnonzero(~possible)[0])], trust_flags)
    return out


def _refuse(position: Position, trust_flags: bool) -> None:
    problems = position.problems(trust_flags=trust_flags)
    if problems:
        raise InvalidPosition(problems)
    codes, unknown = position.to_array()[np.newaxis], np.array([-1])
    possible = weigh(codes, unknown, np.array([0.5]), trust_flags=trust_flags)[1][0]
    if possible:
        raise Contradiction("no layout has exactly that many mines", (), uses_total=True)
    raise Contradiction("no layout fits the numbers", (), uses_total=False)
