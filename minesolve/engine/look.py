"""Look-ahead: what a promising cell may show, how likely each number is, and what the position is worth then.

The value of a cell is its chance of winning as far as that can be told: the sum, over the numbers that it may show, of
the chance of that number (exact) times the value of what follows (`minesolve.engine.value`). With two steps the value
of a position in which no certain move follows is that of the best next guess.

What is learned errs between cells that are nearly alike. So the score is a mean, by weights, of that value and of
another judge, how safe this move and the next one are: the same sum over (4 a + b) / 5, where a and b are the best and
the second best safety of what follows. The second judge is scaled to the first, best to best.
"""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from math import exp, inf, log
from typing import Any, NamedTuple

import numpy as np

from minesolve.engine.board import KNOWN_MINE, OPENED, POPCOUNT, RIM, UNKNOWN, Board
from minesolve.engine.chances import EQUAL, lowest_chance
from minesolve.engine.compiling import kernel, merged_kernel, shared_kernel
from minesolve.engine.endgame import SOLVED, Ending, allocate_ending, solve_ending
from minesolve.engine.play import Desk
from minesolve.engine.states import DONE, FULL, IMPOSSIBLE
from minesolve.engine.supposing import SOLVED_WITHIN, Kept, allocate_kept, keep, put_back, show, weigh_after
from minesolve.engine.value import (
    ANY_SURE,
    BEST,
    SECOND_BEST,
    SURE,
    Parameters,
    Value,
    allocate_value,
    describe,
    estimate,
)

__all__ = [
    "UNTOLD", "Look", "Settings", "Step", "allocate_look", "candidates", "look_ahead", "play_ending", "rank",
    "score_candidate",
]  # fmt: skip

UNTOLD = -1.0
"""The score of a cell that can't be weighed; it ranks behind all others."""

_LAYOUTS, _WIDTH, _MEMO = 16384, 256, 1 << 17
"""Room for the end of a game: layouts and cells of a region, and sets to remember."""

_MOST_LOGARITHM = log(2.0**62)


class Settings(NamedTuple):
    """How far a policy looks.

    Attributes
    ----------
    ratio : float
        Cells are promising whose safety is at least this share of the best.
    most : int
        The most cells that are looked at, the safest first.
    outside : int
        How many of these may be beside no number.
    deep : int
        How many of them, the best after one step, are looked at two steps ahead; 0 for none. More are, if one that was
        not would be the best.
    inner : int
        How many cells are looked at in the second step.
    margin : float
        Cells whose score is lower by more than this are not looked at two steps ahead.
    near : float
        The weight in the score, 0 to 1, of how safe this move and the next one are.
    layouts, sets : int
        The game is searched to its end where the parts of the position have no more layouts than this, as long as
        no more sets of them have to be looked into; 0 for never.
    """

    ratio: float
    most: int
    outside: int
    deep: int
    inner: int
    margin: float
    near: float
    layouts: int
    sets: int


class Step(NamedTuple):
    """What one step takes.

    Attributes
    ----------
    kept : Kept
        The board that cells are looked at on.
    count : int64[1]
        How many candidates there are.
    cells : int32[places]
        Their places, the safest first.
    chance, value, near, score, follow : float64[places]
        By candidate: the chance of a mine; the value; how safe this move and the next one are; the score; the chance
        that it is safe and a certain move follows, or nothing is left to find out.
    after : float64[places + 1]
        Chances when the cell that is looked at has shown its number, as `weigh_board` writes them.
    number : float64[places, 9, 4]
        By candidate and number that it may show: the logarithm of its layouts, the value, 1 if a certain move follows,
        and how safe the next move is.
    """

    kept: Kept
    count: Any
    cells: Any
    chance: Any
    value: Any
    near: Any
    score: Any
    follow: Any
    after: Any
    number: Any


