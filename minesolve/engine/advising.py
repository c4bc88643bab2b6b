"""Advice on one position: what each promising cell is worth, and how that was found.

The cell that is advised first is the one that compiled games open in that position by the same policy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesolve.engine.board import KNOWN_SAFE, UNKNOWN
from minesolve.engine.chances import chance_at, weigh_board
from minesolve.engine.compiling import entry_kernel, kernel
from minesolve.engine.endgame import SOLVED, solve_ending
from minesolve.engine.ending import expand_position
from minesolve.engine.games import look_for, scratch_for
from minesolve.engine.guessing import SETTINGS, Scratch
from minesolve.engine.handful import SETS
from minesolve.engine.judging import CAPACITIES, desk_for
from minesolve.engine.look import UNTOLD, Look, look_ahead, play_ending, rank, score_candidate
from minesolve.engine.play import Desk
from minesolve.engine.states import DONE, FULL, IMPOSSIBLE
from minesolve.engine.supposing import keep
from minesolve.errors import BudgetExceeded
from minesolve.position import Position

__all__ = ["Advice", "advise"]


@dataclass(frozen=True, slots=True, eq=False)
class Advice:
    """What a policy thinks of the promising cells of a position without a safe cell.

    Attributes
    ----------
    cells : int32[candidates]
        The cells, the one to open first, then by what they are worth; all that can be opened if `exact`.
    chances : float64[candidates]
        The chance of a mine.
    follow_ups : float64[candidates]
        The chance that the cell is safe and that some cell is certainly safe (or all is known) afterwards; NaN where
        that was not looked into.
    wins : float64[candidates]
        The chance of winning if the cell is opened first: exact if `exact`, else estimated; NaN where the policy does
        not estimate it.
    exact : bool
        Whether the game was searched to its end: then `won` says of how many of the `layouts` optimal play wins.
    won : int64[candidates] or None
    layouts : int or None
    """

    cells: NDArray[np.int32]
    chances: NDArray[np.float64]
    follow_ups: NDArray[np.float64]
    wins: NDArray[np.float64]
    exact: bool
    won: NDArray[np.int64] | None
    layouts: int | None


@kernel
def _rank_exactly(desk: Desk, scratch: Scratch, look: Look, alone: int) -> int:
    """Rank all cells that can be opened, or `alone` one place, by what they win; return how many there are."""
    count = 0
    for p in desk.board.places:
        if desk.board.status[p] == UNKNOWN and (alone < 0 or alone == p):
            look.step.cells[count], look.order[count] = p, count
            look.step.chance[count] = chance_at(desk, scratch.chances, p)
            look.step.score[count] = look.ending.wins[p]
            count += 1
    rank(look, count)
    return count


@entry_kernel
def _advise(
    desk: Desk, scratch: Scratch, look: Look, codes: Any, total: int, trust_flags: bool
) -> tuple[int, int, int]:
    """Rank the cells of a position; return DONE or why not, how many there are, and the layouts (0 if not exact).

    What all other cells win is told if half the sets that the search for the best one left of its budget are enough:
    with them all a hint would take more than two seconds.
    """
    status, _ = expand_position(desk, look.ending.regions, codes, total, trust_flags)
    if status == DONE:
        status, _, logarithm = weigh_board(desk, False, 0.0, scratch.chances)
    if status != DONE:
        return status, 0, 0
    best, won, layouts = play_ending(desk, look, logarithm)
    if best < 0:
        status, count = look_ahead(desk, look, scratch.chances)
        return status, count, 0
    left = (look.settings.sets - look.ending.search.handful.count[SETS]) // 2
    end, _, _, _ = solve_ending(desk, look.ending, look.settings.layouts, left, np.bool_(True), np.int64(-1))
    if end != SOLVED:
        look.ending.wins[best] = won
    count = _rank_exactly(desk, scratch, look, best if end != SOLVED else -1)
    keep(desk.board, look.step.kept)
    for i in range(count):
        if score_candidate(desk, look, look.step, i) == FULL:
            return FULL, 0, 0
    return DONE, count, layouts


def advise(
    position: Position, *, policy: str = "strong", effort: int = 1, trust_flags: bool = False
) -> Advice:
    r"""Return what a policy that looks ahead thinks of the promising cells of a position without a safe cell.

    Where the game can be searched to its end, these are all cells that can be opened; only the best one if the others
    take too long. Where it can't be told what follows on a cell, that ranks last.

    Parameters
    ----------
    position : Position
        With a total.
    policy : str
        ``"lookahead"`` or ``"strong"``.
    effort : int
        With ``"strong"``: 1 or 2.
    trust_flags : bool
        Whether flags are taken for mines.

    Raises
    ------
    InvalidPosition, Contradiction
        If there is no layout.
    BudgetExceeded
        If a component is too wide.
    ValueError
        If there is no such policy, no total, or a cell is certainly safe.

    Examples
    --------
    >>> advice = advise(Position.from_text("#####\n#1###\n#3###\n#####", mines=5))
    >>> advice.cells[:2].tolist(), advice.exact, advice.won[:2].tolist(), advice.layouts
    ([2, 0], True, [285, 283], 360)
    """
    name = policy if effort == 1 else f"{policy}:{effort}"
    if name not in SETTINGS:
        raise ValueError(f"no policy {name} looks ahead, only {', '.join(SETTINGS)}")
    if position.mines is None:
        raise ValueError("looking ahead takes the mine total")
    codes = position.to_array().ravel()
    total = min(position.mines, codes.size + 1)
    for capacity in CAPACITIES:
        desk = desk_for(position.width, position.height, capacity)
        look = look_for(desk, name)
        status, count, layouts = _advise(desk, scratch_for(desk), look, codes, total, trust_flags)
        if status != FULL:
            break
    if status == IMPOSSIBLE:
        from minesolve.engine import mine_probabilities

        mine_probabilities(position, trust_flags=trust_flags)  # says why
    if status != DONE:
        raise BudgetExceeded(f"a component has more than {CAPACITIES[-1]} states" if status == FULL else
                             "a component is too wide to look ahead")  # fmt: skip
    if (desk.board.status == KNOWN_SAFE).any():
        raise ValueError("a cell is certainly safe: no guess is needed")
    return _advice(desk, look, count, layouts)


def _advice(desk: Desk, look: Look, count: int, layouts: int) -> Advice:
    """Read what the kernel found from the arrays."""
    order = look.order[:count]
    places = look.step.cells[order]
    cells = np.searchsorted(desk.board.places, places).astype(np.int32)
    follow_ups, wins = _told(look.step.follow[order]), _told(look.step.score[order])
    if not layouts:
        return Advice(cells, look.step.chance[order], follow_ups, wins, False, None, None)
    won = look.ending.wins[places]
    return Advice(cells, look.step.chance[order], follow_ups, won / layouts, True, won, layouts)


def _told(figures: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(figures == UNTOLD, np.nan, figures)
