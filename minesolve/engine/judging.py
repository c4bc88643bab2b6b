"""Judging boards from Python: arrays made, work shared out to threads, and what the kernels can't hold decided."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from minesolve.engine import batch, slow
from minesolve.engine.board import FRESH
from minesolve.engine.draws import unsigned
from minesolve.engine.play import NEEDS_GUESS, NOW, TOO_WIDE, UNSOUND, WIDEST, Desk, allocate_desk
from minesolve.errors import BudgetExceeded

__all__ = [
    "NEEDS_GUESS", "Verdicts", "checked_click", "desk_for", "draw", "draw_several", "judge_drawn", "judge_truth",
]  # fmt: skip

CAPACITIES = (1 << 13, 1 << 16, 1 << 19)
"""States that the arrays hold: tried one after the other, the first of them nearly always enough."""

_CHUNK = 2048
_CLICKS = {"opening": batch.OPENING, "safe": batch.SAFE, "any": batch.ANY}
_mine = threading.local()


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What was found about boards `first`, `first` + 1, ... of a seed; arrays by board.

    Attributes
    ----------
    first : int
        The index of the first board.
    starts : int32[count]
        The cell that is opened first.
    layers : int8[count]
        The hardest layer that is needed: 1 single, 2 pair, 3 component, 4 total, 0 if the start opens everything;
        -1 if the board needs a guess, or a harder layer than was allowed.
    steps : int32[count, 4]
        For each layer, how often it was the lowest one, run to exhaustion, that found a safe cell. Cells once known
        stay known. 0 for boards that need a guess.
    bbbv : int32[count]
        The 3BV; 0 for boards that need a guess.
    widest : int32[count]
        How many numbers the widest step had to look at together: 1 for a single, 2 for a pair, the numbers of the
        smallest component with a safe cell, all numbers still in play where the total is needed; 0 for boards that need
        a guess, and for those that the start opens.
    """

    first: int
    starts: NDArray[np.int32]
    layers: NDArray[np.int8]
    steps: NDArray[np.int32]
    bbbv: NDArray[np.int32]
    widest: NDArray[np.int32]


def desk_for(width: int, height: int, capacity: int = CAPACITIES[0], bits: int = 62) -> Desk:
    """Return arrays that belong to this thread; the smallest ones are kept for the next call."""
    wanted = (width, height, capacity, bits)
    if getattr(_mine, "wanted", None) == wanted:
        return cast(Desk, _mine.desk)
    desk = allocate_desk(width, height, capacity, bits)
    if capacity == CAPACITIES[0]:
        _mine.wanted, _mine.desk = wanted, desk
    return desk