class Look(NamedTuple):
    """What looking ahead takes besides a desk.

    Attributes
    ----------
    step, second : Step
    order, second_order : int64[places]
        The candidates of the first step, the best first; those of the second.
    settings : Settings
    value : Value
    ending : Ending
    """

    step: Step
    second: Step
    order: Any
    second_order: Any
    settings: Settings
    value: Value
    ending: Ending


def _allocate_step(board: Board) -> Step:
    places = len(board.words)
    chance, value, near, score, follow = np.zeros((5, places))
    return Step(
        allocate_kept(board), np.zeros(1, np.int64), np.zeros(places, np.int32), chance, value, near, score,
        follow, np.zeros(places + 1), np.zeros((places, 9, 4)),
    )  # fmt: skip


def allocate_look(desk: Desk, settings: Settings, parameters: Parameters) -> Look:
    """Return the arrays for boards of one size."""
    board, places = desk.board, len(desk.board.words)
    return Look(
        _allocate_step(board), _allocate_step(board), np.zeros(places, np.int64), np.zeros(places, np.int64), settings,
        allocate_value(places, parameters), allocate_ending(desk, _LAYOUTS, _WIDTH, _MEMO),
    )  # fmt: skip


# --- which cells ---


@kernel
def _insert(step: Step, most: int, p: int, chance: float) -> None:
    """Put a cell among the candidates, behind those that are as safe."""
    cells, chances, at = step.cells, step.chance, step.count[0]
    while at > 0 and chances[at - 1] > chance + EQUAL:
        if at < most:
            cells[at], chances[at] = cells[at - 1], chances[at - 1]
        at -= 1
    if at < most:
        cells[at], chances[at] = p, chance
    step.count[0] = min(step.count[0] + 1, most)


@kernel
def _is_near_number(board: Board, p: int) -> bool:
    """Return whether a number is two away or less."""
    for i in range(24):
        q = p + board.near[i]
        if 0 <= q < len(board.status) and board.status[q] == OPENED:
            return True
    return False


@merged_kernel
def _kind_outside(board: Board, p: int) -> int:
    """Return how a cell beside no number lies: 0 in a corner or as one, 1 at an edge, 2 near a number, else 3."""
    covered = 0
    for d in range(8):
        status = board.status[p + board.offsets[d]]
        covered += 0 if status in (OPENED, RIM, KNOWN_MINE) else 1
    if covered <= 5:
        return 0 if covered <= 3 else 1
    return 2 if _is_near_number(board, p) else 3


@merged_kernel
def _add_outside(desk: Desk, look: Look, step: Step, most: int, chance: float) -> None:
    """Add some of the cells beside no number, all as safe."""
    board, frontier, added = desk.board, desk.frontier, 0
    for kind in range(4):
        room = look.settings.outside if kind < 3 else 1  # one that lies anywhere is better than none
        for p in board.places:
            if added >= room:
                break
            if board.status[p] == UNKNOWN and frontier.box_of[p] < 0 and _kind_outside(board, p) == kind:
                _insert(step, most, p, chance)
                added += 1


@kernel
def candidates(desk: Desk, look: Look, step: Step, chances: Any, most: int) -> int:
    """Write the promising cells of the position on the desk, the safest first; return how many there are.

    `chances` are those that `weigh_board` wrote.
    """
    board, frontier = desk.board, desk.frontier
    step.count[0] = 0
    limit = min(1.0 - look.settings.ratio * (1.0 - lowest_chance(desk, chances)) + EQUAL, 1.0)
    for p in board.places:
        if board.status[p] == UNKNOWN and frontier.box_of[p] >= 0 and chances[frontier.box_of[p]] < limit:
            _insert(step, most, p, chances[frontier.box_of[p]])
    if chances[-1] < limit:
        _add_outside(desk, look, step, most, chances[-1])
    return step.count[0]


# --- what they are worth ---


@merged_kernel
def _next_safety(figures: Any) -> float:
    """Return how safe the next move is in the position described, the second best one counting a little."""
    sure, first, second = figures[SURE], figures[BEST], figures[SECOND_BEST]
    if sure > 0.0:
        first, second = 1.0, 1.0 if sure > 1.0 else first
    return (4.0 * first + second) / 5.0