def room_for_mines(width: int, height: int, start: int | None, first_click: str) -> int:
    """Return how many mines fit beside the start, wherever that may be; ValueError if an argument makes no sense."""
    if width < 1 or height < 1:
        raise ValueError(f"a board has at least one row and one column, not {width}x{height}")
    if first_click not in _CLICKS:
        raise ValueError(f"first_click is one of {', '.join(_CLICKS)}, not {first_click!r}")
    cells = width * height
    if start is not None and not 0 <= start < cells:
        raise ValueError(f"cell {start} is off the board of {width}x{height}")
    if first_click != "opening":
        return cells - (first_click == "safe")
    y, x = divmod(width * (height // 2) + width // 2 if start is None else start, width)
    columns = min(x + 1, width - 1) - max(x - 1, 0) + 1
    rows = min(y + 1, height - 1) - max(y - 1, 0) + 1
    return cells - columns * rows


def checked_click(width: int, height: int, mines: int, start: int | None, first_click: str) -> int:
    """Return the kernels' number of a first click; ValueError if the mines don't fit."""
    room = room_for_mines(width, height, start, first_click)
    if not 0 <= mines <= room:
        raise ValueError(f"{mines} mines on {width}x{height}: from 0 to {room} fit ({first_click} start)")
    return _CLICKS[first_click]


def _place(desk: Desk, cell: int | None) -> int:
    return -1 if cell is None else int(desk.board.places[cell])


def draw(
    width: int, height: int, mines: int, *, start: int | None, first_click: str, seed: int, index: int
) -> tuple[int, NDArray[np.bool_]]:
    """Return the start and the (height, width) mines of one board."""
    click = checked_click(width, height, mines, start, first_click)
    desk = desk_for(width, height)
    board = desk.board
    place = batch.draw_board(board, mines, _place(desk, start), click, unsigned(seed), unsigned(index))
    padded = np.zeros(len(board.words), dtype=bool)
    padded[board.drawn[:mines]] = True
    return int(np.searchsorted(board.places, place)), padded[board.places].reshape(height, width)


def draw_several(
    width: int, height: int, mines: int, *, start: int | None, first_click: str, seed: int, indices: NDArray[np.uint64]
) -> NDArray[np.uint8]:
    """Return the (count, cells) mines of several boards of a seed."""
    click = checked_click(width, height, mines, start, first_click)
    desk, masks = desk_for(width, height), np.zeros((len(indices), width * height), np.uint8)
    batch.draw_boards(
        desk.board, mines, _place(desk, start), click, unsigned(seed), indices, masks
    )
    return masks


def judge_drawn(
    width: int, height: int, mines: int, *, start: int | None, first_click: str, seed: int, first: int, count: int,
    max_layer: int, threads: int = 1, screen: bool = True,
) -> Verdicts:  # fmt: skip
    """Judge boards `first` to `first` + `count` - 1 of a seed; the result does not depend on `threads`."""
    click = checked_click(width, height, mines, start, first_click)
    found = Verdicts(
        first, np.zeros(count, np.int32), np.zeros(count, np.int8), np.zeros((count, 4), np.int32),
        np.zeros(count, np.int32), np.zeros(count, np.int32),
    )  # fmt: skip

    def judge(begin: int) -> None:
        desk = desk_for(width, height)
        part = slice(begin, min(begin + _CHUNK, count))
        batch.judge_boards(
            desk, mines, _place(desk, start), click, unsigned(seed), unsigned(first + begin), screen,
            max_layer, found.starts[part], found.layers[part], found.steps[part], found.bbbv[part],
            found.widest[part],
        )  # fmt: skip

    _run(judge, range(0, count, _CHUNK), threads)
    for i in np.flatnonzero(found.layers < NEEDS_GUESS):
        _check_sound(int(found.layers[i]))
        begin, mask = draw(
            width, height, mines, start=start, first_click=first_click, seed=seed, index=first + int(i)
        )
        judged = _judge_any(mask, [begin], max_layer, 62)
        found.layers[i], found.steps[i], found.bbbv[i], found.widest[i] = judged
    return found


def _run(work: Callable[[int], None], items: range, threads: int) -> None:
    if threads < 2:
        for item in items:
            work(item)
        return
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(work, items):
            pass


def judge_truth(
    mask: NDArray[np.bool_], opened: Sequence[int], *, max_layer: int, bits: int = 62
) -> tuple[int, NDArray[np.int32], int]:
    """Judge one minefield: the hardest layer (-1: needs a guess), the steps of each layer, the 3BV (0 with a guess).

    `opened` are cells that are open at the beginning; with a mine among them, the board needs a guess. BudgetExceeded
    if a component is too wide for the arrays and for the slow path.
    """
    return _judge_any(mask, opened, max_layer, bits)[:3]


def _judge_any(
    mask: NDArray[np.bool_], opened: Sequence[int], max_layer: int, bits: int
) -> tuple[int, NDArray[np.int32], int, int]:
    """Return what `judge_truth` does, and the width of the widest step."""
    height, width = mask.shape
    cells = np.asarray(opened, dtype=np.int64)
    nothing = np.zeros(4, np.int32)
    if mask.ravel()[cells].any():
        return NEEDS_GUESS, nothing, 0, 0
    for capacity in CAPACITIES:
        desk = desk_for(width, height, capacity, bits)
        layer, metric = _judge_on(desk, mask, cells, max_layer)
        if layer >= 0:
            return layer, desk.steps.astype(np.int32), metric, int(desk.widths[WIDEST])
        if layer == NEEDS_GUESS:
            return layer, nothing, 0, 0
    raise BudgetExceeded(f"a component has more than {CAPACITIES[-1]} states")


def _check_sound(layer: int) -> None:
    if layer == UNSOUND:
        raise AssertionError("the engine called a mine safe; please report the board")


def _judge_on(desk: Desk, mask: NDArray[np.bool_], opened: NDArray[np.int64], max_layer: int) -> tuple[int, int]:
    """Judge a minefield on a desk; where a component is too wide, the slow path finds what is forced."""
    laid = desk.board.places[mask.ravel()]
    desk.board.drawn[: len(laid)] = laid
    places = desk.board.places[opened].astype(np.int64)
    layer, metric = batch.judge_laid(desk, len(laid), places, np.zeros(len(places), np.int64), max_layer)
    _check_sound(layer)
    while layer == TOO_WIDE:
        forced, step = _forced(desk, max_layer)
        if step < 0:
            return NEEDS_GUESS, 0
        desk.steps[step] += 1
        desk.widths[WIDEST] = max(desk.widths[WIDEST], desk.widths[NOW])
        places = np.array(sorted(forced), dtype=np.int64)
        mines = np.array([forced[p] for p in sorted(forced)], dtype=np.int64)
        layer, metric = batch.judge_laid(desk, -1, places, mines, max_layer)
        _check_sound(layer)
    return layer, metric


def _forced(desk: Desk, max_layer: int) -> tuple[dict[int, int], int]:
    """Return what is forced on the board (1: a mine) and by which layer's step, 2 or 3; -1 if no cell is safe."""
    left = slow.remainder_of(desk.board)
    found: dict[int, int] = {}
    for step in range(2, max_layer):
        playing = sum(any(cell not in found for cell in cells) for _, cells in left.constraints)
        chances = slow.chances(left, total_known=step == 3)
        assert chances is not None, "a minefield is a layout of its own position"
        found.update({place: int(chance) for place, chance in chances.items() if chance in (0, 1)})
        if desk.board.count[FRESH] or 0 in found.values():
            desk.widths[NOW] = playing if step == 3 else _smallest(desk, left, found)
            return found, step
    return {}, -1


def _smallest(desk: Desk, left: slow.Remainder, found: dict[int, int]) -> int:
    """Return the numbers of the smallest component with a safe cell; what kernels settled before is in `NOW`."""
    sizes = [
        len({j for box in boxes for j in box.constraints})
        for boxes in slow.components(left.constraints)
        if any(found.get(cell) == 0 for box in boxes for cell in box.cells)
    ]
    if desk.board.count[FRESH]:
        sizes.append(int(desk.widths[NOW]))
    return min(sizes)