@kernel
def _suppose(desk: Desk, look: Look, step: Step, i: int, more: int) -> int:
    """Suppose that a candidate shows a number, and note what that is worth; the board stays so.

    Returns DONE, IMPOSSIBLE, or why it can't be told.
    """
    note = step.number[i, more]
    note[0] = -inf
    show(desk.board, step.cells[i], more)
    status, layouts = weigh_after(desk, step.after)
    if status != DONE:
        return status
    note[0], note[1], note[2], note[3] = layouts, 1.0, 1.0, 1.0
    if layouts > SOLVED_WITHIN:
        describe(desk, step.after, layouts, look.value)
        note[1], note[2], note[3] = estimate(look.value), look.value.figures[ANY_SURE], _next_safety(look.value.figures)
    return DONE


@kernel
def _sum_up(step: Step, i: int, numbers: int) -> None:
    """Write what a candidate is worth from what its numbers are."""
    number, highest, everything, value, follow, near = step.number[i], -inf, 0.0, 0.0, 0.0, 0.0
    for more in range(numbers):
        highest = max(highest, number[more, 0])
    for more in range(numbers):
        weight = exp(number[more, 0] - highest)
        everything += weight
        value += weight * number[more, 1]
        follow += weight * number[more, 2]
        near += weight * number[more, 3]
    share = (1.0 - step.chance[i]) / everything
    step.value[i], step.follow[i], step.near[i] = share * value, share * follow, share * near


@kernel
def _score(step: Step, order: Any, count: int, weight: float) -> None:
    """Write the scores of the first `count` candidates in an order: their values, and how safe they are, by weight.

    No cell wins more often than it is safe.
    """
    value, near = 0.0, 0.0
    for at in range(count):
        value, near = max(value, step.value[order[at]]), max(near, step.near[order[at]])
    for at in range(count):
        i = order[at]
        step.score[i] = step.value[i]
        if step.value[i] > UNTOLD and near > 0.0:
            mean = (1.0 - weight) * step.value[i] + weight * value * (step.near[i] / near)
            step.score[i] = min(mean, 1.0 - step.chance[i])


@kernel
def _is_better(step: Step, i: int, j: int) -> bool:
    """Return whether a candidate is better than another: by its score, its safety, its index."""
    if abs(step.score[i] - step.score[j]) > EQUAL:
        return step.score[i] > step.score[j]
    if abs(step.chance[i] - step.chance[j]) > EQUAL:
        return step.chance[i] < step.chance[j]
    return step.cells[i] < step.cells[j]


@kernel
def _best_at(step: Step, order: Any, begin: int, end: int) -> int:
    """Return where the best of `order[begin:end]` stands."""
    best = begin
    for at in range(begin + 1, end):
        if _is_better(step, order[at], order[best]):
            best = at
    return best


@shared_kernel
def score_candidate(desk: Desk, look: Look, step: Step, i: int) -> int:
    """Write what a candidate is worth, all but the score; the board, which must have been kept, is put back.

    Returns DONE, or why it can't be told: then the value is `UNTOLD`.
    """
    numbers = POPCOUNT[desk.board.words[step.cells[i]] & 255] + 1
    step.value[i] = step.follow[i] = step.near[i] = UNTOLD
    for more in range(numbers):
        status = _suppose(desk, look, step, i, more)
        put_back(desk.board, step.kept)
        if status not in (DONE, IMPOSSIBLE):
            return status
    _sum_up(step, i, numbers)
    return DONE


@kernel
def _score_all(desk: Desk, look: Look, step: Step, order: Any, count: int) -> int:
    """Score so many candidates, and write 0, 1, 2, ... to an order; return DONE or FULL."""
    keep(desk.board, step.kept)
    for i in range(count):
        order[i] = i
        if score_candidate(desk, look, step, i) == FULL:
            return FULL
    _score(step, order, count, look.settings.near)
    return DONE


@merged_kernel
def _best_next(desk: Desk, look: Look) -> tuple[int, float]:
    """Return FULL or DONE, and the value of the next guess in the position supposed, `UNTOLD` if there is none."""
    second, order = look.second, look.second_order
    count = candidates(desk, look, second, look.step.after, look.settings.inner)
    if _score_all(desk, look, second, order, count) == FULL:
        return FULL, UNTOLD
    return DONE, second.value[order[_best_at(second, order, 0, count)]] if count else UNTOLD


@merged_kernel
def _score_deep(desk: Desk, look: Look, i: int) -> int:
    """Score a candidate of the first step anew: numbers that no certain move follows are worth the best next guess.

    Returns DONE or FULL.
    """
    step = look.step
    if step.value[i] == UNTOLD:
        return DONE
    numbers = POPCOUNT[desk.board.words[step.cells[i]] & 255] + 1
    for more in range(numbers):
        note = step.number[i, more]
        if note[0] > -inf and note[2] == 0.0:
            _suppose(desk, look, step, i, more)
            status, best = _best_next(desk, look)
            put_back(desk.board, step.kept)
            if status == FULL:
                return FULL
            if best > UNTOLD:
                note[1] = best
    _sum_up(step, i, numbers)
    return DONE


# --- which is best ---


@kernel
def rank(look: Look, count: int) -> None:
    """Bring the first `count` of `order` into their order, the best first."""
    order = look.order
    for at in range(count - 1):
        best = _best_at(look.step, order, at, count)
        order[at], order[best] = order[best], order[at]


@merged_kernel
def _look_deeper(desk: Desk, look: Look, count: int) -> int:
    """Look two steps ahead for some of the ranked candidates; return DONE or FULL.

    For the best ones within the margin, and for more as long as one that was looked at but one step ahead would be the
    best of all.
    """
    step, order, settings = look.step, look.order, look.settings
    if count < 2 or step.score[order[1]] < step.score[order[0]] - settings.margin:
        return DONE
    for deep in range(count):
        at = _best_at(step, order, deep, count)
        order[deep], order[at] = order[at], order[deep]
        if deep > 0:
            best = order[_best_at(step, order, 0, deep)]
            is_near = deep < settings.deep and step.score[order[deep]] >= step.score[best] - settings.margin
            if not (is_near or _is_better(step, order[deep], best)):
                break
        if _score_deep(desk, look, order[deep]) == FULL:
            return FULL
        _score(step, order, count, settings.near)
    return DONE


@shared_kernel
def look_ahead(desk: Desk, look: Look, chances: Any) -> tuple[int, int]:
    """Score the promising cells of the position on the desk; return DONE or FULL, and how many there are.

    `look.order` has them by what they are worth. The best was looked at two steps ahead, if the settings say so and it
    is not the best by far after one. The board is put back, the graph of states is not.
    """
    count = candidates(desk, look, look.step, chances, look.settings.most)
    if _score_all(desk, look, look.step, look.order, count) == FULL:
        return FULL, 0
    rank(look, count)
    if look.settings.deep > 0:
        if _look_deeper(desk, look, count) == FULL:
            return FULL, 0
        rank(look, count)
    return DONE, count


@merged_kernel
def play_ending(desk: Desk, look: Look, layouts: float) -> tuple[int, int, int]:
    """Return the best place, how many layouts it wins, and of how many, if the game can be searched to its end.

    Else the place is -1. The position must have been weighed; `layouts` is the logarithm of their number.
    """
    settings = look.settings
    if settings.layouts > 0 and layouts < _MOST_LOGARITHM:
        end, won, number, place = solve_ending(
            desk, look.ending, settings.layouts, settings.sets, np.bool_(False), np.int64(-1)
        )
        if end == SOLVED:
            return place, won, number
    return -1, 0, 1
